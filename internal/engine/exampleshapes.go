package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural"
)

// shape is the ground model of the examples that have the same facts and the same blank slots. All shapes have the
// variables of the grounding's base, in the same order, and some of its inputs.
type shape struct {
	model  *mrf.Model
	inputs []int32 // what numbers its inputs have in the base
	blank  []bool  // which slots stand for nothing
}

// shapeMemory bounds the bytes of the ground models of shapes that are kept, and shapeBytes is what each takes beside
// its arenas. Those that do not fit are ground anew whenever they are seen: since all are seen in turn, it is best to
// keep the first.
const (
	shapeMemory = 64 << 20
	shapeBytes  = 4 << 10
)

// shaped returns the shape of example k.
func (g *Grounding) shaped(ctx context.Context, e *examples, k int) (*shape, error) {
	if s := e.ground[e.shapes[k]]; s != nil {
		return s, nil
	}
	one, blanks, err := g.groundExample(ctx, e, k)
	if err != nil {
		return nil, err
	}
	s := &shape{model: one.model, inputs: g.renumbered(one.tables.Store), blank: blanks}
	size := int64(shapeBytes)
	for _, b := range s.model.Blocks {
		size += b.Bytes()
	}
	if e.kept+size <= shapeMemory {
		e.kept += size
		e.ground[e.shapes[k]] = s
	}
	return s, nil
}

// placed adds to an error of grounding which example it is about.
func (e *examples) placed(err error, k int) error {
	failure := (*source.Failure)(nil)
	if !errors.As(err, &failure) || e.facts == nil {
		return err
	}
	var diags source.Diagnostics
	for _, d := range failure.Diagnostics {
		d.Message += fmt.Sprintf(", in example %s (%s)", e.name(k), e.span(k))
		diags.Add(d)
	}
	return diags.Err()
}

// groundExample grounds the rules over the atoms of example k. It also returns which of its slots are blank.
func (g *Grounding) groundExample(ctx context.Context, e *examples, k int) (*Grounding, []bool, error) {
	one, blanks, err := g.exampleAtoms(ctx, e, k)
	if err == nil {
		opts := g.settings.model.grounding()
		opts.Threads = 1
		one.model, one.report, err = ground.Ground(ctx, g.program, one.tables.Store, opts)
	}
	return one, blanks, e.placed(err, k)
}

// exampleAtoms makes the atoms of example k. It also returns which of its slots are blank.
func (g *Grounding) exampleAtoms(ctx context.Context, e *examples, k int) (*Grounding, []bool, error) {
	one, blanks := *g, make([]bool, e.slots)
	for slot, row := range e.rows[k*e.slots : (k+1)*e.slots] {
		blanks[slot] = row == blank
	}
	store := &relation.Store{Symbols: g.base.Symbols, Relations: slices.Clone(g.raw)}
	one.tables = &load.Tables{Store: store, Truth: g.tables.Truth}
	if e.facts != nil {
		addFacts(store, e.facts[k])
	}
	return &one, blanks, one.completeAtoms(ctx, blanks)
}

// Exampled returns the phase whose examples a phase is about: its own, or else the first one's that has any.
func (p *Project) Exampled(phase Phase) Phase {
	for _, other := range []Phase{phase, Learn, Validation, Infer} {
		if p.config.Examples[other] != nil {
			return other
		}
	}
	return phase
}

// exemplify makes the atoms those of the phase's first example, so that what is ground, shown and counted is that.
func (g *Grounding) exemplify(ctx context.Context) error {
	var diags source.Diagnostics
	e := g.checkExamples(g.project.Exampled(g.phase), &diags)
	if err := diags.Err(); err != nil {
		return err
	}
	first, _, err := g.exampleAtoms(ctx, e, 0)
	if err != nil {
		return e.placed(err, 0)
	}
	g.tables = first.tables
	if g.networks != nil {
		return g.networks.standardize(g.project)
	}
	return nil
}

// addFacts adds observed atoms, sorted by predicate, to closed relations.
func addFacts(store *relation.Store, facts []fact) {
	for len(facts) > 0 {
		k := facts[0].predicate
		atoms := store.Relations[k]
		builder := relation.NewBuilder(atoms.Name, atoms.Arity)
		for row := range int32(atoms.Len()) {
			builder.MustAdd(atoms.Tuple(nil, row), atoms.Value(row), relation.Observed)
		}
		for ; len(facts) > 0 && facts[0].predicate == k; facts = facts[1:] {
			builder.MustAdd(facts[0].tuple, facts[0].value, relation.Observed)
		}
		store.Relations[k] = builder.Relation(atoms.Open)
	}
}

