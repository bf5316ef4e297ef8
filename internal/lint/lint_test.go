package lint

import (
	"errors"
	"os"
	"os/exec"
	"slices"
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

// heavy are what deeppsl does without: the laboratory, and libraries that draw, which bring fonts and PDF along.
var heavy = []string{
	modulePath + "/paper", "gonum.org/v1/plot", "git.sr.ht/~sbinet/", "codeberg.org/go-fonts", "codeberg.org/go-pdf",
	"codeberg.org/go-latex", "github.com/golang/freetype", "golang.org/x/image", "github.com/nlpodyssey/gopickle",
}

// TestProductIsLight looks at all packages that deeppsl links.
func TestProductIsLight(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "./cmd/deeppsl")
	list.Dir = root
	list.Env = append(os.Environ(), "GOTOOLCHAIN=local")
	output, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(output)) {
		for _, prefix := range heavy {
			if strings.HasPrefix(path, prefix) {
				t.Errorf("deeppsl links %s", strings.TrimSpace(path))
			}
		}
	}
}

// NOTICE names every module that is linked into deeppsl, and no other.
func TestNoticeNamesWhatIsLinked(t *testing.T) {
	notice, err := os.ReadFile(root + "/NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./cmd/deeppsl")
	list.Dir = root
	list.Env = append(os.Environ(), "GOTOOLCHAIN=local")
	output, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := slices.DeleteFunc(strings.Fields(string(output)), func(path string) bool { return path == modulePath })
	slices.Sort(linked)
	var named []string
	for line := range strings.Lines(string(notice)) {
		if path := strings.TrimSpace(line); strings.Contains(path, "/") && !strings.Contains(path, " ") {
			named = append(named, path)
		}
	}
	if want := slices.Compact(linked); !slices.Equal(named, want) {
		t.Errorf("NOTICE names\n%v, linked are\n%v", named, want)
	}
}

// runTool runs a go command in the module's root and fails with its output.
func runTool(t *testing.T, why string, args ...string) {
	if testing.Short() {
		t.Skip("compiles the whole module; not with -short")
	}
	t.Parallel()
	command := exec.Command("go", args...)
	command.Dir = root
	command.Env = append(os.Environ(), "GOTOOLCHAIN=local")
	output, err := command.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err != nil {
		t.Errorf("go %s: %v\n%s\nwhy: %s", strings.Join(args, " "), err, output, why)
	}
}
