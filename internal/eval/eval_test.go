package eval

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

func numbers(prediction, truth []float64) *Scored {
	rows := make([]int32, len(truth))
	return &Scored{Rows: rows, Prediction: prediction, Truth: truth}
}

func check(t *testing.T, r Result, want map[string]float64) {
	t.Helper()
	if len(r.Values) != len(want) {
		t.Errorf("%d values, want %d", len(r.Values), len(want))
	}
	for name, want := range want {
		got := number(t, r, name)
		if !(math.Abs(got-want) < 1e-12 || math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// number returns a value by name.
func number(t rapid.TB, r Result, name string) float64 {
	at := r.index(name)
	if at < 0 {
		t.Fatalf("no %s in %v", name, r)
	}
	return r.Values[at].Number
}

func TestDiscrete(t *testing.T) {
	s := numbers([]float64{0.9, 0.5, 0.6, 0.1, 0.2, 0.7}, []float64{1, 1, 0, 0, 1, math.NaN()})
	r := discrete(s, 0.5, 0.5)
	check(t, r, map[string]float64{
		"Accuracy": 3.0 / 5, "F1": 2.0 / 3, "PositivePrecision": 2.0 / 3, "PositiveRecall": 2.0 / 3,
		"NegativePrecision": 0.5, "NegativeRecall": 0.5,
	})
	if r.Count != 5 || r.Primary().Name != "F1" {
		t.Errorf("%d scored, representative %s", r.Count, r.Primary().Name)
	}
	check(t, discrete(numbers(nil, nil), 0.5, 0.5), map[string]float64{
		"Accuracy": 0, "F1": 0, "PositivePrecision": 0, "PositiveRecall": 0, "NegativePrecision": 0, "NegativeRecall": 0,
	})
}

func TestContinuous(t *testing.T) {
	r := continuous(numbers([]float64{0.5, 1, 0}, []float64{1, 1, 0.25}))
	check(t, r, map[string]float64{"MAE": 0.25, "MSE": 0.3125 / 3, "RMSE": math.Sqrt(0.3125 / 3)})
	if r.Primary().Name != "MSE" || !r.Primary().LowerIsBetter {
		t.Errorf("representative %+v", r.Primary())
	}
}

func TestAUC(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		name                    string
		prediction, truth       []float64
		roc, positive, negative float64
	}{
		{"perfect", []float64{0.9, 0.8, 0.2}, []float64{1, 1, 0}, 1, 1, 1},
		{"reversed", []float64{0.1, 0.9}, []float64{1, 0}, 0, 0.5, 0.5},
		{"all tied", []float64{0.5, 0.5, 0.5, 0.5}, []float64{1, 0, 0, 0}, 0.5, 0.25, 0.75},
		{"a tie", []float64{0.8, 0.5, 0.5, 0.1}, []float64{1, 1, 0, 0}, 0.875, 0.5 + 0.5*2/3, 0.5 + 0.5*2/3},
		{"no negatives", []float64{0.5, 0.6}, []float64{1, 1}, nan, 1, nan},
		{"no positives", []float64{0.5}, []float64{0}, nan, nan, 1},
		{"nothing", nil, nil, nan, nan, nan},
	} {
		t.Run(test.name, func(t *testing.T) {
			check(t, auc(numbers(test.prediction, test.truth), 0.5),
				map[string]float64{"AUROC": test.roc, "PositiveAUPRC": test.positive, "NegativeAUPRC": test.negative})
		})
	}
}

// TestAUROCIsTheProbabilityOfTheRightOrder compares the curve with its definition over pairs: ties count one half.
func TestAUROCIsTheProbabilityOfTheRightOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		prediction, truth := make([]float64, n), make([]float64, n)
		for k := range n {
			prediction[k] = float64(rapid.IntRange(0, 6).Draw(t, "prediction")) / 6
			truth[k] = float64(rapid.IntRange(0, 1).Draw(t, "truth"))
		}
		var right, pairs float64
		for i := range n {
			for j := range n {
				if truth[i] == 1 && truth[j] == 0 {
					pairs++
					right += [...]float64{0, 0.5, 1}[1+compare(prediction[i], prediction[j])]
				}
			}
		}
		got := number(t, auc(numbers(prediction, truth), 0.5), "AUROC")
		if want := right / pairs; math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// labels makes Label(document, class) with the given values, and truth for some.
func labels(t *testing.T, values [][]float64, truth map[int]int) (*relation.Relation, *relation.Relation, []float64) {
	t.Helper()
	atoms, known := relation.NewBuilder("Label", 2), relation.NewBuilder("Label", 2)
	var flat []float64
	for document, row := range values {
		for class, value := range row {
			add(t, atoms, relation.Target, 1, document, class)
			flat = append(flat, value)
		}
	}
	for document := range values {
		if class, ok := truth[document]; ok {
			add(t, known, relation.Observed, 1, document, class)
		}
	}
	return atoms.Relation(true), known.Relation(false), flat
}

func add(t *testing.T, b *relation.Builder, role relation.Role, truth float64, document, class int) {
	t.Helper()
	if err := b.Add([]symbol.ID{symbol.ID(100 + document), symbol.ID(class)}, truth, role, 0); err != nil {
		t.Fatal(err)
	}
}

func TestCategorical(t *testing.T) {
	atoms, truth, values := labels(t, [][]float64{
		{0.9, 0.1, 0}, // right
		{0.4, 0.4, 0}, // a tie goes to class 0: wrong
		{0, 0.2, 0.1}, // right
		{0.3, 0.2, 1}, // unknown
		{1, 0, 0},     // right
	}, map[int]int{0: 0, 1: 1, 2: 1, 4: 0})
	s := Join(atoms, truth, func(row int32) float64 { return values[row] }, Scope{})
	r := categorical(s, 1)
	check(t, r, map[string]float64{"Accuracy": 0.75, "ClassAveragedAccuracy": (1 + 0.5) / 2})
	if r.Count != 4 {
		t.Errorf("%d scored", r.Count)
	}
	if r, err := Evaluate("categorical", nil, s); err != nil || r.Primary().Number != 0.75 {
		t.Errorf("the last argument is not the category by default: %v, %v", r, err)
	}
}

// One thing in twelve is of class 1, which none of them has most of.
func TestRarestCategory(t *testing.T) {
	values, known := make([][]float64, 13), make(map[int]int)
	for k := range values {
		values[k] = []float64{1 - float64(k)/50, float64(k) / 50}
		known[k] = bit(k == 10)
	}
	delete(known, 12) // whose class is not known
	atoms, truth, flat := labels(t, values, known)
	s := Join(atoms, truth, func(row int32) float64 { return flat[row] }, Scope{})
	if r := categorical(s, 1); r.Values[1].Number != 0.5 {
		t.Errorf("%+v", r.Values)
	}
	r := RarestCategory(nil, s)
	want := 10. / 11 // all others but one have less of it
	if r == nil || r.Category[0] != 1 || r.Share != 1./12 || math.Abs(r.AUROC.Number-want) > 1e-12 {
		t.Fatalf("%+v, want an AUROC of %v", r, want)
	}
	if b := r.Best; math.Abs(b.Value-2./3) > 1e-12 || !(b.Threshold > 9./50 && b.Threshold < 10./50) {
		t.Errorf("%+v, want an F1 of 2/3 from between 0.18 and 0.2 on", b)
	}
	known[9] = 1
	atoms, truth, flat = labels(t, values, known)
	if r := RarestCategory(nil, Join(atoms, truth, func(row int32) float64 { return flat[row] }, Scope{})); r != nil {
		t.Errorf("two of twelve are not rare: %+v", r)
	}
}

// Where things have candidates of their own, there is nothing that one of them is told from by others' values.
func TestRarestOfItsOwnCandidates(t *testing.T) {
	atoms, truth := relation.NewBuilder("Best", 2), relation.NewBuilder("Best", 2)
	for query := range 12 {
		add(t, atoms, relation.Target, 0, query, 100+2*query)
		add(t, atoms, relation.Target, 0, query, 101+2*query)
		add(t, truth, relation.Observed, 1, query, 100+2*query)
	}
	s := Join(atoms.Relation(true), truth.Relation(false), func(int32) float64 { return 0.5 }, Scope{})
	if r := RarestCategory(nil, s); r != nil {
		t.Errorf("%+v", r)
	}
}

func TestJoin(t *testing.T) {
	atoms := relation.NewBuilder("Label", 2)
	add(t, atoms, relation.Observed, 0.25, 0, 0)
	add(t, atoms, relation.Target, 0, 0, 1)
	add(t, atoms, relation.Target, 0, 0, 2)
	known := relation.NewBuilder("Label", 2)
	add(t, known, relation.Observed, 0.5, 0, 0)
	add(t, known, relation.Observed, 0.75, 0, 1)
	add(t, known, relation.Observed, 1, 9, 9)
	a, truth := atoms.Relation(true), known.Relation(false)
	value := func(row int32) float64 { return float64(row) / 10 }
	for _, test := range []struct {
		scope      Scope
		prediction []float64
		truth      []float64
	}{
		{Scope{}, []float64{0.1, 0.2}, []float64{0.75, math.NaN()}},
		{Scope{Observed: true, Closed: true}, []float64{0.25, 0.1, 0.2}, []float64{0.5, 0.75, 0}},
	} {
		s := Join(a, truth, value, test.scope)
		if len(s.Rows) != len(test.truth) || s.Unmatched != 1 {
			t.Fatalf("%d rows, %d unmatched", len(s.Rows), s.Unmatched)
		}
		for k, want := range test.truth {
			same := s.Truth[k] == want || math.IsNaN(s.Truth[k]) && math.IsNaN(want)
			if s.Prediction[k] != test.prediction[k] || !same {
				t.Errorf("row %d: %v and %v", k, s.Prediction[k], s.Truth[k])
			}
		}
	}
}

func TestEvaluateOptions(t *testing.T) {
	s := numbers([]float64{0.7}, []float64{1})
	for _, test := range []struct {
		evaluator, option, value, want string
	}{
		{"discrete", "threshold", "2", "must be a number in [0, 1]"},
		{"auc", "threshold", "x", "must be a number in [0, 1]"},
		{"discrete", "representative", "F2", "one of Accuracy, F1"},
		{"categorical", "categoryindexes", "5", "argument numbers"},
		{"ranking", "x", "", "no evaluator"},
	} {
		_, err := Evaluate(test.evaluator, map[string]string{test.evaluator + "evaluator." + test.option: test.value}, s)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s=%s: %v", test.evaluator, test.option, test.value, err)
		}
	}
	r, err := Evaluate("discrete", map[string]string{
		"discreteevaluator.threshold": "0.8", "discreteevaluator.representative": "POSITIVE_RECALL",
	}, numbers([]float64{0.7, 0.8}, []float64{1, 1}))
	if err != nil || r.Primary().Name != "PositiveRecall" || r.Primary().Number != 0.5 {
		t.Errorf("%v, %v", r, err)
	}
}

func TestInterval(t *testing.T) {
	// Student's t at 0.975 with 4 degrees of freedom is 2.776445; the standard error of 1 … 5 is sqrt(0.5).
	mean, ci := Interval([]float64{1, 2, 3, 4, 5})
	if mean != 3 || math.Abs(ci-2.7764451*math.Sqrt(0.5)) > 1e-6 {
		t.Errorf("%v ± %v", mean, ci)
	}
	if mean, ci = Interval([]float64{7}); mean != 7 || !math.IsNaN(ci) {
		t.Errorf("%v ± %v", mean, ci)
	}
	if mean, _ = Interval(nil); !math.IsNaN(mean) {
		t.Error(mean)
	}
}

func BenchmarkAUC(b *testing.B) {
	const n = 100_000
	prediction, truth := make([]float64, n), make([]float64, n)
	for k := range n {
		prediction[k] = float64(k*7919%n) / n
		truth[k] = float64(k & 1)
	}
	s := numbers(prediction, truth)
	for b.Loop() {
		auc(s, 0.5)
	}
}

// The best threshold has the value that it is said to have, and no prediction has a better one. Truth keeps its own.
func TestBestThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "atoms")
		unit := rapid.SampledFrom([]float64{0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 1})
		values := rapid.SliceOfN(unit, n, n)
		s := numbers(values.Draw(t, "predictions"), values.Draw(t, "truth"))
		own := unit.Draw(t, "threshold")
		name := rapid.SampledFrom([]string{"F1", "Accuracy", "PositivePrecision", "PositiveRecall", "NegativePrecision",
			"NegativeRecall"}).Draw(t, "representative")
		options := map[string]string{"discreteevaluator.threshold": fmt.Sprint(own),
			"discreteevaluator.representative": name}
		best := BestThreshold(options, s)
		at := func(threshold float64) float64 {
			cut := numbers(make([]float64, n), make([]float64, n))
			for k := range n {
				cut.Prediction[k] = float64(bit(s.Prediction[k] >= threshold))
				cut.Truth[k] = float64(bit(s.Truth[k] >= own))
			}
			return number(t, discrete(cut, 0.5, 0.5), name)
		}
		if best.Default != own || best.Value != at(best.Threshold) {
			t.Fatalf("%+v, but its value is %v", best, at(best.Threshold))
		}
		if best.Threshold != own && best.Value == at(own) {
			t.Fatalf("%+v is no better than %v", best, own)
		}
		for _, prediction := range append(s.Prediction, own) {
			if value := at(prediction); value > best.Value {
				t.Fatalf("%+v, but %v has %v", best, prediction, value)
			}
		}
	})
	if low, high := 0.3, math.Nextafter(0.3, 1); between(low, high) != high {
		t.Errorf("nothing is between neighbours")
	}
}
