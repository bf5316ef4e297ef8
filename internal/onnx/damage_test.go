package onnx

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/deeppsl/deeppsl/internal/alloctest"
)

// TestDamage changes each byte of files: nothing in them is believed before the bytes are there. What a network
// computes when it is tried once, which takes work for two rows at most, is not counted.
func TestDamage(t *testing.T) {
	for _, name := range []string{"mlp", "transformer"} {
		data := readFile(t, name+".onnx")
		network := networks[name]
		read, most := 0, uint64(0)
		stride := 1 + len(data)/1500
		alloctest.Damage(data, func(at int) {
			if at%stride != 0 {
				return
			}
			most = max(most, alloctest.Bytes(func() {
				if _, err := Read(data, Options{Features: network.features}); err == nil {
					read++
				}
			}))
		})
		t.Logf("%s: %d damaged files are networks; at most %d bytes for %d", name, read, most, len(data))
		if most > uint64(20*len(data)+1<<16) {
			t.Errorf("%s: a damaged file of %d bytes takes %d", name, len(data), most)
		}
	}
}

// TestDamageOfOperators changes each byte of small networks: shapes, indices and attributes that do not fit are errors.
func TestDamageOfOperators(t *testing.T) {
	var cases []struct {
		Name  string
		Model []byte
		Width int
	}
	readJSON(t, "operators.json", &cases)
	for _, c := range cases {
		at := 0
		func() {
			defer func() {
				if caught := recover(); caught != nil {
					t.Errorf("%s with another byte %d: %v", c.Name, at, caught)
				}
			}()
			alloctest.Damage(c.Model, func(k int) {
				at = k
				if m, err := Read(c.Model, Options{Features: c.Width, Frozen: true}); err == nil {
					out := make([]float32, 3*m.outputs)
					_ = m.Forward(nil, numbers(3*c.Width), out, 1)
				}
			})
		}()
	}
}

// TestTruncated cuts a file anywhere.
func TestTruncated(t *testing.T) {
	data := readFile(t, "mlp.onnx")
	for n := range data {
		m, err := Read(data[:n], Options{Features: 6})
		if err == nil && m.outputs != 3 {
			t.Errorf("%d bytes of the file are a network of %d outputs", n, m.outputs)
		}
	}
}

// written is a network by hand: for an input x of four numbers a row and an output y.
type written struct {
	nodes, tensors [][]byte
	rows           int // at once; 0 for any number
}

func (w written) file() []byte {
	rows := text(2, []byte("n"))
	if w.rows > 0 {
		rows = number(1, uint64(w.rows))
	}
	shape := join(text(1, rows), text(1, number(1, 4)))
	kind := text(2, text(1, join(number(1, typeFloat), text(2, shape))))
	graph := join(text(graphNode, w.nodes...), text(graphInitializer, w.tensors...),
		text(graphInput, join(text(1, []byte("x")), kind)), text(graphOutput, join(text(1, []byte("y")), kind)))
	return join(number(1, 8), text(modelOpset, number(opsetVersion, 18)), text(modelGraph, graph))
}

func text(number protowire.Number, parts ...[]byte) (message []byte) {
	for _, part := range parts {
		message = protowire.AppendBytes(protowire.AppendTag(message, number, protowire.BytesType), part)
	}
	return message
}

func number(n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), v)
}

func join(parts ...[]byte) (all []byte) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// file writes a network of some nodes.
func file(nodes ...[]byte) []byte { return written{nodes: nodes}.file() }

// operatorNode writes a node by hand.
func operatorNode(operator, out string, in ...string) (message []byte) {
	add := func(number protowire.Number, text string) {
		message = protowire.AppendString(protowire.AppendTag(message, number, protowire.BytesType), text)
	}
	for _, name := range in {
		add(nodeInput, name)
	}
	add(nodeOutput, out)
	add(nodeOperator, operator)
	return message
}

