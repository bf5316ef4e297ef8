package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

func TestLossGradients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loss := label.Loss{Kind: label.LossKind(rapid.IntRange(0, len(label.Losses())-1).Draw(t, "kind")), Floor: 1e-2}
		y := rapid.SliceOfN(rapid.Float64Range(-0.2, 1.2), 3, 3).Draw(t, "y")
		truth := rapid.SliceOfN(rapid.Float64Range(0, 1), 2, 2).Draw(t, "truth")
		labels := &label.Labels{Variables: []int32{2, 0}, Truth: truth}
		g := make([]float64, 3)
		if value := loss.Gradient(labels, y, g); value != loss.Value(labels, y) {
			t.Fatalf("Gradient says %v, Value %v", value, loss.Value(labels, y))
		}
		for i := range y {
			want := derivative(func() float64 { return loss.Value(labels, y) }, &y[i], 1e-6)
			if math.Abs(g[i]-want) > 1e-3*(1+math.Abs(want)) {
				t.Fatalf("%v: ∂L/∂y%d = %v, differences say %v", loss.Kind, i, g[i], want)
			}
		}
	})
}

// derivative is the central difference of f as *at moves.
func derivative(f func() float64, at *float64, h float64) float64 {
	old := *at
	*at = old + h
	up := f()
	*at = old - h
	down := f()
	*at = old
	return (up - down) / (2 * h)
}

// problem is a random squared, soft model with its field, all of it differentiable almost everywhere.
func problem(seed uint64) (field *mrf.Field, theta, x []float64, labels *label.Labels) {
	random := rand.New(rand.NewPCG(seed, 7))
	model, theta, x := toyModel(seed)
	field = mrf.NewField(model)
	labels = new(label.Labels)
	for range 4 {
		labels.Variables = append(labels.Variables, int32(len(labels.Variables)*5))
		labels.Truth = append(labels.Truth, random.Float64())
	}
	return field, theta, x, labels
}

// slopes are the gradients of a surrogate in a field.
type slopes struct {
	surrogate
	field           *mrf.Field
	inputs, weights []float64
}

func gradientsOf(field *mrf.Field, s surrogate) *slopes {
	return &slopes{s, field, make([]float64, field.Model.Inputs), make([]float64, field.Model.Rules)}
}

// at computes the gradients at a MAP state where the loss has the gradient slope.
func (s *slopes) at(y, multipliers, slope []float64) {
	s.aim(s.field, y, multipliers, slope)
	s.gradients(s.field, s.inputs, s.weights)
}

// The surrogate of Algorithm 1 must have the gradient that differences of its own definition give.
func TestConvexDifferenceGradients(t *testing.T) {
	field, theta, x, labels := problem(3)
	settings := Settings{Method: ConvexDifference, Alpha: 0.3, Mu: 0.12}
	s := gradientsOf(field, newConvexDifference(field.Model, settings.Alpha, settings.Mu))
	y := solveMAP(t, field, theta, x)
	slope := make([]float64, len(y))
	label.Loss{Kind: label.SquaredError}.Gradient(labels, y, slope)
	s.at(y, nil, slope)
	displaced := make([]float64, len(y))
	for i := range y {
		displaced[i] = y[i] - settings.Alpha*slope[i]
	}
	value := func() float64 {
		field.SetWeights(theta)
		field.SetInputs(x)
		f := field.Energy(displaced) - field.Energy(y)
		return f + settings.Mu*(mrftest.Regulariser(field, displaced)-mrftest.Regulariser(field, y))
	}
	compare(t, "input", s.inputs, x, value, 1e-5, 1e-4)
	compare(t, "weight", s.weights, theta, value, 1e-5, 1e-4)
}

