package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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

// leaving is the table of the third tutorial: who earns little leaves, but for one, and couples leave together. What is
// known of the first twenty is asked of the others.
func leaving() string {
	table := "id,age,town,income,household,left\n"
	for k := range 28 {
		income, left := fmt.Sprint(30000+1000*(k/2*5%14)*5), ""
		if k%9 == 5 {
			income = ""
		}
		if k < 20 {
			left = fmt.Sprint(b2i(k/2*5%14 < 6 != (k == 7)))
		}
		table += fmt.Sprintf("k%d,%d,%s,%s,h%d,%s\n", k, 20+k*7%40, []string{"Rome", "Oslo", ""}[k%3], income, k/2, left)
	}
	return table
}

func b2i(is bool) int {
	if is {
		return 1
	}
	return 0
}

// What the page of explanations shows of its example is printed, but for the gaps, which are what is left of digits.
func TestExplanationsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/explaining.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```[a-z]*\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	folder, gap := t.TempDir(), regexp.MustCompile(`gap [0-9e.-]+`)
	for k, name := range []string{"model.json", "lived.tsv"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(blocks[k][1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	for _, args := range [][]string{{"--changes", "10", "--rules"}, {"--why-not", "0.4"},
		{"--with", "Lived('ann', 'rome')", "--with", "Knows('ann', 'bob') = 0"}} {
		e := &command.Env{Out: &stdout, Err: &stderr}
		root := newRoot(e)
		root.SetArgs(append([]string{"explain", filepath.Join(folder, "model.json"), "Knows('ann', 'cleo')"}, args...))
		if code := e.Conclude(root.Execute()); code != 0 {
			t.Fatalf("exit code %d\n%s", code, &stderr)
		}
	}
	printed, shown := gap.ReplaceAllString(stdout.String(), "gap"), 0
	for _, block := range blocks[2:] {
		if !strings.Contains(block[1], "Knows(") || strings.Contains(block[1], `"words"`) {
			continue
		}
		for line := range strings.Lines(gap.ReplaceAllString(block[1], "gap")) {
			if shown++; !strings.Contains(printed, line) {
				t.Errorf("not printed: %s", line)
			}
		}
	}
	if shown < 25 {
		t.Errorf("%d lines are shown", shown)
	}
}

// The tutorials at the head of the page of configurations give what it says, without a warning.
func TestTutorials(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(page), "\n## The keys of the configuration")
	parts := strings.Split(head, "```json\n")
	tutorials := []struct {
		table string
		args  []string
		want  []string // of the lines of the answer, the beginnings
	}{
		{customers, nil, []string{"KNOWS('ann', 'bo') = 0.6667", "KNOWS('bo', 'ann') = 0.6667",
			"KNOWS('ann', 'cy') = 0.0000"}},
		{customers, nil, []string{"SAME('c1', 'c2') = 0.8190", "SAME('c1', 'c3') = 0.8000", "SAME('c3', 'c4') = 0.0000"}},
		{leaving(), []string{"-l", "-i"}, []string{"LEAVES('k24') = 0.7", "LEAVES('k26') = 0.1"}},
	}
	if len(parts) != len(tutorials)+1 {
		t.Fatalf("%d tutorials", len(parts)-1)
	}
	for k, part := range parts[1:] {
		folder, tutorial := t.TempDir(), &tutorials[k]
		config, _, _ := strings.Cut(part, "```")
		path := filepath.Join(folder, "model.json")
		for name, text := range map[string]string{path: config, filepath.Join(folder, "customers.csv"): tutorial.table} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var stdout, stderr bytes.Buffer
		e := &command.Env{Out: &stdout, Err: &stderr}
		root := newRoot(e)
		root.SetArgs(append([]string{"run", path, "--atoms", "--gap", "1e-9"}, tutorial.args...))
		code := e.Conclude(root.Execute())
		if told := strings.Contains(stderr.String(), "warning"); code != 0 || told || k < 2 && stderr.Len() > 0 {
			t.Errorf("exit code %d\n%s", code, &stderr)
		}
		for _, answer := range tutorial.want {
			if !strings.Contains(stdout.String(), "\n"+answer) {
				t.Errorf("no %s in\n%s", answer, &stdout)
			}
		}
	}
}
