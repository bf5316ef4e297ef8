package project

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/source"
)

// write writes a configuration with T('a') and what else it is given, and returns its path.
func write(t *testing.T, rest string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.json")
	text := `{"predicates": {"T/1": {"targets": [["a", 0.25]]}}, ` + rest + `}`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// loaded loads such a configuration.
func loaded(t *testing.T, rest string, options Options) (*Project, source.Diagnostics) {
	t.Helper()
	var warnings source.Diagnostics
	options.OnWarning = func(w source.Diagnostics) { warnings = append(warnings, w...) }
	project, err := Load(write(t, rest), options)
	if err != nil {
		t.Fatal(err)
	}
	return project, warnings
}

// TestPhases checks that a phase's options are its own, but for validation, and that the caller's win over all.
func TestPhases(t *testing.T) {
	config := `"rules": ["1: T(X) = 1"],
		"options": {"inference.gap": 0.1, "random.seed": 7, "parallel.numthreads": 1},
		"learn": {"options": {"inference.gap": 0.2, "runtime.learn.method": "org.linqs.psl.application.Energy"}},
		"infer": {"options": {"inference.gap": 0.3, "sgd.maxiterations": 12, "runtime.db.intids": true}}`
	p, warnings := loaded(t, config, Options{Seed: 3})
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
	p, _ = loaded(t, config, Options{Set: []string{"inference.gap=0.4",
		"random.seed=18446744073709551615"}, Threads: 2})
	if p.Phases[load.Infer].Solve.Gap != 0.4 || p.Seed != 1<<64-1 || p.Threads != 2 {
		t.Errorf("gap %g, seed %d, %d threads", p.Phases[load.Infer].Solve.Gap, p.Seed, p.Threads)
	}
}

// TestDecay checks that a decay can be left to the number of labels, as documented.
func TestDecay(t *testing.T) {
	config := `"rules": ["1: T(X) = 1"], "options": {"learn.decay": -1, "network.decay": -1}`
	p, _ := loaded(t, config, Options{})
	if p.Learning.Learn.Decay != -1 || p.Learning.Network.Decay != -1 {
		t.Errorf("decays %g and %g", p.Learning.Learn.Decay, p.Learning.Network.Decay)
	}
	_, err := Load(write(t, config),
		Options{Set: []string{"learn.decay=-2"}})
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
		p, _ := loaded(t, `"rules": ["1: T(X)"]`, Options{Set: c.set})
		if got := p.Learning.Learn.Patience; got != c.want {
			t.Errorf("%v: %d epochs, want %d", c.set, got, c.want)
		}
	}
}

func TestIdleOptions(t *testing.T) {
	_, warnings := loaded(t, `"rules": ["1: T(X) = 1"],
		"options": {"gurobi.method": "AUTO", "gpp.explore": 2}, "infer": {"options": {"gppker.scale": 1}}`,
		Options{})
	if len(warnings) != 1 || !strings.HasSuffix(warnings[0].Message, "here: gurobi.method, gpp.explore, gppker.scale") {
		t.Errorf("%v", warnings)
	}
}

// TestOutputs checks paths: those in a configuration are relative to its folder.
func TestOutputs(t *testing.T) {
	p, _ := loaded(t, `"options": {"runtime.inference.output.results.dir": "atoms",
		"runtime.learn.output.model.path": "m.psl", "runtime.inference.output.groundrules": true}`,
		Options{Set: []string{"runtime.learn.output.model.path=here.psl"}})
	got := p.Outputs()
	want := Outputs{Atoms: filepath.Join(filepath.Dir(p.Config.Name), "atoms"), Format: "txt", GroundRules: "-",
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
		p, _ := loaded(t, `"rules": []`, Options{Log: log, Set: []string{"runtime.log.level=" + level}})
		p.Log.With("a", 1).Info("x")
		p.Log.WithGroup("g").Warn("y")
		if got := strings.Count(b.String(), "\n"); got != want {
			t.Errorf("%s: %d lines", level, got)
		}
	}
}
