package learn

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/latent"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// Answers are the MAP states of examples at each choice of classes for the things that are seen in them: one class of
// each is true, and all else false. Where there are few choices, they are all inferred, once for each shape, and then
// it is known how probable an answer is, by what networks see:
//
//	P(labels) = Σ_z Π_t x(t, z_t) · [these are the labels in the MAP state at z]
//
// Between certain classes, by Łukasiewicz's logic, rules ask for less: a hinge over something that is a third true
// leaves two thirds of what depends on it for nothing. So a mixture of answers may cost nothing, whatever is seen.
type Answers struct {
	shapes map[int32]*shape
	asked  int // states of all shapes
	// contradictions counts those that hard rules forbid: each takes an inference more.
	contradictions int
}

// mostAsked bounds the states that are inferred of all shapes together, and mostContradictions those among them that
// hard rules forbid.
const mostAsked, mostContradictions = 5_000, 100

// shape is the choices of the examples of a shape.
type shape struct {
	latent.Choices
	all       int
	variables int
	states    []float32 // [those asked, variables], NaN where hard rules contradict the choice
	next      []int     // the choice that is asked next
	diagrams  map[string]*latent.Diagram
}

// HasAnswers tells whether all answers of a task's examples can be known, if others are as the first one, and whether
// they are mixtures, which say nothing of labels. Each of these is some variables.
func (t *Task) HasAnswers(ctx context.Context, shapes, examples int, labels [][]int32) (known, mixed bool, err error) {
	scene, err := t.Batches.Show(ctx, 0)
	if err != nil {
		return false, false, err
	}
	c := scene.shape(0)
	if c == nil || c.all*shapes > mostAsked || c.all*examples > latent.MostTried {
		return false, false, nil
	}
	scene.Field.SetWeights(t.Theta)
	answers := new(Answers)
	err = answers.Ask(ctx, scene)
	if infeasible := (*InfeasibleError)(nil); errors.As(err, &infeasible) {
		return false, false, nil
	}
	return err == nil, err == nil && answers.shapes[scene.Shapes[0]].mixed(labels), err
}

// mixed tells whether at more than half of the choices a label of several candidates is a mixture: none of them is
// true, nor one of some that are as good as each other. Where Σ n·Count(n) = 2, all mass on 2 costs as little as half
// of it on 0 and half on 4.
func (c *shape) mixed(labels [][]int32) bool {
	count := 0
	for z := range c.all {
		state := c.state(z)
		if slices.ContainsFunc(labels, func(label []int32) bool { return len(label) > 2 && mixture(state, label) }) {
			count++
		}
	}
	return 2*count > c.all
}

// mixture tells whether the candidates of a label with the greatest value are all, or do not have nearly all of the
// mass.
func mixture(state []float32, label []int32) bool {
	var best, mass float32
	for _, i := range label {
		best = max(best, state[i])
	}
	equal := 0
	for _, i := range label {
		if state[i] > best-tie {
			mass += state[i]
			equal++
		}
	}
	return mass < Decided || equal == len(label)
}

// shape returns the choices of an example, of which nothing is asked yet; nil if they are too many or there are none.
func (s *Scene) shape(example int) *shape {
	seen, ok := s.Perception.(perception.Distributed)
	if !ok {
		return nil
	}
	used, first := s.used(example), s.firstInput(example)
	c := &shape{all: 1, variables: s.Field.Model.Variables / len(s.Shapes), diagrams: make(map[string]*latent.Diagram)}
	add := func(inputs []int32) {
		thing, told := slices.Clone(inputs), false
		for k := range thing {
			thing[k] -= first
			told = told || used[thing[k]]
			used[thing[k]] = false
		}
		if told && c.all <= latent.MostChoices {
			c.Things, c.Alone = append(c.Things, thing), append(c.Alone, len(thing) == 1)
			c.all *= c.Classes(len(c.Things) - 1)
		}
	}
	for _, inputs := range seen.Distributions() {
		if at := inputs[0] - first; at >= 0 && int(at) < len(used) {
			add(inputs)
		}
	}
	for i := range used { // what is by itself
		add([]int32{first + int32(i)})
	}
	if c.all > latent.MostChoices || c.all == 1 {
		return nil
	}
	c.next = make([]int, len(c.Things))
	return c
}

// firstInput returns the number of an example's first input.
func (s *Scene) firstInput(example int) int32 {
	return int32(example * (s.Field.Model.Inputs / len(s.Shapes)))
}

