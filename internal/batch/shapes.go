package batch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
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
func shaped(ctx context.Context, g *session.Grounding, e *Examples, k int) (*shape, error) {
	if s := e.ground[e.Shapes[k]]; s != nil {
		return s, nil
	}
	one, blanks, err := groundExample(ctx, g, e, k)
	if err != nil {
		return nil, err
	}
	s := &shape{model: one.Model, inputs: renumbered(g, one.Tables.Store), blank: blanks}
	size := int64(shapeBytes)
	for _, b := range s.model.Blocks {
		size += b.Bytes()
	}
	if e.kept+size <= shapeMemory {
		e.kept += size
		e.ground[e.Shapes[k]] = s
	}
	return s, nil
}

// placed adds to an error of grounding which example it is about.
func (e *Examples) placed(err error, k int) error {
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
func groundExample(ctx context.Context, g *session.Grounding, e *Examples, k int) (*session.Grounding, []bool, error) {
	one, blanks, err := exampleAtoms(ctx, g, e, k)
	if err == nil {
		opts := g.Settings.Model.Options()
		opts.Threads = 1
		one.Model, one.Report, err = ground.Ground(ctx, g.Program, one.Tables.Store, opts)
	}
	return one, blanks, e.placed(err, k)
}

// exampleAtoms makes the atoms of example k. It also returns which of its slots are blank.
func exampleAtoms(ctx context.Context, g *session.Grounding, e *Examples, k int) (*session.Grounding, []bool, error) {
	one, blanks := *g, make([]bool, e.slots)
	for slot, row := range e.rows[k*e.slots : (k+1)*e.slots] {
		blanks[slot] = row == Blank
	}
	store := &relation.Store{Symbols: g.Base.Symbols, Relations: slices.Clone(g.Raw)}
	one.Tables = &load.Tables{Store: store, Truth: g.Tables.Truth}
	if e.facts != nil {
		addFacts(store, e.facts[k])
	}
	return &one, blanks, one.CompleteAtoms(ctx, blanks)
}

// Ground is session.Ground for all projects: one with examples is ground over the first of them.
func Ground(ctx context.Context, p *project.Project, phase load.Phase, networks *perceive.Networks) (
	*session.Grounding, error) {
	return session.Ground(ctx, p, phase, networks, Exemplify)
}

// Exemplify makes the atoms those of the phase's first example, so that what is ground, shown and counted is that.
func Exemplify(ctx context.Context, g *session.Grounding) error {
	if !g.Project.Config.HasExamples() {
		return nil
	}
	var diags source.Diagnostics
	e := Check(g, g.Project.Exampled(g.Phase), &diags)
	if err := diags.Err(); err != nil {
		return err
	}
	first, _, err := exampleAtoms(ctx, g, e, 0)
	if err != nil {
		return e.placed(err, 0)
	}
	g.Tables = first.Tables
	if g.Networks != nil {
		return g.Networks.Standardize(g.Project)
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
func renumbered(g *session.Grounding, store *relation.Store) (numbers []int32) {
	for k, atoms := range store.Relations {
		if atoms.FreeLen() == 0 || atoms.Free != relation.Perceived {
			continue
		}
		base := g.Base.Relations[k]
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			at, _ := base.Find(atoms.Tuple(nil, row)...)
			numbers = append(numbers, base.Number(at))
		}
	}
	return numbers
}

// Scene is the ground model of some examples side by side.
type Scene struct {
	learn.Scene
	shapes    []*shape // of the examples
	Variables int      // of one example
	inputs    int
}

// newScene puts examples of given shapes side by side.
func newScene(g *session.Grounding, members []*shape) (*Scene, error) {
	variables, inputs := g.Base.Number()
	s := &Scene{shapes: members, Variables: variables, inputs: inputs}
	s.Field = mrf.NewFieldOn(s.beside(members), g.Project.Threads)
	if inputs == 0 {
		return s, nil
	}
	perception, err := newPerceiver(g, members, inputs)
	if err == nil {
		s.Perception = perception
	}
	return s, err
}

// beside is the ground model of some shapes side by side.
func (s *Scene) beside(members []*shape) *mrf.Model {
	var parts []mrf.Part
	for k, of := range members {
		if k > 0 && of == members[k-1] {
			parts[len(parts)-1].Times++
			continue
		}
		parts = append(parts, mrf.Part{Model: of.model, Times: 1, Inputs: of.inputs})
	}
	return mrf.Beside(s.Variables, s.inputs, parts...)
}

// perceiver is the perception of a scene, in which no network gives the truth of some inputs: they stay 0, and no
// potential has them.
type perceiver struct {
	inner  *neural.Perception // nil if all slots are blank
	system *neural.System
	at     []int32 // which inputs the networks give
	bound  []neural.Binding
	x, up  []float64
	rows   []int32
	things [][]int32 // see Distributions; nil before
}

// newPerceiver binds the networks to the slots of examples that stand for something.
func newPerceiver(g *session.Grounding, members []*shape, inputs int) (*perceiver, error) {
	bindings, err := g.Networks.Bindings(g.Project.Config, g.Base)
	if err != nil {
		return nil, err
	}
	p := &perceiver{system: g.Networks.System}
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
	if p.bound = bound; len(bound) > 0 {
		p.inner, err = p.system.Bind(len(p.at), bound...)
	}
	return p, err
}

// numbered numbers the slots that stand for something, from first on, which it moves; the others are blank.
func numbered(blanks []bool, first *int) []int32 {
	numbers := make([]int32, len(blanks))
	for slot, absent := range blanks {
		if numbers[slot] = Blank; !absent {
			numbers[slot] = int32(*first)
			*first++
		}
	}
	return numbers
}

// Forward implements perception.Networks.
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

// Backward implements perception.Networks.
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
func (p *perceiver) States() []perception.State {
	if p.inner == nil {
		return nil
	}
	return p.inner.States()
}

// Parameters implements perception.Networks.
func (p *perceiver) Parameters() []*perception.Parameter { return p.system.Parameters() }

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
func (s *Scene) show(e *Examples, members []int32) error {
	p, _ := s.Perception.(*perceiver)
	if p == nil || p.inner == nil {
		return nil
	}
	p.rows = p.rows[:0]
	for _, k := range members {
		for _, row := range e.rows[int(k)*e.slots : (int(k)+1)*e.slots] {
			if row != Blank {
				p.rows = append(p.rows, row)
			}
		}
	}
	return p.inner.Select(p.rows)
}

// Stage makes scenes, and keeps the first of them: many batches have the same.
type Stage struct {
	Grounding *session.Grounding
	Examples  *Examples
	Solver    func(*mrf.Field) (solve.Solver, error)
	scenes    map[string]*Scene
	answers   learn.Answers
}

// maxScenes is how many scenes are kept. Examples of one shape need one.
const maxScenes = 32

// Scene returns the scene of some examples, sorted by their shapes. What else tells scenes apart stands in kinds.
func (s *Stage) Scene(ctx context.Context, members, kinds []int32) (*Scene, error) {
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
		if shapes[p], err = shaped(ctx, s.Grounding, s.Examples, int(k)); err != nil {
			return nil, err
		}
	}
	made, err := newScene(s.Grounding, shapes)
	if err != nil {
		return nil, err
	}
	if made.Solver, err = s.Solver(made.Field); err != nil {
		return nil, err
	}
	for _, k := range members {
		made.Shapes = append(made.Shapes, s.Examples.Shapes[k])
	}
	if s.scenes == nil {
		s.scenes = make(map[string]*Scene)
	}
	if len(s.scenes) < maxScenes {
		s.scenes[string(key)] = made
	}
	return made, nil
}

// Size returns how many examples are put side by side: not more than there are, nor features for each slot.
func Size(g *session.Grounding, most int, e *Examples) int {
	most = min(most, e.Count)
	if g.Networks != nil {
		for _, table := range g.Networks.Features {
			most = min(most, max(1, table.Len()/max(1, e.slots)))
		}
	}
	return most
}

// contradiction prints the hard ground rules of a scene's example k, those at places among all of the scene, that
// cannot hold together; with labels, they cannot hold with those. It is example number of the table.
func (s *Stage) contradiction(ctx context.Context, at *Scene, k, number int, places []int, labels *label.Labels) (
	rules []string) {
	one, _, err := groundExample(ctx, s.Grounding, s.Examples, number)
	if err != nil {
		return nil
	}
	var own []int
	for _, place := range places {
		if of, potential := at.locate(place); of == k {
			own = append(own, potential)
		}
	}
	model := one.Model
	if labels != nil {
		model = model.Clamp(at.labelsOf(k, labels))
	}
	one.Field = mrf.NewFieldOn(model, 1)
	one.Field.SetWeights(at.Field.Weights())
	x := make([]float64, model.Inputs)
	for n, i := range at.shapes[k].inputs {
		x[n] = at.Field.Inputs()[k*at.inputs+int(i)]
	}
	one.Field.SetInputs(x)
	slices.Sort(own)
	return one.Conflict(ctx, own)
}

// locate finds the example that a potential of the scene belongs to, and which one of its shape's it is.
func (s *Scene) locate(place int) (example, at int) {
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
func (s *Scene) labelsOf(example int, labels *label.Labels) (variables []int32, truth []float64) {
	for k, i := range labels.Variables {
		if int(i)/s.Variables == example {
			variables, truth = append(variables, i%int32(s.Variables)), append(truth, labels.Truth[k])
		}
	}
	return variables, truth
}
