package ground

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Estimate tells what grounding one rule will make. It comes from running the rule's own plan over a sample of the
// rows, so it knows what statistics of columns do not: which joins meet, what the observations prune, how long the sums
// are.
type Estimate struct {
	Plan *plan.Plan
	// Potentials estimates the ground rules that the model keeps; Groundings those looked at on the way, of which
	// Constant have no variable, Missing lack a target, and Violated are hard and contradict the observations.
	Potentials, Groundings, Constant, Missing, Violated float64
	// Bytes estimates the arenas of the kept ones.
	Bytes float64
	// Rows estimates how many rows the joins touch.
	Rows float64
	// Exact says that every grounding was looked at: all numbers are counts. Touched are then the variables of the kept
	// ground rules, with repetitions.
	Exact   bool
	Touched []int32

	problems problems
}

// Seconds estimates the time that grounding takes on one thread.
func (e *Estimate) Seconds() float64 { return plan.Seconds(e.Rows, e.Bytes) }

// Diagnose adds what grounding with the options is sure to find wrong, with the examples that the sample met.
func (e *Estimate) Diagnose(opts Options, out *source.Diagnostics) {
	found := e.problems
	found.missing.count = int64(math.Round(e.Missing))
	found.violated.count = int64(math.Round(e.Violated))
	found.missing.sampled, found.violated.sampled = !e.Exact, !e.Exact
	found.diagnose(e.Plan.Rule, opts.discards(), out)
}

// measure is what is counted of groundings, each weighted by how many it stands for.
type measure struct {
	potentials, groundings, constant, missing, violated, rows float64

	ids, bias, ragged float64 // bytes: always there, only where biases differ, only where coefficients differ
}

// boundless is what an estimate is at most: far beyond anything that could be made, and far enough from infinity for
// products of two.
const boundless = 1e100

// add adds other, each of whose groundings stands for weight of them.
func (m *measure) add(other *measure, weight float64) {
	plus := func(total *float64, more float64) { *total = min(boundless, *total+weight*more) }
	plus(&m.potentials, other.potentials)
	plus(&m.groundings, other.groundings)
	plus(&m.constant, other.constant)
	plus(&m.missing, other.missing)
	plus(&m.violated, other.violated)
	plus(&m.rows, other.rows)
	plus(&m.ids, other.ids)
	plus(&m.bias, other.bias)
	plus(&m.ragged, other.ragged)
}

// sampler makes a machine visit some rows of each loop only, and weighs what it finds there by how many rows each of
// them stands for.
type sampler struct {
	*machine
	random *rand.Rand
	loops  []int     // per op, how many loops there are from it on
	draws  [][]draw  // per op, space for the rows to visit
	direct []int     // the loops whose keys are known once the pivot has a row
	bound  []binding // what the pivot binds of these keys
	share  float64
	work   int
	most   float64 // bounds work; 0 means no bound
	exact  bool
	total  measure
	// touched are the variables seen in this pass, as long as it is exact.
	touched []int32

	firstBias map[*batch]float64
	firstCoef map[*batch][2][]float64
	biased    bool // biases differ
	irregular bool // coefficients differ between the potentials of a ragged batch
}

// growth is how much more each pass of a sampler may do than the one before.
const growth = 4

// sample runs ever longer passes until one has seen everything, or the next might touch too many rows. How many rows a
// pass touches is known only on the way: one that becomes too long is given up, and the one before it counts.
func (g *grounder) sample(r *routine, rows float64) Estimate {
	s := newSampler(newMachine(r, &g.stop))
	if r.pieces() == 0 {
		return Estimate{Plan: r.plan, Exact: true}
	}
	e := s.pass(16)
	s.most = 2 * rows
	for share := 16.0 * growth; !s.exact && growth*float64(s.work) <= rows && !g.stop.Load(); share *= growth {
		if longer := s.pass(share); !s.tooLong() {
			e = longer
		}
	}
	return e
}

// tooLong tells whether a pass is to be given up.
func (s *sampler) tooLong() bool { return s.most > 0 && float64(s.work) > s.most }

