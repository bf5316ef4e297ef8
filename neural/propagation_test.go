package neural

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// someLinks are links both ways, twice, of a row to itself, and of other weights than 1; row 8 has none.
var someLinks = []Link{{0, 1, 1}, {1, 0, 1}, {2, 1, 0.5}, {1, 2, 0.25}, {3, 3, 1}, {3, 4, 1},
	{5, 0, 0.1}, {6, 7, 1}, {7, 0, 1}}

// propagated is the definition: (1−α)·S·Z + α·Z₀, so many times, over dense matrices.
func propagated(z [][]float64, links []Link, steps int, restart float64) [][]float64 {
	n := len(z)
	weight, degree := make([][]float64, n), make([]float64, n)
	for i := range n {
		weight[i] = make([]float64, n)
		weight[i][i] = 1
	}
	for _, l := range links {
		if l.A != l.B {
			w := max(weight[l.A][l.B], float64(l.Weight))
			weight[l.A][l.B], weight[l.B][l.A] = w, w
		}
	}
	for i := range n {
		for _, w := range weight[i] {
			degree[i] += w
		}
	}
	now := z
	for range steps {
		next := make([][]float64, n)
		for i := range n {
			next[i] = make([]float64, len(z[i]))
			for c := range next[i] {
				next[i][c] = restart * z[i][c]
				for j := range n {
					next[i][c] += (1 - restart) * weight[i][j] / math.Sqrt(degree[i]*degree[j]) * now[j][c]
				}
			}
		}
		now = next
	}
	return now
}

func TestPropagationIsItsDefinition(t *testing.T) {
	z, flat := make([][]float64, 9), []float32(nil)
	for i := range z {
		z[i] = []float64{float64(i), math.Sin(float64(i)), -1}
		for _, v := range z[i] {
			flat = append(flat, float32(v))
		}
	}
	for _, steps := range []int{1, 10} {
		p, got := propagation{Links: NewLinks(9, someLinks), steps: steps, restart: 0.15, threads: 2}, slices.Clone(flat)
		p.apply(got, 3)
		for k, want := range slices.Concat(propagated(z, someLinks, steps, 0.15)...) {
			if math.Abs(float64(got[k])-want) > 1e-5 {
				t.Errorf("%d steps: value %d is %v, the definition says %v", steps, k, got[k], want)
			}
		}
		turned := slices.Clone(someLinks)
		slices.Reverse(turned)
		again := propagation{Links: NewLinks(9, turned), steps: steps, restart: 0.15, threads: 1}
		other := slices.Clone(flat)
		if again.apply(other, 3); !slices.Equal(got, other) {
			t.Errorf("%d steps: other bits for links in another order", steps)
		}
	}
}

// linked binds three of nine rows of a network that propagates.
func linked(t *testing.T, threads int, output Output, hidden ...int) *Perception {
	t.Helper()
	spec := Spec{Name: "n", Features: "words", Hidden: hidden, Activation: Tanh, Dropout: 0.25, InputDropout: 0.2,
		Outputs: 3, Output: output, Propagate: "Cites", Restart: 0.2}
	s, err := New([]Spec{spec}, map[string]*features.Table{"words": sparseTable(t, 9, 6, 27, 5)}, 3, WithThreads(threads))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Bind(4, Binding{Network: "n", Inputs: allRows(4), Rows: []int32{1, 1, 4, 8}, Classes: []int32{0, 2, 1, 1},
		Links: NewLinks(9, someLinks)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The gradients are those of differences, through rows that no atom is about, whatever follows the propagation.
func TestPropagationByDifferences(t *testing.T) {
	for _, output := range []Output{SoftmaxOutput, SigmoidOutput} {
		for _, hidden := range [][]int{nil, {4}, {4, 3}} {
			checkDifferences(t, linked(t, 1, output, hidden...), 7, 1e-2, 2e-3)
		}
	}
	checkBackwardIsOfTheLastForward(t, linked(t, 1, SoftmaxOutput, 4))
}

// A part of the atoms has the same outputs and gradients, and all have the same bits for any number of threads.
func TestPropagationOfAPart(t *testing.T) {
	whole := linked(t, 1, SoftmaxOutput, 4)
	x, gradients := both(t, whole, true, 5)
	again, same := both(t, linked(t, 8, SoftmaxOutput, 4), true, 5)
	checkSame(t, "threads", again, x, same, gradients)
	part, err := whole.Restrict([]int32{2, 0})
	if err != nil {
		t.Fatal(err)
	}
	upstream, got := []float64{0, 0, 0, 0}, make([]float64, 2)
	upstream[2], upstream[0] = upstreamOf(2)[0], upstreamOf(2)[1]
	if err := part.Forward(got, true, 5); err != nil {
		t.Fatal(err)
	}
	checkSame(t, "part", got, []float64{x[2], x[0]}, gradientsOf(t, part, upstreamOf(2)), gradientsOf(t, whole, upstream))
}

func TestPropagationErrors(t *testing.T) {
	p := linked(t, 1, SoftmaxOutput, 4)
	_, predict := p.system.Predict("n", []int32{0})
	_, without := p.system.Bind(1, Binding{Network: "n", Inputs: []int32{0}, Rows: []int32{1}, Classes: []int32{0}})
	_, few := p.system.Bind(1, Binding{Network: "n", Inputs: []int32{0}, Rows: []int32{1}, Classes: []int32{0},
		Links: NewLinks(8, nil)})
	for _, test := range []struct {
		err  error
		want string
	}{
		{predict, "depends on those linked to it"}, {p.Select(allRows(9)), "none can stand for another"},
		{without, "links are wanted"}, {few, "links among 8 rows do not suit features of 9"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", test.err, test.want)
		}
	}
}
