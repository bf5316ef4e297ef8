package engine_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/project"
)

// The generated files of the examples are what their generators make, and each example does what its README says.
func TestExamples(t *testing.T) {
	t.Parallel()
	t.Run("acquaintances", func(t *testing.T) {
		checkFiles(t, "acquaintances", generateAcquaintances())
		report := run(t, "examples/acquaintances/model.json", project.Options{Seed: 1}, engine.Stages{})
		if report.Status != "optimal" || report.Variables != 392 {
			t.Errorf("%s with %d variables", report.Status, report.Variables)
		}
		if auroc := report.Evaluations[0].Values["AUROC"]; auroc < 0.8 {
			t.Errorf("AUROC %v, want at least 0.8", auroc)
		}
		wantMutual(t, report)
	})
	t.Run("matching", func(t *testing.T) {
		checkFiles(t, "matching", generateMatching())
		if f1 := matchingF1(t, engine.Stages{Learn: true, Infer: true}); f1 < 0.9 {
			t.Errorf("F1 %v after learning, want at least 0.9", f1)
		}
		if f1 := matchingF1(t, engine.Stages{Infer: true}); f1 > 0.7 {
			t.Errorf("F1 %v without learning, want less than 0.7", f1)
		}
	})
}

// wantMutual checks the example's hard rule.
func wantMutual(t *testing.T, report *engine.Report) {
	t.Helper()
	values := atoms(report)
	for atom, value := range values {
		a, b, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(atom, "Knows("), ")"), ", ")
		if other := values[fmt.Sprintf("Knows(%s, %s)", b, a)]; value-other > 1e-5 {
			t.Errorf("%s is %v, but %v the other way round", atom, value, other)
		}
	}
}

// checkFiles compares an example's generated files with what the generator made, or writes them.
func checkFiles(t *testing.T, example string, files map[string][]byte) {
	t.Helper()
	for name, made := range files {
		goldentest.File(t, filepath.Join("examples", example, name), made)
	}
}

// generateAcquaintances plants streets and clubs, and lets people know each other by them. Three pairs in ten are
// observed, in both directions; the others are targets.
func generateAcquaintances() map[string][]byte {
	random := rand.New(rand.NewPCG(7, 0))
	const people = 24
	name := func(p int) string { return fmt.Sprintf("p%02d", p) }
	var lives, member, known, targets, truth bytes.Buffer
	street, club := make([]int, people), make([]int, people)
	for p := range people {
		street[p], club[p] = random.IntN(3), random.IntN(4)
		fmt.Fprintf(&lives, "%s\tstreet%d\n", name(p), street[p])
		fmt.Fprintf(&member, "%s\tclub%d\t%.1f\n", name(p), club[p], 0.6+0.1*float64(random.IntN(5)))
	}
	for a := range people {
		for b := range a {
			chance := 0.03
			if street[a] == street[b] {
				chance += 0.3
			}
			if club[a] == club[b] {
				chance += 0.6
			}
			knows := 0
			if random.Float64() < chance {
				knows = 1
			}
			observed := random.Float64() < 0.3
			for _, pair := range [][2]string{{name(a), name(b)}, {name(b), name(a)}} {
				if observed {
					fmt.Fprintf(&known, "%s\t%s\t%d\n", pair[0], pair[1], knows)
					continue
				}
				fmt.Fprintf(&targets, "%s\t%s\n", pair[0], pair[1])
				fmt.Fprintf(&truth, "%s\t%s\t%d\n", pair[0], pair[1], knows)
			}
		}
	}
	return map[string][]byte{"data/lives.tsv": lives.Bytes(), "data/member.tsv": member.Bytes(),
		"data/known.tsv": known.Bytes(), "data/targets.tsv": targets.Bytes(), "data/truth.tsv": truth.Bytes()}
}
