package neural

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// batchSystems are one system of each kind of classifier over 40 rows.
func batchSystems(t *testing.T) map[string]*System {
	t.Helper()
	table := images(t, 40, 84, 3)
	systems := map[string]*System{}
	for kind, spec := range map[string]Spec{
		"mlp":      {Hidden: []int{4}, Outputs: 3, Dropout: 0.2, InputDropout: 0.1},
		"deep mlp": {Hidden: []int{6, 5}, Outputs: 3, Activation: Tanh},
		"cnn":      cnnSpec("n", ELU),
	} {
		spec.Name, spec.Features = "n", "words"
		systems[kind] = mustNew(t, []Spec{spec}, table, 3)
	}
	return systems
}

// A batch that is bound once and then shown other rows gives what binding those rows gives.
func TestSelect(t *testing.T) {
	for kind, s := range batchSystems(t) {
		batch := allClasses(t, s, 5)
		for _, rows := range [][]int32{{7, 3, 20, 39, 0}, {8, 9, 10, 11, 12}} {
			if err := batch.Select(rows); err != nil {
				t.Fatal(err)
			}
			x, gradients := both(t, batch, true, 6)
			b := Binding{Network: "n"}
			for k := range x {
				b.Inputs, b.Rows = append(b.Inputs, int32(k)), append(b.Rows, rows[k/3])
				b.Classes = append(b.Classes, int32(k%3))
			}
			bound, err := s.Bind(len(x), b)
			if err != nil {
				t.Fatal(err)
			}
			y, want := both(t, bound, true, 6)
			checkSame(t, kind+" in the batch, beside a bound one", x, y, gradients, want)
		}
	}
}

func TestSelectErrors(t *testing.T) {
	p := allClasses(t, batchSystems(t)["cnn"], 3)
	for _, test := range []struct {
		rows []int32
		want string
	}{
		{[]int32{1, 2}, "2 rows are selected, but row 2 is bound"},
		{[]int32{1, 2, 40}, "row 40 is not among the 40"},
		{[]int32{1, -1, 0}, "row -1 is not among the 40"},
	} {
		if err := p.Select(test.rows); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want one with %q", test.rows, err, test.want)
		}
	}
}

func TestPredict(t *testing.T) {
	for kind, s := range batchSystems(t) {
		x, _ := both(t, allClasses(t, s, 40), false, 0)
		var rows []int32
		for k := range int32(700) { // more than one piece, and not a whole number of them
			rows = append(rows, k*7%40)
		}
		out, err := s.Predict("n", rows)
		if err != nil {
			t.Fatal(err)
		}
		for k, got := range out {
			if want := x[int(rows[k/3])*3+k%3]; math.Abs(float64(got)-want) > 1e-6 {
				t.Fatalf("%s: row %d, class %d: %v, want %v", kind, rows[k/3], k%3, got, want)
			}
		}
		if none, err := s.Predict("n", nil); err != nil || len(none) != 0 {
			t.Errorf("%s: no rows give %v, %v", kind, none, err)
		}
		if _, err := s.Predict("n", []int32{40}); err == nil || !strings.Contains(err.Error(), "row 40") {
			t.Errorf("%s: error %v", kind, err)
		}
		if _, err := s.Predict("m", rows); err == nil || !strings.Contains(err.Error(), "a classifier is wanted") {
			t.Errorf("%s: error %v", kind, err)
		}
	}
}

// More images than fit a piece give the outputs and gradients of the images one by one.
func TestCNNPieces(t *testing.T) {
	spec := cnnSpec("n", Tanh)
	spec.Features, spec.Dropout = "words", 0.2
	s := mustNew(t, []Spec{spec}, images(t, 2*piece+9, 84, 3), 3)
	rows := 2*piece + 9
	x, gradients := both(t, allClasses(t, s, rows), true, 4)
	sums := make([]float64, len(gradients))
	one := allClasses(t, s, 1)
	upstream := upstreamOf(len(x))
	for r := range rows {
		if err := one.Select([]int32{int32(r)}); err != nil {
			t.Fatal(err)
		}
		y := make([]float64, 3)
		for _, p := range one.Parameters() {
			clear(p.Gradient)
		}
		if err := one.Forward(y, true, 4); err != nil {
			t.Fatal(err)
		}
		if err := one.Backward(upstream[3*r : 3*r+3]); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(y, x[3*r:3*r+3]) {
			t.Errorf("row %d: %v among many, %v alone", r, x[3*r:3*r+3], y)
		}
		at := 0
		for _, p := range one.Parameters() {
			for _, g := range p.Gradient {
				sums[at] += float64(g)
				at++
			}
		}
	}
	for k, want := range sums {
		if math.Abs(float64(gradients[k])-want) > 1e-4 {
			t.Errorf("gradient %d is %v, want %v", k, gradients[k], want)
		}
	}
}
