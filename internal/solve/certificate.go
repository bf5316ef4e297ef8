package solve

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Certify proves how good the point y, in [0,1]ⁿ, is: whoever made the multipliers, one per potential and constraint in
// the order of the blocks, they give a lower bound on the energy of every feasible point,
//
//	D(μ) = Σ_j μ_j c_j - Σ_j φ*_j(μ_j) + Σ_i min(0, (Aᵀμ)_i),
//
// the Lagrangian's minimum over the box. Multipliers outside the domain of the conjugates φ* are first moved to its
// nearest point, in place, so that the bound holds always.
//
// The gap is not computed as the small difference of two large numbers but as the sum of what each potential and each
// variable contributes to it, φ_j(d_j) + φ*_j(μ_j) - μ_j d_j and g_i y_i - min(0, g_i) for g = Aᵀμ, all of which are at
// least 0 (constraints excepted: theirs is -μ_j d_j, negative if y violates them). Where multipliers of constraints,
// which nothing bounds, are so large that rounding of the sums g could hide a part of the gap, that is added.
//
// Of few potentials all sums are added up once more, as exactly as numbers of twice the length do, which counts where
// rounding has left more or less than that.
func Certify(field *mrf.Field, y, multipliers []float64) Certificate {
	out, _ := CertifyWithSlopes(field, y, multipliers)
	return out
}

// CertifyWithSlopes is Certify, and returns the gradient g = Aᵀμ too.
func CertifyWithSlopes(field *mrf.Field, y, multipliers []float64) (Certificate, []float64) {
	c := NewCertifier(field)
	return c.Certify(y, multipliers), c.Slopes()
}

// Certifier is Certify with its memory kept between calls.
type Certifier struct {
	field *mrf.Field
	g     []float64
	// objective, violation, excess and pushes are per span of the sweep.
	objective, violation, excess, pushes []float64
	plain, hidden                        float64 // the last proof's gap, and what it has added to it
}

// NewCertifier makes a Certifier for a field.
func NewCertifier(field *mrf.Field) *Certifier {
	return &Certifier{
		field: field, g: make([]float64, field.Model.Variables),
		objective: make([]float64, field.Spans()), violation: make([]float64, field.Spans()),
		excess: make([]float64, field.Spans()), pushes: make([]float64, field.Spans()),
	}
}

// Slopes returns the gradient g = Aᵀμ of the last proof, until the next one.
func (c *Certifier) Slopes() []float64 { return c.g }

// Certify is the function of that name.
func (c *Certifier) Certify(y, multipliers []float64) Certificate {
	of := func(s *mrf.Span) []float64 { return multipliers[s.First : s.First+len(s.D)] }
	out := c.CertifyWith(y, of, nil)
	if c.hidden > 0 && c.hidden > c.plain {
		// Where hidden is large, nothing of the rest is left in the sum of both.
		gap := c.plain + min(c.hidden, c.unsettled(y, multipliers))
		out.DualBound, out.Gap = out.Objective-gap, Relative(c.field, gap, out.Objective)
	}
	if c.field.Model.Potentials() <= countable && math.Abs(out.Gap) > noticeable {
		gap, objective := exactly(c.field, y, multipliers)
		if exact := Relative(c.field, gap, objective); math.Abs(math.Abs(exact)-math.Abs(out.Gap)) > noticeable {
			out.Objective, out.DualBound, out.Gap = objective, objective-gap, exact
		}
	}
	return out
}

// CertifyWith is Certify for multipliers that lie anywhere, and are perhaps yet to be made: of says where those of a
// span's potentials are, nil that they are 0 and not kept, and multiply, unless it is nil, writes them, leaving the
// slacks as they are, or returns false where they are to be the potentials' derivatives at y.
func (c *Certifier) CertifyWith(
	y []float64, of func(s *mrf.Span) []float64, multiply func(s *mrf.Span, mu []float64) bool,
) Certificate {
	gap := c.field.Sweep(y, c.g, func(s *mrf.Span) float64 {
		c.violation[s.Number] = s.Violation()
		mu := of(s)
		if mu == nil {
			mu = s.Spare
			clear(mu)
		}
		if multiply != nil && !multiply(s, mu) {
			c.objective[s.Number] = s.Differentiate()
			copy(mu, s.D)
			return 0 // φ(d) + φ*(μ) = μ·d is what derivatives are
		}
		c.excess[s.Number], c.pushes[s.Number] = excess(s, mu)
		gap, objective := slackness(s, mu)
		c.objective[s.Number] = objective
		return gap
	})
	gap += BoxGap(y, c.g)
	if math.IsNaN(gap) {
		gap = math.Inf(1)
	}
	var out Certificate
	pushes := 0.0
	for n, objective := range c.objective {
		out.Objective += objective
		out.MaxViolation = max(out.MaxViolation, c.violation[n])
		out.Excess += c.excess[n]
		pushes += c.pushes[n]
	}
	if c.hidden = Hidden(pushes); Relative(c.field, c.hidden, out.Objective) <= noticeable {
		c.hidden = 0
	}
	c.plain = gap
	gap += c.hidden
	out.DualBound = out.Objective - gap
	out.Gap = Relative(c.field, gap, out.Objective)
	return out
}

