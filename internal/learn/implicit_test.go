package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// chain is a model with its parameters and labels: what the loss at its MAP state is a function of.
type chain struct {
	field    *mrf.Field
	theta, x []float64
	labels   *label.Labels
	solver   *implicitSolver
	y        []float64
	state    []bool // what binds, and which variables are at bounds
	duals    []float64
}

// newChain draws a model of one of several families: soft squares with and without bounds, linear potentials at their
// kinks, hard constraints, and citation networks.
func newChain(seed uint64) *chain {
	random := rand.New(rand.NewPCG(seed, 11))
	shape := mrftest.Shape{Variables: 6, Inputs: 5, Blocks: 7, Potentials: 5, Arity: 3, Scales: true}
	var model *mrf.Model
	c := new(chain)
	switch seed % 5 {
	case 0:
		shape.Kinds = mrftest.Squared
	case 1:
		shape.Kinds = mrftest.Soft
	case 2:
		shape.Kinds = mrftest.All
	case 3:
		shape.Kinds = append(slices.Clone(mrftest.Squared), mrftest.Hard...)
	case 4:
		citation := mrftest.Citation{Documents: 5, Classes: 3, Links: 6, HardSum: true, Seed: seed}
		citation.Exponent = 1 + int(seed/5)%2
		model, c.theta, c.x = citation.Model()
	}
	if model == nil {
		model, c.theta, c.x = mrftest.Random(random, shape)
	}
	c.theta = append(c.theta, 0.3)
	prior(random, model)
	c.field = mrf.NewField(model)
	c.labels = new(label.Labels)
	for i := range model.Variables {
		if random.IntN(2) == 0 {
			c.labels.Variables = append(c.labels.Variables, int32(i))
			c.labels.Truth = append(c.labels.Truth, random.Float64())
		}
	}
	c.solver = &implicitSolver{exact: true}
	return c
}

// prior adds a rule that makes the MAP state unique: (y_i - p_i)² for all variables.
func prior(random *rand.Rand, m *mrf.Model) {
	b := &mrf.Block{Rule: m.Rules, Kind: mrf.Absolute, Exponent: 2, Len: m.Variables, Coef: []float64{1}}
	for range m.Variables {
		b.Bias = append(b.Bias, -random.Float32())
	}
	m.Blocks = append(m.Blocks, b)
	m.Rules++
}

// loss is that of the MAP state, which it solves for; it sets state too.
func (c *chain) loss(t *testing.T) float64 {
	t.Helper()
	solver := newton.New(c.field, solve.Settings{Gap: 1e-12, Feasibility: 1e-10, MaxIterations: 300})
	result, err := solveAt(solver, c.theta, c.x)
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != solve.Optimal {
		c.state = nil // no feasible state, or none that is known well enough
		return math.NaN()
	}
	c.y, c.duals = slices.Clone(result.Y), slices.Clone(result.Multipliers)
	c.solver.prepare(c.field)
	c.solver.classify(c.field, c.y, c.duals)
	c.state = append(slices.Clone(c.solver.rigid), c.solver.bound...)
	slack := make([]float64, c.field.Model.Potentials())
	c.field.Slacks(c.y, slack)
	for _, d := range slack {
		c.state = append(c.state, d > 0)
	}
	for at, rigid := range c.solver.rigid { // of what holds as an equation the sign is rounding
		if rigid {
			c.state[len(c.solver.rigid)+len(c.y)+at] = false
		}
	}
	return label.Loss{Kind: label.SquaredError}.Value(c.labels, c.y)
}

// gradients are by weights and then by inputs.
func (c *chain) gradients() []float64 {
	model := c.field.Model
	exact := newImplicit(model, 0)
	exact.exact = true
	s := gradientsOf(c.field, exact)
	slope := make([]float64, model.Variables)
	label.Loss{Kind: label.SquaredError}.Gradient(c.labels, c.y, slope)
	s.at(c.y, c.duals, slope)
	return append(slices.Clone(s.weights), s.inputs...)
}

