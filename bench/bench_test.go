package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/scratch"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Every model must have about the size that was asked for, be solved, and be the same for any number of threads.
func TestModels(t *testing.T) {
	for _, m := range models {
		for _, size := range []int{1000, 10000} {
			r, err := measure(context.Background(), &m, size, settings{gap: 1e-4, seed: 1, threads: 1, repeat: 1})
			if err != nil {
				t.Fatal(err)
			}
			if ratio := float64(r.GroundRules) / float64(size); ratio < 0.5 || ratio > 3.5 {
				t.Errorf("%s: %d ground rules for a size of %d", m.name, r.GroundRules, size)
			}
			if r.Status != "optimal" || r.Gap > 1e-4 || !(r.Objective > 0) {
				t.Errorf("%s of %d: %s, objective %v, gap %v", m.name, size, r.Status, r.Objective, r.Gap)
			}
			again, err := measure(context.Background(), &m, size, settings{gap: 1e-4, seed: 1, threads: 3, repeat: 2})
			if err != nil {
				t.Fatal(err)
			}
			if again.Objective != r.Objective || again.GroundRules != r.GroundRules || again.Bytes != r.Bytes {
				t.Errorf("%s of %d: %v with 3 threads, %v with 1", m.name, size, again.Objective, r.Objective)
			}
		}
	}
}

// The tables are made without a builder's check that no atom is there twice, so it is made here.
func TestAtomsAreDistinct(t *testing.T) {
	for _, m := range models {
		for seed := range uint64(3) {
			for _, r := range m.generate(3000, seed).store.Relations {
				builder := relation.NewBuilder(r.Name, r.Arity)
				for row := range r.Len() {
					if err := builder.Add(r.Tuple(nil, int32(row)), 1, relation.Observed, 0); err != nil {
						t.Fatalf("%s: %v", m.name, err)
					}
				}
				if r.Len() == 0 || slices.ContainsFunc(valuesOf(r), func(v float64) bool { return !(v >= 0 && v <= 1) }) {
					t.Errorf("%s: %s has no rows, or values out of [0, 1]", m.name, r.Name)
				}
			}
		}
	}
}

// valuesOf lists the observed values.
func valuesOf(r *relation.Relation) (values []float64) {
	for row := range r.Observed {
		values = append(values, r.Value(int32(row)))
	}
	return values
}

func TestSeedsDiffer(t *testing.T) {
	for _, m := range models {
		var columns [2][]float64
		var arguments [2][]symbol.ID
		for seed := range columns {
			for _, r := range m.generate(1000, uint64(seed)).store.Relations {
				columns[seed] = append(columns[seed], valuesOf(r)...)
				arguments[seed] = append(arguments[seed], r.Columns[0]...)
			}
		}
		if slices.Equal(columns[0], columns[1]) && slices.Equal(arguments[0], arguments[1]) {
			t.Errorf("%s is the same for two seeds", m.name)
		}
	}
}

func TestEndOfContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := measure(ctx, &models[0], 1000, settings{gap: 1e-4, repeat: 1}); err == nil {
		t.Error("no error")
	}
}

func TestAtLeast(t *testing.T) {
	square := func(n float64) float64 { return n * n }
	for size, want := range map[float64]int{1: 1, 2: 2, 4: 2, 5: 3, 100: 10, 101: 11, 1e12: 1e6} {
		if got := atLeast(size, square); got != want {
			t.Errorf("the least n with n² ≥ %v is %d, not %d", size, want, got)
		}
	}
}

func TestMedianAndExponent(t *testing.T) {
	var results []*result
	for _, n := range []int{1000, 100000, 10000} {
		r := &result{GroundRules: n, PeakRSS: int64(n)}
		r.Seconds.Solve = 3 * math.Pow(float64(n), 1.25)
		results = append(results, r)
	}
	if got := exponent(results, solveTime); math.Abs(got-1.25) > 1e-12 {
		t.Errorf("exponent %v, want 1.25", got)
	}
	if got := exponent(results[:1], solveTime); !math.IsNaN(got) {
		t.Errorf("exponent %v of one point", got)
	}
	if got := median(results, peakRSS); got != 10000 {
		t.Errorf("median %v, want 10000", got)
	}
	if got := median(results[1:], peakRSS); got != 55000 {
		t.Errorf("median %v of two, want 55000", got)
	}
}

