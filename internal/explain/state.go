// Package explain says why an atom has its value in a MAP state. The state is an equilibrium, and what holds it is
// exact:
//
//   - the balance: ground rule j pushes atom i by -a_ji μ_j, for its multiplier μ_j; inside (0,1) the pushes add
//     up to 0, and at 0 or 1 what is left is the force of the wall;
//   - the leaves: with the active set as it is, the state is affine in all constants. K v = e_i, for
//     K = [H_FF A_EFᵀ; A_EF 0] of the free atoms F and of the constraints and kinks E that are met with equality,
//     gives y_i = -Σ_squares 2w(v·a)c - Σ_linear w(v·a) - Σ_E v_E c, where c is what observed atoms, inputs, walls
//     and the rules themselves add to a ground rule: so that a value is a sum over facts and rules;
//   - counterfactuals: the state without a rule, a ground rule or a fact, each found anew and proven.
//
// K falls into pieces, since most atoms are at a wall and most ground rules hold: a piece is factored when one of
// its atoms is asked about. Where K v = e_i has no solution the value is not unique, and an interval is reported.
package explain

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// State is a MAP state of a field with its multipliers, that can be asked about. It is made sharper, component by
// component and piece by piece, as it is asked, and is not safe for concurrent use. The field's weights and inputs
// must stay as they are.
type State struct {
	field    *mrf.Field
	index    *mrf.Occurrences
	y, mu    []float64
	settings solve.Settings

	component  []int32 // of each variable, plus 1; 0 if it is not known yet
	components []*component
	freedom    []freedom  // of each variable
	piece      []*piece   // of each variable; nil if it is not known yet
	standings  []standing // of each potential, once it has been looked at
	seen       bitset.Set // potentials, while something is gathered
	row        mrf.RowBuffer
	places     []int
	pull       []float64 // of each variable, 0 but while it is added up

	known map[int][]Term // observed atoms of ground rules

	proof *proof // of the whole; nil until it is asked for
}

// component is variables that potentials connect, with what is proven about their state.
type component struct {
	variables, potentials []int32
	proof                 solve.Certificate
	hard                  bool // it has been sharpened as much as can be
	vain                  int  // how many more of its variables this was no use to than it was
}

// Errors of NewState.
var (
	ErrPaged       = errors.New("the ground rules are in a file; explanations need them in memory")
	ErrTooLarge    = errors.New("there are too many ground rules for an index of 32 bits")
	ErrMultipliers = errors.New("the answer has no multipliers")
)

// NewState takes a state, which is copied, and the multipliers that prove it, one per potential, which are not. The
// index is that of the field's model; one is made if it is nil. Of the settings, Threads and TimeLimit matter.
func NewState(field *mrf.Field, index *mrf.Occurrences, y, multipliers []float64, settings solve.Settings) (
	*State, error) {
	m := field.Model
	switch {
	case m.Paged() != nil:
		return nil, ErrPaged
	case len(multipliers) != m.Potentials():
		return nil, ErrMultipliers
	}
	if index == nil {
		index = mrf.NewOccurrences(m)
	}
	if index == nil {
		return nil, ErrTooLarge
	}
	return &State{
		field: field, index: index, y: slices.Clone(y), mu: multipliers, settings: settings,
		component: make([]int32, m.Variables), freedom: make([]freedom, m.Variables), piece: make([]*piece, m.Variables),
		standings: make([]standing, len(multipliers)), seen: bitset.New(len(multipliers)),
		known: make(map[int][]Term),
	}, nil
}

// sharp is the gap that a part of the model is solved to where it is not explained well, finest that of what is around
// one atom, and feasible what hard rules may be violated by.
const (
	sharp    = 1e-10
	finest   = 1e-15
	feasible = 1e-8
)