// The implicit derivative is that of the whole chain from parameters over the MAP state to the loss, for soft and hard
// rules, squared and linear, with and without active bounds. Where what binds changes within a difference's step, there
// is no derivative to compare with.
func TestImplicitIsTheDerivative(t *testing.T) {
	const step = 1e-5
	var cosines []float64
	kinks, flat, unsolved, compared := 0, 0, 0, 0
	for seed := range uint64(100) {
		c := newChain(seed)
		if c.loss(t); c.state == nil {
			unsolved++
			continue
		}
		state, gradient := c.state, c.gradients()
		var got, want []float64
		for k := range gradient {
			at := &c.theta[min(k, len(c.theta)-1)]
			if k >= len(c.theta) {
				at = &c.x[k-len(c.theta)]
			}
			same := true
			difference := derivative(func() float64 {
				value := c.loss(t)
				same = same && slices.Equal(state, c.state)
				return value
			}, at, step)
			if !same {
				kinks++
				continue
			}
			got, want = append(got, gradient[k]), append(want, difference)
		}
		compared += len(got)
		a, b := math.Sqrt(dotOf(got, got)), math.Sqrt(dotOf(want, want))
		if a < 1e-7 && b < 1e-7 {
			flat++
			continue
		}
		cosine := dotOf(got, want) / (a * b)
		cosines = append(cosines, cosine)
		if !(cosine > 0.99) {
			t.Errorf("seed %d: cosine %v, lengths %v and %v\n%v\n%v", seed, cosine, a, b, got, want)
		}
	}
	slices.Sort(cosines)
	t.Logf("%d models: cosine %.9f in the median, %.9f at worst; %d derivatives, %d at kinks; %d flat, %d unsolved",
		len(cosines), cosines[len(cosines)/2], cosines[0], compared, kinks, flat, unsolved)
	if len(cosines) < 50 || cosines[len(cosines)/2] < 0.999 || cosines[0] < 0.99 || kinks > compared/10 {
		t.Errorf("of %d models: median %v, worst %v; %d of %d at kinks", len(cosines), cosines[len(cosines)/2], cosines[0],
			kinks, compared)
	}
}

// Rounds that make up for the stiffness of equations go on from what the ones before have found, and so take less and
// less work: each used to begin with nothing, and entity resolution took five times as long for its gradients.
func TestRoundsGoOn(t *testing.T) {
	citation := mrftest.Citation{Documents: 200, Classes: 4, Links: 400, Exponent: 2, HardSum: true, Seed: 3}
	model, theta, x := citation.Model()
	random := rand.New(rand.NewPCG(3, 11))
	prior(random, model)
	field := mrf.NewField(model)
	result, err := solveAt(newton.New(field, solve.Settings{Gap: 1e-9}), append(theta, 0.3), x)
	if err != nil || result.Status != solve.Optimal {
		t.Fatal(result, err)
	}
	slope, v := make([]float64, model.Variables), make([]float64, model.Variables)
	for i := range slope {
		slope[i] = random.NormFloat64()
	}
	var whole, first implicitSolver
	whole.solve(field, result.Y, result.Multipliers, slope, 0, v)
	first.prepare(field)
	first.classify(field, result.Y, result.Multipliers)
	first.assemble(field, result.Y, 0)
	first.improve(slope, make([]float64, model.Variables))
	if first.products == 0 || whole.products > 4*first.products {
		t.Errorf("%d products with the matrix in all rounds, %d in the first", whole.products, first.products)
	}
}

// A rough adjoint that begins with that of other weights is that of its own, and takes less work.
func TestRoughGoesOn(t *testing.T) {
	citation := mrftest.Citation{Documents: 200, Classes: 4, Links: 400, Exponent: 2, HardSum: true, Seed: 3}
	model, theta, x := citation.Model()
	random := rand.New(rand.NewPCG(3, 11))
	prior(random, model)
	field := mrf.NewField(model)
	solver := newton.New(field, solve.Settings{Gap: 1e-9})
	theta = append(theta, 0.3)
	slope := make([]float64, model.Variables)
	for i := range slope {
		slope[i] = random.NormFloat64()
	}
	adjoint := func(s *implicitSolver, v []float64) []float64 {
		result, err := solveAt(solver, theta, x)
		if err != nil || result.Status != solve.Optimal {
			t.Fatal(result, err)
		}
		s.solve(field, result.Y, result.Multipliers, slope, 1e-3, v)
		return slices.Clone(v)
	}
	warm, v := implicitSolver{rough: true}, make([]float64, model.Variables)
	adjoint(&warm, v)
	before := warm.products
	for i := range slope {
		slope[i] *= 1 + 0.1*random.NormFloat64()
	}
	theta[0] *= 1.1
	got := adjoint(&warm, v)
	cold := implicitSolver{rough: true}
	adjoint(&cold, make([]float64, model.Variables))
	want := adjoint(new(implicitSolver), make([]float64, model.Variables))
	if took := warm.products - before; took == 0 || took >= cold.products {
		t.Errorf("%d products with the matrix, %d from nothing", took, cold.products)
	}
	for i := range got {
		got[i] -= want[i]
	}
	if off := math.Sqrt(dotOf(got, got) / dotOf(want, want)); off > 5e-3 {
		t.Errorf("the adjoint is off by %v of it", off)
	}
}

func dotOf(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}