// renumbered returns the numbers that the inputs of a store have in the base.
func (g *Grounding) renumbered(store *relation.Store) (numbers []int32) {
	for k, atoms := range store.Relations {
		if atoms.FreeLen() == 0 || atoms.Free != relation.Perceived {
			continue
		}
		base := g.base.Relations[k]
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			at, _ := base.Find(atoms.Tuple(nil, row)...)
			numbers = append(numbers, base.Number(at))
		}
	}
	return numbers
}

// scene is the ground model of some examples side by side.
type scene struct {
	learn.Scene
	shapes    []*shape // of the examples
	variables int      // of one example
	inputs    int
}

// newScene puts examples of given shapes side by side.
func (g *Grounding) newScene(members []*shape) (*scene, error) {
	var parts []mrf.Part
	for k, s := range members {
		if k > 0 && s == members[k-1] {
			parts[len(parts)-1].Times++
			continue
		}
		parts = append(parts, mrf.Part{Model: s.model, Times: 1, Inputs: s.inputs})
	}
	variables, inputs := g.base.Number()
	s := &scene{shapes: members, variables: variables, inputs: inputs}
	s.Field = mrf.NewField(mrf.Beside(variables, inputs, parts...))
	s.Field.Threads = parallel.Threads(g.project.Threads)
	if inputs == 0 {
		return s, nil
	}
	perception, err := g.perceiver(members, inputs)
	if err == nil {
		s.Perception = perception
	}
	return s, err
}

// perceiver is the perception of a scene, in which no network gives the truth of some inputs: they stay 0, and no
// potential has them.
type perceiver struct {
	inner  *neural.Perception // nil if all slots are blank
	system *neural.System
	at     []int32 // which inputs the networks give
	x, up  []float64
	rows   []int32
	things [][]int32 // see Distributions; nil before
}

// perceiver binds the networks to the slots of examples that stand for something.
func (g *Grounding) perceiver(members []*shape, inputs int) (*perceiver, error) {
	bindings, err := g.networks.bindings(g.project.config, g.base)
	if err != nil {
		return nil, err
	}
	p := &perceiver{system: g.networks.system}
	var bound []neural.Binding
	for _, one := range bindings {
		many := neural.Binding{Network: one.Network}
		first := 0
		for e, s := range members {
			numbers := numbered(s.blank, &first)
			for k, x := range one.Inputs {
				if number := numbers[one.Rows[k]]; number >= 0 {
					many.Inputs = append(many.Inputs, int32(len(p.at)))
					p.at = append(p.at, x+int32(e*inputs))
					many.Rows, many.Classes = append(many.Rows, number), append(many.Classes, one.Classes[k])
				}
			}
		}
		if len(many.Inputs) > 0 {
			bound = append(bound, many)
		}
	}
	p.x, p.up = make([]float64, len(p.at)), make([]float64, len(p.at))
	if len(bound) > 0 {
		p.inner, err = p.system.Bind(len(p.at), bound...)
	}
	return p, err
}

// numbered numbers the slots that stand for something, from first on, which it moves; the others are blank.
func numbered(blanks []bool, first *int) []int32 {
	numbers := make([]int32, len(blanks))
	for slot, absent := range blanks {
		if numbers[slot] = blank; !absent {
			numbers[slot] = int32(*first)
			*first++
		}
	}
	return numbers
}

// Forward implements learn.Perception.
func (p *perceiver) Forward(x []float64, train bool, seed uint64) error {
	clear(x)
	if p.inner == nil {
		return nil
	}
	if err := p.inner.Forward(p.x, train, seed); err != nil {
		return err
	}
	for k, i := range p.at {
		x[i] = p.x[k]
	}
	return nil
}

// Backward implements learn.Perception.
func (p *perceiver) Backward(upstream []float64) error {
	if p.inner == nil {
		return nil
	}
	for k, i := range p.at {
		p.up[k] = upstream[i]
	}
	return p.inner.Backward(p.up)
}

// States implements learn.Observable.
func (p *perceiver) States() []learn.NetworkState {
	if p.inner == nil {
		return nil
	}
	return p.inner.States()
}

// Parameters implements learn.Perception.
func (p *perceiver) Parameters() []*learn.Parameter { return p.system.Parameters() }