func newSampler(m *machine) *sampler {
	s := &sampler{machine: m, loops: make([]int, len(m.ops)+1), draws: make([][]draw, len(m.ops)),
		firstBias: make(map[*batch]float64), firstCoef: make(map[*batch][2][]float64)}
	for k := len(m.ops) - 1; k >= 0; k-- {
		s.loops[k] = s.loops[k+1]
		if kind := m.ops[k].kind; kind == plan.Scan || kind == plan.Probe {
			s.loops[k]++
		}
	}
	for k := range m.ops {
		if o := &m.ops[k]; k > m.pivot && m.pivot >= 0 && o.kind == plan.Probe && m.knows(o.key) {
			s.direct = append(s.direct, k)
		}
	}
	s.bound = m.asked(s.direct...)
	m.sampler = s
	return s
}

// asked lists what the pivot binds of the keys of some ops behind it.
func (r *routine) asked(ops ...int) (all []binding) {
	if len(ops) == 0 {
		return nil
	}
	for _, b := range r.ops[r.pivot].bind {
		if slices.ContainsFunc(ops, func(k int) bool { return slices.Contains(r.ops[k].key, b.slot) }) {
			all = append(all, b)
		}
	}
	return all
}

// knows tells whether slots hold constants or are bound by the pivot.
func (r *routine) knows(slots []int32) bool {
	return !slices.ContainsFunc(slots, func(slot int32) bool {
		isSlot := func(b binding) bool { return b.slot == slot }
		return int(slot) < len(r.rule.Variables) && !slices.ContainsFunc(r.ops[r.pivot].bind, isSlot)
	})
}

// pass samples about share combinations of rows, and returns what they tell.
func (s *sampler) pass(share float64) Estimate {
	s.random = rand.New(rand.NewPCG(0, 0))
	s.share, s.work, s.exact = share, 0, true
	s.problems, s.total, s.touched = problems{}, measure{}, s.touched[:0]
	s.machine.run(cut{row: s.routine.lo}, cut{row: s.routine.hi})
	s.drain()
	return s.estimate()
}

// sampleRows is the machine's loop over the rows [lo, hi) of op k, which a sampler has cut short.
func (m *machine) sampleRows(o *op, k int, lo, hi int32, upper float64) {
	if lo == hi {
		return
	}
	s := m.sampler
	s.drain()
	outer, share := s.total, s.share
	take := s.take(k, int(hi-lo))
	s.share = share / float64(take)
	s.work += take
	if o.meets > 0 {
		outer.rows += 1 + m.fewest(k)/valuesPerRow
	} else {
		outer.rows += float64(hi - lo)
	}
	for _, d := range s.draw(o, k, lo, int(hi-lo), take) {
		if m.stop.Load() || s.tooLong() {
			break
		}
		s.total = measure{}
		m.visit(o, k, o.row(lo, d.at), upper)
		s.drain()
		outer.add(&s.total, d.weight)
	}
	s.total, s.share = outer, share
}

// valuesPerRow is how many values of lists that are met are gone through in the time of touching a row.
const valuesPerRow = 16

// row returns the row at a place of a loop that begins at lo.
func (o *op) row(lo int32, at int) int32 {
	if o.grouped != nil {
		return o.grouped[lo+int32(at)]
	}
	return lo + int32(at)
}

// draw is a row to visit, by its place in its loop, and how many rows it stands for.
type draw struct {
	at     int
	weight float64
}

// draw chooses about so many of the n rows of a loop: one of each of equal parts, so that sorted data are seen from end
// to end; which one is random, so that regular data do not fool it.
func (s *sampler) draw(o *op, k int, lo int32, n, take int) []draw {
	draws := s.draws[k][:0]
	if k == s.pivot && take < n && len(s.direct) > 0 {
		draws = s.drawByFanOut(draws, o, lo, n, take)
	} else {
		for i := range take {
			draws = append(draws, draw{s.pick(i, take, n), float64(n) / float64(take)})
		}
	}
	s.draws[k] = draws
	return draws
}

// candidates is how many rows drawByFanOut looks at for each that it chooses, and lookedAt how many of them in the time
// of touching a row.
const candidates, lookedAt = 32, 4

