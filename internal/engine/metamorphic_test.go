package engine_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/contexttest"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/training"
)

// Programs that mean the same must have the same answer: here, variants of an example whose answer is unique, because
// its prior is strictly convex in every target.

// exact asks for answers so close to the optimum that they can be compared.
var exact = []string{"inference.gap=1e-13", "inference.feasibility=1e-11"}

// nearlyExact is what can be proven of a program with linear rules.
var nearlyExact = []string{"inference.gap=1e-12", "inference.feasibility=1e-10"}

// linear is the example with a rule that is not squared, which multipliers solve.
func linear(files map[string]string) map[string]string {
	return edit(files, "model.psl", func(rules string) string {
		return strings.Replace(rules, "-> Knows(A, C) ^2", "-> Knows(A, C)", 1)
	})
}

// acquaintances reads the example's files, by name without folder, with the tables beside the configuration.
func acquaintances(t *testing.T) map[string]string {
	t.Helper()
	files := make(map[string]string)
	for _, pattern := range []string{"model.*", "data/*.tsv"} {
		paths, err := filepath.Glob(filepath.Join("examples/acquaintances", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(path)] = strings.ReplaceAll(string(text), `"data/`, `"`)
		}
	}
	return files
}

// edit returns a copy of the files with one changed.
func edit(files map[string]string, name string, change func(string) string) map[string]string {
	files = maps.Clone(files)
	files[name] = change(files[name])
	return files
}

// replace returns a copy of the files whose rules have one text instead of another.
func replace(t *testing.T, files map[string]string, before, after string) map[string]string {
	t.Helper()
	return edit(files, "model.psl", func(rules string) string {
		if !strings.Contains(rules, before) {
			t.Fatalf("the rules have no %s", before)
		}
		return strings.Replace(rules, before, after, 1)
	})
}

// shuffled permutes the lines of a text, without comments and empty ones.
func shuffled(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return strings.Join(lines, "")
}

var person = regexp.MustCompile(`\bp(\d\d)\b`)

// renamed calls the people otherwise, so that they sort in the opposite order.
func renamed(text string) string {
	return person.ReplaceAllStringFunc(text, func(name string) string {
		return string([]byte{'z' - name[1] + '0', 'z' - name[2] + '0'})
	})
}

func TestVariantsOfAProgramHaveItsAnswer(t *testing.T) {
	t.Run("squared", func(t *testing.T) { compareVariants(t, acquaintances(t), exact) })
	t.Run("linear", func(t *testing.T) { compareVariants(t, linear(acquaintances(t)), nearlyExact) })
}

// compareVariants solves the programs that mean the same as one, with the options.
func compareVariants(t *testing.T, files map[string]string, set []string) {
	original := run(t, writeProject(t, files), project.Options{Set: set}, engine.Stages{})
	otherNames := maps.Clone(files)
	for name, text := range files {
		otherNames[name] = renamed(text)
	}
	same := func(atom string) string { return atom }
	for name, variant := range map[string]struct {
		files map[string]string
		scale float64 // of the objective
		atom  func(string) string
	}{
		"rules in another order": {edit(files, "model.psl", shuffled), 1, same},
		"rows in another order": {edit(edit(edit(files, "targets.tsv", shuffled), "known.tsv", shuffled),
			"member.tsv", shuffled), 1, same},
		"a rule split in two": {
			replace(t, files, "2: !Knows(A, B) ^2", "1: !Knows(A, B) ^2\n1: !Knows(C, D) ^2"), 1, same},
		"weights that add up": {
			replace(t, files, "2: !Knows(A, B) ^2", "0.5: !Knows(A, B) ^2\n1.5: !Knows(B, A) ^2"), 1, same},
		"a clause twice": {
			replace(t, files, "2: !Knows(A, B) ^2", "2: !Knows(A, B) ^2\n1.5: Knows(A, B) -> !Knows(A, B) ^2"), 1, same},
		"a rule that always holds": {
			replace(t, files, "2: !Knows(A, B) ^2", "2: !Knows(A, B) ^2\n9: Knows(A, B) <= 1 ^2\nKnows(A, B) >= 0 ."), 1, same},
		"a hard rule twice": {
			replace(t, files, "Knows(A, B) = Knows(B, A) .", "Knows(A, B) = Knows(B, A) .\nKnows(B, A) - Knows(A, B) = 0 ."),
			1, same},
		"an implication as a disjunction": {
			replace(t, files, "Knows(A, B) & Knows(B, C) & (A != C) -> Knows(A, C)",
				"Knows(A, C) | !Knows(A, B) | !Knows(B, C) | (A == C)"), 1, same},
		"a prior as an arithmetic rule": {replace(t, files, "!Knows(A, B) ^2", "Knows(A, B) = 0 ^2"), 1, same},
		"a hard rule as two":            {replace(t, files, "= Knows(B, A)", "<= Knows(B, A)"), 1, same},
		"weights ten times as large": {edit(files, "model.psl", func(rules string) string {
			return regexp.MustCompile(`(?m)^(\d+):`).ReplaceAllString(rules, "${1}0:")
		}), 10, same},
		"other names": {otherNames, 1, renamed},
	} {
		t.Run(name, func(t *testing.T) {
			report := run(t, writeProject(t, variant.files), project.Options{Set: set}, engine.Stages{})
			if report.Status != "optimal" || math.Abs(report.Objective/variant.scale/original.Objective-1) > 1e-9 {
				t.Errorf("%s with %v, the original is %s with %v", report.Status, report.Objective, original.Status,
					original.Objective)
			}
			sameAnswer(t, original, report, variant.atom)
		})
	}
}

