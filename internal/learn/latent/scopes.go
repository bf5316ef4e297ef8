package latent

import (
	"maps"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

const (
	// mostChoices bounds those of a scope, and mostSummed those while hidden targets are summed out of it.
	MostChoices, mostSummed = 10_000, 100_000
	// MostTried bounds the work of New: choices times the terms that they are tried in.
	MostTried = 500_000_000
)

// Sight is what is known of the inputs.
type Sight struct {
	Things  [][]int32       // the inputs of things with classes; all other inputs are things by themselves
	Twins   map[int32]int32 // those of targets without a label that rules say are as networks see them
	Without []bool          // those that have no part in it, nor have ground rules that speak of them; nil for none
}

// New prepares the likelihood of labels under a field's weights. It is nil if no ground rule ties a label to
// inputs and to nothing else that is unknown, or if there is more to try than most.
func New(field *mrf.Field, labels *label.Labels, sight Sight, most int) *Likelihood {
	if hidden := findHidden(field.Model, labels); hidden != nil {
		if latent := build(field, labels, sight, hidden, most); latent != nil {
			return latent
		}
	}
	return build(field, labels, sight, nil, most)
}

// build is New with the hidden targets that are to be summed out, or without any.
func build(field *mrf.Field, labels *label.Labels, sight Sight, hidden *hidden, most int) *Likelihood {
	b := builder{field: field, truth: make(map[int32]float64, len(labels.Variables)), sight: sight, most: most,
		hidden: hidden, meanings: make(map[int32]meaning), groupOf: make(map[int32]*labelGroup)}
	for t, inputs := range sight.Things {
		for class, i := range inputs {
			b.meanings[i] = meaning{t, class}
		}
	}
	for k, i := range labels.Variables {
		b.truth[i] = labels.Truth[k]
	}
	b.group(labels)
	b.findLargest()
	b.findReached()
	for _, block := range field.Model.Blocks {
		if !b.add(block) {
			return nil
		}
	}
	b.addAllScopes()
	if b.latent.Len() == 0 || b.latent.tried > most {
		return nil
	}
	return &b.latent
}

// builder finds the scopes.
type builder struct {
	field    *mrf.Field
	truth    map[int32]float64
	sight    Sight
	meanings map[int32]meaning // of inputs of things with classes
	largest  float64           // weight of the rules that tie labels to inputs
	most     int
	groups   []*labelGroup
	groupOf  map[int32]*labelGroup
	forms    int                     // that groups have
	hidden   *hidden                 // nil if none are summed out
	reached  map[int32][]*labelGroup // by a cluster of hidden targets, those that ground rules tie to it
	latent   Likelihood
}

// meaning is what an input says: that a thing, by its number, is of a class.
type meaning struct{ thing, class int }

// meaning returns that of any input: things by themselves have numbers below 0.
func (b *builder) meaning(input int32) meaning {
	if m, classified := b.meanings[input]; classified {
		return m
	}
	return meaning{thing: -1 - int(input)}
}

// labelGroup is labels that have other values together.
type labelGroup struct {
	values []otherValues // that they could have; the first are the true ones
	parts  []*part
	at     map[string]*part
	free   []float64 // what ground rules cost that speak of no thing, by the values
}

// otherValues are those of labels that are not the true ones.
type otherValues map[int32]float64

// part is what ground rules about the same things cost: by the labels' values, and by the choice of classes.
type part struct {
	numbers []int // of the things, ascending
	scope   *scope
	costs   [][]float64
	least   []float64 // with the true labels and the best values of what is summed out; nil if that is costs[0]
}

// group finds which labels have other values together, and which values.
func (b *builder) group(labels *label.Labels) {
	e := label.NewEqualities(b.withChoices(labels), labels)
	root := make(map[int32]int32, len(labels.Variables)) // of a label's group
	find := func(i int32) int32 {
		for root[i] != i {
			i = root[i]
		}
		return i
	}
	for _, i := range labels.Variables {
		root[i] = i
	}
	others := make([]otherValues, len(labels.Variables))
	for k, i := range labels.Variables {
		others[k] = b.moved(e.Line(i))
		for j := range others[k] {
			if j = find(j); j != i {
				root[max(find(i), j)] = min(find(i), j)
			}
		}
	}
	for k, i := range labels.Variables {
		g := b.groupOf[find(i)]
		if g == nil {
			g = &labelGroup{values: []otherValues{nil}, at: make(map[string]*part)}
			b.groups, b.groupOf[find(i)] = append(b.groups, g), g
		}
		b.groupOf[i] = g
		known := func(o otherValues) bool { return maps.Equal(o, others[k]) }
		if !slices.ContainsFunc(g.values, known) {
			g.values = append(g.values, others[k])
		}
	}
	for _, g := range b.groups {
		g.free = make([]float64, len(g.values))
	}
}

// withChoices returns the model with an equality more for each thing of whose classes one is true.
func (b *builder) withChoices(labels *label.Labels) *mrf.Model {
	model := b.field.Model
	choices := mrf.Model{Variables: model.Variables, Rules: 1}
	for _, group := range labels.Groups() {
		if !group.Choice {
			continue
		}
		p := mrf.Potential{Kind: mrf.Equal, Constant: -1, Scale: 1}
		for _, k := range group.Labels {
			p.Vars, p.Coef = append(p.Vars, labels.Variables[k]), append(p.Coef, 1)
		}
		choices.AppendPotential(&p)
	}
	return &mrf.Model{Variables: model.Variables, Blocks: slices.Concat(model.Blocks, choices.Blocks)}
}

// moved returns the other values at the end of a label's line; nil if it has no end where all are true or false.
func (b *builder) moved(l *label.Line) otherValues {
	if l == nil {
		return nil
	}
	by := 1 - 2*b.truth[l.Variables[0]]
	others := make(otherValues, len(l.Variables))
	for k, i := range l.Variables {
		truth, labelled := b.truth[i]
		value := truth + by*l.Steps[k]
		if !labelled || truth != 0 && truth != 1 || value != 0 && value != 1 {
			return nil
		}
		others[i] = value
	}
	return others
}

// findLargest finds the largest weight of rules that tie labels to inputs.
func (b *builder) findLargest() {
	for _, block := range b.field.Model.Blocks {
		if !block.Kind.Hard() && block.Len > 0 && len(block.InputRow(0)) > 0 {
			b.largest = math.Max(b.largest, b.field.Weights()[block.Rule])
		}
	}
	if b.largest == 0 {
		b.largest = 1
	}
}

// add adds the ground rules of a block to the groups of their labels, and tells whether that is not too much. Those of
// hidden targets are added to all groups that reach these.
func (b *builder) add(block *mrf.Block) bool {
	for j := range block.Len {
		p := b.asSeen(block.At(j))
		if slices.ContainsFunc(p.Inputs, b.leavesOut) {
			continue
		}
		slack, cluster := p.Constant, noCluster
		var groups []*labelGroup
		for k, i := range p.Vars {
			value, labelled := b.truth[i]
			slack += p.Coef[k] * value
			switch {
			case !labelled:
				cluster = b.hidden.cluster(i)
			case !slices.Contains(groups, b.groupOf[i]):
				groups = append(groups, b.groupOf[i])
			}
		}
		if cluster == tooLarge {
			continue
		}
		if cluster >= 0 {
			groups = b.reached[cluster]
		}
		for _, g := range groups {
			slacks := g.slacks(&p, slack, b.truth)
			if b.charge(g, block, &p, slacks); b.latent.tried > b.most {
				return false
			}
		}
	}
	return true
}

// leavesOut tells whether an input has no part.
func (b *builder) leavesOut(input int32) bool {
	return b.sight.Without != nil && b.sight.Without[input]
}

// slacks returns that of a ground rule for each of the values.
func (g *labelGroup) slacks(p *mrf.Potential, slack float64, truth map[int32]float64) []float64 {
	slacks := make([]float64, len(g.values))
	for v, values := range g.values {
		slacks[v] = slack
		for k, i := range p.Vars {
			if value, other := values[i]; other {
				slacks[v] += p.Coef[k] * (value - truth[i])
			}
		}
	}
	return slacks
}

// charge adds what a ground rule costs.
func (b *builder) charge(g *labelGroup, block *mrf.Block, p *mrf.Potential, slacks []float64) {
	unit := b.unit(block.Rule, p)
	numbers := b.numbers(p)
	if len(numbers) == 0 {
		for v, d := range slacks {
			g.free[v] += unit * cost(block, d)
		}
		return
	}
	a, literals := b.part(g, p, numbers)
	if a == nil {
		return
	}
	costs, most := make([]float64, len(slacks)), slices.Max(slacks)
	for k, more := newKinds(a.scope, literals), true; more; more = k.next() {
		d := 0.0
		for _, l := range literals {
			if k.at[l.thing] == l.class {
				d += l.coefficient
			}
		}
		b.latent.tried += len(literals)
		if most+d <= 0 && (block.Kind == mrf.Hinge || block.Kind == mrf.LessEqual) {
			continue // as most classes break nothing, whatever the labels
		}
		breaks := false
		for v, slack := range slacks {
			costs[v] = unit * cost(block, slack+d)
			breaks = breaks || costs[v] != 0
		}
		b.latent.tried += len(slacks)
		if !breaks {
			continue
		}
		k.each(0, 0, func(z int) {
			for v, c := range costs {
				a.costs[v][z] += c
			}
			b.latent.tried += len(costs)
		})
	}
}

// unit is what a ground rule's weight is in terms of the largest. Hard rules have that.
func (b *builder) unit(rule int, p *mrf.Potential) float64 {
	if p.Kind.Hard() {
		return 1
	}
	return b.field.Weights()[rule] * p.Scale / b.largest
}

// cost is what a ground rule costs; hard ones cost how far they are broken.
func cost(block *mrf.Block, d float64) float64 {
	switch block.Kind {
	case mrf.LessEqual:
		return math.Max(0, d)
	case mrf.Equal:
		return math.Abs(d)
	}
	value, _ := block.Potential(d)
	return value
}

// literal is an input of a ground rule, or a hidden target: a class of one of a part's things.
type literal struct {
	thing, class int
	coefficient  float64
}

// numbers returns those of the things that a ground rule speaks of, ascending.
func (b *builder) numbers(p *mrf.Potential) (numbers []int) {
	for _, i := range p.Inputs {
		numbers = append(numbers, b.meaning(i).thing)
	}
	for _, i := range p.Vars {
		if _, labelled := b.truth[i]; !labelled {
			numbers = append(numbers, b.hiddenNumber(i))
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// part returns that of a ground rule, and what its inputs and hidden targets are there; nil if there are too many
// choices.
func (b *builder) part(g *labelGroup, p *mrf.Potential, numbers []int) (*part, []literal) {
	var key []byte
	for _, n := range numbers {
		key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	a, seen := g.at[string(key)]
	if !seen {
		if a = b.newPart(numbers, len(g.values), MostChoices); a != nil {
			g.parts = append(g.parts, a)
		}
		g.at[string(key)] = a
	}
	if a == nil {
		return nil, nil
	}
	literals := make([]literal, 0, len(p.Inputs))
	for k, i := range p.Inputs {
		m := b.meaning(i)
		literals = append(literals, literal{slices.Index(numbers, m.thing), m.class, p.InputCoef[k]})
	}
	for k, i := range p.Vars {
		if _, labelled := b.truth[i]; !labelled {
			literals = append(literals, literal{slices.Index(numbers, b.hiddenNumber(i)), 0, p.Coef[k]})
		}
	}
	return a, literals
}

// newPart makes a part that costs nothing; nil if there are too many choices.
func (b *builder) newPart(numbers []int, values, most int) *part {
	s := b.scope(numbers, most)
	if s == nil {
		return nil
	}
	a := &part{numbers: numbers, scope: s, costs: make([][]float64, values)}
	for v := range a.costs {
		a.costs[v] = make([]float64, s.Count())
	}
	return a
}

// scope makes the scope of some things; nil if there are too many choices, or too many of those that networks see.
func (b *builder) scope(numbers []int, most int) *scope {
	s, choices, seen := new(scope), 1, 1
	for t, n := range numbers {
		s.Things, s.Alone = append(s.Things, b.inputs(n)), append(s.Alone, n < 0)
		if !b.isHidden(n) {
			seen *= s.Classes(t)
		}
		if choices *= s.Classes(t); choices > most || seen > MostChoices {
			return nil
		}
	}
	return s
}

// inputs returns those of a thing by its number.
func (b *builder) inputs(number int) []int32 {
	if number >= 0 {
		return b.sight.Things[number]
	}
	return []int32{int32(-1 - number)}
}

// addScopes makes one scope of all things that a group's ground rules speak of. Where these are too many, it makes a
// crowd, or one of each part if labels have no other values. What is hidden is summed out before; where that is too
// much, it has no say.
func (b *builder) addScopes(g *labelGroup) {
	if !b.sumOut(g) {
		g.parts = slices.DeleteFunc(g.parts, b.hides)
	}
	whole := b.together(g.parts, len(g.values), MostChoices)
	switch {
	case whole != nil:
		g.parts = []*part{whole}
	case len(g.parts) > 1 && len(g.values) > 1:
		b.latent.crowds = append(b.latent.crowds, newCrowd(g))
		return
	}
	for _, a := range g.parts {
		b.latent.scopes = append(b.latent.scopes, a.finish(g.free))
	}
}

// together returns parts as one; nil if that is too much, or there are none. What is larger than a scope may be is too
// much if groups of labels could not have one as large in each form.
func (b *builder) together(parts []*part, values, most int) *part {
	if len(parts) < 2 {
		if len(parts) == 1 {
			return parts[0]
		}
		return nil
	}
	var numbers []int
	for _, a := range parts {
		numbers = append(numbers, a.numbers...)
	}
	slices.Sort(numbers)
	all := b.newPart(slices.Compact(numbers), values, most)
	if all == nil {
		return nil
	}
	tries := len(all.costs[0]) * len(parts) * values
	if b.latent.tried+tries > b.most || len(all.costs[0]) > MostChoices && tries > b.most/b.forms {
		return nil
	}
	b.latent.tried += tries
	for _, a := range parts {
		if a.least != nil {
			all.least = make([]float64, len(all.costs[0]))
		}
	}
	for _, a := range parts {
		all.add(a)
	}
	return all
}

// add adds the costs of some of the things.
func (a *part) add(some *part) {
	strides := make([]int, len(a.numbers)) // of a thing's classes among the choices of some
	stride := 1
	for t := len(some.numbers) - 1; t >= 0; t-- {
		at, _ := slices.BinarySearch(a.numbers, some.numbers[t])
		strides[at] = stride
		stride *= some.scope.Classes(t)
	}
	choice := make([]int, len(a.numbers))
	for z := range a.costs[0] {
		at := 0
		for t, class := range choice {
			at += strides[t] * class
		}
		for v := range a.costs {
			a.costs[v][z] += some.costs[v][at]
		}
		if a.least != nil {
			a.least[z] += some.leastCosts()[at]
		}
		a.scope.Next(choice)
	}
}

// newCrowd makes one of a group's parts.
func newCrowd(g *labelGroup) *crowd {
	c := &crowd{free: make([]float64, len(g.free))}
	for v, cost := range g.free {
		c.free[v] = cost * math.Log(WrongLabels)
	}
	for _, a := range g.parts {
		classes := a.scope.AllClasses()
		var costs []*Diagram
		for _, of := range a.costs {
			costs = append(costs, NewDiagram(classes, unbroken(of)))
		}
		a.scope.kept = NewDiagram(classes, unbroken(a.leastCosts()))
		c.parts, c.costs = append(c.parts, a.scope), append(c.costs, costs)
	}
	return c
}

// unbroken is exp(−β e) of costs e.
func unbroken(costs []float64) []float64 {
	chances := make([]float64, len(costs))
	for z, cost := range costs {
		chances[z] = math.Pow(WrongLabels, cost)
	}
	return chances
}

// finish returns the scope with the probability of the labels for each choice.
func (a *part) finish(free []float64) *scope {
	s := a.scope
	classes := s.AllClasses()
	likely := make([]float64, len(a.costs[0]))
	for z, cost := range a.costs[0] {
		all := 0.0
		for v, costs := range a.costs {
			all += math.Pow(WrongLabels, costs[z]+free[v]-cost-free[0])
		}
		likely[z] = 1 / all
	}
	kept := unbroken(a.leastCosts())
	if len(free) == 1 {
		s.kept = NewDiagram(classes, kept)
		s.likely = s.kept
		return s
	}
	for z, chance := range likely {
		if chance*float64(len(free)) > tellingMore {
			kept[z] = 1
		}
	}
	s.likely, s.kept = NewDiagram(classes, likely), NewDiagram(classes, kept)
	return s
}
