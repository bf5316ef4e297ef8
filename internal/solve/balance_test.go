package solve_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// rewritten returns the field with each hard constraint times a number of its own, and each of its coefficients times
// another one.
func rewritten(f *mrf.Field, row, entry func() float64) *mrf.Field {
	m := *f.Model
	m.Blocks = append([]*mrf.Block(nil), m.Blocks...)
	for k, b := range m.Blocks {
		if !b.Kind.Hard() {
			continue
		}
		out := &mrf.Block{Rule: b.Rule, Kind: b.Kind, Len: b.Len, VarStart: []int32{0}, InputStart: []int32{0}}
		for j := range b.Len {
			p, by := b.At(j), row()
			for l, i := range p.Vars {
				out.Vars = append(out.Vars, i)
				out.VarCoef.Append(p.Coef[l] * by * entry())
			}
			for l, i := range p.Inputs {
				out.Inputs = append(out.Inputs, i)
				out.InputValue.Append(p.InputCoef[l] * by)
			}
			out.Bias64 = append(out.Bias64, p.Constant*by)
			out.VarStart = append(out.VarStart, int32(len(out.Vars)))
			out.InputStart = append(out.InputStart, int32(len(out.Inputs)))
		}
		m.Blocks[k] = out
	}
	g := mrf.NewField(&m)
	g.SetWeights(f.Weights())
	g.SetInputs(f.Inputs())
	return g
}

func one() float64 { return 1 }

// What a hard rule is multiplied by must change neither the verdict nor the objective, be its coefficients of one size
// or not.
func TestHardRulesHaveNoUnit(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	power := func(most int) func() float64 {
		return func() float64 { return math.Ldexp(1, rng.IntN(2*most+1)-most) }
	}
	var fields []*mrf.Field
	for seed := range uint64(30) {
		f := randomField(seed, shapes[4+seed%2])
		fields = append(fields, f, rewritten(f, one, power(3)))
	}
	for _, s := range structures {
		if s.name == "differences" {
			continue // contradictory by little more than is accepted, which a factor of sixteen decides about
		}
		fields = append(fields, mrf.NewField(s.model(60)))
	}
	for k, f := range fields {
		for _, method := range []string{"interior", "auto"} {
			for _, simplify := range []bool{false, true} {
				want, got := solution(t, method, f, simplify), solution(t, method, rewritten(f, power(30), one), simplify)
				if got.Status != want.Status || want.Status == solve.Optimal &&
					math.Abs(got.Objective-want.Objective) > 2e-6*max(f.Grain(), math.Abs(want.Objective)) {
					t.Errorf("field %d, %s, %v: %v %+v, not %v %+v", k, method, simplify, got.Status, got.Certificate, want.Status,
						want.Certificate)
				}
			}
		}
	}
}

// solution solves a field, and checks what an optimal answer says by its own point and multipliers.
func solution(t *testing.T, method string, f *mrf.Field, simplify bool) *solve.Result {
	t.Helper()
	solver, err := auto.Inference(method, f, solve.Settings{Gap: 1e-6}, auto.Options{Presolve: simplify, Split: simplify})
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, solver)
	c := solve.Certify(f, r.Y, slices.Clone(r.Multipliers))
	if r.Status == solve.Optimal && (math.Abs(c.Gap) > 1.01e-6 || c.MaxViolation > 1e-6 ||
		math.Abs(c.Objective-r.Objective) > 1e-9*max(1, math.Abs(c.Objective))) {
		t.Errorf("%s: not proven: %+v, but %+v", method, r.Certificate, c)
	}
	return r
}
