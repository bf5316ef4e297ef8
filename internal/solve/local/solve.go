package local

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
	"github.com/deeppsl/deeppsl/internal/solve/squares"
)

// Outcome says what a Solve did.
type Outcome struct {
	// Status is Optimal if the whole problem is proven to the gap that was asked for, and Stalled if that would take the
	// whole problem, of which Solve then has done what is cheap: see Gather and Lend.
	Status solve.Status
	// Variables were solved, in so many Rounds.
	Variables, Rounds int
	// Conflict has the places of hard constraints that contradict each other, if Status is Infeasible.
	Conflict []int

	work int // how many coefficients all rounds together went through
}

const (
	// cheap is how many coefficients a part may have, and all rounds together go through, that is solved beyond what the
	// proof takes, so that values are as good as those of a part that was solved by itself: some tenths of a millisecond.
	cheap = 4_000
	// roomy is the part of the gap that is aimed at where it was not proven.
	roomy = 0.8
	// wide is the part of all variables beyond which solving everything is better.
	wide = 0.5
	// much is how many times the model's coefficients may be gone through before everything is solved instead.
	much = 1
	// crowded is that part of them from which on what changes at once is solved with all others.
	crowded = 0.03
	// portion is the part of what there is too much of the gap that is taken in at once, and most is that part where it is
	// far, so many times what may be there.
	portion, most, far = 0.5, 0.8, 10
	// ample is how many times what is too much suffices in any case, where the part grows by an eighth (1/grown).
	ample, grown = 2, 8
	// A round takes in little where that is less than a part of what there is (1/little), and plenty from another part on;
	// crawling is how many with little are too many; in at least so many potentials then others are looked for.
	little, plenty, crawling, looks = 4, 2, 2, 100_000
	// slight is the part of the gap that potentials may add which turned out to matter after a round, for the next one to
	// take in more variables, as it does too where so many times what may be there (distant) is too much without them;
	// negligible is that part which variables may be left with all together and are forgotten.
	slight, distant, negligible = 0.1, 2, 0.1
	// overlooked is the part of it that the solution of a part may leave and is forgotten.
	overlooked = 0.01
	// rough is the part of the gap of all to which one is solved that is not cheap, as long as that is more than was asked
	// for; coarsest is the gap of its own to which it is solved in any case.
	rough, coarsest = 0.05, 0.1
	// spare is the part of the gap that is left for changes to come, where the whole is solved.
	spare = 0.25
	// steps is how many the interior point method takes at most for a part with something held around it, hopeless the
	// gap with which one has no solution, and failures how many rounds may have none before everything is solved: what is
	// held can contradict hard rules but for rounding.
	steps, hopeless, failures = 60, 0.01, 2
	// direct is up to how many potentials the interior point method takes over from Newton's.
	direct = 50_000
)

// Spare is the gap to solve a whole problem to that is to be changed then, and proven to a gap.
func Spare(gap float64) float64 { return spare * gap }

// Solve brings the values and multipliers up to date with what has come, gone and changed since the last one. If the
// context ends, they are the best so far, with what Certificate says about them; it is then no error to go on later.
func (s *State) Solve(ctx context.Context) (Outcome, error) {
	s.pending, s.left = append(s.pending, s.left...), nil
	return s.prove(ctx, false)
}

// Near is Solve for what has changed since the last Solve or Near, in little time: it begins nothing that would outlast
// the context's deadline, and what it has not done is for Solve.
func (s *State) Near(ctx context.Context) (Outcome, error) { return s.prove(ctx, true) }

// prove is Solve, or Near.
func (s *State) prove(ctx context.Context, near bool) (Outcome, error) {
	out, err := s.solve(ctx, near)
	if err == nil && out.Status == solve.Optimal && !s.proven() {
		out.Status = solve.Stalled
	}
	return out, err
}