// Distributions implements learn.Distributed.
func (p *perceiver) Distributions() [][]int32 {
	if p.things == nil && p.inner != nil {
		for _, inner := range p.inner.Distributions() {
			thing := make([]int32, len(inner))
			for k, i := range inner {
				thing[k] = p.at[i]
			}
			p.things = append(p.things, thing)
		}
	}
	return p.things
}

// show makes the scene that of the given examples, whose shapes are its own.
func (s *scene) show(e *examples, members []int32) error {
	p, _ := s.Perception.(*perceiver)
	if p == nil || p.inner == nil {
		return nil
	}
	p.rows = p.rows[:0]
	for _, k := range members {
		for _, row := range e.rows[int(k)*e.slots : (int(k)+1)*e.slots] {
			if row != blank {
				p.rows = append(p.rows, row)
			}
		}
	}
	return p.inner.Select(p.rows)
}

// stage makes scenes, and keeps the first of them: many batches have the same.
type stage struct {
	grounding *Grounding
	examples  *examples
	solver    func(*mrf.Field) (solve.Solver, error)
	scenes    map[string]*scene
}

// maxScenes is how many scenes are kept. Examples of one shape need one.
const maxScenes = 32

// scene returns the scene of some examples, sorted by their shapes. What else tells scenes apart stands in kinds.
func (s *stage) scene(ctx context.Context, members, kinds []int32) (*scene, error) {
	var key []byte
	for _, k := range members {
		key = binary.LittleEndian.AppendUint32(key, uint32(kinds[k]))
	}
	if found := s.scenes[string(key)]; found != nil {
		return found, nil
	}
	shapes := make([]*shape, len(members))
	var err error
	for p, k := range members {
		if shapes[p], err = s.grounding.shaped(ctx, s.examples, int(k)); err != nil {
			return nil, err
		}
	}
	made, err := s.grounding.newScene(shapes)
	if err != nil {
		return nil, err
	}
	if made.Solver, err = s.solver(made.Field); err != nil {
		return nil, err
	}
	if s.scenes == nil {
		s.scenes = make(map[string]*scene)
	}
	if len(s.scenes) < maxScenes {
		s.scenes[string(key)] = made
	}
	return made, nil
}

// size returns how many examples are put side by side: not more than there are, nor features for each slot.
func (g *Grounding) size(most int, e *examples) int {
	most = min(most, e.count)
	if g.networks != nil {
		for _, table := range g.networks.features {
			most = min(most, max(1, table.Len()/max(1, e.slots)))
		}
	}
	return most
}

// contradiction prints the hard ground rules of a scene's example k, those at places among all of the scene, that
// cannot hold together; with labels, they cannot hold with those. It is example number of the table.
func (s *stage) contradiction(ctx context.Context, at *scene, k, number int, places []int, labels *learn.Labels) (
	rules []string) {
	one, _, err := s.grounding.groundExample(ctx, s.examples, number)
	if err != nil {
		return nil
	}
	var own []int
	for _, place := range places {
		if of, potential := at.locate(place); of == k {
			own = append(own, potential)
		}
	}
	model := one.model
	if labels != nil {
		model = model.Clamp(at.labelsOf(k, labels))
	}
	one.field = mrf.NewField(model)
	one.field.SetWeights(at.Field.Weights())
	x := make([]float64, model.Inputs)
	for n, i := range at.shapes[k].inputs {
		x[n] = at.Field.Inputs()[k*at.inputs+int(i)]
	}
	one.field.SetInputs(x)
	slices.Sort(own)
	return one.conflict(ctx, own)
}

// locate finds the example that a potential of the scene belongs to, and which one of its shape's it is.
func (s *scene) locate(place int) (example, at int) {
	first := 0
	for example < len(s.shapes) {
		shape, times, before := s.shapes[example], 0, 0
		for example+times < len(s.shapes) && s.shapes[example+times] == shape {
			times++
		}
		if n := times * shape.model.Potentials(); place >= first+n {
			first, example = first+n, example+times
			continue
		}
		place -= first
		for _, b := range shape.model.Blocks {
			if place < times*b.Len {
				return example + place/b.Len, before + place%b.Len
			}
			place, before = place-times*b.Len, before+b.Len
		}
	}
	panic("deeppsl: a potential of no example")
}

// labelsOf returns the labelled variables of an example, by their numbers there, and their values.
func (s *scene) labelsOf(example int, labels *learn.Labels) (variables []int32, truth []float64) {
	for k, i := range labels.Variables {
		if int(i)/s.variables == example {
			variables, truth = append(variables, i%int32(s.variables)), append(truth, labels.Truth[k])
		}
	}
	return variables, truth
}
