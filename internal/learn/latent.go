package learn

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Latent is the likelihood of labels where networks see what nobody has labelled, such as the digits of a sum. Rules
// cannot begin to teach such networks by their hinges: as long as outputs are near uniform, no conjunction of them is
// above 0, and what is inferred depends on none. So here outputs are probabilities, and each thing has one class. A
// choice z of classes for the things that some ground rules speak of breaks these by e(z), with the labels at their
// true values. What the labels say of that scope is the chance of choices that break nothing, but for labels that are
// wrong:
//
//	−log Σ_z Π_t x(t, z_t) · exp(−β e(z))
//
// Scopes are taken to be independent of each other: the result is a composite likelihood (Varin, Reid and Firth 2011),
// exact where each label is about things of its own. It has a slope wherever something is to be learned, but for
// outputs that are all uniform.
type Latent struct {
	scopes []*scope
	tried  int // choices times the inputs of ground rules that they are tried in
}

// scope is some things and all choices of their classes.
type scope struct {
	things [][]int32 // the inputs of each thing's classes
	alone  []bool    // whether a thing has one input, and its choices are this or not
	weight []float64 // e of each choice, the last thing's class changing fastest, until all ground rules are added
	likely *diagram  // exp(−β e) of each choice
}

const (
	// wrongLabels is the share of labels that are taken to be wrong: exp(−β) for the largest weight.
	wrongLabels = 0.02
	// mostChoices bounds those of a scope, and mostTried all choices times the ground rules that they are tried in.
	mostChoices, mostTried = 10_000, 100_000_000
)

// NewLatent prepares the likelihood of labels under a field's weights. Things are the inputs of those with classes;
// all other inputs are things by themselves. It is nil if no ground rule ties a label to inputs and to nothing else
// that is unknown, or if there are too many choices.
func NewLatent(field *mrf.Field, labels *Labels, things [][]int32) *Latent {
	b := latentBuilder{field: field, truth: make(map[int32]float64, len(labels.Variables)), things: things,
		meanings: make(map[int32]meaning), at: make(map[string]*scope)}
	for t, inputs := range things {
		for class, i := range inputs {
			b.meanings[i] = meaning{t, class}
		}
	}
	for k, i := range labels.Variables {
		b.truth[i] = labels.Truth[k]
	}
	for _, block := range field.Model.Blocks {
		if weight := field.Weights()[block.Rule]; !block.Kind.Hard() {
			b.largest = math.Max(b.largest, weight)
		}
	}
	if b.largest == 0 {
		b.largest = 1
	}
	for _, block := range field.Model.Blocks {
		if !b.add(block) {
			return nil
		}
	}
	for _, s := range b.latent.scopes {
		s.finish()
	}
	if len(b.latent.scopes) == 0 {
		return nil
	}
	return &b.latent
}

// Len returns the number of scopes.
func (l *Latent) Len() int { return len(l.scopes) }

// latentBuilder finds the scopes.
type latentBuilder struct {
	field    *mrf.Field
	truth    map[int32]float64
	things   [][]int32
	meanings map[int32]meaning // of inputs of things with classes
	largest  float64
	at       map[string]*scope
	latent   Latent
}

// meaning is what an input says: that a thing, by its number, is of a class.
type meaning struct{ thing, class int }

// meaning returns that of any input: things by themselves have numbers below 0.
func (b *latentBuilder) meaning(input int32) meaning {
	if m, classified := b.meanings[input]; classified {
		return m
	}
	return meaning{thing: -1 - int(input)}
}

// literal is an input of a ground rule: a class of one of the scope's things.
type literal struct {
	thing, class int
	coefficient  float64
}

// add adds the ground rules of a block to their scopes, and tells whether that is not too much.
func (b *latentBuilder) add(block *mrf.Block) bool {
	for j := range block.Len {
		p := block.At(j)
		slack, known := p.Constant, len(p.Vars) > 0 && len(p.Inputs) > 0
		for k, i := range p.Vars {
			value, labelled := b.truth[i]
			slack += p.Coef[k] * value
			known = known && labelled
		}
		if !known {
			continue
		}
		if s, literals := b.scope(&p); s != nil {
			if b.latent.tried += len(s.weight) * len(literals); b.latent.tried > mostTried {
				return false
			}
			s.charge(block, literals, slack, b.unit(block.Rule, &p))
		}
	}
	return true
}

// unit is what a ground rule's weight is in terms of the largest. Hard rules have that.
func (b *latentBuilder) unit(rule int, p *mrf.Potential) float64 {
	if p.Kind.Hard() {
		return 1
	}
	return b.field.Weights()[rule] * p.Scale / b.largest
}

