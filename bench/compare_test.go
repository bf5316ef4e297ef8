package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/cli"
)

// TestMain lets the tests' program be the command that is compared, as bench itself is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == commandName {
		os.Exit(cli.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// The written problem must be the generated one, and the judge must agree with the solver about its answer.
func TestOursAgainstNobody(t *testing.T) {
	t.Setenv(jarVariable, "")
	for _, m := range models {
		got := object(t, "--model", m.name, "--size", "2000", "--peers", "java,osqp", "--python", "no-such-program",
			"--repeat", "2", "--json")
		direct := object(t, "--model", m.name, "--size", "2000", "--json")
		if got["ground_rules"] != direct["ground_rules"] || got["variables"] != direct["variables"] {
			t.Errorf("%s: %v ground rules of %v variables are written, %v of %v are meant", m.name, got["ground_rules"],
				got["variables"], direct["ground_rules"], direct["variables"])
		}
		for _, field := range fields {
			if got[field] == nil && field != "status" {
				t.Errorf("%s: no field %s", m.name, field)
			}
		}
		if got["bytes_per_ground_rule"] != direct["bytes_per_ground_rule"] {
			t.Errorf("%s: %v bytes, not %v", m.name, got["bytes_per_ground_rule"], direct["bytes_per_ground_rule"])
		}
		entries := got["peers"].([]any)
		mine := entries[0].(map[string]any)
		excess, bound := mine["excess"].(float64), got["dual_bound"].(float64)
		if mine["ratio"] != 1.0 || excess > 2e-4 || mine["process_seconds"].(float64) <= 0 {
			t.Errorf("%s: ours: %v", m.name, mine)
		}
		if objective := direct["objective"].(float64); objective < bound-1e-6 || objective > bound*(1+2e-4) {
			t.Errorf("%s: the bound is %v, but the generated problem has the objective %v", m.name, bound, objective)
		}
		for _, e := range entries[1:] {
			if note, _ := e.(map[string]any)["note"].(string); !strings.HasPrefix(note, "skipped: ") {
				t.Errorf("%s: %v is not skipped", m.name, e)
			}
		}
	}
}

// stand is an interpreter that writes the same answer for every script: n bytes of 0.
func stand(t *testing.T, says string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python")
	text := "#!/bin/sh\nhead -c $((8 * $7)) /dev/zero > \"$4\"\n" + says + "\n"
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPeersAnswers(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no shell to stand in for an interpreter")
	}
	for says, want := range map[string]string{
		`echo '{"seconds": 0.5, "version": "1.2", "status": "solved"}'`:         "",
		`echo "ModuleNotFoundError: No module named 'osqp'" >&2; exit 1`:        "skipped: ModuleNotFoundError: No module",
		`echo "Traceback" >&2; echo "MemoryError: no memory" >&2; exit 1`:       "failed: exit status 1: MemoryError",
		`printf x >> "$4"; echo '{"seconds": 1, "version": "", "status": "x"}'`: "failed: it gave no answer",
	} {
		c, err := compare(context.Background(), compareOptions(t, "--python", stand(t, says)))
		if err != nil {
			t.Fatal(err)
		}
		e := c.Entries[1]
		if !strings.HasPrefix(e.Note, want) || (e.Note == "") != (want == "") {
			t.Errorf("%s: note %q, want %q", says, e.Note, want)
		}
		if want == "" && (e.Solve != 0.5 || e.Version != "1.2" || !(e.Ratio > 0) || !(e.Excess > 0)) {
			t.Errorf("%+v", e)
		}
		var text bytes.Buffer
		if err := c.Text(&text); err != nil || !strings.Contains(text.String(), "osqp") {
			t.Errorf("%v\n%s", err, &text)
		}
	}
}

// compareOptions are those of a comparison with osqp on a small problem.
func compareOptions(t *testing.T, more ...string) *options {
	t.Helper()
	o, err := parse(append([]string{"--size", "1000", "--peers", "osqp"}, more...), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The scripts must agree with us wherever their packages are installed.
func TestInstalledPeers(t *testing.T) {
	for _, m := range []string{"citation", "transitivity"} {
		got := object(t, "--model", m, "--size", "1000", "--gap", "1e-6", "--json",
			"--peers", "osqp,clarabel,highs,highs-default")
		for _, e := range got["peers"].([]any)[1:] {
			e := e.(map[string]any)
			if note, _ := e["note"].(string); note != "" {
				t.Logf("%s: %s: %s", m, e["name"], note)
				continue
			}
			if excess := e["excess"].(float64); math.Abs(excess) > 1e-4 {
				t.Errorf("%s: the answer of %s is %g above the optimum", m, e["name"], excess)
			}
		}
	}
}

func TestJavaVersion(t *testing.T) {
	log := "8 [main] INFO  Runtime  - PSL Runtime Version 3.0.1-ab\n9 [main] INFO  next\n"
	if got := javaVersion(log); got != "3.0.1-ab" {
		t.Errorf("version %q", got)
	}
	if got := javaVersion("nothing"); got != "" {
		t.Errorf("version %q of nothing", got)
	}
}
