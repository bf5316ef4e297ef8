package ground

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Tracer finds what ground rules were made from: nothing of that is stored, since observed atoms have become parts of
// constants. It gives the variables of the rule the constants that the free atoms of the ground rule have, runs the
// rule's own machine for the rest, and takes the grounding that makes the very same ground rule. It keeps the routines
// that it needs, and is not safe for concurrent use.
type Tracer struct {
	prog   *program.Program
	store  *relation.Store
	scope  *scope
	probes map[probeKey]*probe
	row    mrf.RowBuffer
	asking map[int]*asking // by predicate
	listed [2]int          // how many rules and constants there were for it
	key    []byte          // of the last probe that was asked for
	// version is that of a living store for which the probes were made.
	version int
}

// Instance is a grounding of a rule.
type Instance struct {
	Rule *program.Rule
	// Constants are what the variables stand for, by their names; summation variables have none.
	Constants map[string]string
	// Constant is the template's, and Terms its atoms: Σ coefficient · value + constant is what the rule bounds by 0.
	Constant float64
	Terms    []Term
	// Weight is the atom whose value multiplies the rule's weight; nil if there is none.
	Weight *Term
}

// Term is an atom of a grounding with its coefficient. A sum has one for each of its atoms.
type Term struct {
	Relation *relation.Relation
	// Row is the atom's; below 0 if no table has it, so that its value is 0, or that of a function.
	Row       int32
	Arguments []string
	Coef      float64
	// Value is that of an observed atom; of others it has no meaning.
	Value float64
}

// Free tells whether the atom is a target or an input.
func (t *Term) Free() bool { return t.Row >= 0 && int(t.Row) >= t.Relation.Observed }

// NewTracer makes a tracer for models of a program over a store.
func NewTracer(prog *program.Program, store *relation.Store) *Tracer {
	t := &Tracer{prog: prog, store: store, scope: newScope(store), probes: make(map[probeKey]*probe)}
	for _, rule := range prog.Rules {
		t.scope.declare(rule)
	}
	return t
}

// Trace returns the grounding that potential j of a block was made from; of several that make the same potential, the
// one after so many others. It returns nil if there is none: the model is not that of the program and the store.
func (t *Tracer) Trace(b *mrf.Block, j, others int) (found *Instance) {
	s := t.search(b, j)
	s.take = func(p *probe, m *machine, made *potential) bool {
		if !made.equals(&s.wanted) || !s.fresh(m) {
			return true
		}
		if others--; others >= 0 {
			return true
		}
		found, s.done = p.instance(m), true
		return false
	}
	s.match(0)
	return found
}

// TraceAll is Trace of potentials of one rule that have the same free atoms, in one search: rows of blocks, in their
// order.
func (t *Tracer) TraceAll(blocks []*mrf.Block, rows []int) (found []*Instance) {
	var made, wanted []candidate
	for k, b := range blocks {
		g := candidate{number: k}
		g.read(b, rows[k], &t.row)
		wanted = append(wanted, g)
	}
	slices.SortStableFunc(wanted, candidate.order)
	s := t.search(blocks[0], rows[0])
	s.take = func(p *probe, m *machine, q *potential) bool {
		if q.about(&s.wanted) && s.fresh(m) {
			made = append(made, candidate{potential: q.clone(), instance: p.instance(m)})
		}
		return true
	}
	s.enough = func() bool { // mostly what binds most variables
		if len(made) < len(wanted) {
			return false
		}
		found = pair(made, wanted)
		return !slices.Contains(found, nil)
	}
	if s.match(0); found == nil {
		found = pair(made, wanted)
	}
	return found
}

// candidate is what a search has come to, a potential and what it was made from, or one that it looks for.
type candidate struct {
	potential
	number   int
	instance *Instance
}

func (g candidate) order(h candidate) int { return g.compare(&h.potential) }