// sharpen improves the state where the pushes on a variable do not add up: around it first, then all that is connected
// with it, and at last by all means.
func (s *State) sharpen(ctx context.Context, i int32) error {
	if fine, err := s.sharpenAround(ctx, i); fine || err != nil {
		return err
	}
	c, err := s.settle(ctx, i)
	for err == nil && !s.addsUp(i) {
		again := false
		if again, err = s.harder(ctx, c); !again {
			break
		}
	}
	return err
}

// sharpenAround is sharpen for what is near a variable, and tells whether that was enough.
func (s *State) sharpenAround(ctx context.Context, i int32) (fine bool, err error) {
	unit := s.field.Unit()
	for _, gap := range []float64{sharp, finest} { // pushes on squares are about the root of the gap
		if s.addsUp(i) {
			return true, nil
		}
		r := s.region(i, nil, nil)
		for _, k := range s.pieceOf(i).variables {
			r.enter(r.atom(k))
		}
		done, err := r.resolve(ctx, gap*unit, changedBudget*unit, changedBudget*unit, least)
		if !done || err != nil {
			return false, err
		}
		r.accept()
	}
	return s.addsUp(i), nil
}

// addsUp tells whether the pushes on a variable do, once its piece is polished; where it cannot be, those on all of the
// piece, which the leaves rest on.
func (s *State) addsUp(i int32) bool {
	if !s.isFree(i) {
		return true
	}
	p := s.pieceOf(i)
	if !p.sound {
		for _, k := range p.variables {
			if !s.balanced(k) {
				return false
			}
		}
		p.sound = true
	}
	return s.balanced(i)
}

// balanced tells whether the pushes on a free variable are as good as 0 together.
func (s *State) balanced(i int32) bool {
	push, size := s.pushOn(i)
	return math.Abs(push) <= tolerable*size
}

// settle finds the component of variable i, and solves it to a gap that explanations can rest on.
func (s *State) settle(ctx context.Context, i int32) (*component, error) {
	if s.component[i] > 0 {
		return s.componentOf(i), nil
	}
	c := s.connected(i)
	s.components = append(s.components, c)
	for _, k := range c.variables {
		s.component[k] = int32(len(s.components))
	}
	return c, s.improve(ctx, c)
}

// componentOf is the component of a variable, once it is known.
func (s *State) componentOf(i int32) *component { return s.components[s.component[i]-1] }

// connected lists the variables that potentials connect with i, and these potentials.
func (s *State) connected(i int32) *component {
	c := &component{variables: []int32{i}}
	const found = math.MaxInt32
	s.component[i] = found
	for next := 0; next < len(c.variables); next++ {
		for _, place := range s.index.Of(c.variables[next], s.places[:0]) {
			if !s.see(place) {
				continue
			}
			c.potentials = append(c.potentials, int32(place))
			block, j := s.index.Locate(place)
			for _, k := range s.field.Model.Blocks[block].Ids(j, &s.row) {
				if s.component[k] != found {
					s.component[k] = found
					c.variables = append(c.variables, k)
				}
			}
		}
	}
	s.forget(c.potentials)
	slices.Sort(c.variables)
	slices.Sort(c.potentials)
	return c
}

// see marks a potential, and tells whether it was not.
func (s *State) see(place int) bool {
	return s.seen.Put(place)
}

// forget takes the marks away.
func (s *State) forget(places []int32) {
	for _, place := range places {
		s.seen[place/64] = 0
	}
}

// A component is sharpened from where it is by Newton's method, of about so many sweeps: some before it is
// explained, and more, or else by a direct method, where explanations find that this was not enough.
const some, more = 60, 300

