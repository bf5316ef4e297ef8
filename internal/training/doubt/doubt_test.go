package doubt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// tiedView draws things of three classes, labels of the first so many, and ties of one to another that is alike by some
// probability more than by chance, each for all classes.
func tiedView(seed uint64, labels int, alike float64) (*view, []tie) {
	const things, classes, each = 200, 3, 3
	random := rand.New(rand.NewPCG(seed, 31))
	v := &view{things: things, classes: classes, exclusive: true, labelled: make([]bool, things)}
	class := make([]int, things)
	for thing := range class {
		class[thing] = random.IntN(classes)
		v.labelled[thing] = thing < labels
		for k := range classes {
			truth := float64(unlabelled)
			if thing < labels {
				truth = 0
				if k == class[thing] {
					truth = 1
				}
			}
			v.truth = append(v.truth, truth)
		}
	}
	var ties []tie
	for a := range class {
		for range each {
			b, like := random.IntN(things), random.Float64() < alike
			for b == a || like && class[a] != class[b] {
				b = random.IntN(things)
			}
			for k := range classes {
				ties = append(ties, tie{int32(a), int32(b), int32(k), 1})
			}
		}
	}
	return v, ties
}

// Labels alone tell ties that mean nothing from those that are alike, and where they are too few, nothing is doubted.
func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		labels               int
		alike                float64
		doubtsMin, doubtsMax int
	}{{100, 0, 17, 20}, {100, 0.5, 0, 0}, {100, 0.8, 0, 0}, {12, 0, 0, 5}, {12, 0.8, 0, 0}} {
		doubts := 0
		for seed := range uint64(20) {
			v, ties := tiedView(seed, c.labels, c.alike)
			if _, doubted := v.doubts(ties, seed); doubted {
				doubts++
			}
		}
		if doubts < c.doubtsMin || doubts > c.doubtsMax {
			t.Errorf("%+v: doubted %d times of 20", c, doubts)
		}
	}
}

// A pair counts once, whichever way it is tied and however often, and by the class of one of the two.
func TestAgreementCountsPairsOnce(t *testing.T) {
	v, ties := tiedView(1, 100, 0)
	once := v.agreement(ties, tiedAlike)
	for _, one := range ties {
		ties = append(ties, tie{one.b, one.a, one.class, one.by / 2})
	}
	if twice := v.agreement(ties, tiedAlike); twice != once || once.expected == 0 {
		t.Errorf("%+v, and said twice %+v", once, twice)
	}
}

// What networks see counts as far as labels bear it out: the less sure that is, the less.
func TestTrust(t *testing.T) {
	const found, expected = -0.5, 4
	sure := trust{slope: 1}.chance(found, expected)
	if want := expected*expected/2.0 - expected*found; math.Abs(sure-want) > 1e-12 {
		t.Errorf("sure: %v, want %v", sure, want)
	}
	near, wide, weak := trust{0.9, 0.1}.chance(found, expected), trust{0.9, 0.5}.chance(found, expected),
		trust{0.2, 0.2}.chance(found, expected)
	if !(sure > near && near > wide && wide > weak && weak > 0) {
		t.Errorf("sure %v, nearly %v, hardly %v, of little slope %v", sure, near, wide, weak)
	}
	if none := (trust{-5, 0.5}).chance(found, expected); math.IsNaN(none) || math.Abs(none) > 0.1 {
		t.Errorf("of no slope %v", none)
	}
}
