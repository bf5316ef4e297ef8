package interior

import "math"

// early is the matrix of steps for as long as conjugate gradients are less work than a factorisation: while no variable
// is near a bound, the Schur complement of all rows of several variables,
//
//	S = Θ⁻¹ + K D⁻¹ Kᵀ,
//
// is not far from its diagonal, even where factoring it fills memory. It is multiplied with, and never made.
type early struct {
	direct *sparse // what solves when they are no longer
	over   bool
	most   int // products of a solution, from which on a factorisation is less work

	rows    []int32 // of the program
	start   []int32 // of the variables' entries in K
	row     []int32
	coef    []float64
	inverse []float64 // D⁻¹
	whole   []float64 // the diagonal of S

	x, r, z, d, q []float64
	t             []float64 // by variables
}

const (
	// fewest is the least number of products that conjugate gradients are tried for, and share the part of a
	// factorisation's work that those of one solution, of some three, may take.
	fewest, share = 30, 0.3
	// exactness is the part of the right-hand side, squared and in the metric of the diagonal, that may remain, if the
	// violation of rows falls by steadily with it, or is little of what is accepted.
	exactness, steadily, accepted = 1e-6, 1.0 / 30, 0.05
	// perProduct is the work of a product for an entry, in about nanoseconds.
	perProduct = 4
)

// newEarly lays out K. It tells whether conjugate gradients are worth trying.
func newEarly(p *program, direct *sparse) (e *early, ok bool) {
	entries := 0
	for _, j := range p.several {
		entries += int(p.rows[j].last - p.rows[j].first)
	}
	product := perProduct * float64(entries+p.n+len(p.several))
	direct.analyse(math.Inf(1))
	work := perThousand*direct.symbolic.Flops/1000 + perNonzero*direct.symbolic.Entries
	if most := share * work / product; most >= fewest {
		e = &early{direct: direct, most: int(most), rows: p.several}
		e.lay(p, entries)
	}
	return e, e != nil
}

// lay makes the columns of K, and has all rows kept.
func (e *early) lay(p *program, entries int) {
	e.start = make([]int32, p.n+1)
	for _, j := range e.rows {
		r := &p.rows[j]
		r.kept = true
		for _, i := range p.index[r.first:r.last] {
			e.start[i+1]++
		}
	}
	for i := range p.n {
		e.start[i+1] += e.start[i]
	}
	e.row, e.coef = make([]int32, entries), make([]float64, entries)
	at := append([]int32(nil), e.start...)
	for k, j := range e.rows {
		r := &p.rows[j]
		for l := r.first; l < r.last; l++ {
			to := &at[p.index[l]]
			e.row[*to], e.coef[*to] = int32(k), p.coef[l]
			*to++
		}
	}
	e.inverse, e.t = make([]float64, p.n), make([]float64, p.n)
	for _, v := range []*[]float64{&e.whole, &e.x, &e.r, &e.z, &e.d, &e.q} {
		*v = make([]float64, len(e.rows))
	}
}

// factor implements matrix.
func (e *early) factor(p *program) bool {
	if e.over {
		return e.direct.factor(p)
	}
	for k, j := range e.rows {
		e.whole[k] = 1 / p.rows[j].stiffness
	}
	for i, d := range p.diagonal {
		e.inverse[i] = 1 / d
		for l := e.start[i]; l < e.start[i+1]; l++ {
			e.whole[e.row[l]] += e.coef[l] * e.coef[l] / d
		}
	}
	return true
}

// solve implements matrix.
func (e *early) solve(p *program) {
	if !e.over && !e.conjugate(p) {
		e.giveUp(p)
	}
	if e.over {
		e.direct.solve(p)
		return
	}
	copy(e.t, p.rhs)
	for k, j := range e.rows {
		r := &p.rows[j]
		r.dmu = e.x[k]
		p.addTo(r, -r.dmu, e.t)
	}
	for i, v := range e.t {
		p.dy[i] = v * e.inverse[i]
	}
}

// giveUp has the present right-hand side, and all that follow, solved directly.
func (e *early) giveUp(p *program) {
	e.over = true
	for _, j := range e.rows {
		p.rows[j].kept = false
	}
	for _, j := range e.direct.kept {
		p.rows[j].kept = true
	}
	for _, j := range e.rows {
		if r := &p.rows[j]; !r.kept {
			p.addTo(r, -r.stiffness*r.lift, p.rhs)
		}
	}
	e.direct.factor(p)
}

// conjugate sets x to the steps of the multipliers, and tells whether that took few products.
func (e *early) conjugate(p *program) bool {
	violation := e.begin(p)
	goal := max(steadily*violation, accepted*p.feasibility)
	e.precondition()
	copy(e.d, e.z)
	clear(e.x)
	rz := product(e.r, e.z)
	for first, products := rz, 0; rz > exactness*first || largest(e.r) > goal; products++ {
		e.multiply(p)
		curvature := product(e.d, e.q)
		if products >= e.most || !(curvature > 0) {
			return false
		}
		step := rz / curvature
		for k := range e.x {
			e.x[k] += step * e.d[k]
			e.r[k] -= step * e.q[k]
		}
		e.precondition()
		before := rz
		rz = product(e.r, e.z)
		for k := range e.d {
			e.d[k] = e.z[k] + rz/before*e.d[k]
		}
	}
	return true
}

// begin sets r to the right-hand side of S, and returns how far the rows' equations are from holding now.
func (e *early) begin(p *program) (violation float64) {
	for i, v := range p.rhs {
		e.t[i] = v * e.inverse[i]
	}
	for k, j := range e.rows {
		r := &p.rows[j]
		e.r[k] = r.lift + p.product(r, e.t)
		v := r.lift
		if r.upper {
			v += r.dt
		}
		if r.lower {
			v -= r.ds
		}
		violation = max(violation, math.Abs(v))
	}
	return violation
}

func (e *early) precondition() {
	for k, v := range e.r {
		e.z[k] = v / e.whole[k]
	}
}

// multiply sets q to S·d.
func (e *early) multiply(p *program) {
	for i, v := range e.inverse {
		sum := 0.0
		for l := e.start[i]; l < e.start[i+1]; l++ {
			sum += e.coef[l] * e.d[e.row[l]]
		}
		e.t[i] = sum * v
	}
	for k, j := range e.rows {
		r := &p.rows[j]
		e.q[k] = e.d[k]/r.stiffness + p.product(r, e.t)
	}
}

func product(a, b []float64) float64 {
	sum := 0.0
	for k, v := range a {
		sum += v * b[k]
	}
	return sum
}