// TestMemoryOfNodes reads files of very many small nodes.
func TestMemoryOfNodes(t *testing.T) {
	alloctest.SkipIfRacing(t)
	const n = 60_000
	for name, make := range map[string]func(k int) []byte{
		"supported":   func(k int) []byte { return operatorNode("Abs", fmt.Sprintf("%x", k), "x") },
		"unsupported": func(k int) []byte { return operatorNode("A", fmt.Sprintf("%x", k), "x") },
		"kinds":       func(k int) []byte { return operatorNode(fmt.Sprintf("%x", k), "o", "x") },
	} {
		var nodes [][]byte
		for k := range n {
			nodes = append(nodes, make(k))
		}
		data := file(append(nodes, operatorNode("Neg", "y", "x"))...)
		nodes = nil
		var err error
		read := func() { _, err = Read(data, Options{Features: 4, Frozen: true}) }
		// What is garbage already, when the heap is looked at, differs from time to time.
		peak := min(alloctest.Peak(read), alloctest.Peak(read), alloctest.Peak(read))
		if (err == nil) != (name == "supported") {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %.1f bytes for one", name, float64(peak)/float64(len(data)))
		if peak > uint64(20*len(data)) {
			t.Errorf("%s: %d bytes for %d", name, peak, len(data))
		}
	}
}

// Files that are no network say what is wrong.
func TestErrors(t *testing.T) {
	same := operatorNode("Abs", "y", "x")
	for want, data := range map[string][]byte{
		`operators that are not supported: Foo (y)`:         file(operatorNode("Foo", "y", "x")),
		`node "y" (Add) reads "z", which nothing before it`: file(operatorNode("Add", "y", "x", "z")),
		`node "y" (Add): it has 1 inputs`:                   file(operatorNode("Add", "y", "x")),
		`nothing gives its output "y"`:                      file(operatorNode("Abs", "z", "x")),
		`is there already`:                                  file(same, same),
		`it has no graph`:                                   {},
		`is damaged, or is not ONNX`:                        []byte("PK\x03\x04"),
		`node "MatMul" (MatMul): matrices of shapes [2 4]`:  file(operatorNode("MatMul", "y", "x", "x")),
	} {
		_, err := Read(data, Options{Features: 4, Frozen: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	data := file(operatorNode("Neg", "y", "x"))
	for want, options := range map[string]Options{
		"the features have 5 numbers each":       {Features: 5, Frozen: true},
		"it has no parameter that could learn":   {Features: 4},
		`it has no output "z"; there are y`:      {Features: 4, Output: "z", Frozen: true},
		"no tensor is called conv1, to be fixed": {Features: 4, Fixed: []string{"conv1"}},
	} {
		if _, err := Read(data, options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

// FuzzRead reads anything.
func FuzzRead(f *testing.F) {
	for name := range networks {
		if data := readFile(f, name+".onnx"); len(data) < 20_000 {
			f.Add(data, networks[name].features)
		}
	}
	f.Add(file(operatorNode("Softmax", "y", "x")), 4)
	f.Fuzz(func(t *testing.T, data []byte, features int) {
		if features > 1000 {
			return
		}
		m, err := Read(data, Options{Features: features, Frozen: true})
		if err == nil && (m.outputs < 1 || m.Features() != features) {
			t.Errorf("%d outputs of %d features", m.outputs, m.Features())
		}
	})
}

// attributed adds an attribute of integers, a list or one, to a node.
func attributed(node []byte, name string, list bool, values ...uint64) []byte {
	attribute, place := text(attributeName, []byte(name)), attributeInteger
	if list {
		place = attributeInts
	}
	for _, v := range values {
		attribute = join(attribute, number(place, v))
	}
	return join(node, text(nodeAttribute, attribute))
}

// listedAs is a constant list of integers, such as a shape.
func listedAs(name string, values ...uint64) []byte {
	return attributed(operatorNode("Constant", name), "value_ints", true, values...)
}

// Files whose shapes are large, or hide large dimensions behind one of 0, are errors that take neither memory nor time.
func TestLargeShapes(t *testing.T) {
	const large = 1 << 27
	filled := func(name, shape string) []byte { return operatorNode("ConstantOfShape", name, shape) }
	concat := func(axis uint64, in ...string) []byte {
		return attributed(operatorNode("Concat", "y", in...), "axis", false, axis)
	}
	for name, data := range map[string][]byte{
		"an expansion to nothing": file(listedAs("s", 0, large, 1), operatorNode("Expand", "y", "x", "s")),
		"nothing, turned":         file(listedAs("s", 0, large), filled("z", "s"), operatorNode("Transpose", "y", "z")),
		"nothing, side by side": file(listedAs("s", large, large, large, 0), filled("z", "s"),
			concat(3, "z", "z")),
		"stacks of matrices": file(listedAs("s", 1<<16, 1, 1, 1), listedAs("u", 1, 1<<16, 1, 1), filled("a", "s"),
			filled("b", "u"), operatorNode("MatMul", "y", "a", "b")),
	} {
		var err error
		bytes := alloctest.Bytes(func() { _, err = Read(data, Options{Features: 4, Frozen: true}) })
		if err == nil || bytes > 1<<20 {
			t.Errorf("%s: %d bytes, and the error is %v", name, bytes, err)
		}
	}
}

// A product without rows, and an output that no operator gives, once were panics.
func TestNothingIsNoPanic(t *testing.T) {
	for want, data := range map[string][]byte{
		"do not fit each other": file(listedAs("s", 0, 5), listedAs("u", 5, 100), operatorNode("ConstantOfShape", "a", "s"),
			operatorNode("ConstantOfShape", "b", "u"), operatorNode("Gemm", "c", "a", "b"), operatorNode("Add", "y", "x", "c")),
		"is not supported": file(listedAs("s", 4), operatorNode("ConstantOfShape", "w", "s"),
			join(operatorNode("LayerNormalization", "z", "x", "w"), text(nodeOutput, []byte("y")))),
	} {
		if _, err := Read(data, Options{Features: 4, Frozen: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}
