//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// runExample runs an example's script, with this test binary as deeppsl.
func runExample(t *testing.T, name string) string {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "deeppsl")); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", filepath.Join("..", "..", "examples", name, "run.sh"))
	command.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestArrivals is about customers that arrive one by one: two join those that they are, and one nobody.
func TestArrivals(t *testing.T) {
	out := runExample(t, "arrivals")
	for _, want := range []string{`["c4","c1"],"value":0.79`, `["c4","c2"],"value":0.69`, `["c5","c3"],"value":0.63`,
		`"version":3,"atoms":[]`, `Phone('c4', '555-0101') & Phone('c1', '555-0101')`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
}

// TestClaims is about a feed of claims: who is contradicted loses trust.
func TestClaims(t *testing.T) {
	out := runExample(t, "claims")
	trust := func(who string) (values []float64) {
		for _, found := range regexp.MustCompile(`\["`+who+`"\],"value":([0-9.]+)`).FindAllStringSubmatch(out, -1) {
			v, err := strconv.ParseFloat(found[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, v)
		}
		return values
	}
	ada, bob := trust("ada"), trust("bob")
	if len(ada) != 8 || len(bob) != 8 {
		t.Fatalf("there are %d and %d values of trust, want 8 of each:\n%s", len(ada), len(bob), out)
	}
	if ada[0]-bob[0] > 0.01 || ada[7]-bob[7] < 0.25 {
		t.Errorf("ada is trusted by %v, bob by %v", ada, bob)
	}
}