// pair finds for each potential, in their order, one of those that were made, which are no fewer: some hold anyway.
func pair(made, wanted []candidate) []*Instance {
	made = slices.Clone(made)
	slices.SortStableFunc(made, candidate.order)
	found := make([]*Instance, len(wanted))
	for _, w := range wanted {
		for len(made) > 0 && !made[0].says(&w.potential) && made[0].order(w) < 0 {
			made = made[1:]
		}
		if len(made) > 0 && made[0].says(&w.potential) {
			found[w.number], made = made[0].instance, made[1:]
		}
	}
	return found
}

// search begins a search for what a potential was made from.
func (t *Tracer) search(b *mrf.Block, j int) *trace {
	rule := t.prog.Rules[b.Rule]
	s := &trace{tracer: t, rule: rule, values: slices.Repeat([]symbol.ID{unbound}, len(rule.Variables))}
	s.wanted.read(b, j, &t.row)
	for _, side := range sides(b, j) {
		from, to := side.row(j)
		for k := from; k < to; k++ {
			r, row := t.store.Locate(side.role, side.index[k])
			s.atoms = append(s.atoms, groundAtom{r, row})
		}
	}
	return s
}

// unbound stands for the constant of a variable that has none.
const unbound symbol.ID = -1

// groundAtom is an atom by its row.
type groundAtom struct {
	relation *relation.Relation
	row      int32
}

// trace is one search: for atoms of the rule that are free atoms of the ground rule, and so for the constants of their
// variables.
type trace struct {
	tracer *Tracer
	rule   *program.Rule
	wanted potential
	atoms  []groundAtom
	values []symbol.ID
	tried  bindings // that machines have run for
	// take looks at a grounding, and returns false if it is the last one to look at.
	take func(p *probe, m *machine, made *potential) bool
	// enough, which may be nil, tells after each run whether all has been found.
	enough func() bool
	done   bool
}

// match lets the rule's atoms from the k-th on be free atoms of the ground rule, or else observed, and runs a machine
// for each choice.
func (s *trace) match(k int) {
	if s.done {
		return
	}
	if k == len(s.rule.Atoms) {
		s.run()
		return
	}
	before, a := slices.Clone(s.values), &s.rule.Atoms[k]
	var seen bindings
	for _, atom := range s.atoms {
		copy(s.values, before)
		if s.tracer.store.Relations[a.Predicate] == atom.relation && s.unify(a, atom) && seen.add(s.values) {
			s.match(k + 1)
		}
	}
	copy(s.values, before)
	if seen.add(before) {
		s.match(k + 1)
	}
}

// bindings are values of a rule's variables, each once.
type bindings [][]symbol.ID

// add adds values, and tells whether they are new.
func (b *bindings) add(values []symbol.ID) bool {
	if slices.ContainsFunc(*b, func(known []symbol.ID) bool { return slices.Equal(known, values) }) {
		return false
	}
	*b = append(*b, slices.Clone(values))
	return true
}

// unify gives the variables of a rule's atom the constants of a ground atom, and tells whether that is possible.
func (s *trace) unify(a *program.Atom, ground groundAtom) bool {
	return s.bind(a, ground.relation.Tuple(nil, ground.row))
}

// run goes through the groundings with the present values, unless that has been done.
func (s *trace) run() {
	if !s.tried.add(s.values) {
		return
	}
	p := s.tracer.probe(s.rule, s.values)
	p.each(s.values, func(m *machine, made *potential) bool { return s.take(p, m, made) })
	s.done = s.done || s.enough != nil && s.enough()
}

// fresh tells whether a grounding has not been passed over yet, with fewer variables bound.
func (s *trace) fresh(m *machine) bool {
	for _, values := range s.tried[:len(s.tried)-1] {
		agrees := true
		for v, id := range values {
			agrees = agrees && (id == unbound || id == m.slots[v])
		}
		if agrees {
			return false
		}
	}
	return true
}

// potential is a ground rule in numbers.
type potential struct {
	vars, inputs    []int32
	coef, inputCoef []float64
	constant        float64
	scale           float32
}

