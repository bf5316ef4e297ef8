package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// compiler makes a Model of a file.
type compiler struct {
	reader
	options Options
	opset   int64
	kinds   map[string]kind
	names   map[string]int32 // values by their names
	values  int32            // how many there are

	initial  map[int32]*tensor // initialisers
	learns   map[int32]bool    // of those, which have a type that can
	ordered  []int32           // initialisers in the order of the file
	initials []string          // their names
	inputs   []signature
	results  []signature
	steps    []step
}

func (c *compiler) compile(data []byte) (*Model, error) {
	head, err := readHead(data)
	if err != nil {
		return nil, err
	}
	c.opset, c.kinds = head.opset, kindsOf(head.opset)
	if err := c.readGraph(head.graph); err != nil {
		return nil, err
	}
	m := &Model{data: data, output: -1}
	if err := c.chooseInput(m); err != nil {
		return nil, err
	}
	if err := c.findUnsupported(head.graph); err != nil {
		return nil, err
	}
	if err := c.readNodes(head.graph); err != nil {
		return nil, err
	}
	if err := c.chooseOutput(m); err != nil {
		return nil, err
	}
	if err := c.prune(m); err != nil {
		return nil, err
	}
	if err := c.chooseParameters(m); err != nil {
		return nil, err
	}
	if err := c.fold(m); err != nil {
		return nil, err
	}
	c.release(m)
	return m, m.try()
}

// value returns the number of a name, a new one if it has none.
func (c *compiler) value(name string) int32 {
	if name == "" {
		return -1
	}
	id, known := c.names[name]
	if !known {
		id = c.fresh()
		c.names[name] = id
	}
	return id
}

// fresh returns the number of a value that has no name.
func (c *compiler) fresh() int32 {
	c.values++
	return c.values - 1
}

// readGraph reads all of the graph but its nodes.
func (c *compiler) readGraph(graph []byte) error {
	n, err := count(graph, graphInitializer)
	if err != nil {
		return err
	}
	c.initial, c.learns = make(map[int32]*tensor, n), make(map[int32]bool)
	return fields(graph, func(f field) error {
		switch f.number {
		case graphInitializer:
			return c.readInitializer(f.bytes)
		case graphInput, graphOutput:
			s, err := readSignature(f.bytes)
			if f.number == graphInput {
				c.inputs = append(c.inputs, s)
			} else {
				c.results = append(c.results, s)
			}
			return err
		case graphSparse:
			return errors.New("it has sparse tensors, which are not supported")
		}
		return nil
	})
}

func (c *compiler) readInitializer(message []byte) error {
	name, t, err := c.tensor(message)
	if err != nil {
		return err
	}
	id := c.value(name)
	if id < 0 || c.initial[id] != nil {
		return fmt.Errorf("two tensors are called %q", name)
	}
	c.initial[id], c.ordered, c.initials = t, append(c.ordered, id), append(c.initials, name)
	return fields(message, func(f field) error {
		if f.number == tensorType && f.value == typeFloat {
			c.learns[id] = true
		}
		return nil
	})
}

// chooseInput finds the only input that is no initialiser, and what a row of it is.
func (c *compiler) chooseInput(m *Model) error {
	var names []string
	var input signature
	for _, s := range c.inputs {
		if id := c.value(s.name); id >= 0 && c.initial[id] == nil {
			names, input = append(names, s.name), s
		}
	}
	if len(names) != 1 {
		return fmt.Errorf("it has %d inputs (%s): one, for the features, is wanted", len(names), strings.Join(names, ", "))
	}
	_, real := realTypes[input.kind]
	_, whole := intTypes[input.kind]
	if !input.typed || len(input.shape) < 2 || !real && !whole {
		return fmt.Errorf("its input %q is %s of shape %v: numbers of shape [rows, …] are wanted", input.name,
			typeName(input.kind), input.shape)
	}
	m.input, m.whole, m.row = c.value(input.name), whole, slices.Clone(input.shape[1:])
	m.batch = max(0, input.shape[0])
	if m.batch > 1<<12 {
		return fmt.Errorf("its input %q has %d rows at once: export it for any number of rows", input.name, m.batch)
	}
	return c.fitRow(m, input)
}

