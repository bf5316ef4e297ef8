package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/deeppsl/deeppsl/internal/cli"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == commandName {
		os.Exit(cli.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

const model = `{
	"rules": ["1: Near(A, B) & Wet(A) -> Wet(B) ^2", "0.2: !Wet(A) ^2"],
	"predicates": {
		"Near/2": {"observations": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"], ["e", "f"], ["f", "a"], ["a", "d"]]},
		"Wet/1": {"observations": [["a"]], "targets": [["b"], ["c"], ["d"], ["e"], ["f"]]}}}`

// TestLoad kills a process under load: what was answered is there, and the answer is that of a process that begins
// with the journal.
func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(path, []byte(model), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	args := []string{"-duration", "3s", "-writers", "3", "-readers", "2", "-kills", "4", "-snapshots", "50ms", path}
	if err := run(t.Context(), args, &out); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Updates < 20 || r.Reads < 100 || r.Kills != 4 || r.Resent == 0 || r.Checked < 10 || r.Journal == 0 ||
		r.Snapshots < 10 || len(r.Memory) < points/2 || r.Stages["all"].Mean <= 0 {
		t.Errorf("%s", &out)
	}
}