// read takes a potential from a block.
func (p *potential) read(b *mrf.Block, j int, buffer *mrf.RowBuffer) {
	vars, coef := b.Row(j, buffer)
	p.vars, p.coef = slices.Clone(vars), append(p.coef[:0], coef...)
	side := sides(b, j)[1]
	from, to := side.row(j)
	for k := from; k < to; k++ {
		p.inputs = append(p.inputs, side.index[k])
		p.inputCoef = append(p.inputCoef, side.coefficient(k-from, k))
	}
	p.constant, p.scale = constantOf(b, j), float32(scaleOf(b, j))
}

// made takes the only potential that a batch has.
func (p *potential) made(b *batch, constant float64) {
	p.vars, p.inputs = b.vars, b.inputs
	if b.ragged {
		p.coef, p.inputCoef = append(p.coef[:0], b.pattern...), append(p.inputCoef[:0], b.inputPattern...)
	} else {
		p.coef, p.inputCoef = append(p.coef[:0], b.coef...), append(p.inputCoef[:0], b.inputCoef...)
	}
	p.constant, p.scale = constant+b.firstBias, 1
	if b.weighted {
		p.scale = b.scale[0]
	}
}

// equals compares two potentials, in the order of their atoms.
func (p *potential) equals(q *potential) bool { return p.about(q) && p.says(q) }

// about tells whether potentials have the same atoms.
func (p *potential) about(q *potential) bool {
	return slices.Equal(p.vars, q.vars) && slices.Equal(p.inputs, q.inputs)
}

// says tells whether potentials of the same atoms are the same.
func (p *potential) says(q *potential) bool {
	return slices.Equal(p.coef, q.coef) && slices.Equal(p.inputCoef, q.inputCoef) && p.scale == q.scale &&
		mrf.SameConstant(p.constant, q.constant)
}

// compare orders potentials of the same atoms.
func (p *potential) compare(q *potential) int {
	return cmp.Or(cmp.Compare(p.scale, q.scale), slices.Compare(p.coef, q.coef), slices.Compare(p.inputCoef, q.inputCoef),
		cmp.Compare(p.constant, q.constant))
}

// clone returns a potential that stays as it is, without its atoms.
func (p *potential) clone() potential {
	return potential{
		coef: slices.Clone(p.coef), inputCoef: slices.Clone(p.inputCoef), constant: p.constant, scale: p.scale,
	}
}

// probeKey is a rule and which of its variables are bound.
type probeKey struct {
	rule  int
	bound string
}

// probe is a machine for groundings of a rule in which some variables are bound.
type probe struct {
	*routine
	machine    *machine
	stop       atomic.Bool
	make       func(*machine) // the routine's own emit
	conditions []comparison   // that are decided before the first step
	arguments  [][]int32      // slots of the atoms'
	weight     []int32        // and of the weight's atom
	shape      *mrf.Block     // what its potentials have in common
	visit      func(m *machine, made *potential) bool
	wanted     func(m *machine) bool // which groundings count; nil for all
	potential  potential
}

// probe returns that of a rule for the variables that have values.
func (t *Tracer) probe(rule *program.Rule, values []symbol.ID) *probe {
	t.key = t.key[:0]
	for _, id := range values {
		t.key = append(t.key, 0)
		if id != unbound {
			t.key[len(t.key)-1] = 1
		}
	}
	t.refresh()
	if known, ok := t.probes[probeKey{rule.Index, string(t.key)}]; ok {
		return known
	}
	bound := make([]bool, len(values))
	for v, id := range values {
		bound[v] = id != unbound
	}
	chosen := plan.Bound(rule, t.store, bound)
	p := &probe{routine: compile(1, chosen, t.scope)}
	p.shape = p.block()
	for _, k := range chosen.Conditions {
		p.conditions = append(p.conditions, p.comparison(&rule.Conditions[k]))
	}
	for k := range rule.Atoms {
		p.arguments = append(p.arguments, p.slotsOf(&rule.Atoms[k], every(len(rule.Atoms[k].Args))))
	}
	if a := rule.Weight.Atom; a != nil {
		p.weight = p.slotsOf(a, every(len(a.Args)))
	}
	p.pivot = -1 // what its key holds is not known before it runs
	p.make = p.emit
	p.emitBy(p.emitted)
	p.machine = newMachine(p.routine, &p.stop)
	if !t.sizedBySome(rule) {
		t.probes[probeKey{rule.Index, string(t.key)}] = p
	}
	return p
}

