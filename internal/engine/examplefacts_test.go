package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
)

// worlds are random programs over random facts, in two forms: as examples of one project, and as a project each.
type worlds struct {
	random   *rand.Rand
	rules    []string
	examples []world
}

// world is what is known in one example.
type world struct {
	edges  map[string]float64 // "a,b" to the value
	weight map[string]float64 // "a" to the value; missing ones are blanks
	which  string             // "" for a blank
	slots  [3]string          // rows of the features, "" for a blank
	label  map[string]float64 // of T(a)
}

var places = []string{"a", "b", "c"}

// factRules use facts in every way there is. All of them mean the same with an atom that is not there as with one
// that is 0, and so do slots that stand for nothing.
var factRules = []string{
	"1: Edge(A, B) & T(A) -> T(B) ^2",
	"0.7: Edge(A, B) & T(A) -> T(B)",
	"Edge(A, B) & Which(A) & U(A, B) -> T(B) .",
	"2: T(A) & !Edge(A, B) & U(A, B) & (A != B) -> !T(B) ^2",
	"1: Weight(A) & Which(A) -> T(A) ^2",
	"1.5: U(A, B) -> Edge(A, B) ^2",
	"1: U(A, B) = Edge(A, B) ^2",
	"0.5: T(A) >= Weight(A)",
	"1: T(A) = T(+B) / |B| ^2 {B: Edge(A, B)}",
	"2: T(A) <= 0.3 + Edge(A, +B) ^2",
	"1: U(A, +B) <= @Max[|B|, 1] - Weight(A) ^2 {B: !Edge(A, B)}",
	"Which(A) & Edge(A, B) -> U(A, B) .",
	"T(A) + Weight(A) <= 1.6 .",
	"0.4: Far(A, B) & T(A) -> U(A, B) ^2",
	"1: Seen(S, 'x') & At(S, A) -> T(A) ^2",
	"0.8: Seen(S, 'y') & At(S, A) & Edge(A, B) -> U(A, B)",
	"1: T(A) <= 0.2 + Seen(+S, 'x') ^2 {S: At(S, A)}",
	"1: Which(+A) <= T(+B) ^2",
}

func newWorlds(seed uint64) *worlds {
	w := &worlds{random: rand.New(rand.NewPCG(seed, 1))}
	w.rules = []string{"0.1: !T(A) ^2", "0.13: !U(A, B) ^2", "0.05: T(A) ^2"}
	for _, k := range w.random.Perm(len(factRules))[:1+w.random.IntN(6)] {
		w.rules = append(w.rules, factRules[k])
	}
	for range 1 + w.random.IntN(6) {
		one := world{edges: map[string]float64{}, weight: map[string]float64{}, label: map[string]float64{}}
		for _, a := range places {
			for _, b := range places {
				if a != b && w.random.IntN(2) == 0 {
					one.edges[a+","+b] = w.value()
				}
			}
			if w.random.IntN(3) > 0 {
				one.weight[a] = w.value()
			}
			if w.random.IntN(2) == 0 {
				one.label[a] = w.value()
			}
		}
		one.which = []string{"", "a", "b", "c"}[w.random.IntN(4)]
		for s := range one.slots {
			one.slots[s] = []string{"", "p", "q", "r"}[w.random.IntN(4)]
		}
		w.examples = append(w.examples, one)
	}
	return w
}

// value is 0 or 1 as often as not.
func (w *worlds) value() float64 {
	return []float64{0, 1, 1, math.Round(100*w.random.Float64()) / 100}[w.random.IntN(4)]
}

const worldTargets = `"T/1": {"targets": [["a"], ["b"], ["c"]]},
	"U/2": {"targets": [["a","a"],["a","b"],["a","c"],["b","a"],["b","b"],["b","c"],["c","a"],["c","b"],["c","c"]]},
	"At/2": {"observations": [["s0", "a"], ["s1", "b"], ["s2", "b"], ["s2", "c"]]},
	"Far/2": {"derive": ["Edge(A, B) & Edge(B, C) & (A != C) -> Far(A, C)"]}`

const worldOptions = `"options": {"inference.gap": 1e-9, "inference.feasibility": 1e-9}`

