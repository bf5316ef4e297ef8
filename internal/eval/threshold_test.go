package eval

import (
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/relation"
)

// A threshold is learned where it is plainly better than a half on labels that it was not found by.
func TestLearnThreshold(t *testing.T) {
	const n = 100
	part := make([]int, n)
	low, fair, noise, one := numbers(make([]float64, n), make([]float64, n)), numbers(make([]float64, n),
		make([]float64, n)), numbers(make([]float64, n), make([]float64, n)), numbers(make([]float64, n), make([]float64, n))
	for k := range n {
		truth := float64(bit(k%4 == 0))
		part[k] = k % 20
		wave := 0.05 * math.Sin(float64(k*k))
		low.Prediction[k], low.Truth[k] = 0.2+0.15*truth+wave, truth
		fair.Prediction[k], fair.Truth[k] = 0.3+0.4*truth+wave, truth
		noise.Prediction[k], noise.Truth[k] = 0.5+10*wave, truth
		one.Prediction[k], one.Truth[k] = 0.2+wave, 1
	}
	for _, test := range []struct {
		name   string
		s      *Scored
		better bool
	}{{"all below a half", low, true}, {"on both sides", fair, false}, {"true alone", one, false}} {
		threshold, better := LearnThreshold(nil, test.s, part)
		if better != test.better || better && (threshold < 0.25 || threshold > 0.3) {
			t.Errorf("%s: %v, %v", test.name, threshold, better)
		}
	}
	precision := map[string]string{"discreteevaluator.representative": "PositivePrecision"}
	if _, better := LearnThreshold(precision, low, part); better {
		t.Errorf("of precision alone, a threshold is learned")
	}
	if got, want := Guess("discrete", nil, noise), noise.lot(0.5); got != want || want <= 0 || want >= 0.5 {
		t.Errorf("by lot, F1 is %v, want %v", got, want)
	}
	for name, want := range map[string]float64{"auc": 0.5, "continuous": 0.1875} {
		if got := Guess(name, nil, noise); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: a guess has %v, want %v", name, got, want)
		}
	}
	if got := Guess("discrete", map[string]string{"discreteevaluator.representative": "Accuracy"}, noise); got != 0.75 {
		t.Errorf("always saying false is right %v of the time", got)
	}
}

// Where things have categories of their own, none is frequent, and a guess is one of a thing's by lot.
func TestGuessOfOwnCategories(t *testing.T) {
	for _, test := range []struct {
		own  bool
		want float64
	}{{true, 1. / 3}, {false, 0.5}} {
		atoms, s := relation.NewBuilder("Label", 2), new(Scored)
		for thing := range 8 {
			for class := range 3 {
				name := class
				if test.own {
					name += 3 * (thing / 2) // those of two things
				}
				add(t, atoms, relation.Target, 0, thing, name)
				s.Rows = append(s.Rows, int32(len(s.Rows)))
				s.Truth = append(s.Truth, float64(bit(class == max(0, thing%4-1))))
			}
		}
		s.Atoms, s.Prediction = atoms.Relation(false), s.Truth
		if got := Guess("categorical", nil, s); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("own categories %v: %v", test.own, got)
		}
	}
}