// fitRow finds the one size of a row that may vary, if there is one, by the number of features.
func (c *compiler) fitRow(m *Model, input signature) error {
	free, rest := -1, 1
	for k, d := range m.row {
		switch {
		case d > 0 && rest <= maxElements/d:
			rest *= d
		case d >= 0:
			return fmt.Errorf("its input %q has the shape %v", input.name, input.shape)
		case free >= 0:
			return fmt.Errorf("its input %q has the shape %v, where -1 is any size: one at most, beside the rows, can be found",
				input.name, input.shape)
		default:
			free = k
		}
	}
	features := c.options.Features
	if free >= 0 && features%rest == 0 && features > 0 {
		m.row[free] = features / rest
		rest = features
	}
	if rest != features {
		return fmt.Errorf("its input %q has rows of shape %v, and the features have %d numbers each", input.name, m.row,
			features)
	}
	return nil
}

// findUnsupported reads what the nodes are called, so that all that are not supported are told at once.
func (c *compiler) findUnsupported(graph []byte) error {
	unsupported := make(map[string][]string)
	err := fields(graph, func(f field) error {
		if f.number != graphNode {
			return nil
		}
		n, err := c.node(f.bytes, false)
		if err != nil {
			return err
		}
		if !c.supports(n) {
			name := n.operator
			if n.domain != "" && n.domain != standardDomain {
				name = n.domain + "." + name
			}
			label := n.name
			if label == "" {
				label = n.out[0]
			}
			unsupported[name] = append(unsupported[name], label)
		}
		return nil
	})
	if err == nil && len(unsupported) > 0 {
		err = &UnsupportedError{unsupported}
	}
	return err
}

func (c *compiler) supports(n node) bool {
	if n.domain != "" && n.domain != standardDomain {
		return false
	}
	_, known := c.kinds[n.operator]
	return known || chained[n.operator] != "" || n.operator == "Split"
}

// readNodes makes steps of the nodes. Each reads what is there before it.
func (c *compiler) readNodes(graph []byte) error {
	n, err := count(graph, graphNode)
	if err != nil {
		return err
	}
	c.steps = make([]step, 0, n)
	made := make([]bool, c.values, int(c.values)+n)
	for id := range made {
		made[id] = c.initial[int32(id)] != nil
	}
	for _, s := range c.inputs {
		made[c.value(s.name)] = true
	}
	return fields(graph, func(f field) error {
		if f.number != graphNode {
			return nil
		}
		n, err := c.node(f.bytes, true)
		if err != nil {
			return err
		}
		for _, name := range n.in {
			if id, known := c.names[name]; name != "" && (!known || !made[id]) {
				return fmt.Errorf("node %s reads %q, which nothing before it gives", n, name)
			}
		}
		if err := c.addNode(n); err != nil {
			return fmt.Errorf("node %s: %w", n, err)
		}
		for _, name := range n.out {
			if name == "" {
				continue
			}
			id := c.value(name)
			made = append(made, make([]bool, max(0, int(c.values)-len(made)))...)
			if made[id] {
				return fmt.Errorf("node %s gives %q, which is there already", n, name)
			}
			made[id] = true
		}
		return nil
	})
}

// String names a node in messages.
func (n node) String() string {
	name := n.name
	if name == "" {
		name = n.out[0]
	}
	return fmt.Sprintf("%q (%s)", name, n.operator)
}