// together writes the project of all examples.
func (w *worlds) together(t *testing.T, phase string) string {
	var table, edges strings.Builder
	table.WriteString("s0,s1,s2,Which,Weight(a),Weight(b),Weight(c),T(a),T(b),T(c),\"U(a,b)\",\"U(c,b)\"\n")
	edges.WriteString("example,from,to,value\n")
	for k, e := range w.examples {
		cell := func(from map[string]float64, key string) string {
			if value, ok := from[key]; ok {
				return fmt.Sprint(value)
			}
			return ""
		}
		fmt.Fprintf(&table, "%s,%s", strings.Join(e.slots[:], ","), e.which)
		for _, a := range places {
			table.WriteString("," + cell(e.weight, a))
		}
		for _, a := range places {
			table.WriteString("," + cell(e.label, a))
		}
		table.WriteString(",,\n")
		for _, a := range places {
			for _, b := range places {
				if value, ok := e.edges[a+","+b]; ok {
					fmt.Fprintf(&edges, "%d,%s,%s,%v\n", k, a, b, value)
				}
			}
		}
	}
	return writeProject(t, map[string]string{
		"all.csv": table.String(), "edges.csv": edges.String(), "rules.psl": strings.Join(w.rules, "\n"),
		"rows.tsv": "p\t1 0\nq\t0 1\nr\t0.5 0.7\n" + fillers,
		"model.json": `{"rules": "rules.psl", "networks": {"eye": {"features": "rows.tsv"}}, "predicates": {
			"Edge/2": {}, "Weight/1": {}, "Which/1": {}, ` + worldTargets + `,
			"Seen/2": {"neural": {"network": "eye", "class": 1, "classes": ["x", "y"], "slots": ["s0", "s1", "s2"]}}},
			"examples": {"` + phase + `": {"table": "all.csv", "facts": {"Edge": "edges.csv"}}}, ` + worldOptions + `}`,
	})
}

// fillers are rows that nothing asks for: a batch has no more examples than there are features for each slot.
var fillers = func() (rows string) {
	for k := range 30 {
		rows += fmt.Sprintf("f%d\t0 0\n", k)
	}
	return rows
}()

// alone writes one example as an ordinary project, in which what networks see is observed.
func (w *worlds) alone(t *testing.T, e world, seen map[string][]float32) string {
	var edges, weights, which, perceived []string
	for key, value := range e.edges {
		a, b, _ := strings.Cut(key, ",")
		edges = append(edges, fmt.Sprintf(`["%s", "%s", %v]`, a, b, value))
	}
	for key, value := range e.weight {
		weights = append(weights, fmt.Sprintf(`["%s", %v]`, key, value))
	}
	if e.which != "" {
		which = []string{fmt.Sprintf(`["%s"]`, e.which)}
	}
	for s, row := range e.slots {
		for c, class := range []string{"x", "y"} {
			if row != "" {
				perceived = append(perceived, fmt.Sprintf(`["s%d", "%s", %v]`, s, class, seen[row][c]))
			}
		}
	}
	list := func(rows []string) string { return `{"observations": [` + strings.Join(rows, ", ") + `]}` }
	return writeProject(t, map[string]string{
		"rules.psl": strings.Join(w.rules, "\n"),
		"model.json": `{"rules": "rules.psl", "predicates": {"Edge/2": ` + list(edges) + `, "Weight/1": ` + list(weights) +
			`, "Which/1": ` + list(which) + `, "Seen/2": ` + list(perceived) + `, ` + worldTargets + `}, ` + worldOptions + `}`,
	})
}

// Examples with facts, side by side, have the answers that each has as a project of its own.
func TestExamplesAreWorldsOfTheirOwn(t *testing.T) {
	ctx := context.Background()
	seeds := uint64(60)
	if testing.Short() {
		seeds = 15
	}
	for seed := range seeds {
		w := newWorlds(seed)
		opened := loaded(t, w.together(t, "infer"), project.Options{Seed: 3})
		g, err := engine.Ground(ctx, opened, load.Infer)
		if err != nil {
			t.Fatal(seed, err)
		}
		predictions, answer, err := batch.Infer(ctx, g, load.Infer)
		if err != nil || answer.Status != "optimal" {
			t.Fatal(seed, answer, err)
		}
		seen := make(map[string][]float32)
		for k, row := range []string{"p", "q", "r"} {
			if seen[row], err = g.Classify("eye", []int32{int32(k)}); err != nil {
				t.Fatal(err)
			}
		}
		objective := 0.0
		for k, e := range w.examples {
			alone := run(t, w.alone(t, e, seen), project.Options{Seed: 3}, engine.Stages{})
			objective += alone.Objective
			values := atoms(alone)
			for l, label := range predictions.Labels {
				atom := strings.ReplaceAll(label, ",", ", ")
				if got, want := predictions.Values[k*len(predictions.Labels)+l], values[atom]; math.Abs(got-want) > 2e-4 {
					t.Errorf("seed %d, example %d: %s is %v, alone %v\n%s", seed, k, atom, got, want, strings.Join(w.rules, "\n"))
				}
			}
		}
		if math.Abs(answer.Objective-objective) > 1e-6*float64(len(w.examples)) {
			t.Errorf("seed %d: objective %v, alone %v\n%s", seed, answer.Objective, objective, strings.Join(w.rules, "\n"))
		}
	}
}

