package partition_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/partition"
)

type term = mrftest.Term

func row(ids ...int) []term {
	var out []term
	for _, i := range ids {
		out = append(out, term{Index: i, Coef: 1})
	}
	return out
}

func TestFind(t *testing.T) {
	m := mrftest.New(8, 0, 2).Rule(0, mrf.Hinge, 2).
		Add(0, row(6, 4), nil).Add(0, row(0, 2), nil).Add(0, row(5), nil).Add(1, nil, nil).
		Rule(1, mrf.Equal, 0).Add(0, row(7, 2), nil).Add(0, row(6), nil).Add(0, row(1, 4), nil).Model()
	c := partition.Find(m)
	if want := []int32{0, 1, 0, partition.None, 1, 2, 1, 0}; !slices.Equal(c.Of, want) {
		t.Errorf("components %v, want %v", c.Of, want)
	}
	if want := []int{2, 3, 1}; !slices.Equal(c.Potentials, want) || c.Largest() != 3 {
		t.Errorf("potentials %v, want %v; the largest has %d", c.Potentials, want, c.Largest())
	}
	if empty := partition.Find(&mrf.Model{}); len(empty.Potentials) != 0 || empty.Largest() != 0 {
		t.Errorf("nothing: %+v", empty)
	}
}

// The components are those that a search from every variable finds.
func TestFindAgreesWithASearch(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		m, _, _ := mrftest.Random(rng, mrftest.Shape{Variables: 40, Inputs: 2, Blocks: 3, Potentials: 9,
			Kinds: mrftest.Soft, Arity: 3})
		got := partition.Find(m)
		next := int32(0)
		want := make([]int32, m.Variables)
		for i := range want {
			want[i] = partition.None
		}
		for i := range want {
			if want[i] == partition.None && reach(m, int32(i), next, want) {
				next++
			}
		}
		if !slices.Equal(got.Of, want) || len(got.Potentials) != int(next) {
			t.Errorf("seed %d: %v, want %v", seed, got.Of, want)
		}
	}
}

// reach gives the component to all variables that start is connected to, and tells whether it is in any potential.
func reach(m *mrf.Model, start, component int32, of []int32) bool {
	found := false
	for _, b := range m.Blocks {
		for j := range b.Len {
			vars := b.Variables(j)
			if !slices.Contains(vars, start) {
				continue
			}
			found, of[start] = true, component
			for _, i := range vars {
				if of[i] == partition.None {
					reach(m, i, component, of)
				}
			}
		}
	}
	return found
}

func TestBatches(t *testing.T) {
	c := &partition.Components{Potentials: []int{3, 12, 4, 4, 10, 2}}
	of, count := c.Batches(10)
	if want := []int32{0, 1, 0, 0, 2, 3}; !slices.Equal(of, want) || count != 4 {
		t.Errorf("%d batches, %v; want %v", count, of, want)
	}
}

// The parts have the energy, the slacks and the violation of the whole.
func TestPartsAddUp(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 8))
		whole := mrftest.Field(mrftest.Random(rng, mrftest.Shape{Variables: 60, Inputs: 5, Blocks: 6, Potentials: 8,
			Kinds: mrftest.All, Arity: 3, Scales: true}))
		m := whole.Model
		y := mrftest.Uniform(rng, m.Variables)
		slacks := make([]float64, m.Potentials())
		whole.Slacks(y, slacks)
		c := partition.Find(m)
		of, count := c.Batches(5)
		energy, potentials := 0.0, 0
		for _, part := range partition.Split(m, c, of, count) {
			if err := part.Model.Check(); err != nil {
				t.Fatal(err)
			}
			field := part.Condition(whole)
			own := make([]float64, len(part.Variables))
			for n, i := range part.Variables {
				own[n] = y[i]
			}
			d := make([]float64, len(part.Potentials))
			field.Slacks(own, d)
			for n, j := range part.Potentials {
				if d[n] != slacks[j] {
					t.Fatalf("seed %d: slack %v of potential %d, want %v", seed, d[n], j, slacks[j])
				}
			}
			energy += field.Energy(own)
			potentials += len(d)
		}
		if want := whole.Energy(y); math.Abs(energy-want) > 1e-12*max(1, math.Abs(want)) || potentials != len(slacks) {
			t.Errorf("seed %d: energy %v in %d potentials, want %v in %d", seed, energy, potentials, want, len(slacks))
		}
	}
}

// BenchmarkFind takes many small components, and a large one.
func BenchmarkFind(b *testing.B) {
	small := &mrf.Block{Kind: mrf.Hinge, Exponent: 2, Coef: []float64{1, 1, -1}, Len: 1 << 18}
	for j := range int32(1 << 18) {
		first := j / 12 * 6
		small.Vars = append(small.Vars, first+j%6, first+(j+1)%6, first+(j+3)%6)
	}
	large := *small
	large.Vars = slices.Clone(small.Vars)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(large.Vars)/3, func(i, j int) {
		large.Vars[3*i], large.Vars[3*j] = large.Vars[3*j], large.Vars[3*i]
	})
	for name, block := range map[string]*mrf.Block{"small": small, "large": &large} {
		m := &mrf.Model{Variables: 1 << 18, Rules: 1, Blocks: []*mrf.Block{block}}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				partition.Find(m)
			}
		})
	}
}
