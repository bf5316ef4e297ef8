package neural

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/neural/features"
)

// Binding says which network gives the truth of which perceived atoms. All slices have one element for each atom.
type Binding struct {
	// Network is the name of the network; "" for atoms that no network gives the truth of, whose elements of x stay as
	// they are. These have Inputs alone.
	Network string
	// Inputs are the atoms' numbers, as in relation.Store.Number: x[Inputs[k]] is the k-th atom's truth.
	Inputs []int32
	// Rows are the rows of the features that a classifier reads, or the first of the two that a siamese network
	// compares.
	Rows []int32
	// Others are the second rows that a siamese network compares; nil for classifiers.
	Others []int32
	// Classes are the outputs of a classifier, from 0; nil for siamese networks.
	Classes []int32
	// Similarities are the values of the network's Measures, those of an atom one after the other; nil without any.
	Similarities []float32
	// Links are those that the network's logits are propagated along, among all rows of its features; nil without any.
	Links *Links
}

// Perception computes the perceived atoms of one ground model. It implements perception.Networks.
type Perception struct {
	system   *System
	inputs   int
	bindings []Binding
	selected []int32 // by the last Select; nil before
	groups   []*group
	passes   []*pass
	heads    []head
	things   [][]int32 // see Distributions; nil before
	ready    bool      // Forward has been called

	learnable []*perception.Parameter // of the networks that are bound, where others are not; nil for all
}

var (
	_ perception.Divisible  = (*Perception)(nil)
	_ perception.Observable = (*Perception)(nil)
	_ perception.Steady     = (*Perception)(nil)
)

// head connects the outputs of a network to inputs x of the model.
type head interface {
	forward(x []float64)
	// backward adds ∂L/∂outputs to the pass of its network, and the gradients of its own parameters to them.
	backward(upstream []float64)
}

// group is a choice of feature rows, with the first layer, that some networks share.
type group struct {
	root      *network
	threads   int
	features  *features.Table // of root, when the rows were chosen
	bound     []int32         // the rows that the bindings name, sorted and distinct
	rows      []int32         // the rows that stand for them
	selection int             // how often rows have been chosen
	place     map[int32]int32 // bound row to its index
	first     *firstLayer
	product   product
	z, dz     []float32 // [rows, first.width]
}

// Bind connects the networks to a ground model with the given number of perceived atoms. Each of them must be bound
// once. Only the rows that the bindings name are computed.
func (s *System) Bind(inputs int, bindings ...Binding) (*Perception, error) {
	p := &Perception{system: s, inputs: inputs, bindings: bindings}
	bound := make([]bool, inputs)
	for i := range bindings {
		if err := s.check(&bindings[i], bound); err != nil {
			return nil, fmt.Errorf("network %q: %w", bindings[i].Network, err)
		}
	}
	if free := slices.Index(bound, false); free >= 0 {
		return nil, fmt.Errorf("no network gives the truth of the perceived atom number %d", free)
	}
	p.standardize(bindings)
	p.addGroups(bindings)
	for i := range bindings {
		p.addHead(&bindings[i])
	}
	return p, nil
}

// Restrict returns the Perception of some of the atoms, which are then numbered by their order, with the rows that are
// selected now.
func (p *Perception) Restrict(inputs []int32) (perception.Networks, error) {
	place := make(map[int32]int32, len(inputs))
	for k, x := range inputs {
		place[x] = int32(k)
	}
	var bindings []Binding
	for i := range p.bindings {
		bindings = append(bindings, p.bindings[i].restrict(place))
	}
	part, err := p.system.Bind(len(inputs), bindings...)
	if err == nil {
		part.learnable = p.system.learnableOf(bindings)
	}
	if err == nil && p.selected != nil {
		err = part.Select(p.selected)
	}
	return part, err
}

// learnableOf returns the parameters of networks, and their encoders, that bindings have atoms of.
func (s *System) learnableOf(bindings []Binding) (learnable []*perception.Parameter) {
	bound := make(map[string]bool)
	for _, b := range bindings {
		if n := s.network(b.Network); n != nil && len(b.Inputs) > 0 {
			bound[b.Network] = true
			bound[n.spec.Encoder] = true
		}
	}
	for _, p := range s.learnable {
		if name, _, _ := strings.Cut(p.Name, "."); bound[name] {
			learnable = append(learnable, p)
		}
	}
	return learnable
}

// restrict returns the binding of the atoms that have a place.
func (b *Binding) restrict(place map[int32]int32) Binding {
	part := Binding{Network: b.Network, Links: b.Links}
	measures := len(b.Similarities) / max(1, len(b.Inputs))
	for k, x := range b.Inputs {
		at, wanted := place[x]
		if !wanted {
			continue
		}
		part.Inputs = append(part.Inputs, at)
		if b.Network == "" {
			continue
		}
		part.Rows = append(part.Rows, b.Rows[k])
		part.Similarities = append(part.Similarities, row(b.Similarities, k, measures)...)
		if b.Others != nil {
			part.Others = append(part.Others, b.Others[k])
		}
		if b.Classes != nil {
			part.Classes = append(part.Classes, b.Classes[k])
		}
	}
	return part
}

