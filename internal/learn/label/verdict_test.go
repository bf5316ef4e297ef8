package label

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A verdict does not depend on how sharp values are, but on which are the larger ones.
func TestVerdictIsOfOrder(t *testing.T) {
	labels := threeClasses(12)
	y := make([]float64, 36)
	for k, truth := range labels.Truth {
		y[labels.Variables[k]] = 0.25 + 0.25*truth
	}
	y[0], y[1] = y[1], y[0] // one thing is told wrongly
	sharp := slices.Clone(y)
	for i := range sharp {
		sharp[i] *= sharp[i]
	}
	loss, same := labels.Judge(y).Loss(), labels.Judge(sharp).Loss()
	if math.Abs(loss-same) > 1e-9 || loss <= 0 || loss >= math.Log(3) {
		t.Errorf("losses %v and %v of the same answers, chance has %v", loss, same, math.Log(3))
	}
}

// One verdict beats another if it is better of most things, and not if a few decide.
func TestVerdictBeats(t *testing.T) {
	labels := threeClasses(30)
	uniform := make([]float64, 90)
	for i := range uniform {
		uniform[i] = 0.3
	}
	told := func(right int) Verdict {
		y := slices.Clone(uniform)
		for k, truth := range labels.Truth {
			if entity := labels.Entities[k] - 100; int(entity) < right && truth == 1 {
				y[labels.Variables[k]] = 0.6
			}
		}
		return labels.Judge(y)
	}
	nothing := told(0)
	if !told(20).Beats(nothing, 1.5) || told(1).Beats(nothing, 1.5) || nothing.Beats(told(20), 0) {
		t.Errorf("losses %v of nothing, %v of one, %v of 20", nothing.Loss(), told(1).Loss(), told(20).Loss())
	}
	if told(20).Right() != 20 || nothing.Right() != 0 {
		t.Errorf("%d and %d told right, want 20 and 0", told(20).Right(), nothing.Right())
	}
	both := Together(told(20), nothing)
	if got, want := both.Loss(), (told(20).Loss()+nothing.Loss())/2; got < want-1e-12 {
		t.Errorf("together %v, apart %v: two temperatures cannot be worse than one", got, want)
	}
}

// A guess is right about no more than the most frequent class is; of a few entities nothing is called one.
func TestGuesses(t *testing.T) {
	guesses := func(entities, right int) bool {
		labels := threeClasses(entities)
		y := make([]float64, 3*entities)
		for k, truth := range labels.Truth {
			if int(labels.Entities[k]-100) < right {
				y[labels.Variables[k]] = truth
			}
		}
		return Together(labels.Judge(y), labels.Judge(y)).Guesses()
	}
	for _, c := range []struct {
		entities, right int
		guess           bool
	}{{9, 3, false}, {30, 5, true}, {30, 10, true}, {30, 20, false}} {
		if got := guesses(c.entities, c.right); got != c.guess {
			t.Errorf("%d of %d right: a guess %v, want %v", 2*c.right, 2*c.entities, got, c.guess)
		}
	}
}

// The refined loss is a verdict's, of classes, of labels by themselves and of degrees, and its derivative is that of
// its differences.
func TestRefinedSlope(t *testing.T) {
	sides, degrees := threeClasses(5), threeClasses(5)
	for k := range sides.Classes {
		sides.Classes[k], degrees.Classes[k] = NoClass, NoClass
		degrees.Truth[k] = 0.2 + 0.6*degrees.Truth[k]
	}
	random := rand.New(rand.NewPCG(1, 2))
	y, slope := make([]float64, 15), make([]float64, 15)
	for i := range y {
		y[i] = 0.1 + 0.8*random.Float64()
	}
	for name, labels := range map[string]*Labels{"classes": threeClasses(5), "sides": sides, "degrees": degrees} {
		verdict := labels.Judge(y)
		for at, exponent := range temperatures {
			loss := labels.Refined(y, exponent, slope)
			if want := mean(verdict.losses[at]); math.Abs(loss-want) > 1e-12 {
				t.Errorf("%s, exponent %v: loss %v, the verdict's %v", name, exponent, loss, want)
			}
			for i := range y {
				const h = 1e-6
				moved := slices.Clone(y)
				moved[i] += h
				want := (labels.Refined(moved, exponent, make([]float64, 15)) - loss) / h
				if math.Abs(slope[i]-want) > 1e-3*math.Abs(want)+1e-4 {
					t.Errorf("%s, exponent %v, variable %d: %v, differences give %v", name, exponent, i, slope[i], want)
				}
			}
		}
	}
}