// solve is Solve for the pending variables alone; the status is Optimal even if they do not make the proof.
func (s *State) solve(ctx context.Context, near bool) (out Outcome, err error) {
	p, more := &s.part, s.pending
	p.reset()
	defer s.forget(p)
	s.aim, s.pending = s.settings.Gap, nil
	if s.lent != nil {
		s.lent.since = append(s.lent.since, more...)
	}
	if s.lent != nil || near && len(s.left) > 0 {
		s.aim = math.Inf(1) // that is not what is proven now
	}
	pace := pace{}
	p.limit = int(crowded*float64(s.size) + cheap)
	for round := time.Now(); len(more) > 0 || p.missed > 0 || p.exact; {
		if near && out.Rounds > 0 && ends(ctx, patience*time.Since(round)) {
			return s.leave(p, near, out, solve.TimeLimit, more), nil
		}
		round = time.Now()
		s.take(p, more)
		p.scattered = p.scattered || out.Rounds == 0 && len(p.variables) > s.many
		p.missed = 0
		out.work += len(p.ids)
		if p.entries() > p.limit {
			out.work = math.MaxInt // so much at once
		}
		p.limit = math.MaxInt
		if float64(len(p.variables)) > wide*float64(len(s.y))+few ||
			float64(out.work)+float64(p.entries()) > much*float64(s.size)+cheap {
			return s.leave(p, near, out, solve.Stalled, nil), nil
		}
		pieces, err := s.solvePart(ctx, p)
		if err != nil {
			return out, err
		}
		out.Variables, out.Rounds = len(p.variables), out.Rounds+1
		if at := slices.IndexFunc(pieces, s.contradictory); at >= 0 {
			if len(p.frontier) == 0 {
				return infeasible(out, p, pieces[at]), nil
			}
			more, p.loose = slices.Clone(p.frontier), true
			continue
		}
		s.install(p, pieces)
		if p.failed >= failures {
			return s.leave(p, near, out, solve.Stalled, nil), nil
		}
		if ctx.Err() != nil {
			return s.leave(p, near, out, solve.Ended(ctx), nil), nil
		}
		if !s.proven() && !math.IsInf(s.aim, 1) {
			s.aim = roomy * s.settings.Gap // so that the next change does not find the same
		}
		more = s.pushed(p)
		proven := s.provenTo(max(s.aim, s.settings.Gap))
		if !proven && s.relieve(p, s.settings.Gap) {
			break
		}
		switch {
		case proven:
		case p.missed > slight*s.excessive() && s.surplus(p, s.aim) <= distant*s.aim*s.worth():
			more = nil // what was left out is solved first
			continue
		default:
			more = s.grow(p)
			pace.sees(p.entries(), max(0, s.surplus(p, 0))/(s.settings.Gap*s.worth()), float64(s.size))
			if pace.isSlow(s.brief) {
				return s.leave(p, near, out, solve.Stalled, more), nil
			}
		}
		if len(more) == 0 && p.missed == 0 && !proven && !p.exact {
			more = s.lastResort(p)
			continue
		}
		if len(more) == 0 && p.missed == 0 || proven && max(out.work, p.entries()+s.around(more)) > cheap {
			s.pressPart(p)
			break
		}
	}
	return out, nil
}

// pressPart notes what is left around a part, and where that is much what its own solution leaves, or has missed: that
// of potentials of several variables is a debt of one of them.
func (s *State) pressPart(p *part) {
	forgotten := s.negligible()
	for _, a := range p.around {
		if a.rest > forgotten {
			s.pressBy(a.i, a.rest)
		}
	}
	own := p.missed
	for _, left := range p.residue {
		own += left
	}
	if own <= overlooked*s.settings.Gap*s.worth() {
		return
	}
	p.own = append(p.own[:0], make([]float64, len(p.variables))...)
	for k := range p.rows {
		r := &p.rows[k]
		_, gap, _ := solve.Contribution(r.block, r.w, r.d, r.mu)
		if gap == 0 {
			continue
		}
		ids, _ := p.terms(int32(k))
		if len(ids) == 1 {
			if r.block.Squared() {
				p.own[s.marks[ids[0]]-1] += gap
			}
		} else if gap > forgotten {
			owner := ids[slices.IndexFunc(ids, func(i int32) bool { return s.marks[i] > 0 })]
			s.setDebt(owner, s.debt[owner]+float32(gap))
		}
	}
	for k, i := range p.variables {
		if rest := s.box(i) + float64(s.debt[i]) + p.own[k]; rest > forgotten {
			s.pressBy(i, rest)
		}
	}
}

// lastResort is what there is to do about the gap where nothing else is: pinned variables are taken in, and then all is
// solved exactly.
func (s *State) lastResort(p *part) (more []int32) {
	if !p.loose {
		more = s.pinned(p.frontier)
	}
	p.loose, p.exact = true, len(more) == 0
	return more
}