// Hidden is about what rounding can leave of a gap where these are the squares, added up, of all that constraints push
// variables by; errors are independent of each other.
func Hidden(pushes float64) float64 { return 0x1p-53 * math.Sqrt(pushes) }

// unsettled is Hidden where it is known of each variable what constraints push it by: rounding hides nothing where it
// is at the bound that it is pushed against by more than that.
func (c *Certifier) unsettled(y, multipliers []float64) float64 {
	m, first := c.field.Model, 0
	pushes, squares := make([]float64, m.Variables), 0.0
	var buffer mrf.RowBuffer
	for k, b := range m.Blocks {
		if b.Kind.Hard() {
			constants := make([]float64, b.Len)
			c.field.Constants(k, 0, b.Len, constants)
			for j, mu := range multipliers[first : first+b.Len] {
				vars, coef := b.Row(j, &buffer)
				squares += mu * constants[j] * mu * constants[j]
				for e, i := range vars {
					push := mu * coef[e]
					pushes[i] += push * push
					squares += push * y[i] * push * y[i]
				}
			}
		}
		first += b.Len
	}
	for i, g := range c.g {
		far := max(y[i], 1-y[i])
		switch sure := surely * Hidden(pushes[i]); {
		case g > sure:
			far = y[i]
		case g < -sure:
			far = 1 - y[i]
		}
		squares += pushes[i] * far * far
	}
	return Hidden(squares)
}

// surely is how many times what rounding leaves of a sum, by its terms' sizes, has the sign that it should.
const surely = 16

// noticeable is a relative gap below which nobody asks what rounding has hidden.
const noticeable = 1e-9

// BoxGap is the largest g·(y - z) over all z in the box: what the variables add to the gap for a Lagrangian's gradient
// g, and, by convexity, a bound on how far a function with the gradient g at y is from its minimum (Frank and Wolfe).
func BoxGap(y, g []float64) (gap float64) {
	for i, v := range g {
		gap += v*y[i] - min(0, v)
	}
	return gap
}

// Dot is the product of two vectors, added up in their order.
func Dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// Slackness is what a potential adds to the gap, φ(d) + φ*(μ) - μd. The value is φ(d), and φ*(μ) half the compliance
// times μ²: the compliance is 1/2w for squares, and 0 for all others.
func Slackness(value, d, mu, compliance float64) float64 {
	return value - mu*d + mu*(compliance*mu/2) // a square could overflow
}

// Relative is a difference of energies relative to an objective, or to the field's grain if that is more. All gaps are
// compared and reported like that: none depends on what weights are measured in.
func Relative(field *mrf.Field, difference, objective float64) float64 {
	return difference / max(field.Grain(), math.Abs(objective))
}

// Yielding returns the certificate for all points that violate no constraint by more than this one's does, and not for
// those alone that violate none: they can cost less by the excess.
func (c Certificate) Yielding(field *mrf.Field) Certificate { return c.YieldingBut(field, 0) }

// YieldingBut is Yielding where constraints that make up so much of the excess do not give way: those of components
// that are proven against all points that violate none. So much is the excess of what it returns.
func (c Certificate) YieldingBut(field *mrf.Field, held float64) Certificate {
	held = min(held, c.Excess)
	c.DualBound -= c.Excess - held
	c.Gap += Relative(field, c.Excess-held, c.Objective)
	c.Excess = held
	if c.Gap < 0 {
		c.Gap, c.DualBound = 0, c.Objective
	}
	return c
}

