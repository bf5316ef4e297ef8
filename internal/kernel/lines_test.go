package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawLines makes lines of which most have few entries and some many, and none at times.
func drawLines(rng *rand.Rand, lines, width int) Sparse {
	s := Sparse{Start: []int32{0}}
	for range lines {
		n := rng.IntN(4)
		switch rng.IntN(20) {
		case 0:
			n = rng.IntN(width)
		case 1, 2, 3:
			n = rng.IntN(min(width, 12))
		}
		for _, i := range rng.Perm(width)[:min(n, width)] {
			s.Index, s.Coef = append(s.Index, int32(i)), append(s.Coef, rng.NormFloat64())
		}
		s.Start = append(s.Start, int32(len(s.Index)))
	}
	return s
}

// Lines must have the bits of one line after the other, with any instructions.
func TestLines(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		lines, width := 1+rng.IntN(40), 1+rng.IntN(60)
		s := drawLines(rng, lines, width)
		list := make([]int32, 0, lines)
		for k := range lines {
			if rng.IntN(4) > 0 {
				list = append(list, int32(k))
			}
		}
		from, scale, to := make([]float64, width), make([]float64, lines), make([]float64, lines)
		for k := range from {
			from[k] = rng.NormFloat64()
		}
		for k := range to {
			to[k], scale[k] = rng.NormFloat64(), rng.NormFloat64()
		}
		wantSet, wantInOrder, wantByFour := slices.Clone(to), slices.Clone(to), slices.Clone(to)
		for _, k := range list {
			first, last := s.Start[k], s.Start[k+1]
			sum, picked := 0.0, []float64(nil)
			for e := first; e < last; e++ {
				sum += float64(s.Coef[e] * from[s.Index[e]])
				wantInOrder[k] += float64(s.Coef[e] * from[s.Index[e]])
				picked = append(picked, from[s.Index[e]])
			}
			wantSet[k] = sum * scale[k]
			wantInOrder[k] *= scale[k]
			wantByFour[k] += float64(Dot(s.Coef[first:last], picked) * scale[k])
		}
		inOrder, byFour := s.InOrder(list, nil), s.ByFour(list, nil)
		inOrder.Scale(scale)
		byFour.Scale(scale)
		for _, c := range []struct {
			what string
			by   func(to, from []float64)
			want []float64
		}{
			{"set", inOrder.Set, wantSet},
			{"in order", inOrder.AddInOrder, wantInOrder},
			{"by four", byFour.Add, wantByFour},
			{"set portably", func(to, from []float64) { inOrder.inOrderPortably(to, from, true) }, wantSet},
			{"in order portably", func(to, from []float64) { inOrder.inOrderPortably(to, from, false) }, wantInOrder},
			{"by four portably", byFour.byFourPortably, wantByFour},
		} {
			got := slices.Clone(to)
			if c.by(got, from); !slices.Equal(got, c.want) {
				t.Fatalf("seed %d, %s: %v, not %v", seed, c.what, got, c.want)
			}
		}
	}
}

// What a line needs of those of former levels it has.
func TestLinesByLevel(t *testing.T) {
	const n = 50
	s := Sparse{Start: []int32{0}}
	list, level, want := []int32(nil), []int32(nil), make([]float64, n)
	for k := range n {
		want[k] = float64(k % 7)
		for i := k - 5; i < k && k >= 10; i++ {
			s.Index, s.Coef = append(s.Index, int32(i)), append(s.Coef, -0.5)
		}
		s.Start, list = append(s.Start, int32(len(s.Index))), append(list, int32(k))
		level = append(level, int32(max(0, k-9)))
	}
	got, byFour := slices.Clone(want), slices.Clone(want)
	s.InOrder(list, level).AddInOrder(got, got)
	s.ByFour(list, level).Add(byFour, byFour)
	for k := range n {
		for e := s.Start[k]; e < s.Start[k+1]; e++ {
			want[k] += s.Coef[e] * want[s.Index[e]]
		}
		if math.Abs(byFour[k]-want[k]) > 1e-12*math.Abs(want[k]) {
			t.Errorf("by four %v, not %v", byFour[k], want[k])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// Combinations of rows have the bits of one row after the other, with any instructions.
func TestCombine(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for n := range 20 {
		all, rows, coef := make([][Tile]float64, 30), make([]int32, n), make([]float64, n)
		for k := range all {
			for l := range all[k] {
				all[k][l] = rng.NormFloat64()
			}
		}
		var want, got, portably [Tile]float64
		for k := range rows {
			rows[k], coef[k] = int32(rng.IntN(len(all))), rng.NormFloat64()
			for l, y := range all[rows[k]] {
				want[l] += float64(coef[k] * y)
			}
		}
		Combine(&got, rows, coef, all)
		combinePortably(&portably, rows, coef, all)
		if got != want || portably != want {
			t.Errorf("of %d rows %v and %v, not %v", n, got, portably, want)
		}
	}
}