// leave ends a Solve that leaves a part to the next one, unless the whole that is lent, or the one after that, has it.
// What it pushes is left as well, and more that it would have taken: the next Solve finds a part that is solved, and
// perhaps nothing that is tied to it any more.
func (s *State) leave(p *part, near bool, out Outcome, status solve.Status, more []int32) Outcome {
	out.Status = status
	switch {
	case s.lent != nil:
		return out
	case near:
		s.left = append(s.left, p.variables...)
	default:
		s.pending = append(s.pending, p.variables...)
	}
	least := s.negligible()
	for _, i := range p.frontier {
		if rest := s.rest(i); rest > least {
			s.pressBy(i, rest)
		}
	}
	s.press(more)
	return out
}

// patience is how many times as long as a round the next one is expected to take.
const patience = 2

// ends tells whether a context ends within a time.
func ends(ctx context.Context, within time.Duration) bool {
	deadline, limited := ctx.Deadline()
	return limited && time.Until(deadline) < within
}

// pace is how the gap falls as a part grows: mostly by a power of the part's size.
type pace struct {
	entries, off float64 // of the last round
	slow         int     // rounds at whose pace the whole would be less work
}

// Rounds that are slow count from a part of the model on. So many are enough, and one where the whole was brief the
// last time, which took no more than so many steps.
const (
	notable = 0.05
	enough  = 2
	brief   = 4
)

// sees notes the size of a part and how many times what was asked for the gap is, in a model of a size, and whether
// solving all of it is better than going on at this pace.
func (p *pace) sees(entries int, off, size float64) {
	before, now := *p, float64(entries)
	p.entries, p.off = now, off
	if before.off == 0 || now < notable*size+cheap {
		return
	}
	power := math.Log(before.off/off) / math.Log(now/before.entries)
	if power > 0 && 2*now*math.Pow(off, 1/power) < much*size { // rounds double
		p.slow = 0
		return
	}
	p.slow++
}

// isSlow tells whether solving all is better, which was brief the last time, or was not.
func (p *pace) isSlow(wasBrief bool) bool { return p.slow >= enough || p.slow > 0 && wasBrief }

// few variables are never too many.
const few = 1000

// infeasible ends a Solve that has found a contradiction.
func infeasible(out Outcome, p *part, q *piece) Outcome {
	out.Status = solve.Infeasible
	for _, k := range q.result.Conflict {
		out.Conflict = append(out.Conflict, int(p.rows[q.order[k]].place))
	}
	return out
}

// proven tells whether the gap that was asked for is.
func (s *State) proven() bool { return s.provenTo(s.settings.Gap) }

// provenTo tells whether a gap is proven.
func (s *State) provenTo(gap float64) bool {
	c := s.Certificate()
	return math.Abs(c.Gap) <= gap && c.MaxViolation <= s.settings.Feasibility
}

// solvePart solves the pieces of a part, from where they are.
func (s *State) solvePart(ctx context.Context, p *part) (pieces []*piece, err error) {
	if len(p.variables) == 0 {
		return nil, nil // all that has changed is pinned
	}
	tolerance := s.tolerance(p)
	pieces = s.pieces(p, tolerance)
	heaviest := slices.Clone(pieces) // first, so that nobody waits for it in the end
	slices.SortStableFunc(heaviest, func(a, b *piece) int { return cmp.Compare(b.entries, a.entries) })
	p.problems = append(p.problems, make([]squares.Problem, max(0, len(pieces)-len(p.problems)))...)
	parallel.For(parallel.Threads(s.settings.Threads), len(heaviest), func(k int) {
		q := heaviest[k]
		if !q.square() || !s.solveSquares(ctx, p, q, &p.problems[k], tolerance) {
			q.err = s.solvePiece(ctx, p, q, tolerance)
		}
		s.countBoxes(p, q, -1)
	})
	failed := false
	for _, q := range pieces {
		err = cmp.Or(err, q.err)
		p.stiff = p.stiff || q.stiff
		failed = failed || q.result != nil && s.unsolvable(q.result)
	}
	if failed {
		p.failed++
	}
	return pieces, err
}

// attempts is how many steps a piece of squares is solved in, or by the methods for all kinds of problems.
const attempts = 60