// scope returns that of a ground rule, and what the rule's inputs are there; nil if there are too many choices.
func (b *latentBuilder) scope(p *mrf.Potential) (*scope, []literal) {
	var key []byte
	var numbers []int
	for _, i := range p.Inputs {
		if number := b.meaning(i).thing; !slices.Contains(numbers, number) {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	s, seen := b.at[string(key)]
	if !seen {
		s = b.newScope(numbers)
		b.at[string(key)] = s
	}
	if s == nil {
		return nil, nil
	}
	literals := make([]literal, len(p.Inputs))
	for k, i := range p.Inputs {
		m := b.meaning(i)
		literals[k] = literal{slices.Index(numbers, m.thing), m.class, p.InputCoef[k]}
	}
	return s, literals
}

// newScope makes the scope of some things, which nothing is known about; nil if there are too many choices.
func (b *latentBuilder) newScope(numbers []int) *scope {
	s, choices := new(scope), 1
	for _, n := range numbers {
		inputs := []int32{int32(-1 - n)}
		if n >= 0 {
			inputs = b.things[n]
		}
		s.things, s.alone = append(s.things, inputs), append(s.alone, n < 0)
		if choices *= max(len(inputs), 2); choices > mostChoices {
			return nil
		}
	}
	choices = 1
	for t := range s.things {
		choices *= s.classes(t)
	}
	s.weight = make([]float64, choices)
	b.latent.scopes = append(b.latent.scopes, s)
	return s
}

// classes counts those of a thing; what has one input is it or not.
func (s *scope) classes(thing int) int {
	if s.alone[thing] {
		return 2
	}
	return len(s.things[thing])
}

// charge adds to each choice what a ground rule costs there.
func (s *scope) charge(block *mrf.Block, literals []literal, slack, unit float64) {
	choice := make([]int, len(s.things))
	for z := range s.weight {
		d := slack
		for _, l := range literals {
			if choice[l.thing] == l.class {
				d += l.coefficient
			}
		}
		s.weight[z] += unit * cost(block, d)
		s.next(choice)
	}
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

// next makes the next choice of a choice.
func (s *scope) next(choice []int) {
	for t := len(choice) - 1; t >= 0; t-- {
		if choice[t]++; choice[t] < s.classes(t) {
			return
		}
		choice[t] = 0
	}
}

// chance is the probability of a thing's class.
func (s *scope) chance(x []float64, thing, class int) float64 {
	if !s.alone[thing] {
		return x[s.things[thing][class]]
	}
	if class == 0 {
		return x[s.things[thing][0]]
	}
	return 1 - x[s.things[thing][0]]
}

// Value returns the mean loss of the scopes, and writes its gradient by the inputs if upstream is not nil.
func (l *Latent) Value(x, upstream []float64) float64 {
	clear(upstream)
	loss := 0.0
	for _, s := range l.scopes {
		total := math.Max(s.sum(x, nil, 0), TinyFloor)
		loss -= math.Log(total)
		if upstream != nil {
			s.sum(x, upstream, -1/(total*float64(len(l.scopes))))
		}
	}
	return loss / float64(len(l.scopes))
}

// Kept returns the share of the scopes that are more likely than not to break nothing.
func (l *Latent) Kept(x []float64) float64 {
	kept := 0
	for _, s := range l.scopes {
		if s.sum(x, nil, 0) > 0.5 {
			kept++
		}
	}
	return float64(kept) / float64(len(l.scopes))
}

// finish makes the diagram of what each choice costs.
func (s *scope) finish() {
	classes := make([]int, len(s.things))
	for t := range classes {
		classes[t] = s.classes(t)
	}
	for z, e := range s.weight {
		s.weight[z] = math.Pow(wrongLabels, e)
	}
	s.likely, s.weight = newDiagram(classes, s.weight), nil
}

// sum returns the chance of choices that break nothing, and adds its gradient, times a factor, to upstream unless that
// is nil.
func (s *scope) sum(x, upstream []float64, factor float64) float64 {
	chance := func(thing, class int) float64 { return s.chance(x, thing, class) }
	total := s.likely.expect(chance)
	if upstream == nil {
		return total
	}
	s.likely.slopes(chance, func(thing, class int, slope float64) {
		switch {
		case !s.alone[thing]:
			upstream[s.things[thing][class]] += factor * slope
		case class == 0:
			upstream[s.things[thing][0]] += factor * slope
		default:
			upstream[s.things[thing][0]] -= factor * slope
		}
	})
	return total
}
