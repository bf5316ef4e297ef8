package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/training"
)

// acquaintances writes a model of people of whom those from one town know each other, mostly, while what they like
// means nothing; the rules say so with equal weights. It returns the configuration's path.
func acquaintances(t *testing.T, options string, validation bool) string {
	t.Helper()
	random := rand.New(rand.NewPCG(4, 4))
	const people, towns = 14, 4
	town := make([]int, people)
	var lived, likes strings.Builder
	for a := range people {
		town[a] = a % towns
		fmt.Fprintf(&lived, "p%d\tt%d\n", a, town[a])
		fmt.Fprintf(&likes, "p%d\tx%d\n", a, random.IntN(3))
	}
	targets, truth := [2]strings.Builder{}, [2]strings.Builder{}
	for a := range people {
		for b := range people {
			if a == b {
				continue
			}
			knows := town[a] == town[b]
			if random.IntN(12) == 0 {
				knows = !knows
			}
			value := 0
			if knows {
				value = 1
			}
			half := random.IntN(2)
			fmt.Fprintf(&targets[half], "p%d\tp%d\n", a, b)
			fmt.Fprintf(&truth[half], "p%d\tp%d\t%d\n", a, b, value)
		}
	}
	files := map[string]string{"lived.txt": lived.String(), "likes.txt": likes.String(),
		"targets.txt": targets[0].String() + targets[1].String(),
		"truth.txt":   truth[0].String(), "held.txt": truth[1].String()}
	held := "infer"
	if validation {
		held = "validation"
	}
	files["model.json"] = `{
 "rules": [
  "1: Lived(A, L) & Lived(B, L) & (A != B) -> Knows(A, B) ^2",
  "1: Likes(A, X) & Likes(B, X) & (A != B) -> Knows(A, B) ^2",
  "1: !Knows(A, B) ^2"
 ],
 "options": {` + options + `},
 "predicates": {
  "Lived/2": {"observations": ["lived.txt"]},
  "Likes/2": {"observations": ["likes.txt"]},
  "Knows/2": {"targets": ["targets.txt"], "truth": {"learn": ["truth.txt"], "` + held + `": ["held.txt"]},
   "evaluations": [{"evaluator": "AUCEvaluator", "primary": true}, "ContinuousEvaluator"]}
 }
}`
	return writeFiles(t, files)
}

// learned trains and scores the held-out truth. Before and after are AUROC, which higher is better of.
func learned(t *testing.T, path string, options project.Options) (
	training *training.Training, weights []float64, before, after float64) {
	t.Helper()
	grounding := grounded(t, path, options, load.Learn)
	before = auroc(t, grounding)
	training = trained(t, grounding)
	return training, append([]float64(nil), grounding.Theta...), before, auroc(t, grounding)
}

func auroc(t *testing.T, g *session.Grounding) float64 {
	t.Helper()
	answer := infer(t, g)
	for _, phase := range []load.Phase{load.Infer, load.Validation} {
		evaluations, err := g.Evaluate(answer, phase)
		if err != nil {
			t.Fatal(err)
		}
		if len(evaluations) > 0 {
			return evaluations[0].Values[evaluations[0].Primary]
		}
	}
	t.Fatal("nothing was evaluated")
	return 0
}

func TestEveryMethodImprovesTheEvaluator(t *testing.T) {
	for _, method := range []string{"StructuredPerceptron", "energy", "likelihood", "GridSearch", "random",
		"GaussianProcessPrior", "Hyperband"} {
		t.Run(method, func(t *testing.T) {
			path := acquaintances(t, `"learn.method": "`+method+`"`, false)
			training, weights, before, after := learned(t, path, project.Options{Seed: 2, Threads: 1})
			if !(after > before) {
				t.Errorf("AUROC went from %v to %v with weights %v", before, after, weights)
			}
			if len(training.Epochs) < 2 || !reflect.DeepEqual(training.Epochs[0].Theta, []float64{1, 1, 1}) {
				t.Errorf("the curve begins %+v", training.Epochs[:1])
			}
			for _, threads := range []int{2, 4} {
				_, again, _, _ := learned(t, path, project.Options{Seed: 2, Threads: threads})
				if !reflect.DeepEqual(again, weights) {
					t.Errorf("%d threads learn %v, 1 learns %v", threads, again, weights)
				}
			}
		})
	}
}

