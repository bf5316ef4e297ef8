package engine

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// model writes a configuration and loads it.
func model(t *testing.T, config string, options project.Options) (*project.Project, source.Diagnostics) {
	t.Helper()
	var warnings source.Diagnostics
	options.OnWarning = func(w source.Diagnostics) { warnings = append(warnings, w...) }
	project := loaded(t, writeFiles(t, map[string]string{"model.json": config}), options)
	return project, warnings
}

// oneTarget is a configuration with T('a') and what else it is given.
func oneTarget(rest string) string {
	return `{"predicates": {"T/1": {"targets": [["a", 0.25]]}}, ` + rest + `}`
}

func TestStages(t *testing.T) {
	for _, c := range []struct {
		config string
		want   Stages
	}{
		{`"rules": []`, Stages{Infer: true}},
		{`"learn": {"rules": ["1: T(X) = 1"]}`, Stages{Learn: true}},
		{`"learn": {"rules": ["1: T(X) = 1"]}, "infer": {"rules": ["1: !T(X)"]}`, Stages{Learn: true, Infer: true}},
		{`"learn": {"rules": ["1: T(X) = 1"]}, "options": {"runtime.learn": false}`, Stages{Infer: true}},
		{`"options": {"runtime.learn": true, "runtime.inference": true}`, Stages{Learn: true, Infer: true}},
	} {
		p, _ := model(t, oneTarget(c.config), project.Options{})
		if got := stagesOf(p); got != c.want {
			t.Errorf("%s: %+v", c.config, got)
		}
	}
}

// TestModelOptions checks the options that change rules or answers.
func TestModelOptions(t *testing.T) {
	rules := `"rules": ["T(X) >= 0.8 .", "0.5: !T(X) ^2"], "infer": {"rules": ["1: T(X) = 0.5 ^2"]}, "options": `
	for _, c := range []struct {
		options string
		want    float64
	}{
		{`{}`, 0.8},
		{`{"inference.skip": true}`, 0.25},
		{`{"runtime.inference.clearrules": true}`, 0.5},
		// (0.8 w + 0.5) / (w + 1.5) with w = 10 · the largest weight, which is 1.
		{`{"inference.relax": true, "inference.relax.multiplier": 10, "inference.relax.squared": true}`, 8.5 / 11.5},
		{`{"inference.relax": true}`, 0.8},
	} {
		p, _ := model(t, oneTarget(rules+c.options), project.Options{Set: []string{"inference.gap=1e-10"}})
		r := run(t, p, Stages{})
		if got := r.Answer.Values[0]; got < c.want-1e-6 || got > c.want+1e-6 {
			t.Errorf("%s: %g, want %g", c.options, got, c.want)
		}
	}
}

// TestClearedRules checks that learned weights do not go to the rules of inference alone.
func TestClearedRules(t *testing.T) {
	p, _ := model(t, `{"predicates": {"T/1": {"targets": [["a"]], "truth": {"learn": [["a", 1]]}}},
		"rules": ["1: T(X) = 1 ^2", "1: !T(X) ^2"],
		"learn": {"options": {"learn.epochs": 2}},
		"infer": {"rules": ["3: T(X) = 0.25 ^2"], "options": {"runtime.inference.clearrules": true}}}`, project.Options{})
	r := run(t, p, Stages{})
	if diff := cmp.Diff([]float64{3}, r.RuleWeights); diff != "" {
		t.Error(diff)
	}
	if r.Learned == nil || r.Learned == r.Grounding {
		t.Error("learning and inference have one ground model")
	}
	var b bytes.Buffer
	if err := r.Learned.WriteModel(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], ": T(X) = 1 ^2") || !strings.HasSuffix(lines[1], ": !T(X) ^2") {
		t.Errorf("%q", lines)
	}
}

// TestEvaluatorOptions checks that options for all evaluators act, and that those of one win.
func TestEvaluatorOptions(t *testing.T) {
	config := `{"rules": ["1: T(X) = 0.4 ^2"], "options": {"discreteevaluator.threshold": 0.3, "eval.includeobs": true},
		"predicates": {"T/1": {"targets": [["a"]], "observations": [["b", 1]], "truth": [["a", 1], ["b", 1]],
		"evaluations": ["DiscreteEvaluator",
			{"evaluator": "DiscreteEvaluator", "options": {"discreteevaluator.threshold": 0.5}}]}}}`
	p, _ := model(t, config, project.Options{})
	r := run(t, p, Stages{})
	a, b := r.Evaluations[0], r.Evaluations[1]
	if a.Values["Accuracy"] != 1 || b.Values["Accuracy"] != 0.5 || a.Count != 2 {
		t.Errorf("%+v, %+v", a, b)
	}
}