// addNode makes a step, or several, of a node.
func (c *compiler) addNode(n node) error {
	attributes := &attributes{byName: n.attributes}
	in, out := make([]int32, len(n.in)), make([]int32, len(n.out))
	for k, name := range n.in {
		in[k] = c.value(name)
	}
	for k, name := range n.out {
		out[k] = c.value(name)
	}
	if pairwise := chained[n.operator]; pairwise != "" {
		return c.addChain(n, pairwise, in, out)
	}
	if n.operator == "Split" {
		return c.addSplit(n, attributes, in, out)
	}
	k := c.kinds[n.operator]
	if len(in) < k.required || len(in) > k.most || slices.Contains(in[:k.required], -1) || out[0] < 0 {
		return fmt.Errorf("it has %d inputs", len(in))
	}
	if k.most == unlimited && slices.Contains(in, -1) {
		return errors.New("an input is left out")
	}
	axis := 1 // as if not written: the last one of two
	if a := n.attributes["axis"]; a != nil && n.operator == "Softmax" {
		axis = int(a.integer)
	}
	operator := k.build(attributes)
	if err := attributes.end(); err != nil {
		return err
	}
	c.steps = append(c.steps, step{name: n.name, operator: n.operator, in: in, out: out, compute: operator,
		axis: axis})
	return nil
}

// addChain takes the inputs of Sum, Mean, Max or Min two by two.
func (c *compiler) addChain(n node, pairwise string, in, out []int32) error {
	if len(in) == 0 || slices.Contains(in, -1) || out[0] < 0 || len(n.attributes) > 0 {
		return fmt.Errorf("it has %d inputs", len(in))
	}
	add := func(operator string, o operator, in []int32, out int32) {
		c.steps = append(c.steps, step{name: n.name, operator: operator, in: in, out: []int32{out}, compute: o})
	}
	total := in[0]
	for k, next := range in[1:] {
		to := c.fresh()
		if k == len(in)-2 && n.operator != "Mean" {
			to = out[0]
		}
		add(pairwise, arithmetics[pairwise].operator(), []int32{total, next}, to)
		total = to
	}
	if n.operator == "Mean" {
		share := float32(1) / float32(len(in))
		times := curve{func(x float64) float64 { return x * float64(share) },
			func(_, _ float64) float64 { return float64(share) }}
		add(n.operator, times.operator(), []int32{total}, out[0])
	} else if len(in) == 1 {
		add("Identity", identity(nil), in, out[0])
	}
	return nil
}

// addSplit makes a step of each part.
func (c *compiler) addSplit(n node, a *attributes, in, out []int32) error {
	at, list := a.integer("axis", 0), a.ints("split")
	parts := a.integer("num_outputs", len(out))
	if err := a.end(); err != nil {
		return err
	}
	if len(in) < 1 || len(in) > 2 || in[0] < 0 || parts != len(out) {
		return fmt.Errorf("it has %d inputs and %d outputs", len(in), len(out))
	}
	for part, to := range out {
		if to >= 0 {
			c.steps = append(c.steps, step{name: n.name, operator: n.operator, in: in, out: []int32{to},
				compute: split(at, part, parts, list)})
		}
	}
	return nil
}

// chooseOutput finds the output that is wanted, and leaves out what only makes truth values of it.
func (c *compiler) chooseOutput(m *Model) error {
	var names []string
	for _, s := range c.results {
		names = append(names, s.name)
	}
	wanted := c.options.Output
	switch {
	case wanted == "" && len(names) != 1:
		return fmt.Errorf("it has %d outputs (%s): say which one is wanted", len(names), strings.Join(names, ", "))
	case wanted == "":
		wanted = names[0]
	case !slices.Contains(names, wanted):
		return fmt.Errorf("it has no output %q; there are %s", wanted, strings.Join(names, ", "))
	}
	id, known := c.names[wanted]
	if !known {
		return fmt.Errorf("nothing gives its output %q", wanted)
	}
	m.output = id
	for k := range c.steps {
		s := &c.steps[k]
		if s.out[0] == id && endings[s.operator] {
			if s.operator == "Softmax" && s.axis != 1 && s.axis != -1 {
				return fmt.Errorf("it ends with a Softmax over axis %d: that of the classes, 1, is wanted", s.axis)
			}
			m.output, m.ending = s.in[0], s.operator
		}
	}
	return nil
}

