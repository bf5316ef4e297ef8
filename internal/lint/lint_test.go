package lint

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const root = "../.."

// TestModule runs every check over the module.
func TestModule(t *testing.T) {
	m, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Files) < 20 {
		t.Fatalf("only %d files found: the module is not at %s", len(m.Files), root)
	}
	for _, check := range Checks() {
		t.Run(check.Name, func(t *testing.T) {
			t.Parallel()
			findings := check.Run(m)
			for _, finding := range findings {
				t.Error(finding)
			}
			if len(findings) > 0 {
				t.Log("why:", check.Why)
			}
		})
	}
}

// TestVet runs the checks of the Go distribution.
func TestVet(t *testing.T) {
	runTool(t, "go vet knows mistakes that compile", "vet", "./...")
}

// TestStaticcheck runs staticcheck at the version that tools.mod pins.
func TestStaticcheck(t *testing.T) {
	runTool(t, "staticcheck knows mistakes, dead code and needless complication that vet does not",
		"tool", "-modfile=tools.mod", "staticcheck", "./...")
}

// runTool runs a go command in the module's root and fails with its output.
func runTool(t *testing.T, why string, args ...string) {
	if testing.Short() {
		t.Skip("compiles the whole module; not with -short")
	}
	t.Parallel()
	command := exec.Command("go", args...)
	command.Dir = root
	// A third of their time would be the garbage collector's.
	command.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOGC=400")
	output, err := command.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err != nil {
		t.Errorf("go %s: %v\n%s\nwhy: %s", strings.Join(args, " "), err, output, why)
	}
}