// The implicit method must give the derivative of the loss at the MAP state itself.
func TestImplicitGradients(t *testing.T) {
	for seed := range uint64(5) {
		field, theta, x, labels := problem(seed)
		s := gradientsOf(field, newImplicit(field.Model, 0))
		loss := label.Loss{Kind: label.SquaredError}
		value := func() float64 { return loss.Value(labels, solveMAP(t, field, theta, x)) }
		y := append([]float64(nil), solveMAP(t, field, theta, x)...)
		slope := make([]float64, len(y))
		loss.Gradient(labels, y, slope)
		// Active bounds have a soft curvature on purpose; the exact derivative has none there.
		if touches(y) {
			continue
		}
		s.at(y, nil, slope)
		compare(t, "input", s.inputs, x, value, 1e-4, 2e-3)
		compare(t, "weight", s.weights, theta, value, 1e-4, 2e-3)
		return
	}
	t.Fatal("no problem without active bounds: choose other seeds")
}

// touches says whether a bound is active.
func touches(y []float64) bool {
	for _, v := range y {
		if v <= 0 || v >= 1 {
			return true
		}
	}
	return false
}

// compare holds gradients against central differences of value, relative to the largest of them.
func compare(t *testing.T, what string, gradient, at []float64, value func() float64, h, tolerance float64) {
	t.Helper()
	scale := 0.0
	for _, g := range gradient {
		scale = math.Max(scale, math.Abs(g))
	}
	if scale == 0 {
		t.Fatalf("every derivative by %s is 0: nothing is tested", what)
	}
	for k := range at {
		if want := derivative(value, &at[k], h); math.Abs(gradient[k]-want) > tolerance*scale {
			t.Errorf("derivative by %s %d: %v, differences say %v", what, k, gradient[k], want)
		}
	}
}

// solveMAP solves to far below the differences' step.
func solveMAP(t *testing.T, field *mrf.Field, theta, x []float64) []float64 {
	t.Helper()
	result, err := solveAt(newton.New(field, solve.Settings{Gap: 1e-13}), theta, x)
	if err != nil {
		t.Fatal(err)
	}
	return result.Y
}

// Potentials that are never active must stay in Ω: they are where the first gradient comes from, and there is none
// without μ. Here the conjunction x0 ∧ x1 is false, so that nothing is active at y or beside it.
func TestNeverActiveGroundingsHaveAGradient(t *testing.T) {
	inputs := []mrftest.Term{{Index: 0, Coef: 1}, {Index: 1, Coef: 1}}
	model := mrftest.New(2, 2, 2).Rule(0, mrf.Hinge, 2).
		Add(-1, []mrftest.Term{{Index: 0, Coef: -1}}, inputs).Add(-1, []mrftest.Term{{Index: 1, Coef: -1}}, inputs[:1]).
		Rule(1, mrf.Absolute, 2).Add(-1, ones(0, 1), nil).Model()
	theta, x, y := []float64{1, 10}, []float64{0.1, 0.1}, []float64{0.5, 0.5}
	field := mrftest.Field(model, theta, x)
	labels := &label.Labels{Variables: []int32{0, 1}, Truth: []float64{1, 0}}
	loss := label.Loss{Kind: label.CrossEntropy, Floor: label.DefaultFloor}
	slope, alpha := make([]float64, 2), 1e-3
	loss.Gradient(labels, y, slope)
	for _, mu := range []float64{0, 0.5} {
		s := gradientsOf(field, newConvexDifference(model, alpha, mu))
		s.at(y, nil, slope)
		// ψ = (x0 + x1 - 1 - y0)², and y0 moves by α/y0 = 2α.
		for k, got := range s.inputs {
			if want := -2 * mu * 2 * alpha; math.Abs(got-want) > 1e-15 {
				t.Errorf("μ = %v: the derivative by input %d is %v, want %v", mu, k, got, want)
			}
		}
		value := func() float64 {
			field.SetInputs(x)
			moved := []float64{y[0] - alpha*slope[0], y[1] - alpha*slope[1]}
			return field.Energy(moved) - field.Energy(y) + mu*(mrftest.Regulariser(field, moved)-mrftest.Regulariser(field, y))
		}
		if mu > 0 {
			compare(t, "input", s.inputs, x, value, 1e-4, 1e-6)
		}
	}
}