// fields are what scripts may rely on.
var fields = []string{"model", "ground_rules", "variables", "seconds", "ground_rules_per_second", "status", "objective",
	"gap", "bytes_per_ground_rule", "peak_rss_bytes", "seed", "threads", "repeats", "peers"}

func TestJSON(t *testing.T) {
	got := object(t, "--model", "entity", "--size", "1e3", "--seed", "4", "--threads", "1", "--repeat", "2", "--json")
	for _, field := range fields {
		if got[field] == nil {
			t.Errorf("no field %s", field)
		}
	}
	if got["model"] != "entity" || got["seed"] != 4.0 || got["threads"] != 1.0 || got["repeats"] != 2.0 {
		t.Errorf("%v", got)
	}
}

func TestScaling(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plots")
	got := object(t, "--model", "transitivity", "--sizes", "2000,500,1000", "--plot", dir, "--json")
	if results := got["results"].([]any); len(results) != 3 {
		t.Errorf("%d results", len(results))
	}
	if _, ok := got["exponents"].(map[string]any)["total"].(float64); !ok {
		t.Errorf("exponents %v", got["exponents"])
	}
	svg, err := os.ReadFile(filepath.Join(dir, "time.svg"))
	if err != nil || !bytes.Contains(svg, []byte("exponent")) {
		t.Errorf("time.svg: %d bytes, %v", len(svg), err)
	}
}