// improve solves a component anew, from where it is, unless its gap is small enough already.
func (s *State) improve(ctx context.Context, c *component) error {
	part := s.part(c)
	y, mu := pick(s.y, c.variables), pick(s.mu, c.potentials)
	c.proof = solve.Certify(part, y, mu)
	limits := s.settings
	limits.Gap, limits.Feasibility = sharp, feasible
	if proven(c.proof, limits) {
		return nil
	}
	sweeps := some
	if c.hard {
		sweeps = more
	}
	solvers := []solve.Solver{limited(part, limits, sweeps, len(c.potentials))}
	if c.hard {
		solvers = append(solvers, interior.New(part, limits))
	}
	for _, solver := range solvers {
		solver.WarmStart(y, mu)
		result, err := solver.Solve(ctx)
		if err != nil {
			return err
		}
		if better(result.Certificate, c.proof) && result.Multipliers != nil {
			c.proof = result.Certificate
			put(s.y, c.variables, result.Y)
			put(s.mu, c.potentials, result.Multipliers)
			s.reconsider(c)
		}
		if err := ctx.Err(); err != nil || proven(c.proof, limits) {
			return err
		}
	}
	return nil
}

// limited is Newton's method for about so many sweeps over so many potentials.
func limited(field *mrf.Field, limits solve.Settings, sweeps, potentials int) *newton.Solver {
	solver, most := newton.New(field, limits), float64(sweeps)*float64(4*potentials+field.Model.Variables)
	solver.Limit(func(work float64) bool { return work < most })
	return solver
}

// harder solves a component that is explained badly once more; false if there is nothing left to try.
func (s *State) harder(ctx context.Context, c *component) (bool, error) {
	if c.hard || math.Abs(c.proof.Gap) <= sharp {
		return false, nil
	}
	c.hard = true
	return true, s.improve(ctx, c)
}

// reconsider takes back what was found out about a component before its state changed.
func (s *State) reconsider(c *component) {
	for _, i := range c.variables {
		s.freedom[i], s.piece[i] = unknown, nil
	}
	for _, place := range c.potentials {
		s.standings[place] = unseen
	}
	s.proof = nil
}

// reconsiderAll is reconsider for all components.
func (s *State) reconsiderAll() {
	clear(s.freedom)
	clear(s.piece)
	clear(s.standings)
	s.proof = nil
}

// part makes a field of a component.
func (s *State) part(c *component) *mrf.Field {
	part := partition.Extract(s.field.Model, c.variables, c.potentials)
	field := part.Condition(s.field)
	field.Threads = s.field.Threads
	return field
}

func proven(c solve.Certificate, limits solve.Settings) bool {
	return math.Abs(c.Gap) <= limits.Gap && c.MaxViolation <= limits.Feasibility
}

// better tells whether one proof says more than another one.
func better(a, b solve.Certificate) bool {
	return max(math.Abs(a.Gap), a.MaxViolation) < max(math.Abs(b.Gap), b.MaxViolation)
}

func pick(from []float64, places []int32) []float64 {
	out := make([]float64, len(places))
	for k, place := range places {
		out[k] = from[place]
	}
	return out
}

func put(to []float64, places []int32, values []float64) {
	for k, place := range places {
		to[place] = values[k]
	}
}

// potential is a ground rule in the state.
type potential struct {
	block    *mrf.Block
	j        int
	ids      []int32
	coef     []float64
	w, c, d  float64 // weight, constant with inputs, and slack a·y + c
	mu       float64
	at       int // its place among all
	standing standing
	atWall   bool // it has one variable, at a wall
}

// standing says what a potential is near the state. It is decided once, so that all that is asked about the state
// goes together.
type standing uint8

const (
	unseen standing = iota
	idle            // it holds, with room
	square          // w·d², with the multiplier 2wd
	above           // its multiplier is w
	below           // its multiplier is -w
	tight           // d = 0: a constraint, or a kink with a multiplier in between
)

// fixed tells whether the multiplier does not depend on the state nearby.
func (s standing) fixed() bool { return s == above || s == below }

