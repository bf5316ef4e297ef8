package onnx

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Options say how a file is read.
type Options struct {
	// Features is the number of numbers that a row has.
	Features int
	// Output names the output that is wanted; "" means the only one.
	Output string
	// Frozen means that no parameter learns.
	Frozen bool
	// Fixed are tensors that do not learn, by their names, or by what stands before a dot in them.
	Fixed []string
	// External returns the bytes of a file beside this one, which may have tensors.
	External func(name string) ([]byte, error)
}

// Parameter is a tensor that learning changes.
type Parameter struct {
	Name  string
	Shape []int
	Value []float32 // as the file has it; not to be changed
}

// Model is a network that has been read. It does not change, and may be used by several goroutines.
type Model struct {
	data       []byte
	steps      []step
	constants  []*tensor // by value; nil for what is computed
	input      int32
	output     int32
	row        []int // the shape of a row
	whole      bool  // a row has integers
	batch      int   // how many rows the file wants at once; 0 if any
	piece      int   // how many are computed at once
	perRow     int   // about how many numbers are made for one
	outputs    int
	ending     string
	shares     bool // outputs of made-up rows were probabilities
	parameters []Parameter
	places     []int32 // the values of the parameters
}

// step is a node at work. Values are numbered; -1 is an input that is left out.
type step struct {
	name, operator string
	in, out        []int32
	compute        operator
	axis           int     // of a Softmax
	free           []int32 // what is not needed any more after it
}

// UnsupportedError lists the nodes that have operators which are not supported.
type UnsupportedError struct {
	// Nodes are the names of nodes by operator, with the domain of one that is not the standard's.
	Nodes map[string][]string
}

// Error lists the operators with some of their nodes.
func (e *UnsupportedError) Error() string {
	const shown = 5
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(e.Nodes)) {
		nodes := e.Nodes[name]
		list := strings.Join(nodes[:min(shown, len(nodes))], ", ")
		if rest := len(nodes) - shown; rest > 0 {
			list += fmt.Sprintf(" and %d more", rest)
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", name, list))
	}
	return "operators that are not supported: " + strings.Join(parts, "; ")
}

// Read reads a network. It keeps data, which must not change.
func Read(data []byte, options Options) (*Model, error) {
	c := &compiler{reader: reader{open: options.External}, options: options, names: make(map[string]int32)}
	return c.compile(data)
}

// Outputs returns the number of outputs of a row.
func (m *Model) Outputs() int { return m.outputs }

// Features returns the number of numbers that a row has.
func (m *Model) Features() int { return product(m.row) }

// Parameters returns the tensors that learn, in the order of the file.
func (m *Model) Parameters() []Parameter { return m.parameters }

// Ending names the operator that the network ended with before its outputs were taken ahead of it: "Softmax",
// "Sigmoid", or "".
func (m *Model) Ending() string { return m.ending }

// Probabilities tells whether the outputs look like probabilities already.
func (m *Model) Probabilities() bool { return m.shares }

// endings are the operators that are left to whoever reads the outputs, who then has exact gradients.
var endings = map[string]bool{"Softmax": true, "Sigmoid": true}

// try runs the network once on made-up rows.
func (m *Model) try() error {
	rows := 2
	if m.batch > 0 {
		rows = m.batch
	}
	n := m.Features()
	features := make([]float32, rows*n)
	if !m.whole {
		for i := range features {
			features[i] = float32(i*7919%13-6) / 6
		}
	}
	values := make([][]float32, len(m.parameters))
	for k, p := range m.parameters {
		values[k] = p.Value
	}
	out, spent, err := m.probe(values, features, rows)
	if err != nil {
		return err
	}
	m.outputs = len(out) / rows
	m.perRow = max(1, spent/rows)
	m.piece = min(largestPiece, max(smallestPiece, pieceElements/m.perRow))
	if m.batch > 0 {
		m.piece = m.batch
	}
	m.shares = areProbabilities(out, m.outputs)
	if rows == 1 {
		return nil
	}
	return m.tryApart(values, features, out, rows)
}

// tryApart moves the first row to the second place, among others than before: its outputs have to move with it.
func (m *Model) tryApart(values [][]float32, features, out []float32, rows int) error {
	n := m.Features()
	other := slices.Clone(features)
	copy(other[n:2*n], features[:n])
	for k := range n {
		if m.whole {
			other[k] = 1 // which may be one word too many: then nothing can be said
			continue
		}
		other[k] = 0.75 - features[k]/2
	}
	moved, _, err := m.probe(values, other, rows)
	if m.whole && err != nil {
		return nil
	}
	if err != nil {
		return err
	}
	for k := range m.outputs {
		if differ(out[k], moved[m.outputs+k]) {
			return errors.New("a row's outputs depend on the other rows that are computed with it")
		}
	}
	return nil
}

const (
	// A piece has so many rows, and about pieceElements numbers.
	smallestPiece, largestPiece = 4, 16
	pieceElements               = 1 << 17
)

// probe computes the outputs of some rows at once, and what that takes.
func (m *Model) probe(values [][]float32, features []float32, rows int) (out []float32, spent int, err error) {
	memory := &memory{left: min(rows, largestPiece) * maxWork}
	before := memory.left
	result, _, err := m.execute(memory, m.setting(values), features, rows, false)
	if err != nil {
		return nil, 0, err
	}
	t := result[m.output]
	if t == nil {
		return nil, 0, errors.New("its output is one of a node that is not supported, as the node's others are")
	}
	if t.isInt() || t.len() == 0 || t.len()%rows != 0 || len(t.shape) > 0 && t.shape[0] != rows {
		return nil, 0, fmt.Errorf("its output has the shape %v for %d rows: a real number or more for each is wanted",
			t.shape, rows)
	}
	if m.ending == "Softmax" && len(t.shape) != 2 {
		return nil, 0, fmt.Errorf("it ends with a Softmax of shape %v: [rows, classes] is wanted", t.shape)
	}
	return t.reals, before - memory.left, nil
}

// differ tells whether two numbers are not the same but for rounding.
func differ(a, b float32) bool {
	return math.Abs(float64(a)-float64(b)) > 1e-3*(1+math.Abs(float64(a)))
}

// areProbabilities tells whether all outputs are in [0,1] and those of each row, which are several, sum to 1.
func areProbabilities(out []float32, width int) bool {
	for lo := 0; lo < len(out); lo += width {
		sum := 0.0
		for _, v := range out[lo : lo+width] {
			if !(v >= 0 && v <= 1) {
				return false
			}
			sum += float64(v)
		}
		if math.Abs(sum-1) > 1e-4 {
			return false
		}
	}
	return width > 1
}
