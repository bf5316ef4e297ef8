package learn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// CheckSettings say how CheckGradients samples.
type CheckSettings struct {
	// Samples bounds the rule weights, and the parameters of each network, that are moved.
	Samples int
	// Step is how far, relative to a parameter or the usual one of its tensor.
	Step float64
	Seed uint64
	// Progress, if set, is called after every parameter.
	Progress func(done, total int)
}

// Checked is what CheckGradients found.
type Checked struct {
	Slopes []Slope
	Loss   float64
	// Noise is how well the loss is known: what differs between inferences that start elsewhere.
	Noise float64
	// Bounded counts labelled variables at a bound. Their values do not move with any parameter; the implicit method
	// gives them a soft curvature while it learns, and Slope.Used has that.
	Bounded int
	// Loose says that the MAP state has next to no curvature in the direction of the loss, as where it is not unique.
	Loose bool
}

// Slope is the derivative of the loss by one parameter.
type Slope struct {
	Rule    int    // -1 for a network's parameter
	Network string // "" for a rule's weight
	// Gradient is what the method says, exactly, and Used what learning takes, which differs for Implicit alone.
	Gradient, Used float64
	// Difference is the central difference of the loss.
	Difference float64
	// Kink says that the differences to either side disagree, so that there is no derivative to compare with.
	Kink bool
}

// looseness is how far a variable moves under a unit force, in the field's unit, from which on a MAP state is Loose.
const looseness = 1000

// probe is a parameter to move.
type probe struct {
	slope *Slope
	value *float32
	size  float64 // of a usual parameter of the tensor
	scale float64 // of the parameter that gradients are by
}

// CheckGradients compares the gradient that learning takes at the present parameters with central differences of the
// whole chain from them through the networks and the MAP state to the loss, without dropout, for some parameters: half
// of them drawn evenly and half by the length of their gradient. Examples in batches are represented by the first
// batch. The solver should prove small gaps. All parameters stay as they are.
func (t *Trainer) CheckGradients(ctx context.Context, s CheckSettings) (*Checked, error) {
	if err := t.enterFirst(ctx); err != nil {
		return nil, err
	}
	c := &checker{Trainer: t, CheckSettings: s}
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	for k, p := range c.probes {
		if err := c.measure(ctx, p); err != nil {
			return nil, err
		}
		if s.Progress != nil {
			s.Progress(k+1, len(c.probes))
		}
	}
	for _, p := range c.probes {
		c.found.Slopes = append(c.found.Slopes, *p.slope)
	}
	return &c.found, nil
}

// enterFirst shows the first batch with labels, if there are batches.
func (t *Trainer) enterFirst(ctx context.Context) error {
	if t.Batches == nil {
		return nil
	}
	for k := range t.Batches.Len() {
		scene, err := t.Batches.Show(ctx, k)
		if err != nil {
			return err
		}
		if len(scene.Labels.Variables) > 0 {
			return t.enter(scene)
		}
	}
	return errors.New("nothing to learn from: no example has a label")
}

// checker is a check under way.
type checker struct {
	*Trainer
	CheckSettings
	found  Checked
	probes []probe
	// What inferences start from.
	state, multipliers, latent, clamped []float64
}

// begin computes loss and gradients, and chooses what to move.
func (c *checker) begin(ctx context.Context) error {
	first, err := c.lossHere(ctx)
	if err != nil {
		return err
	}
	c.state, c.multipliers = slices.Clone(c.y), slices.Clone(c.Trainer.multipliers)
	if v := c.energies(); v != nil {
		c.latent, c.clamped = slices.Clone(v.y), slices.Clone(v.multipliers)
	}
	if c.found.Loss, err = c.lossHere(ctx); err != nil {
		return err
	}
	again, err := c.lossHere(ctx)
	if err != nil {
		return err
	}
	c.found.Noise = max(math.Abs(again-c.found.Loss), math.Abs(first-c.found.Loss), 1e-9*math.Abs(again))
	return c.choose()
}

// lossHere infers anew and returns the loss at the present parameters.
func (c *checker) lossHere(ctx context.Context) (float64, error) {
	copy(c.y, c.state)
	c.Trainer.multipliers = append(c.Trainer.multipliers[:0], c.multipliers...)
	if v := c.energies(); v != nil && c.latent != nil {
		copy(v.y, c.latent)
		v.multipliers = append(v.multipliers[:0], c.clamped...)
	}
	if err := c.solveState(ctx, false, 0, new(Epoch)); err != nil {
		return 0, err
	}
	return c.loss(ctx)
}

// gradients computes those of the method by rule weights, and by the networks' parameters into their Gradient.
func (c *checker) gradients(exact bool) (rules []float64, err error) {
	s := c.implicit()
	if s != nil {
		s.exact = exact
	}
	c.objective.Aim(c.Trainer.state())
	if s != nil {
		s.exact = false
	}
	c.objective.Field().SetWeights(c.Theta)
	c.objective.Field().SetInputs(c.x)
	c.objective.Gradients(c.inputs, c.weights)
	for _, p := range c.networks {
		clear(p.Gradient)
	}
	if c.Perception != nil {
		err = c.Perception.Backward(c.inputs)
	}
	return slices.Clone(c.weights), err
}