// refresh forgets the probes where what they took from a living store is no longer its own.
func (t *Tracer) refresh() {
	version := 0
	for _, r := range t.store.Relations {
		if r.Lives() {
			version += r.Version()
		}
	}
	if version != t.version {
		clear(t.probes)
		t.version = version
	}
}

// each visits the groundings that make a potential, until visit returns false.
func (p *probe) each(values []symbol.ID, visit func(m *machine, made *potential) bool) {
	m := p.machine
	m.problems = problems{}
	for v, id := range values {
		if id != unbound {
			m.slots[v] = id
		}
	}
	for k := range p.conditions {
		if !p.conditions[k].holds(m.slots) {
			return
		}
	}
	if p.upper <= p.dust {
		return
	}
	p.stop.Store(false)
	p.visit = visit
	m.run(cut{}, cut{})
}

// emitted takes what a grounding makes, if it makes anything, and empties the machine.
func (p *probe) emitted(m *machine) {
	before := m.counts.Potentials
	if p.stop.Load() || p.wanted != nil && !p.wanted(m) {
		return
	}
	if p.make(m); m.counts.Potentials == before {
		return
	}
	for _, b := range m.batches {
		if b.len == 0 {
			continue
		}
		p.potential.made(b, p.constant)
		if !p.visit(m, &p.potential) {
			p.stop.Store(true)
		}
		b.reset()
	}
}

// instance is the grounding at hand.
func (p *probe) instance(m *machine) *Instance {
	out := &Instance{Rule: p.rule, Constants: make(map[string]string)}
	for v, variable := range p.rule.Variables {
		if !variable.Summation {
			out.Constants[variable.Name] = p.scope.name(m.slots[v])
		}
	}
	for name, t := range p.rule.Same {
		if out.Constants[name] = t.Constant; t.IsVariable() {
			out.Constants[name] = p.scope.name(m.slots[t.Variable])
		}
	}
	out.Constant, _ = m.coefficient(p.rule.Constant, p.constant)
	for k := range m.atoms {
		a := &m.atoms[k]
		rows := m.rowsOf(k)
		if len(rows) == 0 {
			continue
		}
		coef, _ := m.coefficient(a.expr, a.coef)
		for _, row := range rows {
			out.Terms = append(out.Terms, p.term(m, k, row, coef))
		}
	}
	if p.weight != nil {
		out.Weight = &Term{Relation: p.scope.store.Relations[p.rule.Weight.Atom.Predicate], Row: -1, Value: m.scale}
		key := make([]symbol.ID, len(p.weight))
		for i, slot := range p.weight {
			key[i] = m.slots[slot]
			out.Weight.Arguments = append(out.Weight.Arguments, p.scope.name(key[i]))
		}
		if r := out.Weight.Relation; r.Function == nil {
			out.Weight.Row = r.Tuples().Find(key)
		}
	}
	return out
}

// term is atom k of the grounding at hand, or one of its sum.
func (p *probe) term(m *machine, k int, row int32, coef float64) Term {
	a := &m.atoms[k]
	t := Term{Relation: p.scope.store.Relations[p.rule.Atoms[k].Predicate], Row: row, Coef: coef}
	if row < 0 || a.function != nil {
		if row >= 0 {
			t.Row, t.Value = -1, a.value(row)
		}
		for _, slot := range p.arguments[k] {
			t.Arguments = append(t.Arguments, p.scope.name(m.slots[slot]))
		}
		return t
	}
	if row < a.observed {
		t.Value = a.value(row)
	}
	for _, column := range t.Relation.Columns {
		t.Arguments = append(t.Arguments, p.scope.name(column[row]))
	}
	return t
}
