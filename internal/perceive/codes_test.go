package perceive

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Values that answers differ between without any order are names; numbers that say something by their order are none,
// whether answers rise, turn or go round with them, nor what says nothing, is hardly repeated or no whole number.
func TestCodes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 8))
	effects, codes := make([]float64, 12), make([]float64, 12)
	for k := range effects {
		effects[k], codes[k] = 2*random.NormFloat64(), float64(10000+random.IntN(90000))
	}
	number := func(k int) float64 { return float64(k) }
	code := func(k int) float64 { return codes[k] }
	own := func(k int) float64 { return effects[k] }
	odd := func(k int) float64 { return float64(k%2)*4 - 2 }
	for _, test := range []struct {
		name   string
		values int
		shown  func(k int) float64 // the number that stands for a value
		effect func(k int) float64 // on the logit of the answer
		want   bool
	}{
		{"postcodes", 12, code, own, true},
		{"halves", 12, func(k int) float64 { return codes[k] + 0.5 }, own, false},
		{"odd", 10, number, odd, true},
		{"four", 4, number, odd, false},
		{"nothing", 12, code, func(int) float64 { return 0 }, false},
		{"rising", 10, number, func(k int) float64 { return float64(k) - 4.5 }, false},
		{"ages", 50, number, func(k int) float64 { return float64(k)/8 - 3 }, false},
		{"turning", 5, number, func(k int) float64 { return float64(k-2)*float64(k-2) - 2 }, false},
		{"round", 12, number, func(k int) float64 { return 3 * math.Sin(math.Pi*float64(k)/6) }, false},
		{"ids", 200, number, odd, false},
	} {
		var values, answer []float32
		for range 400 {
			k := random.IntN(test.values)
			values, answer = append(values, float32(test.shown(k))), append(answer, 0)
			if random.Float64() < 1/(1+math.Exp(-test.effect(k))) {
				answer[len(answer)-1] = 1
			}
		}
		g := grouped(values)
		by, odd := 0.0, 0
		if g != nil {
			by, odd = g.named([][]float32{answer, nil})
		}
		if got := by >= surely && odd > surelyOdd; got != test.want {
			t.Errorf("%s: taken for names: %v", test.name, got)
		}
	}
}