// check checks a binding and marks its atoms as bound.
func (s *System) check(b *Binding, bound []bool) error {
	if b.Network == "" {
		return mark(b.Inputs, bound)
	}
	n := s.network(b.Network)
	if n == nil {
		return fmt.Errorf("there is no such network")
	}
	switch {
	case (b.Links == nil) != (n.spec.Propagate == ""):
		return fmt.Errorf("links are wanted of a network that propagates along a predicate, and of no other one")
	case b.Links != nil && b.Links.rows() != n.raw.Len():
		return fmt.Errorf("links among %d rows do not suit features of %d", b.Links.rows(), n.raw.Len())
	}
	second, limit, what := b.Classes, n.width, "class"
	if n.pairs() {
		second, limit, what = b.Others, n.table().Len(), "row"
	}
	if len(b.Rows) != len(b.Inputs) || len(second) != len(b.Inputs) {
		return fmt.Errorf("%d atoms, %d rows and %d of each atom's other %s",
			len(b.Inputs), len(b.Rows), len(second), what)
	}
	if want := len(b.Inputs) * len(n.spec.Measures); len(b.Similarities) != want {
		return fmt.Errorf("%d similarities are given; %d atoms and %d measures need %d",
			len(b.Similarities), len(b.Inputs), len(n.spec.Measures), want)
	}
	if err := mark(b.Inputs, bound); err != nil {
		return err
	}
	for k := range b.Inputs {
		switch {
		case b.Rows[k] < 0 || int(b.Rows[k]) >= n.table().Len():
			return fmt.Errorf("row %d is not among the %d of the features", b.Rows[k], n.table().Len())
		case second[k] < 0 || int(second[k]) >= limit:
			return fmt.Errorf("%s %d is not below %d", what, second[k], limit)
		}
	}
	return nil
}

// mark marks atoms as bound.
func mark(inputs []int32, bound []bool) error {
	for _, x := range inputs {
		switch {
		case x < 0 || int(x) >= len(bound):
			return fmt.Errorf("atom number %d is not below %d", x, len(bound))
		case bound[x]:
			return fmt.Errorf("atom number %d is bound twice", x)
		}
		bound[x] = true
	}
	return nil
}

// addGroups collects the rows that are needed. A network and those that share its layers get the union of their rows,
// so that the first layer is computed once for all of them.
func (p *Perception) addGroups(bindings []Binding) {
	rows := p.rowsOf(bindings)
	for i := range bindings {
		if b := &bindings[i]; b.Links != nil && len(b.Inputs) > 0 {
			n := p.system.network(b.Network).root()
			rows[n] = n.raw.Rows()
		}
	}
	for _, n := range p.system.networks {
		if len(rows[n]) > 0 {
			p.groups = append(p.groups, newGroup(n, rows[n], p.system.threads))
		}
	}
}

// rowsOf returns the rows that the bindings name, sorted and distinct, for each network that reads any.
func (p *Perception) rowsOf(bindings []Binding) map[*network][]int32 {
	rows := map[*network][]int32{}
	for i := range bindings {
		if bindings[i].Network == "" {
			continue
		}
		n := p.system.network(bindings[i].Network).root()
		rows[n] = append(append(rows[n], bindings[i].Rows...), bindings[i].Others...)
	}
	for n := range rows {
		slices.Sort(rows[n])
		rows[n] = slices.Compact(rows[n])
	}
	return rows
}

// standardize scales the features of the networks that have no scale yet by the rows that the bindings name.
func (p *Perception) standardize(bindings []Binding) {
	for n, rows := range p.rowsOf(bindings) {
		n.standardize(rows)
	}
}

// newGroup prepares the rows, which are sorted and distinct, and the first layer's product with them.
func newGroup(root *network, rows []int32, threads int) *group {
	g := &group{root: root, threads: threads, features: root.features, bound: rows, rows: rows, first: root.first,
		place: make(map[int32]int32, len(rows))}
	for i, r := range rows {
		g.place[r] = int32(i)
	}
	if g.first != nil {
		g.product = newProduct(g.features, rows, threads)
		g.z, g.dz = make([]float32, len(rows)*g.first.width), make([]float32, len(rows)*g.first.width)
	}
	return g
}

// addHead connects a binding to the pass of its network.
func (p *Perception) addHead(b *Binding) {
	if len(b.Inputs) == 0 || b.Network == "" {
		return
	}
	s := p.pass(p.system.network(b.Network))
	s.propagate(b.Links)
	if s.network.pairs() {
		p.heads = append(p.heads, newPairs(s, b))
		return
	}
	p.heads = append(p.heads, newClasses(s, b))
}