// solveSquares solves a piece of squares, beside others, and leaves the state as it is. It tells whether it has, unless
// the context has ended.
func (s *State) solveSquares(ctx context.Context, p *part, q *piece, problem *squares.Problem, tolerance float64) bool {
	problem.Reset(len(q.variables))
	for n, k := range q.variables {
		problem.Y[n] = s.y[p.variables[k]]
	}
	var vars [squares.Longest]int32
	var own [squares.Longest]float64
	for _, row := range q.order {
		r := &p.rows[row]
		ids, coef := p.terms(row)
		bias, free := r.c, 0
		for e, i := range ids {
			if number := s.marks[i]; number > 0 {
				vars[free], own[free] = p.numbers[number-1], coef[e]
				free++
			} else {
				bias += coef[e] * s.y[i]
			}
		}
		problem.Add(r.block.Kind, r.w, bias, vars[:free], own[:free])
	}
	ended := func() bool { return ctx.Err() != nil }
	if !problem.Solve(tolerance, s.Grain(), attempts, ended) && !ended() {
		return false
	}
	q.problem, q.y, q.left = problem, problem.Y, problem.Gap
	return true
}

// unsolvable tells whether a method has left off far from a solution.
func (s *State) unsolvable(r *solve.Result) bool {
	return r.Status.LeftOff() && (r.MaxViolation > s.settings.Feasibility || math.Abs(r.Gap) > hopeless)
}

// solvePiece solves one, beside others, and leaves the state as it is.
func (s *State) solvePiece(ctx context.Context, p *part, q *piece, tolerance float64) error {
	s.build(p, q)
	field := mrf.NewFieldOn(q.model, 1)
	field.SetWeights(s.theta)
	field.SetUnit(s.Unit(), s.Grain())
	limits := s.settings
	limits.Gap, limits.Threads, limits.Cursory = tolerance, 1, len(p.frontier) > 0
	if deadline, ok := ctx.Deadline(); ok {
		limits.TimeLimit = max(1, time.Until(deadline))
	}
	y, mu := make([]float64, len(q.variables)), make([]float64, len(q.order))
	for n, k := range q.variables {
		y[n] = s.y[p.variables[k]]
	}
	for n, row := range q.order {
		mu[n] = p.rows[row].mu
	}
	var result *solve.Result
	var err error
	if !p.stiff || len(q.order) > direct {
		quick, most := newton.New(field, limits), sweeps*float64(4*q.entries+len(y))
		if len(q.order) <= direct {
			quick.Limit(func(work float64) bool { return work < most })
		}
		quick.WarmStart(y, mu)
		if result, err = quick.Solve(ctx); err != nil {
			return err
		}
		q.stiff = s.unsolvable(result)
	}
	if len(q.order) <= direct && (result == nil || result.Status.LeftOff()) {
		if limits.Cursory {
			limits.MaxIterations = steps
		}
		other, err := interior.New(field, limits).Solve(ctx)
		if err != nil {
			return err
		}
		if result == nil || other.Status == solve.Infeasible || !worse(&other.Certificate, &result.Certificate) {
			result = other
		}
	}
	q.result, q.y, q.left = result, result.Y, math.Abs(result.Gap)*max(s.Grain(), math.Abs(result.Objective))
	return nil
}

// excessive is the gap, or the one that was asked for if that is more, in the unit of the objective.
func (s *State) excessive() float64 {
	return max(s.settings.Gap, math.Abs(s.Certificate().Gap)) * s.worth()
}

// surplus is by how much the gap is more than an aim, but for what the part has missed, in the unit of the objective.
func (s *State) surplus(p *part, aim float64) float64 {
	return (math.Abs(s.Certificate().Gap)-aim)*s.worth() - p.missed
}

// tolerance is the gap to which a part is solved, relative to its own objective: what is held around it moves in the
// next round, so that more would be for nothing while that of all is far from what it is to be.
func (s *State) tolerance(p *part) float64 {
	fine := spare * s.settings.Gap
	if p.exact || s.paying || p.entries() <= cheap || math.IsInf(s.aim, 1) {
		return fine
	}
	objective := 0.0
	for _, l := range s.shared(len(p.rows), gatherPortion, func(l *lookout, from, to int) {
		l.objective = 0
		for k := range p.rows[from:to] {
			l.objective += p.rows[from+k].cost()
		}
	}) {
		objective += l.objective
	}
	if coarse := rough * s.excessive() / max(s.Grain(), math.Abs(objective)); coarse > fine {
		return min(coarse, coarsest)
	}
	return fine
}

