// Package dense solves small models to nine digits or so, by a primal-dual interior-point method with dense matrices.
// It is the reference that tests hold the other methods against, as different from them as can be, and no more.
package dense

import (
	"context"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Solver implements solve.Solver for feasible models of up to some hundred variables and potentials.
type Solver struct {
	field    *mrf.Field
	settings solve.Settings
}

// New makes a solver for a field, whose weights and inputs it shares.
func New(field *mrf.Field, settings solve.Settings) *Solver {
	return &Solver{field, settings.WithDefaults(100)}
}

// SetWeights implements solve.Solver.
func (s *Solver) SetWeights(theta []float64) { s.field.SetWeights(theta) }

// SetInputs implements solve.Solver.
func (s *Solver) SetInputs(x []float64) { s.field.SetInputs(x) }

// WarmStart implements solve.Solver; an interior-point method has no use for it.
func (s *Solver) WarmStart(_, _ []float64) {}

// Solve implements solve.Solver.
func (s *Solver) Solve(context.Context) (*solve.Result, error) {
	if err := s.field.Check(); err != nil {
		return nil, err
	}
	start := time.Now()
	p := newProgram(s.field)
	iterations := p.solve(s.settings.MaxIterations)
	r := &solve.Result{Y: p.y(), Multipliers: p.multipliers(), Iterations: iterations, Elapsed: time.Since(start)}
	r.Certificate = solve.Certify(s.field, r.Y, r.Multipliers)
	if math.Abs(r.Gap) > s.settings.Gap || r.MaxViolation > s.settings.Feasibility {
		r.Status = solve.IterationLimit
	}
	return r, nil
}

// program is the model as a quadratic program in z = (y, t), with a slack variable t_j ≥ φ's inside for each potential
// and weights in terms of the field's unit:
//
//	minimise ½zᵀQz + qᵀz  subject to  Gz ≤ h and Az = b.
type program struct {
	field      *mrf.Field
	n, size    int
	q          []float64
	curvature  []float64 // Q's diagonal
	inequality []row
	equality   []row
	z          []float64
	s, lambda  []float64 // slacks and multipliers of the inequalities
	nu         []float64 // multipliers of the equalities
	recoveries []func() float64
}

// row is one inequality or equality: Σ coef·z[index] against bound.
type row struct {
	index []int
	coef  []float64
	bound float64
}

func (r row) dot(v []float64) float64 {
	total := 0.0
	for k, i := range r.index {
		total += r.coef[k] * v[i]
	}
	return total
}

func newProgram(f *mrf.Field) *program {
	p := &program{field: f, n: f.Model.Variables, size: f.Model.Variables}
	p.q, p.curvature = make([]float64, p.n), make([]float64, p.n)
	for i := range p.n {
		p.less(row{[]int{i}, []float64{1}, 1})
		p.less(row{[]int{i}, []float64{-1}, 0})
	}
	c := make([]float64, f.Model.Potentials())
	f.Slacks(make([]float64, p.n), c)
	first := 0
	for _, b := range f.Model.Blocks {
		for j := range b.Len {
			p.add(b, j, f.Weights()[b.Rule]/f.Unit()*b.Factor(j), c[first+j])
		}
		first += b.Len
	}
	return p
}

func (p *program) less(r row) (place int) {
	p.inequality = append(p.inequality, r)
	return len(p.inequality) - 1
}

func (p *program) equal(r row) (place int) {
	p.equality = append(p.equality, r)
	return len(p.equality) - 1
}

// slack adds a variable of the cost linear·t + ½ square·t².
func (p *program) slack(linear, square float64) int {
	p.q, p.curvature = append(p.q, linear), append(p.curvature, square)
	p.size++
	return p.size - 1
}

// add translates a potential of weight w and constant c, and says where its multiplier is to be found.
func (p *program) add(b *mrf.Block, j int, w, c float64) {
	var r row
	for k, i := range b.Variables(j) {
		r.index, r.coef = append(r.index, int(i)), append(r.coef, b.Coefficient(j, k))
	}
	r.bound = -c
	switch {
	case b.Kind == mrf.Linear:
		for k, i := range r.index {
			p.q[i] += w * r.coef[k]
		}
		p.recoveries = append(p.recoveries, func() float64 { return w })
	case b.Kind == mrf.LessEqual:
		at := p.less(r)
		p.recoveries = append(p.recoveries, func() float64 { return p.lambda[at] })
	case b.Kind == mrf.Equal:
		at := p.equal(r)
		p.recoveries = append(p.recoveries, func() float64 { return p.nu[at] })
	case b.Kind == mrf.Absolute && b.Exponent == 2:
		at := p.equal(r.minus(p.slack(0, 2*w)))
		p.recoveries = append(p.recoveries, func() float64 { return p.nu[at] })
	case b.Kind == mrf.Hinge && b.Exponent == 2:
		at := p.less(r.minus(p.slack(0, 2*w)))
		p.recoveries = append(p.recoveries, func() float64 { return p.lambda[at] })
	default:
		p.addLinear(b.Kind, r, w)
	}
}

// addLinear translates a linear hinge or an absolute value.
func (p *program) addLinear(kind mrf.Kind, r row, w float64) {
	t := p.slack(w, 0)
	up := p.less(r.minus(t))
	if kind == mrf.Hinge {
		p.less(row{[]int{t}, []float64{-1}, 0})
		p.recoveries = append(p.recoveries, func() float64 { return p.lambda[up] })
		return
	}
	down := p.less(r.negated().minus(t))
	p.recoveries = append(p.recoveries, func() float64 { return p.lambda[up] - p.lambda[down] })
}

// minus is the row with -z[t] added.
func (r row) minus(t int) row {
	return row{append(append([]int{}, r.index...), t), append(append([]float64{}, r.coef...), -1), r.bound}
}

func (r row) negated() row {
	out := row{index: r.index, bound: -r.bound}
	for _, a := range r.coef {
		out.coef = append(out.coef, -a)
	}
	return out
}

func (p *program) y() []float64 {
	y := make([]float64, p.n)
	for i := range y {
		y[i] = min(max(p.z[i], 0), 1)
	}
	return y
}

func (p *program) multipliers() []float64 {
	mu := make([]float64, len(p.recoveries))
	for j, recover := range p.recoveries {
		mu[j] = recover() * p.field.Unit()
	}
	return mu
}

// The interior-point method ends when the mean complementarity and all residuals are below target.
const target = 1e-11

// solve runs Mehrotra's predictor-corrector method and returns its iterations.
func (p *program) solve(limit int) int {
	p.z = make([]float64, p.size)
	p.s, p.lambda = ones(len(p.inequality)), ones(len(p.inequality))
	p.nu = make([]float64, len(p.equality))
	for k := range limit {
		gap := p.complementarity(0, nil, nil)
		if gap < target && (gap < target/1000 || p.worstResidual() < target*100) {
			return k
		}
		kkt := p.factor()
		zero := make([]float64, len(p.s))
		ds, dl := p.newton(kkt, zero, 0, false)
		reach := min(longest(p.s, ds), longest(p.lambda, dl))
		after := p.complementarity(reach, ds, dl)
		correction := make([]float64, len(p.s))
		for i := range correction {
			correction[i] = ds[i] * dl[i]
		}
		sigma := math.Pow(after/gap, 3)
		p.newton(kkt, correction, sigma*gap, true)
	}
	return limit
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// complementarity is the mean of s·λ after a step.
func (p *program) complementarity(step float64, ds, dl []float64) float64 {
	total := 0.0
	for i := range p.s {
		s, l := p.s[i], p.lambda[i]
		if ds != nil {
			s, l = s+step*ds[i], l+step*dl[i]
		}
		total += s * l
	}
	return total / float64(max(1, len(p.s)))
}

// gradient is Qz + q + Gᵀλ + Aᵀν.
func (p *program) gradient() []float64 {
	g := make([]float64, p.size)
	for i := range g {
		g[i] = p.curvature[i]*p.z[i] + p.q[i]
	}
	for j, r := range p.inequality {
		for k, i := range r.index {
			g[i] += r.coef[k] * p.lambda[j]
		}
	}
	for j, r := range p.equality {
		for k, i := range r.index {
			g[i] += r.coef[k] * p.nu[j]
		}
	}
	return g
}

func (p *program) worstResidual() float64 {
	worst := 0.0
	for _, g := range p.gradient() {
		worst = max(worst, math.Abs(g))
	}
	for j, r := range p.inequality {
		worst = max(worst, math.Abs(r.dot(p.z)+p.s[j]-r.bound))
	}
	for _, r := range p.equality {
		worst = max(worst, math.Abs(r.dot(p.z)-r.bound))
	}
	return worst
}

// regular keeps the matrix invertible where equalities repeat each other or a variable has no cost.
const regular = 1e-11

// factor decomposes the matrix of the reduced Newton system, [Q + GᵀDG, Aᵀ; A, 0] with D = λ/s.
func (p *program) factor() *mat.LU {
	n := p.size + len(p.equality)
	m := mat.NewDense(n, n, nil)
	add := func(i, j int, v float64) { m.Set(i, j, m.At(i, j)+v) }
	for i := range p.size {
		add(i, i, p.curvature[i]+regular)
	}
	for j, r := range p.inequality {
		for k, i := range r.index {
			for l, o := range r.index {
				add(i, o, r.coef[k]*r.coef[l]*p.lambda[j]/p.s[j])
			}
		}
	}
	for j, r := range p.equality {
		add(p.size+j, p.size+j, -regular)
		for k, i := range r.index {
			add(i, p.size+j, r.coef[k])
			add(p.size+j, i, r.coef[k])
		}
	}
	var lu mat.LU
	lu.Factorize(m)
	return &lu
}

// newton solves for the step with complementarity s·λ + correction = centre, and takes it if move is true.
func (p *program) newton(kkt *mat.LU, correction []float64, centre float64, move bool) (ds, dl []float64) {
	rhs := mat.NewVecDense(p.size+len(p.equality), nil)
	for i, g := range p.gradient() {
		rhs.SetVec(i, -g)
	}
	push := func(j int) float64 {
		r := p.inequality[j]
		infeasible := r.dot(p.z) + p.s[j] - r.bound
		return (p.lambda[j]*infeasible + centre - correction[j] - p.s[j]*p.lambda[j]) / p.s[j]
	}
	for j, r := range p.inequality {
		for k, i := range r.index {
			rhs.SetVec(i, rhs.AtVec(i)-r.coef[k]*push(j))
		}
	}
	for j, r := range p.equality {
		rhs.SetVec(p.size+j, r.bound-r.dot(p.z))
	}
	var step mat.VecDense
	if err := kkt.SolveVecTo(&step, false, rhs); err != nil && step.Len() == 0 {
		return make([]float64, len(p.s)), make([]float64, len(p.s))
	}
	dz := step.RawVector().Data
	ds, dl = make([]float64, len(p.s)), make([]float64, len(p.s))
	for j, r := range p.inequality {
		dl[j] = push(j) + p.lambda[j]/p.s[j]*r.dot(dz)
		ds[j] = r.bound - r.dot(p.z) - p.s[j] - r.dot(dz)
	}
	if move {
		p.advance(dz, ds, dl)
	}
	return ds, dl
}

// advance takes the longest step that keeps slacks and multipliers positive, and a little less.
func (p *program) advance(dz, ds, dl []float64) {
	step := 0.995 * min(longest(p.s, ds), longest(p.lambda, dl))
	axpy(p.z, step, dz[:p.size])
	axpy(p.nu, step, dz[p.size:])
	axpy(p.s, step, ds)
	axpy(p.lambda, step, dl)
}

func axpy(v []float64, step float64, d []float64) {
	for i := range v {
		v[i] += step * d[i]
	}
}

// longest is the largest step in [0,1] at which v + step·d is not negative.
func longest(v, d []float64) float64 {
	step := 1.0
	for i := range v {
		if d[i] < 0 {
			step = min(step, -v[i]/d[i])
		}
	}
	return step
}