// localRules speak of no example but one when all are one world.
var localRules = []string{
	"1: Edge(A, B) & T(A) -> T(B) ^2", "0.7: Edge(A, B) & U(A, B) -> T(B) ^2",
	"2: T(A) & !Edge(A, B) & U(A, B) -> !T(B) ^2",
	"1.3: Weight(A) & Which(A) -> T(A) ^2", "1.5: U(A, B) -> Edge(A, B) ^2", "0.5: T(A) >= Weight(A) ^2",
	"1: T(A) = T(+B) / |B| ^2 {B: Edge(A, B)}", "Which(A) & Edge(A, B) -> U(A, B) .", "0.2: !T(A) ^2",
	"0.3: !U(A, B) ^2",
}

// united writes all examples as one world, whose constants have their example's number before them.
func (w *worlds) united(t *testing.T) string {
	rows := make(map[string][]string)
	add := func(table string, value float64, k int, constants ...string) {
		row := "["
		for _, c := range constants {
			row += fmt.Sprintf("%q, ", fmt.Sprint(k, c))
		}
		rows[table] = append(rows[table], fmt.Sprintf("%s%v]", row, value))
	}
	for k, e := range w.examples {
		for _, a := range places {
			add("T", 1, k, a)
			for _, b := range places {
				add("U", 1, k, a, b)
				if value, ok := e.edges[a+","+b]; ok {
					add("Edge", value, k, a, b)
				}
			}
			if value, ok := e.weight[a]; ok {
				add("Weight", value, k, a)
			}
			if value, ok := e.label[a]; ok {
				add("truth", value, k, a)
			}
		}
		if e.which != "" {
			add("Which", 1, k, e.which)
		}
	}
	list := func(what string) string { return "[" + strings.Join(rows[what], ", ") + "]" }
	return writeProject(t, map[string]string{
		"rules.psl": strings.Join(w.rules, "\n"),
		"model.json": `{"rules": "rules.psl", "predicates": {"Edge/2": {"observations": ` + list("Edge") + `},
			"Weight/1": {"observations": ` + list("Weight") + `}, "Which/1": {"observations": ` + list("Which") + `},
			"T/1": {"targets": ` + list("T") + `, "truth": {"learn": ` + list("truth") + `}},
			"U/2": {"targets": ` + list("U") + `}}, ` + worldOptions + `}`,
	})
}

// A step of learning from examples, in one batch, is that of learning from all of them as one world: facts, labels that
// some have and others have not, and ground models of many shapes.
func TestExamplesLearnLikeOneWorld(t *testing.T) {
	learned := func(path, method string, batch int) (loss float64, weights []float64) {
		set := []string{"learn.method=" + method, "learn.epochs=1", "learn.deviation=0", "learn.alpha=0.01", "learn.mu=0.1",
			"learn.rate.rules=0.01", "inference.method=newton", "learn.steps=1", "learn.loss=squared-error",
			"learn.optimiser=sgd", fmt.Sprintf("learn.batch=%d", batch)}
		report := run(t, path, project.Options{Seed: 3, Set: set}, engine.Stages{Learn: true})
		return report.Training.Epochs[0].Loss, report.RuleWeights
	}
	moved := 0.0
	for seed := range uint64(6) {
		w := newWorlds(seed)
		w.rules = localRules
		w.examples[0].label["a"] = 1
		for k := range w.examples {
			w.examples[k].slots = [3]string{}
		}
		many, one := w.together(t, "learn"), w.united(t)
		for _, method := range []string{"deeppsl", "implicit", "energy", "perceptron"} {
			loss, weights := learned(many, method, len(w.examples))
			wantLoss, wantWeights := learned(one, method, 1)
			if math.Abs(loss-wantLoss) > 1e-5 {
				t.Errorf("seed %d, %s: loss %v, as one world %v", seed, method, loss, wantLoss)
			}
			moved += math.Abs(wantWeights[0] - 1)
			for r, want := range wantWeights {
				if math.Abs(weights[r]-want) > 1e-4 {
					t.Errorf("seed %d, %s: weight %d is %v, as one world %v", seed, method, r, weights[r], want)
				}
			}
		}
	}
	if moved < 0.005 {
		t.Errorf("the weights moved by %v only", moved)
	}
}