// sweeps is about how many of them Newton's method has.
const sweeps = 300

func worse(a, b *solve.Certificate) bool {
	return max(math.Abs(a.Gap), a.MaxViolation) > max(math.Abs(b.Gap), b.MaxViolation)
}

// pushed returns the variables around a part that add most to the gap; none if what all of them add
// is next to nothing.
func (s *State) pushed(p *part) (most []int32) {
	sum := 0.0
	for _, a := range p.around {
		sum += a.rest
	}
	if sum <= spare*s.settings.Gap*s.Grain() {
		return nil
	}
	for _, a := range p.around {
		if a.rest > sum/float64(2*len(p.frontier)) {
			most = append(most, a.i)
		}
	}
	return most
}

// grow returns what a part takes in next. Where that has been little each time, as it is along a chain, it is as much
// as the part has, of what is nearest: or else there would be as many rounds as it is long.
func (s *State) grow(p *part) []int32 {
	more, size := s.worst(p), len(p.variables)
	switch {
	case little*len(more) < size:
		p.crawled++
	case plenty*len(more) >= size:
		p.crawled = 0
	}
	if p.crawled < crawling {
		return more
	}
	return s.tie(more, size, looks+p.entries())
}

// worst returns those of the variables around a part, and of those that earlier changes have left pressed, that add
// most to the gap: as many as it takes for a part of what is too much, since those behind them will be pushed in turn,
// and as many as the part has, unless they add little or are ample. After pushed.
func (s *State) worst(p *part) (chosen []int32) {
	own := pressures{heap: p.around}
	own.order()
	s.ownPressed()
	excess := s.surplus(p, s.aim)
	needed, least := portion*excess, excess/float64(4*len(p.variables))
	if excess > far*s.aim*s.worth() {
		needed = most * excess
	}
	size, sum := len(p.variables), 0.0
	for own.len()+s.pressed.len() > 0 {
		from := &own
		if own.len() == 0 || s.pressed.len() > 0 && isHeavier(s.pressed.heap[0], own.heap[0]) {
			if from = &s.pressed; s.paid() {
				continue
			}
		}
		next := from.heap[0]
		if sum >= needed && (len(chosen) >= size || next.rest < least) || sum >= ample*excess && grown*len(chosen) >= size {
			break
		}
		from.drop()
		chosen, sum = append(chosen, next.i), sum+next.rest
	}
	return chosen
}

// negligible is what a variable may add to the gap and is forgotten.
func (s *State) negligible() float64 {
	return negligible * s.settings.Gap * s.worth() / float64(len(s.y))
}

// around is about how many coefficients the potentials of some variables have.
func (s *State) around(variables []int32) (entries int) {
	for _, i := range variables {
		entries += usual * s.occurs(i)
	}
	return entries
}

// usual is how many coefficients a potential has.
const usual = 3

// press notes variables that are left with some of the gap.
func (s *State) press(variables []int32) {
	for _, i := range variables {
		s.pressBy(i, s.rest(i))
	}
}

// pressBy notes a variable that is left with something.
func (s *State) pressBy(i int32, rest float64) {
	s.ownPressed()
	s.pressed.note(pressure{i, rest}, len(s.y))
}

// paid puts the first of those that are left pressed, which have what they had when they were noted, in its place if it
// is less now, and tells whether it was: it is in a part, or has been in one since.
func (s *State) paid() bool {
	first, rest := &s.pressed.heap[0], 0.0
	if s.marks[first.i] <= 0 {
		rest = s.rest(first.i)
	}
	switch {
	case rest <= s.negligible():
		s.pressed.drop()
	case rest < first.rest:
		first.rest = rest
		s.pressed.sink(0)
	default:
		return false
	}
	return true
}

// ownPressed sees to it that the heap of variables that are left pressed is not that which Rollback needs.
func (s *State) ownPressed() {
	if s.saved != nil && !s.saved.moved {
		s.pressed.heap, s.saved.moved = slices.Clone(s.pressed.heap), true
	}
}
