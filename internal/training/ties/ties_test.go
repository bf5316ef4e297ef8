package ties

import (
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/batch/batchtest"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
)

// of returns the ties of a configuration whose network n sees three things by the predicates declared.
func of(t *testing.T, rules, predicates string) *Ties {
	t.Helper()
	return Of(batchtest.Ground(t, map[string]string{"f.tsv": "a\t1\t2\nb\t2\t1\nc\t0\t1\n", "model.json": `{
  "rules": [` + rules + `], "networks": {"n": {"features": "f.tsv"}}, "predicates": {` + predicates + `}}`}))
}

// labelled returns the targets with truth.
func labelled(t *testing.T, g *session.Grounding) *label.Labels {
	t.Helper()
	labels := new(label.Labels)
	for k, atoms := range g.Tables.Store.Relations {
		truth, err := g.Truth(load.Learn, k)
		if err != nil {
			t.Fatal(err)
		}
		for row := int32(0); truth != nil && int(row) < atoms.Len(); row++ {
			if at, known := truth.Find(atoms.Tuple(nil, row)...); known && atoms.Role(row) == relation.Target {
				labels.Variables = append(labels.Variables, atoms.Number(row))
				labels.Truth = append(labels.Truth, truth.Value(at))
				labels.Entities, labels.Classes = append(labels.Entities, row), append(labels.Classes, 0)
			}
		}
	}
	return labels
}

// Labels of targets go to the inputs that rules tie to them: of the same arguments, by way of a target that nobody has
// labelled, of the pair that a row is about, of the class that is affirmed, whose other one has the rest, and of the
// thing alone that a label follows from. A rule that ties several things to one target carries nothing.
func TestLabelsAreCarried(t *testing.T) {
	const (
		sees  = `"Sees/1": {"neural": {"network": "n"}}, `
		kinds = `"Sees/2": {"neural": {"network": "n", "class": 1, "classes": ["yes", "no"]}}, `
		good  = `"Good/1": {"targets": [["a"], ["b"], ["c"]], "truth": {"learn": [["a", 1], ["b", 0.25]]}}`
		same  = `"Row/3": {"observations": [["a", "x", "y"], ["b", "y", "z"], ["c", "z", "x"]]},
  "Same/2": {"targets": [["x", "y"], ["y", "z"], ["z", "x"]],
    "truth": {"learn": [["x", "y", 1], ["y", "z", 0.25]]}}`
		home = `"In/2": {"observations": [["p", "a"], ["q", "b"], ["r", "c"]]},
  "Good/1": {"targets": [["p"], ["q"], ["r"]], "truth": {"learn": [["p", 1], ["q", 0.25]]}}`
	)
	for name, test := range map[string]struct {
		rules, predicates string
		want              []float64
	}{
		"the same arguments": {`"1: Sees(A) -> Good(A)"`, sees + good, []float64{1, 0.25}},
		"a chain": {`"1: Sees(A) -> Maybe(A)", "1: Maybe(A) -> Good(A)"`,
			sees + `"Maybe/1": {"targets": [["a"], ["b"], ["c"]]}, ` + good, []float64{1, 0.25}},
		"the converse alone": {`"1: Good(A) -> Sees(A)"`, sees + good, nil},
		"a row of a pair":    {`"1: Row(P, A, B) & Sees(P) -> Same(A, B)"`, sees + same, []float64{1, 0.25}},
		"several of one": {`"1: Row(P, A, B) & Sees(P) -> Good(A)", "1: Row(P, B, A) & Sees(P) -> Good(A)"`,
			sees + `"Row/3": {"observations": [["a", "a", "b"], ["b", "a", "c"], ["c", "b", "c"]]}, ` + good, nil},
		"an affirmed class": {`"1: Sees(A, 'yes') -> Good(A)"`, kinds + good, []float64{1, 0, 0.25, 0.75}},
		"a pair's class":    {`"1: Row(P, A, B) & Sees(P, 'yes') -> Same(A, B)"`, kinds + same, []float64{1, 0, 0.25, 0.75}},
		"a thing of one":    {`"1: In(P, A) & Sees(A) -> Good(P)"`, sees + home, []float64{1, 0.25}},
	} {
		ties := of(t, test.rules, test.predicates)
		if got := ties.Carried(labelled(t, ties.g)).Truth; !slices.Equal(got, test.want) {
			t.Errorf("%s: labels of inputs are %v, want %v", name, got, test.want)
		}
	}
}