// PSL's bilevel classes descend on the loss that they are named after.
func TestBilevelClasses(t *testing.T) {
	for class, loss := range map[string]label.LossKind{
		"SquaredError": label.SquaredError, "OnlineSquaredError": label.SquaredError,
		"BinaryCrossEntropy": label.BinaryCrossEntropy, "OnlineBinaryCrossEntropy": label.BinaryCrossEntropy,
	} {
		project := loaded(t, acquaintances(t, `"runtime.learn.method": "`+class+`"`, false), project.Options{Seed: 2})
		if kind := project.Learning.Learn.Loss.Kind; kind != loss {
			t.Errorf("%s has the loss %v", class, kind)
		}
		if deviation := project.Learning.Learn.Deviation; deviation != 0 {
			t.Errorf("%s begins with weights drawn with deviation %v", class, deviation)
		}
		epochs := run(t, project, Stages{Learn: true}).Training.Epochs
		if first, last := epochs[0].Loss, epochs[len(epochs)-1].Loss; !(last < 0.95*first) {
			t.Errorf("%s: the loss went from %v to %v", class, first, last)
		}
	}
}

// With validation truth, that is what a search maximises and what a descent keeps its best weights by, those with the
// smallest loss among equals.
func TestValidationDecides(t *testing.T) {
	for _, method := range []string{"perceptron", "bayes"} {
		path := acquaintances(t, `"learn.method": "`+method+`"`, true)
		training, weights, _, after := learned(t, path, project.Options{Seed: 3})
		best := training.Epochs[0]
		for _, line := range training.Epochs[:len(training.Epochs)-1] {
			tied := method == "perceptron" && line.Validation == best.Validation && line.Loss < best.Loss
			if line.Validation > best.Validation || tied {
				best = line
			}
		}
		for r, w := range best.Theta {
			if d := w - weights[r]; d > 1e-6 || d < -1e-6 {
				t.Fatalf("%s: %v is kept, the best is %v", method, weights, best.Theta)
			}
		}
		if d := best.Validation - after; d > 1e-6 || d < -1e-6 {
			t.Errorf("%s: validation scored %v while learning, %v afterwards", method, best.Validation, after)
		}
	}
}

func TestMethodOfAConfiguration(t *testing.T) {
	for _, c := range []struct {
		options string
		set     []string
		want    learn.Method
		epochs  int
	}{
		{"", nil, learn.Perceptron, 100},
		{`"learn.method": "deeppsl"`, nil, learn.ConvexDifference, 75},
		{`"learn.epochs": 7`, []string{"learn.method=org.linqs.psl.application.learning.weight.GridSearch"}, learn.Grid, 7},
		{`"learn.method": "energy"`, []string{"learn.method=likelihood"}, learn.Likelihood, 100},
		{`"runtime.learn.method": "BinaryCrossEntropy"`, nil, learn.Implicit, 75},
	} {
		project := loaded(t, acquaintances(t, c.options, false), project.Options{Set: c.set})
		if got := project.Learning.Learn; got.Method != c.want || got.Epochs != c.epochs {
			t.Errorf("%s %v: %v for %d epochs", c.options, c.set, got.Method, got.Epochs)
		}
	}
}

// Labels that the hard rules exclude are shown with the ground rule that does.
func TestContradictingLabels(t *testing.T) {
	path := acquaintances(t, "", false)
	writeText(t, path, strings.Replace(readText(t, path), `"rules": [`, `"rules": ["Knows('p0', +B) <= 0.5 .",`, 1))
	g := grounded(t, path, project.Options{Set: []string{"learn.method=energy"}}, load.Learn)
	_, err := training.Train(context.Background(), g)
	var infeasible *learn.InfeasibleError
	if !errors.As(err, &infeasible) || !strings.Contains(err.Error(), "labels") || !strings.Contains(err.Error(), "0.5") {
		t.Errorf("got the error %v", err)
	}
}

// Without an evaluator a search lowers the loss; a validation phase with atoms of its own is inferred for itself; fixed
// weights stay.
func TestSearchVariants(t *testing.T) {
	for name, edit := range map[string]func(string) string{
		"no evaluator": func(config string) string {
			return regexp.MustCompile(`(?s)"evaluations":.*?\]`).ReplaceAllString(config, `"evaluations": []`)
		},
		"own atoms": func(config string) string {
			return strings.Replace(config, `["targets.txt"]`, `{"learn": ["targets.txt"], "validation": ["targets.txt"]}`, 1)
		},
		"fixed": func(config string) string { return strings.Replace(config, `"1: !Knows`, `"fixed 2: !Knows`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			path := acquaintances(t, `"learn.method": "random", "learn.trials": 40`, true)
			writeText(t, path, edit(readText(t, path)))
			grounding := grounded(t, path, project.Options{}, load.Learn)
			training := trained(t, grounding)
			first, last := training.Epochs[0], training.Epochs[len(training.Epochs)-1]
			if len(training.Trials) != 40 || !(last.Validation > first.Validation) {
				t.Errorf("%d trials; the score went from %v to %v", len(training.Trials), first.Validation, last.Validation)
			}
			if name == "fixed" && grounding.Theta[2] != 2 {
				t.Errorf("a fixed weight moved to %v", grounding.Theta[2])
			}
		})
	}
}
