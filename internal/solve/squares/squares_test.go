package squares

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// random is a field of squares.
func random(rng *rand.Rand, shape mrftest.Shape) *mrf.Field {
	shape.Kinds = []mrftest.Form{{Kind: mrf.Hinge, Exponent: 2}, {Kind: mrf.Absolute, Exponent: 2},
		{Kind: mrf.Hinge, Exponent: 2}}
	return mrftest.Field(mrftest.Random(rng, shape))
}

// fill makes the problem of a field, from a point on.
func fill(p *Problem, f *mrf.Field, y []float64) (potentials []mrf.Potential) {
	p.Reset(f.Model.Variables)
	copy(p.Y, y)
	for _, b := range f.Model.Blocks {
		for j := range b.Len {
			q := b.At(j)
			if len(q.Vars) == 0 {
				continue
			}
			for k, i := range q.Inputs {
				q.Constant += q.InputCoef[k] * f.Inputs()[i]
			}
			p.Add(q.Kind, f.Weights()[q.Rule]*q.Scale, q.Constant, q.Vars, q.Coef)
			potentials = append(potentials, q)
		}
	}
	return potentials
}

// What is said to be proven is, by the multipliers, and the energy is that of Newton's method for all kinds of models.
func TestAgainstNewton(t *testing.T) {
	const tolerance = 1e-6
	var p Problem
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		shape := mrftest.Shape{Variables: 1 + rng.IntN(60), Inputs: 2, Blocks: 1 + rng.IntN(8),
			Potentials: 1 + rng.IntN(60), Arity: 1 + rng.IntN(4), Scales: seed%2 == 0}
		f := random(rng, shape)
		y := make([]float64, f.Model.Variables)
		for i := range y {
			y[i] = float64(rng.IntN(5)) / 4
		}
		potentials := fill(&p, f, y)
		proven := p.Solve(tolerance, f.Grain(), 100, func() bool { return false })
		gap, objective, slopes := 0.0, 0.0, make([]float64, len(p.Y))
		for k, q := range potentials {
			d := q.Constant
			for e, i := range q.Vars {
				d += q.Coef[e] * p.Y[i]
			}
			slack, mu, _ := p.Of(k)
			m, g, o := solve.Contribution(&mrf.Block{Kind: q.Kind, Exponent: 2}, f.Weights()[q.Rule]*q.Scale, d, mu)
			if m != mu || math.Abs(slack-d) > 1e-12*(1+math.Abs(d)) {
				t.Fatalf("seed %d: potential %d has the multiplier %v of %v, and the slack %v of %v", seed, k, mu, m, slack, d)
			}
			gap, objective = gap+g, objective+o
			for e, i := range q.Vars {
				slopes[i] += q.Coef[e] * mu
			}
		}
		for i, g := range slopes {
			if gap += g*p.Y[i] - min(0, g); p.Y[i] < 0 || p.Y[i] > 1 || math.Abs(g-p.Slopes[i]) > 1e-9*(1+math.Abs(g)) {
				t.Fatalf("seed %d: variable %d is %v, with the slope %v and not %v", seed, i, p.Y[i], p.Slopes[i], g)
			}
		}
		close := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(f.Grain(), objective) }
		if !close(gap, p.Gap) || !close(objective, p.Objective) {
			t.Fatalf("seed %d: gap %v of %v, objective %v of %v", seed, p.Gap, gap, p.Objective, objective)
		}
		reference, err := newton.New(f, solve.Settings{Gap: tolerance}).Solve(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		least, constant := reference.Objective, f.Energy(p.Y)-p.Objective // of potentials without variables
		if !proven || p.Objective+constant > least+tolerance*max(f.Grain(), p.Objective) {
			t.Errorf("seed %d: proven %v in %d steps, gap %v; objective %v, and %v is proven by gap %v", seed, proven, p.Steps,
				p.Gap, p.Objective+constant, least, reference.Gap)
		}
	}
}

// A problem is the same whatever has been in its memory before, and ends when it is told to with a point in the box.
func TestMemoryOfAnotherProblem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	first := random(rng, mrftest.Shape{Variables: 40, Inputs: 2, Blocks: 5, Potentials: 50, Arity: 3})
	second := random(rng, mrftest.Shape{Variables: 25, Inputs: 2, Blocks: 4, Potentials: 30, Arity: 4})
	var used, fresh Problem
	fill(&used, first, nil)
	used.Solve(1e-6, 1, 100, func() bool { return false })
	for _, limit := range []int{0, 1, 100} {
		for _, p := range []*Problem{&used, &fresh} {
			fill(p, second, nil)
			clear(p.Y)
			p.Solve(1e-6, 1, limit, func() bool { return false })
		}
		if !slices.Equal(used.Y, fresh.Y) || !slices.Equal(used.Slopes, fresh.Slopes) || used.Gap != fresh.Gap {
			t.Errorf("%d steps: %v, gap %v; and %v, gap %v", limit, used.Y, used.Gap, fresh.Y, fresh.Gap)
		}
	}
	if used.Bytes() <= 0 {
		t.Error("it has memory")
	}
}
