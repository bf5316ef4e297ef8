package eval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The curve is where the loss is least, whatever the labels: also where a threshold divides them without error, and
// where all predictions are the same.
func TestCalibrate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noisy, divided, same := make([]label, 200), make([]label, 200), make([]label, 200)
	for k := range noisy {
		x := r.Float64()
		noisy[k] = label{x, bit(r.Float64() < 1/(1+math.Exp(-(8*x-5)))), 0}
		divided[k] = label{x, bit(x > 0.8), 0}
		same[k] = label{0.3, bit(k%4 == 0), 0}
	}
	for _, test := range []struct {
		name       string
		labels     []label
		slope, cut float64 // where the curve is a half
	}{{"noisy", noisy, 8, 5. / 8}, {"divided", divided, 30, 0.8}} {
		c := calibrate(test.labels)
		if c.slope < test.slope*0.6 || c.slope > test.slope*1.6 {
			t.Errorf("%s: a slope of %v", test.name, c.slope)
		}
		if cut := c.middle - c.offset/c.slope; math.Abs(cut-test.cut) > 0.05 {
			t.Errorf("%s: a half at %v", test.name, cut)
		}
		sides := countSides(test.labels)
		soft := [2]float64{1 / float64(sides[0]+2), float64(sides[1]+1) / float64(sides[1]+2)}
		if slope, offset := c.newton(test.labels, soft); math.Abs(slope) > 1e-3 || math.Abs(offset) > 1e-3 {
			t.Errorf("%s: a step of %v, %v is left", test.name, slope, offset)
		}
	}
	if c := calibrate(same); c.slope != 0 || math.Abs(c.probability(0.3)-0.25) > 0.01 {
		t.Errorf("predictions that are the same: %+v", c)
	}
}

// Of few atoms that are true, a threshold is learned from the curve, on average near the best one of all.
func TestThresholdOfFew(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := func(n int) *Scored {
		s := numbers(make([]float64, n), make([]float64, n))
		for k := range n {
			s.Truth[k] = float64(bit(k%10 == 0))
			s.Prediction[k] = math.Min(max(0, 0.12+0.2*s.Truth[k]+0.1*r.NormFloat64()), 1)
		}
		return s
	}
	test := draw(20_000)
	part := make([]int, 140)
	for k := range part {
		part[k] = k % 20
	}
	learned, found := 0.0, 0
	const times = 100
	for range times {
		threshold, better := LearnThreshold(nil, draw(len(part)), part)
		if !better {
			threshold = 0.5
		} else {
			found++
		}
		result := discrete(test, 0.5, threshold)
		learned += result.Primary().Number / times
	}
	best := BestThreshold(nil, test).Value
	if found < 97 || learned < best-0.035 {
		t.Errorf("%d of %d times a threshold is learned; F1 is %.3f, %.3f at best", found, times, learned, best)
	}
}