// What does not fit in the memory given must have the objective of what does.
func TestBeyondMemory(t *testing.T) {
	if !scratch.Supported {
		t.Skip("not on this system")
	}
	limit := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(limit) })
	dir := t.TempDir()
	beyond := func(memory string) map[string]any {
		return object(t, "--size", "1e6", "--gap", "1e-3", "--memory", memory, "--scratch", dir, "--json")
	}
	paged, whole := beyond("40MB"), beyond("1GiB")
	if paged["scratch_bytes"].(float64) < 8e6 || whole["scratch_bytes"] != 0.0 {
		t.Errorf("files of %v and %v bytes", paged["scratch_bytes"], whole["scratch_bytes"])
	}
	got, want := paged["objective"].(float64), whole["objective"].(float64)
	if math.Abs(got-want) > 1e-3*want || paged["ground_rules"] != whole["ground_rules"] {
		t.Errorf("objective %v, in memory %v", got, want)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// object runs the command and reads its answer.
func object(t *testing.T, args ...string) map[string]any {
	t.Helper()
	var out, problems bytes.Buffer
	if code := run(context.Background(), args, &out, &problems); code != 0 || problems.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, &problems)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestText(t *testing.T) {
	var out, problems bytes.Buffer
	if code := run(context.Background(), []string{"--sizes", "500,1500"}, &out, &problems); code != 0 {
		t.Fatal(problems.String())
	}
	for _, want := range []string{"friendship, seed 1", "ground rules", "exponents: ground"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// What one family fails by must not lose what others have taken an hour for.
func TestFamilyThatFails(t *testing.T) {
	wrong := families[0]
	wrong.name, wrong.rules = "wrong", "1: -> ."
	o := &options{settings: settings{gap: 1e-4, seed: 1, threads: 1, repeat: 1}, rivalry: rivalry{limit: time.Minute},
		sizes: []int{300}, families: []*model{&families[0], &wrong, &families[1]}, json: true}
	var out bytes.Buffer
	err := o.try(context.Background(), &out, report.NewProgress(io.Discard, true))
	if err == nil || !strings.Contains(err.Error(), "wrong of 300") {
		t.Errorf("error %v, want one about the family that fails", err)
	}
	var got trials
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Trials) != 3 {
		t.Fatalf("%v, %d trials in\n%s", err, len(got.Trials), &out)
	}
	for k, status := range []string{"optimal", "failed", "optimal"} {
		if ours := got.Trials[k].Runs[0]; ours.Status != status {
			t.Errorf("%s is %s (%s), want %s", got.Trials[k].Family, ours.Status, ours.Note, status)
		}
	}
}

// Pushes and leaves of families of hard structure add up.
func TestExplainedFamilies(t *testing.T) {
	var some []*model
	for k := 0; k < len(families); k += 6 {
		some = append(some, &families[k])
	}
	o := &options{settings: settings{gap: 1e-6, seed: 1, threads: 1, repeat: 1}, rivalry: rivalry{limit: time.Minute},
		sizes: []int{300}, families: some, json: true}
	var out bytes.Buffer
	var got balances
	if err := o.explained(context.Background(), &out, report.NewProgress(io.Discard, true)); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Families) != len(some) {
		t.Fatal(err, len(got.Families))
	}
	for _, f := range got.Families {
		if f.Unexplained > 1e-6 || f.Leaves > 1e-6 || f.Left > 0 || f.Status != "infeasible" && f.Asked < asked {
			t.Errorf("%+v", f)
		}
	}
}

// Random programs are the same whatever others are drawn, have rules of all forms, and are all answered.
func TestRandomPrograms(t *testing.T) {
	all := randomModels(150, 1)
	if again := randomModels(1, 8)[0]; again.name != all[7].name || again.rules != all[7].rules {
		t.Errorf("%s is\n%sand\n%s", again.name, again.rules, all[7].rules)
	}
	text := ""
	for _, m := range all {
		text += m.rules
	}
	for _, form := range []string{"-> !P(A, B)", "& !P(A, B)", "W(A, B) -> P", "-> Class(B, K)", "/ |B| .", "^2 {B"} {
		if !strings.Contains(text, form) {
			t.Errorf("no rule has %q", form)
		}
	}
	o := &options{settings: settings{gap: 1e-6, seed: 1, threads: 1, repeat: 1}, rivalry: rivalry{limit: time.Minute},
		sizes: []int{300}, families: all, json: true}
	var out bytes.Buffer
	var got trials
	if err := o.try(context.Background(), &out, report.NewProgress(io.Discard, true)); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, one := range got.Trials {
		if s := one.Runs[0].Status; s != "optimal" && s != "infeasible" {
			t.Errorf("%s: %s\n%s", one.Family, s, one.Rules)
		}
	}
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--model cycle": "friendship", "--size 0": "size", "--sizes 1e3,x": `"x"`, "--size 1.5": "whole",
		"--repeat 0": "--repeat", "--gap 0": "--gap", "--peers": "peers", "more": "more", "--plot p": "--sizes",
		"--peers prolog": `"prolog"`, "--peers java --sizes 1,2": "one --size", "--config x.json": "--peers",
		"--peers java --limit 0s": "--limit", "--explained": "--hard", "--hard all --explained --peers highs": "--explained",
		"--memory lots": "want a size", "--peers java --memory 1GB": "--memory",
	} {
		var out, problems bytes.Buffer
		code := run(context.Background(), strings.Fields(args), &out, &problems)
		if code != 2 || out.Len() > 0 || !strings.Contains(problems.String(), want) {
			t.Errorf("%s: exit code %d, %q, want one about %s", args, code, &problems, want)
		}
	}
	var out, help bytes.Buffer
	code := run(context.Background(), []string{"--help"}, &out, &help)
	if code != 0 || !strings.Contains(help.String(), "-plot") {
		t.Errorf("help: exit code %d, %q", code, &help)
	}
}

// Every shape but two must have ground rules, as many for any number of threads.
func TestShapes(t *testing.T) {
	for k := range joinShapes {
		if joinShapes[k].query == "" {
			continue // thousands of rules, and of atoms
		}
		var counts [2]int
		for i, threads := range []int{1, 3} {
			o := &joinSettings{seed: 1, threads: threads, repeat: 1}
			one, err := o.joinOne(context.Background(), &joinShapes[k], 2000)
			if err != nil {
				t.Fatalf("%s: %v", joinShapes[k].name, err)
			}
			counts[i] = one.GroundRules
		}
		// The conditions of one contradict each other, and the other has a relation without rows.
		none := joinShapes[k].name == "late-end" || joinShapes[k].name == "empty"
		if (counts[0] == 0) != none || counts[0] != counts[1] {
			t.Errorf("%s: %d ground rules, then %d", joinShapes[k].name, counts[0], counts[1])
		}
	}
}