// used tells which inputs of an example ground rules have.
func (s *Scene) used(example int) []bool {
	used := make([]bool, s.Field.Model.Inputs/len(s.Shapes))
	first := s.firstInput(example)
	for _, block := range s.Field.Model.Blocks {
		for j := range block.Len {
			for _, i := range block.InputRow(j) {
				if at := i - first; at >= 0 && int(at) < len(used) {
					used[at] = true
				}
			}
		}
	}
	return used
}

// asks tells whether there are states left to ask for, if so many are asked already.
func (c *shape) asks(already int) bool {
	return c != nil && len(c.states)/c.variables+already < c.all
}

// ask writes the next choice as what is seen of an example.
func (c *shape) ask(x []float64) {
	for t, class := range c.next {
		if !c.Alone[t] || class == 0 {
			x[c.Things[t][class]] = 1
		}
	}
	c.Next(c.next)
}

// Ask infers the states of a scene's shapes that are not known yet, as many at a time as it has examples of each. The
// inputs of its field are others afterwards.
func (a *Answers) Ask(ctx context.Context, s *Scene) error {
	if a.shapes == nil {
		a.shapes = make(map[int32]*shape)
	}
	for p, shape := range s.Shapes {
		if _, known := a.shapes[shape]; known {
			continue
		}
		c := s.shape(p)
		if c != nil && a.asked+c.all > mostAsked {
			c = nil
		}
		if a.shapes[shape] = c; c != nil {
			a.asked += c.all
		}
	}
	x := make([]float64, s.Field.Model.Inputs)
	for {
		clear(x)
		now := make(map[int32]int)
		var asked []int
		for p, shape := range s.Shapes {
			if c := a.shapes[shape]; c.asks(now[shape]) {
				c.ask(x[s.firstInput(p):])
				asked = append(asked, p)
				now[shape]++
			}
		}
		if len(asked) == 0 {
			return nil
		}
		y, err := a.solve(ctx, s, x)
		if err != nil {
			return err
		}
		for _, p := range asked {
			c := a.shapes[s.Shapes[p]]
			for _, v := range y[p*c.variables : (p+1)*c.variables] {
				c.states = append(c.states, float32(v))
			}
		}
	}
}

// solve infers what is asked of a scene's examples. Where hard rules contradict what is said to be seen of one, nothing
// is, and its state has no numbers.
func (a *Answers) solve(ctx context.Context, s *Scene, x []float64) ([]float64, error) {
	var contradicted []int
	for {
		s.Solver.SetInputs(x)
		y, err := SolveFrom(ctx, s.Solver, nil)
		infeasible := (*InfeasibleError)(nil)
		if err != nil && !(errors.As(err, &infeasible) && len(infeasible.Conflict) > 0) {
			return nil, err
		}
		each := s.Field.Model.Variables / len(s.Shapes)
		if err == nil {
			y = slices.Clone(y)
			for _, p := range contradicted {
				for i := range each {
					y[p*each+i] = math.NaN()
				}
			}
			return y, nil
		}
		p := s.exampleOf(infeasible.Conflict[0])
		if a.contradictions++; a.contradictions > mostContradictions || slices.Contains(contradicted, p) {
			return nil, err
		}
		contradicted = append(contradicted, p)
		clear(x[s.firstInput(p):][:s.Field.Model.Inputs/len(s.Shapes)])
	}
}

// exampleOf returns the example that a potential is about, by its place among all.
func (s *Scene) exampleOf(place int) int {
	model := s.Field.Model
	for _, block := range model.Blocks {
		if place -= block.Len; place < 0 {
			p := block.At(place + block.Len)
			if len(p.Vars) > 0 {
				return int(p.Vars[0]) / (model.Variables / len(s.Shapes))
			}
			return int(p.Inputs[0]) / (model.Inputs / len(s.Shapes))
		}
	}
	panic("deeppsl: no such potential")
}

// latent returns the likelihood of a scene's labels; nil where no answers are known.
func (a *Answers) latent(s *Scene) *latent.Likelihood {
	likelihood, variables := new(latent.Likelihood), s.Field.Model.Variables/len(s.Shapes)
	groups := make([][]label.Group, len(s.Shapes))
	for _, group := range s.Labels.Groups() {
		p := int(s.Labels.Variables[group.Labels[0]]) / variables
		groups[p] = append(groups[p], group)
	}
	for p, shape := range s.Shapes {
		c := a.shapes[shape]
		if c == nil || len(groups[p]) == 0 {
			continue
		}
		told := c.told(s.Labels, groups[p], p)
		of := latent.Choices{Alone: c.Alone}
		for _, thing := range c.Things {
			moved := make([]int32, len(thing))
			for k, i := range thing {
				moved[k] = i + s.firstInput(p)
			}
			of.Things = append(of.Things, moved)
		}
		likelihood.Add(of, told)
	}
	if likelihood.Len() == 0 {
		return nil
	}
	return likelihood
}

