package deeppsl_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl"
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
func (w *worlds) together(t *testing.T) string {
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
			"examples": {"infer": {"table": "all.csv", "facts": {"Edge": "edges.csv"}}}, ` + worldOptions + `}`,
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
		project := load(t, w.together(t), deeppsl.Options{Seed: 3})
		g, err := project.Ground(ctx, deeppsl.Infer)
		if err != nil {
			t.Fatal(seed, err)
		}
		predictions, answer, err := g.InferExamples(ctx, deeppsl.Infer)
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
			alone := run(t, w.alone(t, e, seen), deeppsl.Options{Seed: 3}, deeppsl.Stages{})
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