// excess is what violating the span's constraints is worth by the multipliers, and the sum of the squares of what these
// push by, in terms of coefficients of 1 where each constraint has its own.
func excess(s *mrf.Span, mu []float64) (total, pushes float64) {
	if !s.Block.Kind.Hard() {
		return 0, 0
	}
	for k, d := range s.D {
		pushes += mu[k] * mu[k]
		if s.Block.Kind == mrf.Equal || d > 0 {
			total += math.Abs(mu[k] * d)
		}
	}
	square := 0.0
	for _, a := range s.Block.Coef {
		square += a * a
	}
	return total, pushes * max(1, square)
}

// slackness projects the span's multipliers into their domain, returns what the span adds to the gap and to the
// objective, and leaves the multipliers in place of the slacks.
func slackness(s *mrf.Span, mu []float64) (gap, objective float64) {
	if s.Block.Kind == mrf.Hinge && s.Block.Exponent == 2 {
		return squaredHinges(s, mu)
	}
	squared := s.Block.Squared()
	for k, d := range s.D {
		w := s.W(k)
		lo, hi := Domain(s.Block, w)
		m := min(max(mu[k], lo), hi)
		if math.IsNaN(m) {
			m = max(lo, min(0, hi))
		}
		mu[k], s.D[k] = m, m
		value := potential(s.Block, w, d)
		objective += value
		compliance := 0.0
		if squared && m != 0 {
			compliance = 1 / (2 * w)
		}
		gap += Slackness(value, d, m, compliance)
	}
	return gap, objective
}

// squaredHinges is slackness for the potentials that most models consist of. Theirs is (μ-2wd⁺)²/4w + μ(d⁺-d), of which
// the first part is 0 for the usual multipliers, the derivatives.
func squaredHinges(s *mrf.Span, mu []float64) (gap, objective float64) {
	for k, d := range s.D {
		w, h, m := s.W(k), max(0, d), max(0, mu[k])
		if math.IsNaN(m) || w == 0 {
			mu[k], s.D[k] = 0, 0
			continue
		}
		mu[k], s.D[k] = m, m
		excess := m - 2*w*h
		objective += w * h * h
		gap += m*(h-d) + excess*(excess/(4*w)) // a square could underflow
	}
	return gap, objective
}

// Domain is the interval of multipliers where the conjugate φ* of a potential of weight w, or of a constraint, is
// finite.
func Domain(b *mrf.Block, w float64) (lo, hi float64) {
	switch {
	case b.Kind == mrf.LessEqual:
		return 0, math.Inf(1)
	case b.Kind == mrf.Equal:
		return math.Inf(-1), math.Inf(1)
	case b.Kind == mrf.Linear:
		return w, w
	case w == 0:
		return 0, 0
	case b.Kind == mrf.Hinge && b.Exponent == 2:
		return 0, math.Inf(1)
	case b.Kind == mrf.Hinge:
		return 0, w
	case b.Exponent == 2:
		return math.Inf(-1), math.Inf(1)
	}
	return -w, w
}

// potential is w·φ(d), and 0 for constraints.
func potential(b *mrf.Block, w, d float64) float64 {
	switch {
	case b.Kind == mrf.Linear:
		return w * d
	case b.Kind.Hard():
		return 0
	case b.Kind == mrf.Hinge:
		d = max(0, d)
	default:
		d = math.Abs(d)
	}
	if b.Exponent == 2 {
		return w * d * d
	}
	return w * d
}

// Contribution is what one potential of weight w, or one constraint, adds to the gap and to the objective at the slack
// d, with the multiplier nearest to mu that it may have: Certify is the sum of these and of what variables add.
func Contribution(b *mrf.Block, w, d, mu float64) (m, gap, objective float64) {
	lo, hi := Domain(b, w)
	m = min(max(mu, lo), hi)
	if math.IsNaN(m) {
		m = max(lo, min(0, hi))
	}
	objective = potential(b, w, d)
	switch {
	case !b.Squared() || w == 0:
		return m, Slackness(objective, d, m, 0), objective
	case b.Kind == mrf.Hinge:
		h := max(0, d)
		excess := m - 2*w*h
		return m, m*(h-d) + excess*(excess/(4*w)), objective
	}
	excess := m - 2*w*d
	return m, excess * (excess / (4 * w)), objective
}
