package local

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Along a chain parts grow as much as anywhere, though one variable is next at each end: what reaches hundreds of them
// takes some rounds, and not as many.
func TestGrowAlongChain(t *testing.T) {
	const n, changes = 3000, 10
	rng := rand.New(rand.NewPCG(1, 8))
	m := &mrf.Model{Variables: n, Rules: 2}
	for i := range int32(n) {
		m.AppendPotential(&mrf.Potential{Rule: 0, Kind: mrf.Absolute, Exponent: 2, Scale: 1, Vars: []int32{i},
			Coef: []float64{1}, Constant: -rng.Float64()})
		if i > 0 {
			m.AppendPotential(&mrf.Potential{Rule: 1, Kind: mrf.Absolute, Exponent: 2, Scale: 1, Vars: []int32{i - 1, i},
				Coef: []float64{1, -1}})
		}
	}
	l := alive(t, m, []float64{1, 3000})
	rounds, variables := 0, 0
	for k := range changes {
		l.Add(&mrf.Potential{Rule: 0, Kind: mrf.Absolute, Exponent: 2, Scale: 10, Coef: []float64{1},
			Vars: []int32{rng.Int32N(n)}, Constant: -float64(k % 2)})
		out, err := l.Solve(t.Context())
		if err != nil || out.Status != solve.Optimal {
			t.Fatalf("change %d: %v with %d variables in %d rounds: %v", k, out.Status, out.Variables, out.Rounds, err)
		}
		l.check(out)
		rounds, variables = max(rounds, out.Rounds), max(variables, out.Variables)
	}
	if t.Logf("%d variables, %d rounds", variables, rounds); variables < 200 || rounds > 30 {
		t.Errorf("up to %d variables in up to %d rounds", variables, rounds)
	}
}

// What a hard rule ties to a variable that moves is let move with it: the sum of a thing's classes is 1, and nothing
// holds the multiplier of that where all but one of them are held.
func TestTakeBound(t *testing.T) {
	const things, classes = 40, 6
	rng := rand.New(rand.NewPCG(1, 9))
	m := &mrf.Model{Variables: things * classes, Rules: 3}
	for i := range int32(things * classes) {
		m.AppendPotential(&mrf.Potential{Rule: 0, Kind: mrf.Hinge, Exponent: 1, Scale: 1, Vars: []int32{i},
			Coef: []float64{-1}, Constant: rng.Float64()})
		if j := i + classes; j < things*classes {
			m.AppendPotential(&mrf.Potential{Rule: 1, Kind: mrf.Hinge, Exponent: 1, Scale: 1, Vars: []int32{i, j},
				Coef: []float64{1, -1}})
		}
	}
	for a := range int32(things) {
		sum := &mrf.Potential{Rule: 2, Kind: mrf.Equal, Exponent: 1, Scale: 1, Constant: -1}
		for c := range int32(classes) {
			sum.Vars, sum.Coef = append(sum.Vars, a*classes+c), append(sum.Coef, 1)
		}
		m.AppendPotential(sum)
	}
	l := alive(t, m, []float64{1, 0.4, 1})
	p := &l.part
	p.reset()
	defer l.forget(p)
	if l.take(p, []int32{3*classes + 2}); len(p.variables) != classes {
		t.Fatalf("%d variables are solved, not the %d of the sum", len(p.variables), classes)
	}
	for _, i := range p.variables {
		if i/classes != 3 {
			t.Errorf("variable %d is of no hard rule of the one that has changed", i)
		}
	}
}