// Distributions returns, for each row that a classifier with a softmax reads, the inputs of its classes. It implements
// learn.Distributed.
func (p *Perception) Distributions() [][]int32 {
	if p.things != nil {
		return p.things
	}
	p.things = [][]int32{}
	for i := range p.bindings {
		b := &p.bindings[i]
		if b.Classes != nil && p.system.network(b.Network).spec.Output == SoftmaxOutput {
			p.things = append(p.things, b.byRow()...)
		}
	}
	return p.things
}

// Rows returns, for each row that a classifier reads, the inputs of its classes, and each pair's input. It implements
// learn.Divisible.
func (p *Perception) Rows() (rows [][]int32) {
	for _, s := range p.passes {
		if s.along != nil {
			return nil
		}
	}
	for i := range p.bindings {
		b := &p.bindings[i]
		if b.Others == nil && b.Network != "" {
			rows = append(rows, b.byRow()...)
			continue
		}
		for k := range b.Inputs {
			rows = append(rows, b.Inputs[k:k+1])
		}
	}
	return rows
}

// byRow divides the inputs of a classifier by the row that it reads for them, in the order of the first ones.
func (b *Binding) byRow() (inputs [][]int32) {
	place := make(map[int32]int)
	for k, row := range b.Rows {
		at, seen := place[row]
		if !seen {
			at = len(inputs)
			place[row] = at
			inputs = append(inputs, nil)
		}
		inputs[at] = append(inputs[at], b.Inputs[k])
	}
	return inputs
}

// pass returns the pass of a network, and makes it if this is the first binding of the network.
func (p *Perception) pass(n *network) *pass {
	for _, s := range p.passes {
		if s.network == n {
			return s
		}
	}
	i := slices.IndexFunc(p.groups, func(g *group) bool { return g.root == n.root() })
	p.passes = append(p.passes, newPass(p.system, n, p.groups[i]))
	return p.passes[len(p.passes)-1]
}

// Forward writes the networks' outputs into x, as perception.Networks says. The outputs of a softmax are its exact
// probabilities, which may be 0; callers that divide by them must look out.
func (p *Perception) Forward(x []float64, train bool, seed uint64) error {
	if len(x) != p.inputs {
		return fmt.Errorf("neural: %d inputs are bound, x has %d", p.inputs, len(x))
	}
	p.ready = false
	for _, g := range p.groups {
		g.forward(train, seed)
	}
	for _, s := range p.passes {
		if err := s.forward(train, seed); err != nil {
			return err
		}
	}
	for _, h := range p.heads {
		h.forward(x)
	}
	p.ready = true
	return nil
}

// Backward adds the parameters' gradients, as perception.Networks says. It runs the way of Forward from its end: from
// atoms to outputs, through the networks, and through the first layers.
func (p *Perception) Backward(upstream []float64) error {
	if !p.ready || len(upstream) != p.inputs {
		return fmt.Errorf("neural: Backward of %d values follows a Forward of %d", len(upstream), p.inputs)
	}
	for _, s := range p.passes {
		clear(s.upstream)
	}
	for _, g := range p.groups {
		clear(g.dz)
	}
	for _, h := range p.heads {
		h.backward(upstream)
	}
	for _, s := range p.passes {
		if err := s.backward(); err != nil {
			return err
		}
	}
	for _, g := range p.groups {
		g.backward()
	}
	return nil
}

// Parameters returns the System's parameters, or of a restricted Perception those of the networks that it has atoms of.
func (p *Perception) Parameters() []*perception.Parameter {
	if p.learnable != nil {
		return p.learnable
	}
	return p.system.Parameters()
}

// Steady tells whether training changes nothing at random, as far as is known: networks of files and of Go code are
// their own masters.
func (p *Perception) Steady() bool {
	for _, g := range p.groups {
		if g.first != nil && g.first.rate > 0 {
			return false
		}
	}
	for _, s := range p.passes {
		if !s.network.steady() {
			return false
		}
	}
	return true
}

// forward computes z, with input dropout if it is for training.
func (g *group) forward(train bool, seed uint64) {
	if g.features != g.root.features { // a checkpoint has brought another scale since
		g.choose(g.rows)
	}
	if g.first == nil {
		return
	}
	var d dropout
	if train {
		d = newDropout(seed, g.first.name, g.first.rate)
	}
	g.product.drop(d)
	g.product.forward(g.first.weights.Value, g.first.biases.Value, g.z)
}

// backward adds the gradient of the first layer, after all networks that share it have added theirs to dz. The biases'
// gradient is a sum over all rows, and so is taken in float64.
func (g *group) backward() {
	if g.first == nil || g.first.weights.frozen {
		return
	}
	g.product.backward(g.dz, g.first.weights.Gradient, g.first.width)
	sums := make([]float64, g.first.width)
	for i, d := range g.dz {
		sums[i%len(sums)] += float64(d)
	}
	for j, sum := range sums {
		g.first.biases.Gradient[j] += float32(sum)
	}
}
