package engine_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/scratch"
)

// circle writes a project about people who may all be friends: some 65,000 ground rules, with hard ones among them.
func circle(t *testing.T) string {
	const people = 40
	var alike, friends strings.Builder
	for a := range people {
		for b := range people {
			if a != b {
				fmt.Fprintf(&alike, "p%d\tp%d\t0.%d\n", a, b, (a*b+a+b)%10)
				fmt.Fprintf(&friends, "p%d\tp%d\n", a, b)
			}
		}
	}
	return writeProject(t, map[string]string{"alike.txt": alike.String(), "friends.txt": friends.String(),
		"model.json": `{
			"rules": [
				"10: Alike(A, B) -> Friends(A, B) ^2",
				"1: Friends(A, B) & Friends(B, C) & (A != B) & (B != C) & (A != C) -> Friends(A, C) ^2",
				"Friends(A, B) = Friends(B, A) .",
				"1: !Friends(A, B) ^2"
			],
			"predicates": {
				"Alike/2": {"observations": ["alike.txt"]},
				"Friends/2": {"targets": ["friends.txt"]}
			}
		}`})
}

// limited skips where files cannot be mapped, and sees to it that projects set no memory limit for the process.
func limited(t *testing.T) {
	t.Helper()
	if !scratch.Supported {
		t.Skip("not on this system")
	}
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() {
		if limit := debug.SetMemoryLimit(before); limit != before {
			t.Errorf("the process has a memory limit of %d now", limit)
		}
	})
}

// What does not fit in the memory given must be inferred from a file, to the same objective, and leave nothing behind.
func TestBeyondMemory(t *testing.T) {
	limited(t)
	path, dir := circle(t), t.TempDir()
	beyond := func(memory string, threads int) *engine.Report {
		return run(t, path, project.Options{Threads: threads, Set: []string{"inference.gap=1e-6", "ground.scratch=" + dir,
			"ground.memory=" + memory}}, engine.Stages{})
	}
	plain := beyond("1GiB", 1)
	if plain.Scratch != 0 {
		t.Errorf("a file of %d bytes for what fits in memory", plain.Scratch)
	}
	paged := beyond("2MB", 1)
	if paged.Scratch == 0 || paged.Status != "optimal" || paged.GroundRules != plain.GroundRules {
		t.Errorf("%s, %d ground rules, a file of %d bytes", paged.Status, paged.GroundRules, paged.Scratch)
	}
	if math.Abs(paged.Objective-plain.Objective) > 3e-6*plain.Objective {
		t.Errorf("objective %v, in memory %v", paged.Objective, plain.Objective)
	}
	if again := beyond("2MB", 3); again.Objective != paged.Objective || again.DualBound != paged.DualBound {
		t.Errorf("objective %v with 3 threads, %v with 1", again.Objective, paged.Objective)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// What cannot be kept to the memory given must be refused with a reason.
func TestBeyondMemoryRefused(t *testing.T) {
	limited(t)
	path := circle(t)
	for _, c := range []struct{ options, want string }{
		{"ground.memory=100kB", "[paged-memory]"},
		{"ground.memory=2MB ground.scratch=nowhere", "cannot make a temporary file"},
		{"ground.memory=2MB inference.method=sgd", "newton"},
		{"ground.memory=2MB inference.method=interior", "newton"},
		{"ground.memory=much", "want a size"},
	} {
		project, err := project.Load(path, project.Options{Set: strings.Fields(c.options)})
		if err == nil {
			_, err = engine.Run(context.Background(), project, engine.Stages{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.options, err, c.want)
		}
	}
}
