package engine

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
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

// TestPhases checks that a phase's options are its own, but for validation, and that the caller's win over all.
func TestPhases(t *testing.T) {
	config := oneTarget(`"rules": ["1: T(X) = 1"],
		"options": {"inference.gap": 0.1, "random.seed": 7, "parallel.numthreads": 1},
		"learn": {"options": {"inference.gap": 0.2, "runtime.learn.method": "org.linqs.psl.application.Energy"}},
		"infer": {"options": {"inference.gap": 0.3, "sgd.maxiterations": 12, "runtime.db.intids": true}}`)
	p, warnings := model(t, config, project.Options{Seed: 3})
	gaps := []float64{p.Phases[load.Learn].Solve.Gap, p.Phases[load.Validation].Solve.Gap, p.Phases[load.Infer].Solve.Gap}
	if diff := cmp.Diff([]float64{0.2, 0.2, 0.3}, gaps); diff != "" {
		t.Error(diff)
	}
	if p.Learning.Learn.Method != learn.Energy || p.Phases[load.Infer].Solve.MaxIterations != 12 {
		t.Errorf("method %v, %d iterations", p.Learning.Learn.Method, p.Phases[load.Infer].Solve.MaxIterations)
	}
	if p.Seed != 7 || p.Threads != 1 || len(warnings) != 0 {
		t.Errorf("seed %d, %d threads, %v", p.Seed, p.Threads, warnings)
	}
	p, _ = model(t, config, project.Options{Set: []string{"inference.gap=0.4",
		"random.seed=18446744073709551615"}, Threads: 2})
	if p.Phases[load.Infer].Solve.Gap != 0.4 || p.Seed != 1<<64-1 || p.Threads != 2 {
		t.Errorf("gap %g, seed %d, %d threads", p.Phases[load.Infer].Solve.Gap, p.Seed, p.Threads)
	}
}

// TestDecay checks that a decay can be left to the number of labels, as documented.
func TestDecay(t *testing.T) {
	config := oneTarget(`"rules": ["1: T(X) = 1"], "options": {"learn.decay": -1, "network.decay": -1}`)
	p, _ := model(t, config, project.Options{})
	if p.Learning.Learn.Decay != -1 || p.Learning.Network.Decay != -1 {
		t.Errorf("decays %g and %g", p.Learning.Learn.Decay, p.Learning.Network.Decay)
	}
	_, err := project.Load(writeFiles(t, map[string]string{"model.json": config}),
		project.Options{Set: []string{"learn.decay=-2"}})
	if err == nil || !strings.Contains(err.Error(), "at least 0, or -1") {
		t.Errorf("a decay of -2: error %v", err)
	}
}

// TestPatience checks that PSL's patience needs its break, in any order.
func TestPatience(t *testing.T) {
	const stop, patience = "gradientdescent.validationbreak=", "gradientdescent.validationpatience=3"
	for _, c := range []struct {
		set  []string
		want int
	}{
		{nil, 0}, {[]string{patience}, 0}, {[]string{stop + "true"}, 25}, {[]string{patience, stop + "true"}, 3},
		{[]string{stop + "false", patience}, 0}, {[]string{"learn.patience=7", patience}, 7},
	} {
		p, _ := model(t, oneTarget(`"rules": ["1: T(X)"]`), project.Options{Set: c.set})
		if got := p.Learning.Learn.Patience; got != c.want {
			t.Errorf("%v: %d epochs, want %d", c.set, got, c.want)
		}
	}
}

func TestIdleOptions(t *testing.T) {
	_, warnings := model(t, oneTarget(`"rules": ["1: T(X) = 1"],
		"options": {"gurobi.method": "AUTO", "gpp.explore": 2}, "infer": {"options": {"gppker.scale": 1}}`),
		project.Options{})
	if len(warnings) != 1 || !strings.HasSuffix(warnings[0].Message, "here: gurobi.method, gpp.explore, gppker.scale") {
		t.Errorf("%v", warnings)
	}
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

// TestOutputs checks paths: those in a configuration are relative to its folder.
func TestOutputs(t *testing.T) {
	p, _ := model(t, oneTarget(`"options": {"runtime.inference.output.results.dir": "atoms",
		"runtime.learn.output.model.path": "m.psl", "runtime.inference.output.groundrules": true}`),
		project.Options{Set: []string{"runtime.learn.output.model.path=here.psl"}})
	got := p.Outputs()
	want := project.Outputs{Atoms: filepath.Join(filepath.Dir(p.Config.Name), "atoms"), Format: "txt", GroundRules: "-",
		Model: "here.psl"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLogLevel(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(&b, nil))
	for level, want := range map[string]int{"TRACE": 2, "INFO": 2, "WARN": 1, "OFF": 0} {
		b.Reset()
		p, _ := model(t, oneTarget(`"rules": []`), project.Options{Log: log, Set: []string{"runtime.log.level=" + level}})
		p.Log.With("a", 1).Info("x")
		p.Log.WithGroup("g").Warn("y")
		if got := strings.Count(b.String(), "\n"); got != want {
			t.Errorf("%s: %d lines", level, got)
		}
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
