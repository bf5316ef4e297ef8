package twofold

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// program is what package interior's is, in numbers of twice the length: a solution has
//
//	q + Aᵀμ - zl + zu = 0    d - cμ - t + s = 0    s(μ - lo) = t(hi - μ) = zl·y = zu(1 - y) = 0.
type program struct {
	rows          []row
	y, zl, zu     []number
	dy, dzl, dzu  []number
	diagonal, rhs []number
	beyond        []number // what is wanted of the products: of each variable's lower and upper bound, and each row's
	curved        bool     // some row has a compliance
	matrix        *matrix
	v             []number
	primal, dual  float64 // the step
	columns       [][]entry
}

// entry is a coefficient of a column.
type entry struct {
	row  int
	coef number
}

// row is a row of the program.
type row struct {
	number                       int // of the potential
	index                        []int32
	coef                         []number
	constant, lo, hi, compliance number
	lower, upper, hard           bool
	below                        bool // the side -d of an equation

	d, mu, s, t number
	dmu, ds, dt number
	give, lift  number
}

// begin writes the program and takes the first point: in the middle of the box, where all products are alike, of a size
// beside which multipliers of soft rows are small; or not, if steps take too long.
func (p *problem) begin() bool {
	p.rows, p.curved = p.rows[:0], false
	size := 1.0
	for j := range p.all {
		q := &p.all[j]
		hard := q.block.Kind.Hard()
		switch {
		case q.block.Kind == mrf.Linear || !hard && (q.weight == 0 || p.hardOnly || len(q.index) == 0):
			continue
		case hard:
			p.addHard(j)
			continue
		case q.compliance > 0:
			size = max(size, 1/q.compliance)
		default:
			size = max(size, q.hi)
		}
		p.add(j, 1)
	}
	if !p.hardOnly {
		for _, q := range p.linear {
			size = max(size, math.Abs(q.high))
		}
	}
	size *= p.larger
	if !p.room() {
		return false
	}
	for i := range p.n {
		p.y[i], p.zl[i], p.zu[i] = of(0.5), of(2*size), of(2*size)
	}
	for k := range p.rows {
		r := &p.rows[k]
		r.d = r.slack(p.y)
		r.start(size)
	}
	return true
}

// addHard adds the row of a hard potential, or the two sides of an equation that has a leeway.
func (p *problem) addHard(j int) {
	q := &p.all[j]
	leeway := of(p.leeway * q.magnitude)
	if q.block.Kind == mrf.Equal && p.leeway > 0 {
		below := p.add(j, -1)
		below.below, below.lower, below.lo = true, true, number{}
		below.constant = below.constant.minus(leeway)
	}
	r := p.add(j, 1)
	r.hard = true
	if p.leeway > 0 {
		r.lower, r.lo, r.constant = true, number{}, r.constant.minus(leeway)
	}
}

// add adds the row of a potential, times 1 or -1.
func (p *problem) add(j int, sign float64) *row {
	q := &p.all[j]
	r := row{number: j, index: q.index, constant: of(sign * q.constant), lo: of(q.lo), hi: of(q.hi),
		compliance: of(q.compliance), lower: !math.IsInf(q.lo, 0), upper: !math.IsInf(q.hi, 0), hard: sign < 0}
	for _, a := range q.coef {
		r.coef = append(r.coef, of(sign*a))
	}
	p.curved = p.curved || q.compliance > 0
	p.rows = append(p.rows, r)
	return &p.rows[len(p.rows)-1]
}

// room makes room for the program's vectors, its columns and its matrix, if that is not too much.
func (p *problem) room() bool {
	for _, v := range []*[]number{&p.y, &p.zl, &p.zu, &p.dy, &p.dzl, &p.dzu, &p.rhs, &p.diagonal} {
		*v = make([]number, p.n)
	}
	p.beyond = make([]number, 2*(p.n+len(p.rows)))
	p.v = make([]number, len(p.rows))
	p.columns = make([][]entry, p.n)
	for k := range p.rows {
		for e, i := range p.rows[k].index {
			p.columns[i] = append(p.columns[i], entry{k, p.rows[k].coef[e]})
		}
	}
	if p.matrix = newMatrix(len(p.rows), p.columns, most/few, &p.done); p.matrix == nil {
		p.done = math.Inf(1) // others, too, are too much
	}
	return p.matrix != nil
}

// start takes a row's multiplier and slacks such that its products are of this size, and its equation holds if it can.
func (r *row) start(size float64) {
	d, c := r.d.high, r.compliance.high
	switch {
	case r.lower && r.upper:
		r.mu = r.between(d, size)
		r.s, r.t = of(size).over(r.mu.minus(r.lo)), of(size).over(r.hi.minus(r.mu))
	case r.lower && c > 0: // (cμ - d)μ is the size
		root := math.Hypot(d, 2*math.Sqrt(c)*math.Sqrt(size))
		mu := (d + root) / (2 * c)
		if d < 0 {
			mu = 2 * size / (root - d)
		}
		r.mu, r.s = of(mu), of(size).over(of(mu))
	case r.lower:
		r.s = of(max(-d, 0) + 1)
		r.mu = of(size).over(r.s)
	case c > 0:
		r.mu = r.d.over(r.compliance)
	default:
		r.mu = number{}
	}
}

// between is the multiplier between two bounds for which size/(hi-μ) - size/(μ-lo) is d.
func (r *row) between(d, size float64) number {
	half := r.hi.minus(r.lo).value() / 2
	if d == 0 {
		return r.lo.plus(r.hi).by(0.5)
	}
	b := size / math.Abs(d)
	beyond := half * (half / (b + math.Hypot(b, half))) // the middle
	left := of(2 * b * (beyond / (half + beyond)))
	if d > 0 {
		return r.hi.minus(left)
	}
	return r.lo.plus(left)
}

func (r *row) slack(y []number) number {
	d := r.constant
	for e, i := range r.index {
		d = d.plus(r.coef[e].times(y[i]))
	}
	return d
}