// Of a few labels that are all told right, one more way to tell them right is no better, however sure it is.
func TestVerdictDoubts(t *testing.T) {
	labels := threeClasses(9)
	right := func(best, others float64) Verdict {
		y := make([]float64, 27)
		for k, truth := range labels.Truth {
			y[labels.Variables[k]] = others + truth*(best-others)
		}
		return labels.Judge(y)
	}
	blunt, sharp := right(0.4, 0.3), right(0.999, 0.0005)
	if sharp.Beats(blunt, 0) || blunt.Beats(sharp, 0) {
		t.Errorf("losses %v of blunt values, %v of sharp ones", blunt.Loss(), sharp.Loss())
	}
}

// Degrees of truth are met by values that are like them; values of another sharpness are as good for classes only.
func TestVerdictOfDegrees(t *testing.T) {
	labels := &Labels{Variables: []int32{0, 1, 2, 3}, Truth: []float64{0.3, 0.7, 0.4, 0.6}, Entities: []int32{0, 1, 2, 3},
		Classes: []int32{NoClass, NoClass, NoClass, NoClass}}
	exact, sharp := labels.Judge([]float64{0.3, 0.7, 0.4, 0.6}), labels.Judge([]float64{0.02, 0.98, 0.1, 0.9})
	if !exact.Beats(sharp, 1) {
		t.Errorf("loss %.4f of the values themselves, %.4f of sharper ones", exact.Loss(), sharp.Loss())
	}
	labels.Truth = []float64{0, 1, 0, 1}
	exact, sharp = labels.Judge([]float64{0.3, 0.7, 0.3, 0.7}), labels.Judge([]float64{0.1, 0.9, 0.1, 0.9})
	if exact.Loss() > sharp.Loss()+1e-3 {
		t.Errorf("classes: loss %.4f of blunt values, %.4f of sharper ones", exact.Loss(), sharp.Loss())
	}
}

// At a temperature, the loss has its derivative, and values on the right side cost little though not near 0 or 1.
func TestLossOfSides(t *testing.T) {
	loss := Loss{Kind: BinaryCrossEntropy, Floor: DefaultFloor, Exponent: 4}
	for _, truth := range []float64{0, 1} {
		for _, y := range []float64{0.1, 0.4, 0.5, 0.7, 0.95} {
			const h = 1e-5
			_, slope := loss.term(truth, y)
			above, _ := loss.term(truth, y+h)
			below, _ := loss.term(truth, y-h)
			if want := (above - below) / (2 * h); math.Abs(slope-want) > 1e-5*max(1, math.Abs(want)) {
				t.Errorf("truth %v, value %v: the derivative is %v, want %v", truth, y, slope, want)
			}
		}
	}
	if right, _ := loss.term(1, 0.7); right > 0.05 {
		t.Errorf("the loss of 0.7 that should be 1 is %v", right)
	}
	sides := &Labels{Variables: []int32{0, 1}, Truth: []float64{1, 0}, Entities: []int32{1, 2},
		Classes: []int32{NoClass, NoClass}}
	degrees := &Labels{Variables: []int32{0, 1}, Truth: []float64{1, 0.3}, Entities: []int32{1, 2},
		Classes: []int32{NoClass, NoClass}}
	classes := &Labels{Variables: []int32{0, 1}, Truth: []float64{1, 0}, Entities: []int32{1, 1}, Classes: []int32{5, 6}}
	if !sides.OfSides() || degrees.OfSides() || classes.OfSides() {
		t.Errorf("of sides: %v, %v, %v", sides.OfSides(), degrees.OfSides(), classes.OfSides())
	}
}