// prune leaves out the steps that the output does not need.
func (c *compiler) prune(m *Model) error {
	needed := make([]bool, c.values)
	needed[m.output] = true
	kept := len(c.steps)
	for k := len(c.steps) - 1; k >= 0; k-- {
		s := c.steps[k]
		if !slices.ContainsFunc(s.out, func(id int32) bool { return id >= 0 && needed[id] }) {
			continue
		}
		for _, id := range s.in {
			if id >= 0 {
				needed[id] = true
			}
		}
		kept--
		c.steps[kept] = s
	}
	c.steps = slices.Clone(c.steps[kept:])
	if !needed[m.input] {
		return errors.New("its output does not depend on its input")
	}
	return nil
}

// largestParameter bounds what is taken for a parameter: masks have larger numbers.
const largestParameter = 1e6

// chooseParameters finds the initialisers that learn: those that an operator has in the place of weights or biases,
// maybe after they were brought into another shape.
func (c *compiler) chooseParameters(m *Model) error {
	if c.options.Frozen {
		return nil
	}
	weight := make([]bool, c.values)
	for _, s := range slices.Backward(c.steps) {
		kind := c.kinds[s.operator]
		for k, id := range s.in {
			passes := kind.passes && weight[s.out[0]] && (k == 0 || s.operator == "Concat")
			if id >= 0 && (passes || slices.Contains(kind.weights, k) && c.isWeight(s, c.initial[id])) {
				weight[id] = true
			}
		}
	}
	fixed := make(map[string]bool)
	for k, id := range c.ordered {
		name := c.initials[k]
		by := slices.IndexFunc(c.options.Fixed, func(f string) bool { return name == f || strings.HasPrefix(name, f+".") })
		if by >= 0 {
			fixed[c.options.Fixed[by]] = true
			continue
		}
		t := c.initial[id]
		if weight[id] && c.learns[id] && t.len() > 0 && !slices.ContainsFunc(t.reals, tooLarge) {
			m.parameters = append(m.parameters, Parameter{name, t.shape, t.reals})
			m.places = append(m.places, id)
		}
	}
	for _, name := range c.options.Fixed {
		if !fixed[name] {
			return fmt.Errorf("no tensor is called %s, to be fixed", name)
		}
	}
	if len(m.parameters) == 0 {
		return errors.New("it has no parameter that could learn")
	}
	return nil
}

// isWeight tells whether a tensor in the place of a parameter is one. A single number that others are multiplied with
// or added to is a constant of the formula.
func (c *compiler) isWeight(s step, t *tensor) bool {
	return parameterPlaces[s.operator] == nil || t == nil || t.len() > 1
}

func tooLarge(v float32) bool { return !(math.Abs(float64(v)) <= largestParameter) }

// fold computes what depends on constants alone.
func (c *compiler) fold(m *Model) error {
	m.constants = make([]*tensor, c.values)
	for id, t := range c.initial {
		m.constants[id] = t
	}
	for _, id := range m.places {
		m.constants[id] = nil
	}
	memory := &memory{left: maxWork}
	for _, s := range c.steps {
		if slices.ContainsFunc(s.in, func(id int32) bool { return id >= 0 && m.constants[id] == nil }) {
			m.steps = append(m.steps, s)
			continue
		}
		out, err := s.run(memory, m.constants)
		if err != nil {
			return err
		}
		for k, t := range out {
			if k < len(s.out) && s.out[k] >= 0 {
				m.constants[s.out[k]] = t
			}
		}
	}
	return nil
}

// release finds what is not needed any more after each step.
func (c *compiler) release(m *Model) {
	seen := make([]bool, c.values)
	seen[m.output] = true
	for k := len(m.steps) - 1; k >= 0; k-- {
		s := &m.steps[k]
		for _, id := range slices.Concat(s.in, s.out) {
			if id >= 0 && !seen[id] {
				seen[id] = true
				s.free = append(s.free, id)
			}
		}
	}
}