// told returns at which choices the labels of an example come out right: 1, and else wrongLabels.
func (c *shape) told(labels *label.Labels, groups []label.Group, example int) *latent.Diagram {
	first := int32(example * c.variables)
	var key []byte
	for _, group := range groups {
		for _, k := range group.Labels {
			i, truth := labels.Variables[k]-first, math.Float32bits(float32(labels.Truth[k]))
			key = append(key, byte(i), byte(i>>8), byte(i>>16), byte(i>>24),
				byte(truth), byte(truth>>8), byte(truth>>16), byte(truth>>24))
		}
	}
	d := c.diagrams[string(key)]
	if d != nil {
		return d
	}
	likely := make([]float64, c.all)
	for z := range likely {
		if likely[z] = latent.WrongLabels; met(labels, c.state(z), first, groups) {
			likely[z] = 1
		}
	}
	d = latent.NewDiagram(c.AllClasses(), likely)
	c.diagrams[string(key)] = d
	return d
}

// state is the MAP state at a choice.
func (c *shape) state(z int) []float32 { return c.states[z*c.variables : (z+1)*c.variables] }

// met tells whether all labels come out right in the state of an example, whose first variable is given.
func met(l *label.Labels, state []float32, first int32, groups []label.Group) bool {
	for _, group := range groups {
		var true float32
		if group.Choice {
			true = state[l.Variables[group.Told(l.Truth)]-first]
		}
		for _, k := range group.Labels {
			value, truth := state[l.Variables[k]-first], l.Truth[k]
			switch {
			case math.IsNaN(float64(value)): // contradicted
				return false
			case !group.Choice && math.Abs(float64(value)-truth) >= 0.5-tie:
				return false
			case group.Choice && truth != 1 && value > true-tie:
				return false
			}
		}
	}
	return true
}

// tie is how near values are that do not tell which is greater.
const tie = 0.01

// Decided is the value from which on a MAP state itself says which of three candidates of a label or more is true. Of
// two it nearly always does.
const Decided = 0.9

// Likeliest returns the MAP state of the most probable labels of an example, by what networks see, x; nil where answers
// are not known, or none tells. Each label is some variables of which the greatest is true, or one that is true from a
// half on. A label by itself has to be more probable than another one would be with all choices that do not tell of it
// plainly: where rules leave much open, the MAP state of what networks see, or what candidates cost, says more. So they
// do where MAP states are mixtures. Of several labels, choices that leave one open do not count.
func (a *Answers) Likeliest(s *Scene, example int, x []float64, labels [][]int32) []float32 {
	c := a.shapes[s.Shapes[example]]
	if c == nil || len(labels) > 1 && c.mixed(labels) {
		return nil
	}
	x = x[s.firstInput(example):]
	chance := c.ChanceOf(x)
	share, states, order := make(map[string]float64), make(map[string]int), []string(nil)
	choice, open := make([]int, len(c.Things)), 0.0
	for z := range c.all {
		p := 1.0
		for t, class := range choice {
			p *= chance(t, class)
		}
		c.Next(choice)
		state := c.state(z)
		if p == 0 || math.IsNaN(float64(state[0])) { // what hard rules contradict is not so
			continue
		}
		key, tells := answer(state, labels)
		if !tells {
			open += p
			continue
		}
		if _, seen := states[key]; !seen {
			states[key], order = z, append(order, key)
		}
		share[key] += p
	}
	best, second := "", 0.0
	for _, key := range order {
		if best == "" || share[key] > share[best] {
			best, second = key, share[best]
		} else {
			second = max(second, share[key])
		}
	}
	if best == "" || len(labels) == 1 && share[best]-second < open+tie {
		return nil
	}
	return c.state(states[best])
}

// answer writes what a state says of labels, and tells whether it does.
func answer(state []float32, labels [][]int32) (key string, tells bool) {
	said := make([]byte, 0, 2*len(labels))
	for _, variables := range labels {
		best := 0
		for k, i := range variables {
			if state[i] > state[variables[best]] {
				best = k
			}
		}
		value := state[variables[best]]
		if len(variables) > 2 && value < Decided {
			return "", false
		}
		if len(variables) == 1 {
			if math.Abs(float64(value)-0.5) < tie {
				return "", false
			}
			best = int(math.Round(float64(value)))
		}
		for k, i := range variables {
			if len(variables) > 1 && k != best && state[i] > value-tie {
				return "", false
			}
		}
		said = append(said, byte(best), byte(best>>8))
	}
	return string(said), true
}