// Learning from examples of many shapes has the same bits for any number of threads.
func TestShapesWithAnyThreads(t *testing.T) {
	path := addingFacts(t)
	var want []byte
	for _, threads := range []int{1, 2, 5} {
		report := run(t, path, project.Options{Seed: 2, Threads: threads}, learnAndInfer)
		answer, err := json.Marshal([]any{report.RuleWeights, report.Predictions, report.Objective})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = answer
		} else if !bytes.Equal(answer, want) {
			t.Errorf("%d threads: %s, want %s", threads, answer, want)
		}
	}
}

// A number that is no phase, and a phase without examples, are errors.
func TestNoSuchPhase(t *testing.T) {
	opened, g := ground(t, addingFacts(t), project.Options{}, load.Learn)
	if _, err := engine.Ground(context.Background(), opened, 9); err == nil ||
		!strings.Contains(err.Error(), "no phase 9") {
		t.Errorf("Ground: %v", err)
	}
	if _, _, err := batch.Infer(context.Background(), g, 9); err == nil || !strings.Contains(err.Error(), "no phase 9") {
		t.Errorf("InferExamples: %v", err)
	}
	_, plain := ground(t, seeing(t), project.Options{}, load.Learn)
	if _, _, err := batch.Infer(context.Background(), plain, load.Infer); err == nil ||
		!strings.Contains(err.Error(), "no examples for the phase infer") {
		t.Errorf("InferExamples: %v", err)
	}
}

// The atoms of a blank slot do not exist: no ground rule has one, not even negated, and sums go without.
func TestBlankSlotsHaveNoGroundRules(t *testing.T) {
	path := writeProject(t, map[string]string{
		"rows.tsv": "p\t1 0\nq\t0 1\n",
		"all.csv":  "s0,s1,T(a),T(b),T(c)\np,q,,,\np,,,,\n,,,,\n",
		"model.json": `{"rules": ["1: T('a') = 0.7 ^2", "1: T('b') = 0.7 ^2", "1: T('c') = 0.7 ^2",
				"1000: !Seen('s1', 'x') & !Seen('s1', 'y') -> !T('a') ^2", "1000: T('a') = Seen('s1', 'x') ^2",
				"1000: T('b') = Seen(+S, +C) / 2 ^2", "1000: T('c') = 0.5 + 0 * Seen('s0', +C) ^2"],
			"networks": {"eye": {"features": "rows.tsv"}}, "predicates": {
			"T/1": {"targets": [["a"], ["b"], ["c"]]},
			"Seen/2": {"neural": {"network": "eye", "class": 1, "classes": ["x", "y"], "slots": ["s0", "s1"]}}},
			"examples": {"infer": "all.csv"}}`,
	})
	_, g := ground(t, path, project.Options{Seed: 1}, load.Infer)
	predictions, _, err := batch.Infer(context.Background(), g, load.Infer)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := g.Classify("eye", []int32{1})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{float64(seen[0]), 1, 0.5, 0.7, 0.5, 0.5, 0.7, 0.7, 0.7} {
		if got := predictions.Values[k]; math.Abs(got-want) > 2e-3 {
			t.Errorf("example %d: %s is %v, want %v", k/3, predictions.Labels[k%3], got, want)
		}
	}
}

// Options of grounding hold for every example, and not for the first alone, which is ground to be shown.
func TestGroundingOptionsOfExamples(t *testing.T) {
	path := writeProject(t, map[string]string{
		"model.json": `{
			"rules": ["Wrong(A) -> Fine(A) .", "1: Fine(A) -> T(A) ^2", "0.1: !T(A) ^2"],
			"predicates": {
				"Wrong/1": {"observations": []}, "Fine/1": {"observations": [["b"]]}, "T/1": {"targets": [["a"], ["b"]]}
			},
			"examples": {"infer": "examples.csv"}
		}`,
		"examples.csv": "Wrong(a),T(a)\n0,\n1,\n",
	})
	stages := engine.Stages{Infer: true}
	if _, err := engine.Run(context.Background(), loaded(t, path, project.Options{}), stages); err == nil {
		t.Error("no error for an example whose facts violate a hard rule")
	}
	report := run(t, path, project.Options{Set: []string{"ground.discardviolated=true"}}, stages)
	if report.Status != "optimal" || report.Examples != 2 {
		t.Errorf("%s with %d examples, want an answer for both", report.Status, report.Examples)
	}
}