// How a problem is simplified before it is solved changes no answer.
func TestSimplificationsDoNotChangeTheAnswer(t *testing.T) {
	path := writeProject(t, linear(acquaintances(t)))
	exact := nearlyExact // as it is ground, no more can be proven
	original := run(t, path, project.Options{Set: exact}, engine.Stages{})
	if original.Presolve == nil || original.Presolve.Tied == 0 {
		t.Errorf("presolve: %+v; who knows whom is mutual", original.Presolve)
	}
	for _, set := range []string{"inference.presolve=false", "inference.split=false"} {
		report := run(t, path, project.Options{Set: append(exact[:len(exact):len(exact)], set)}, engine.Stages{})
		if report.Status != "optimal" || math.Abs(report.Objective/original.Objective-1) > 1e-9 {
			t.Errorf("%s: %s with %v, otherwise %v", set, report.Status, report.Objective, original.Objective)
		}
		sameAnswer(t, original, report, func(atom string) string { return atom })
	}
}

// sameAnswer compares atom by atom; rename says what an atom of the original is called in the variant.
func sameAnswer(t *testing.T, original, variant *engine.Report, rename func(string) string) {
	t.Helper()
	want, got := atoms(original), atoms(variant)
	if len(want) != len(got) {
		t.Fatalf("%d atoms, want %d", len(got), len(want))
	}
	for atom, value := range want {
		if other, ok := got[rename(atom)]; !ok || math.Abs(other-value) > 1e-6 {
			t.Errorf("%s = %v, but %s = %v in the original", rename(atom), other, atom, value)
		}
	}
}

// Every assignment costs at least as much with one rule more, and so does the best.
func TestMoreRulesCostMore(t *testing.T) {
	files := acquaintances(t)
	objective := func(more string) float64 {
		variant := edit(files, "model.psl", func(rules string) string { return rules + more })
		return run(t, writeProject(t, variant), project.Options{Set: exact}, engine.Stages{}).Objective
	}
	before, soft, hard := objective(""), objective("3: Knows(A, B) ^2\n"), objective("Knows('p01', 'p00') <= 0.1 .\n")
	if soft <= before || hard <= before {
		t.Errorf("objective %v; with one more rule %v, with a hard one %v", before, soft, hard)
	}
}

// The number of threads changes no bit.
func TestThreadsDoNotChangeTheAnswer(t *testing.T) {
	path := writeProject(t, acquaintances(t))
	one := run(t, path, project.Options{Threads: 1}, engine.Stages{})
	for _, threads := range []int{2, 4, 7} {
		report := run(t, path, project.Options{Threads: threads}, engine.Stages{})
		if report.Objective != one.Objective || report.DualBound != one.DualBound ||
			!slices.Equal(report.Answer.Values, one.Answer.Values) {
			t.Errorf("%d threads: objective %v, at least %v; one thread: %v, at least %v", threads, report.Objective,
				report.DualBound, one.Objective, one.DualBound)
		}
	}
}

// A context that ends during an inference leaves the best answer so far, with what is proven about it.
func TestContextEndsDuringInference(t *testing.T) {
	for _, set := range [][]string{
		{"inference.gap=1e-300"}, {"inference.gap=1e-300", "inference.presolve=false"},
		{"inference.method=sgd", "sgd.threshold=1e-300", "inference.iterations=1000000000"},
	} {
		lines := 0
		options := project.Options{Set: set, OnIteration: func(solve.Iteration) { lines++ }}
		_, grounding := ground(t, "examples/acquaintances/model.json", options, load.Infer)
		ctx := contexttest.Countdown(3)
		answer, err := grounding.Infer(ctx)
		if err != nil || answer.Status != "cancelled" || answer.DualBound > answer.Objective || len(answer.Values) == 0 {
			t.Errorf("%v: %+v, %v", set, answer, err)
		}
		if lines == 0 {
			t.Errorf("%v: no iteration was reported", set)
		}
	}
}

// A context that has ended stops every stage, with its own error.
func TestContextEnds(t *testing.T) {
	project, grounding := ground(t, "examples/acquaintances/model.json", project.Options{}, load.Infer)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, groundErr := engine.Ground(ended, project, load.Infer)
	_, inferErr := grounding.Infer(ended)
	_, trainErr := training.Train(ended, grounding)
	_, runErr := engine.Run(ended, project, engine.Stages{})
	for stage, err := range map[string]error{"Ground": groundErr, "Infer": inferErr, "Train": trainErr, "Run": runErr} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", stage, err)
		}
	}
}
