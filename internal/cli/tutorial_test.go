package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/command"
)

// customers is the table of the second tutorial: Ann with and without her phone, and two strangers.
const customers = `id,first,last,city,phone
c1,Anna,Lee,rome,11
c2,Ana,Lee,bonn,11
c3,Anna,Lee,rome,
c4,Bob,Lee,oslo,
c5,Ann,Poe,oslo,55
`

// The tutorials at the head of the page of configurations give what it says, without a warning.
func TestTutorials(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(page), "\n## The keys of the configuration")
	parts := strings.Split(head, "```json\n")
	answers := [][]string{
		{"KNOWS('ann', 'bo') = 0.6667", "KNOWS('bo', 'ann') = 0.6667", "KNOWS('ann', 'cy') = 0.0000"},
		{"SAME('c1', 'c2') = 0.8190", "SAME('c1', 'c3') = 0.8000", "SAME('c3', 'c4') = 0.0000"},
	}
	if len(parts) != len(answers)+1 {
		t.Fatalf("%d tutorials", len(parts)-1)
	}
	for k, part := range parts[1:] {
		folder := t.TempDir()
		config, _, _ := strings.Cut(part, "```")
		path := filepath.Join(folder, "model.json")
		for name, text := range map[string]string{path: config, filepath.Join(folder, "customers.csv"): customers} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var stdout, stderr bytes.Buffer
		e := &command.Env{Out: &stdout, Err: &stderr}
		root := newRoot(e)
		root.SetArgs([]string{"run", path, "--atoms", "--gap", "1e-9"})
		if code := e.Conclude(root.Execute()); code != 0 || stderr.Len() > 0 {
			t.Errorf("exit code %d\n%s", code, &stderr)
		}
		for _, answer := range answers[k] {
			if !strings.Contains(stdout.String(), answer+"\n") {
				t.Errorf("no %s in\n%s", answer, &stdout)
			}
		}
	}
}