// look returns the potential at a place.
func (s *State) look(place int) potential {
	block, j := s.index.Locate(place)
	b := s.field.Model.Blocks[block]
	p := potential{block: b, j: j, mu: s.mu[place], at: place, w: s.field.Weights()[b.Rule] * b.Factor(j),
		c: b.Constant + b.Own(j)}
	if b.Vars != nil && b.VarStart == nil { // most are like that, and take no memory
		p.ids, p.coef = b.Variables(j), b.Coef
	} else {
		p.ids, p.coef = b.Row(j, new(mrf.RowBuffer))
	}
	if len(b.Inputs) > 0 {
		for k, i := range b.InputRow(j) {
			p.c += b.InputCoefficient(j, k) * s.field.Inputs()[i]
		}
	}
	p.d = p.c
	for k, i := range p.ids {
		p.d += p.coef[k] * s.y[i]
	}
	if s.standings[place] == unseen {
		p.atWall = len(p.ids) == 1 && !s.inside(p.ids[0])
		s.standings[place] = p.stand(s.field.Unit())
	}
	p.standing = s.standings[place]
	switch p.standing {
	case square:
		p.mu = p.curved(s.y)
	case above:
		p.mu = p.w
	case below:
		p.mu = -p.w
	case idle:
		p.mu = 0
	case tight:
		if math.Abs(p.mu) <= nothing*s.field.Unit() {
			p.mu = 0
		}
	}
	return p
}

// curved is the multiplier of a square, 2wd; it stays as it was solved for where the difference is no more than what
// rounding leaves of d, since that may be more than all pushes where the weight is large.
func (p *potential) curved(y []float64) float64 {
	mu := 2 * p.w * p.d
	if mu == p.mu {
		return mu
	}
	size := math.Abs(p.c)
	for k, i := range p.ids {
		size += math.Abs(p.coef[k] * y[i])
	}
	if math.Abs(mu-p.mu) <= 2*p.w*size*rounded {
		return p.mu
	}
	return mu
}

// Tolerances of what counts as 0: of slacks and values, whose unit is that of truth, and of multipliers, relative to
// the weight or to what pushes a variable.
const (
	still = 1e-6
	faint = 1e-6
	// silent is the multiplier, relative to the weights, that rounding can leave of 0, and nothing that of an equation,
	// which holds whatever it is: pushes of so little need not add up.
	silent  = 1e-10
	nothing = 1e-20
)

// stand decides what the potential is, by the unit of energy.
func (p *potential) stand(unit float64) standing {
	reach := p.reach()
	b, near, least := p.block, still*reach, silent*max(p.w, unit)/reach
	switch {
	case b.Kind == mrf.Equal:
		return tight
	case b.Kind == mrf.LessEqual:
		if p.mu > least && p.d > -near {
			return tight
		}
		return idle
	case p.w <= silent*unit:
		return idle
	case b.Kind == mrf.Linear:
		return above
	case b.Exponent == 2:
		if 2*p.w*p.d > least || b.Kind == mrf.Absolute || p.d >= 0 && p.atWall {
			return square // also a prior at 0, which a variable that is to leave a wall meets
		}
		return idle
	}
	return p.bend(near, least)
}

// bend is stand for linear hinges and absolute values, which have a kink.
func (p *potential) bend(near, least float64) standing {
	low, bottom := idle, 0.0
	if p.block.Kind == mrf.Absolute {
		low, bottom = below, -p.w
	}
	switch {
	case math.Abs(p.d) <= near && p.mu > bottom+least && p.mu < p.w-least:
		return tight
	case p.d > near || p.d > -near && p.mu >= (bottom+p.w)/2:
		return above
	}
	return low
}

// reach is what a step of 1 changes the slack by at most, but not less than 1: slacks are compared in these units.
func (p *potential) reach() float64 {
	reach := 1.0
	for _, a := range p.coef {
		reach = max(reach, math.Abs(a))
	}
	return reach
}

// coefficient is that of a variable.
func (p *potential) coefficient(i int32) float64 { return p.coef[slices.Index(p.ids, i)] }