// drawByFanOut chooses rows of the pivot with a probability in proportion to how many combinations of rows the loops
// inside go through for each: a block of a thousand makes more triples than all the small ones together, and is rare.
func (s *sampler) drawByFanOut(draws []draw, o *op, lo int32, n, take int) []draw {
	few := min(n, candidates*take)
	s.work += few / lookedAt
	all, total := make([]draw, few), 0.0
	for i := range all {
		at := s.pick(i, few, n)
		all[i] = draw{at, s.fanOut(o.row(lo, at))}
		total += all[i].weight
	}
	step := total / float64(take)
	next, sum := s.random.Float64()*step, 0.0
	for _, d := range all {
		times := 0
		for sum += d.weight; next < sum; next += step {
			times++
		}
		if times > 0 {
			draws = append(draws, draw{d.at, float64(times) * step / d.weight * float64(n) / float64(few)})
		}
	}
	return draws
}

// fanOut returns the product of the lengths of the direct loops for a row of the pivot.
func (s *sampler) fanOut(row int32) float64 {
	for _, b := range s.bound {
		s.slots[b.slot] = b.column[row]
	}
	product := 1.0
	for _, k := range s.direct {
		product *= float64(s.ops[k].width(s.slots, s.keys[k]))
	}
	return min(boundless, product)
}

// take decides how many of n rows to visit. The more loops are still to come, the less each of them can have; an outer
// loop gets more than those inside, because its rows differ more.
func (s *sampler) take(k, n int) int {
	take := math.Ceil(math.Pow(s.share, 2/float64(s.loops[k]+1)))
	if take >= float64(n) {
		return n
	}
	s.exact = false
	return max(1, int(take))
}

// pick returns a row of the i-th of so many equal parts of n rows.
func (s *sampler) pick(i, parts, n int) int {
	if parts == n {
		return i
	}
	return min(n-1, int((float64(i)+s.random.Float64())*float64(n)/float64(parts)))
}

// drain moves what the machine has counted since the last time to the total of the loop at hand.
func (s *sampler) drain() {
	c := &s.counts
	s.total.potentials += float64(c.Potentials)
	s.total.groundings += float64(c.Groundings)
	s.total.constant += float64(c.Constant)
	s.total.missing += float64(c.Missing)
	s.total.violated += float64(c.Violated)
	s.counts = Counts{}
	for _, b := range s.batches {
		if b.len > 0 {
			s.weigh(b)
			b.reset()
		}
	}
}

// weigh counts the bytes that the potentials of a batch take in the model, as assemble would lay them out.
func (s *sampler) weigh(b *batch) {
	if s.exact {
		s.touched = append(s.touched, b.vars...)
	}
	s.total.ids += 4 * float64(len(b.vars)+len(b.inputs)+len(b.scale))
	s.total.bias += float64(b.biasBytes())
	if first, seen := s.firstBias[b]; !seen {
		s.firstBias[b] = b.firstBias
	} else if first != b.firstBias {
		s.biased = true
	}
	s.biased = s.biased || !b.sameBias
	if b.ragged {
		s.work += len(b.vars) + len(b.inputs)
		s.total.ragged += float64(b.coefBytes() + 8*int64(b.len))
		s.irregular = s.irregular || !s.sameCoef(b)
	}
}

// sameCoef tells whether all potentials of a ragged batch have the coefficients of the first one that was ever seen.
func (s *sampler) sameCoef(b *batch) bool {
	first, seen := s.firstCoef[b]
	if !seen {
		first = [2][]float64{slices.Clone(b.pattern), slices.Clone(b.inputPattern)}
		s.firstCoef[b] = first
	}
	return b.regular && slices.Equal(b.pattern, first[0]) && slices.Equal(b.inputPattern, first[1])
}

// estimate returns the result of a pass.
func (s *sampler) estimate() Estimate {
	t := &s.total
	e := Estimate{
		Plan: s.plan, Potentials: t.potentials, Groundings: t.groundings, Constant: t.constant, Missing: t.missing,
		Violated: t.violated, Rows: t.rows, Exact: s.exact, problems: s.problems,
	}
	e.Bytes = t.ids
	if s.biased {
		e.Bytes += t.bias
	}
	if s.irregular {
		e.Bytes += t.ragged
	}
	if s.exact {
		e.Touched = s.touched
	}
	return e
}
