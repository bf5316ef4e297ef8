package latent

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Choices that agree in what is still to come are one node: of ten things of which only the number counts, there are a
// few for 1,024 choices, and the expected number and its slopes are those of all choices.
func TestDiagramOfCounts(t *testing.T) {
	const things = 10
	classes, numbers := make([]int, things), make([]float64, 1<<things)
	for i := range classes {
		classes[i] = 2
	}
	for z := range numbers {
		for i := range things {
			numbers[z] += float64(z >> i & 1)
		}
		numbers[z] = math.Exp(-numbers[z] * numbers[z])
	}
	d := NewDiagram(classes, numbers)
	nodes := 0
	for i := range things {
		nodes += len(d.next[i]) / 2
	}
	if want := things * (things + 1) / 2; nodes != want {
		t.Errorf("%d nodes, want %d", nodes, want)
	}
	random := rand.New(rand.NewPCG(1, 2))
	x := make([][2]float64, things)
	for i := range x {
		x[i] = [2]float64{random.Float64(), random.Float64()}
	}
	chance := func(thing, class int) float64 { return x[thing][class] }
	want, slopes := 0.0, make([][2]float64, things)
	for z, number := range numbers {
		product := number
		for i := range things {
			product *= x[i][z>>(things-1-i)&1]
		}
		want += product
		for i := range things {
			class := z >> (things - 1 - i) & 1
			slopes[i][class] += product / x[i][class]
		}
	}
	if got := d.expect(chance); math.Abs(got-want) > 1e-12*want {
		t.Errorf("expects %v, want %v", got, want)
	}
	d.slopes(func(thing, class int, slope float64) { slopes[thing][class] -= slope })
	for i, left := range slopes {
		if math.Abs(left[0])+math.Abs(left[1]) > 1e-12*want {
			t.Errorf("the slopes of thing %d are off by %v", i, left)
		}
	}
}