// implicit returns the surrogate of the implicit method; nil for another method.
func (c *checker) implicit() *implicit {
	if l, ok := c.objective.(*labelled); ok {
		s, _ := l.surrogate.(*implicit)
		return s
	}
	return nil
}

// choose samples parameters, with their gradients.
func (c *checker) choose() error {
	used, err := c.gradients(false)
	if err != nil {
		return err
	}
	var usedBy [][]float32
	for _, p := range c.networks {
		usedBy = append(usedBy, slices.Clone(p.Gradient))
	}
	exact, err := c.gradients(true)
	if err != nil {
		return err
	}
	if s := c.implicit(); s != nil {
		slope := c.objective.(*labelled).slope
		c.found.Loose = largest(s.v)*c.Field.Unit() > looseness*largest(slope)
		for _, i := range c.Labels.Variables {
			if s.bound[i] && slope[i] != 0 {
				c.found.Bounded++
			}
		}
	}
	random := rand.New(rand.NewPCG(c.Seed, 0x636865636b))
	c.chooseRules(random, exact, used)
	c.chooseWeights(random, usedBy)
	for _, p := range c.networks {
		clear(p.Gradient)
	}
	return nil
}

func (c *checker) chooseRules(random *rand.Rand, exact, used []float64) {
	var learned []int
	for r, changes := range c.Learned {
		if changes {
			learned = append(learned, r)
		}
	}
	random.Shuffle(len(learned), func(i, k int) { learned[i], learned[k] = learned[k], learned[i] })
	learned = learned[:min(c.Samples, len(learned))]
	slices.Sort(learned)
	for _, r := range learned {
		slope := &Slope{Rule: r, Gradient: exact[r], Used: used[r]}
		c.probes = append(c.probes, probe{slope, &c.rules.Value[r], 0, c.simplex.scale()})
	}
}

// place is a parameter of a tensor.
type place struct{ tensor, at int }

// chooseWeights samples the parameters of each network.
func (c *checker) chooseWeights(random *rand.Rand, used [][]float32) {
	var names []string
	places := map[string][]place{}
	for k, p := range c.networks {
		name := networkOf(p.Name)
		if places[name] == nil {
			names = append(names, name)
		}
		for at := range p.Value {
			places[name] = append(places[name], place{k, at})
		}
	}
	for _, name := range names {
		for _, at := range c.sample(random, places[name]) {
			p := c.networks[at.tensor]
			slope := &Slope{Rule: -1, Network: name, Gradient: float64(p.Gradient[at.at]),
				Used: float64(used[at.tensor][at.at])}
			c.probes = append(c.probes, probe{slope, &p.Value[at.at], usual(p.Value), 1})
		}
	}
}

// networkOf is the network that a parameter belongs to: what is before the layer and the tensor in its name.
func networkOf(parameter string) string {
	name := parameter
	for range 2 {
		if at := strings.LastIndexByte(name, '.'); at > 0 {
			name = name[:at]
		}
	}
	return name
}

// usual is the root mean square of a tensor, and not far below one.
func usual(values []float32) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v) * float64(v)
	}
	return max(0.1, math.Sqrt(sum/float64(max(1, len(values)))))
}

// sample draws some places: one half evenly, the other by the length of their gradients, by the keys of Efraimidis and
// Spirakis (2006).
func (c *checker) sample(random *rand.Rand, all []place) []place {
	if len(all) <= c.Samples {
		return all
	}
	random.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	evenly := c.Samples / 2
	rest := all[evenly:]
	keys := make(map[place]float64, len(rest))
	for _, at := range rest {
		keys[at] = math.Abs(float64(c.networks[at.tensor].Gradient[at.at])) / random.ExpFloat64()
	}
	slices.SortStableFunc(rest, func(a, b place) int {
		switch {
		case keys[a] > keys[b]:
			return -1
		case keys[a] < keys[b]:
			return 1
		}
		return 0
	})
	return all[:c.Samples]
}

// attempts is how often a step is made smaller where differences disagree, and disagreement by how much of the larger
// one they do.
const (
	attempts     = 3
	disagreement = 0.1
)

// measure moves a parameter to either side. Where the two differences disagree at every step there is a kink between.
func (c *checker) measure(ctx context.Context, p probe) error {
	given := *p.value
	defer func() { *p.value = given }()
	step := c.Step * max(math.Abs(float64(given)), p.size) // of a weight, which has no size, a part: it stays positive
	for attempt := range attempts {
		var moved, changed [2]float64
		for side, sign := range [...]float64{1, -1} {
			*p.value = float32(float64(given) + sign*step)
			value, err := c.lossHere(ctx)
			if err != nil {
				return err
			}
			moved[side], changed[side] = float64(*p.value)-float64(given), value-c.found.Loss
		}
		up, down := changed[0]/moved[0], changed[1]/moved[1]
		p.slope.Difference = p.scale * (changed[0] - changed[1]) / (moved[0] - moved[1])
		resolved := disagreement*max(math.Abs(up), math.Abs(down)) + 8*c.found.Noise/step
		if p.slope.Kink = math.Abs(up-down) > resolved; !p.slope.Kink || attempt == attempts-1 {
			return nil
		}
		step /= 4
	}
	return nil
}
