package onnx

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// outside writes a tensor of four numbers that lie in another file.
func outside(location, offset, length string) []byte {
	entry := func(key, value string) []byte { return join(text(1, []byte(key)), text(2, []byte(value))) }
	return join(number(tensorDims, 4), number(tensorType, typeFloat), text(tensorName, []byte("w")),
		number(tensorPlace, 1),
		text(tensorExternal, entry("location", location), entry("offset", offset), entry("length", length)))
}

// Tensors may lie in a file beside the network's; tuned, they are written into it.
func TestTensorsOfOtherFiles(t *testing.T) {
	data := make([]byte, 4)
	for _, v := range []float32{1, -2, 3, 0.5} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	opened := 0
	options := Options{Features: 4, External: func(name string) ([]byte, error) {
		if opened++; name != "net.data" {
			return nil, errors.New("there is no " + name)
		}
		return data, nil
	}}
	net := func(tensor []byte) []byte {
		return written{nodes: [][]byte{operatorNode("Mul", "y", "x", "w")}, tensors: [][]byte{tensor}}.file()
	}
	m := mustRead(t, net(outside("net.data", "4", "16")), options)
	if len(m.Parameters()) != 1 || !slices.Equal(m.Parameters()[0].Value, []float32{1, -2, 3, 0.5}) || opened != 1 {
		t.Errorf("%+v, after %d files", m.Parameters(), opened)
	}
	var tuned strings.Builder
	if err := m.Write(&tuned, [][]float32{{5, 6, 7, 8}}); err != nil {
		t.Fatal(err)
	}
	again := mustRead(t, []byte(tuned.String()), Options{Features: 4})
	if !slices.Equal(again.Parameters()[0].Value, []float32{5, 6, 7, 8}) {
		t.Errorf("%+v", again.Parameters())
	}
	for want, tensor := range map[string][]byte{
		"which is not beside this one":           outside("../net.data", "0", "16"),
		`"/net.data", which is not beside`:       outside("/net.data", "0", "16"),
		"there is no other":                      outside("other", "0", "16"),
		"at byte 99 of net.data, which has 20":   outside("net.data", "99", "16"),
		"of 17 bytes is at byte 4":               outside("net.data", "4", "17"),
		"12 bytes are not 4 elements":            outside("net.data", "4", "12"),
		"at byte -4 of net.data":                 outside("net.data", "-4", "16"),
		"of 99999999999999999999 bytes is at by": outside("net.data", "4", "99999999999999999999"),
	} {
		if _, err := Read(net(tensor), options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	if _, err := Read(net(outside("net.data", "0", "16")), Options{Features: 4}); err == nil {
		t.Error("a tensor of another file is read though no file can be")
	}
}

// A network for three rows at once is shown any number of them.
func TestFixedNumberOfRows(t *testing.T) {
	nodes := [][]byte{operatorNode("Exp", "z", "x"), operatorNode("Neg", "y", "z")}
	m := mustRead(t, written{nodes: nodes, rows: 3}.file(), Options{Features: 4, Frozen: true})
	for _, rows := range []int{1, 3, 7} {
		x, out := numbers(4*rows), make([]float32, 4*rows)
		if err := m.Forward(nil, x, out, 2); err != nil {
			t.Fatal(err)
		}
		for k, v := range x {
			if want := -math.Exp(float64(v)); math.Abs(float64(out[k])-want) > 1e-6 {
				t.Fatalf("%d rows: number %d is %v, want %v", rows, k, out[k], want)
			}
		}
	}
}

// A network whose rows have something in common is refused.
func TestRowsThatDependOnOthers(t *testing.T) {
	mean := join(operatorNode("ReduceMean", "m", "x"), text(nodeAttribute, join(text(attributeName, []byte("axes")),
		number(attributeInts, 0))))
	_, err := Read(file(mean, operatorNode("Sub", "y", "x", "m")), Options{Features: 4, Frozen: true})
	if err == nil || !strings.Contains(err.Error(), "depend on the other rows") {
		t.Errorf("the error is %v", err)
	}
}

// Probabilities that do not come of a Softmax at the end are told, since another one would follow.
func TestProbabilities(t *testing.T) {
	softmax := []([]byte){operatorNode("Softmax", "p", "x"), operatorNode("Identity", "y", "p")}
	if m := mustRead(t, file(softmax...), Options{Features: 4, Frozen: true}); !m.Probabilities() || m.Ending() != "" {
		t.Error("probabilities are not seen to be any")
	}
	if m := mustRead(t, file(operatorNode("Softmax", "y", "x")), Options{Features: 4, Frozen: true}); m.Probabilities() ||
		m.Ending() != "Softmax" {
		t.Error("a Softmax at the end is not taken off")
	}
}

// A Softmax at the end that is not over the classes of a row is no output to be taken off.
func TestSoftmaxOverSomethingElse(t *testing.T) {
	over := func(axis int, in string) []byte {
		return join(operatorNode("Softmax", "y", in), text(nodeAttribute, join(text(attributeName, []byte("axis")),
			number(attributeInteger, uint64(axis)))))
	}
	list := join(text(attributeName, []byte("value_ints")), number(attributeInts, 1), number(attributeInts, 2))
	axes := join(operatorNode("Constant", "a"), text(nodeAttribute, list))
	for want, data := range map[string][]byte{
		"over axis 0":                file(over(0, "x")),
		"Softmax of shape [2 1 1 4]": file(axes, operatorNode("Unsqueeze", "u", "x", "a"), over(-1, "u")),
	} {
		if _, err := Read(data, Options{Features: 4, Frozen: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	if m := mustRead(t, file(over(1, "x")), Options{Features: 4, Frozen: true}); m.Ending() != "Softmax" {
		t.Error("a Softmax over the classes is not taken off")
	}
}

// outputsOf computes a network that has no parameters, for one row.
func outputsOf(t *testing.T, data []byte, x ...float32) []float32 {
	t.Helper()
	m := mustRead(t, data, Options{Features: len(x), Frozen: true})
	out := make([]float32, m.Outputs())
	if err := m.Forward(nil, x, out, 1); err != nil {
		t.Fatal(err)
	}
	return out
}

// castTo is a node that changes the kind of elements.
func castTo(kind uint64, out, in string) []byte {
	return attributed(operatorNode("Cast", out, in), "to", false, kind)
}

// Whole numbers that become truth values are 0 or 1, also where they become numbers again.
func TestTruthOfWholeNumbers(t *testing.T) {
	data := file(castTo(typeInt64, "a", "x"), castTo(typeBool, "b", "a"), castTo(typeFloat, "y", "b"))
	if got := outputsOf(t, data, 5, 0, -3, 0.5); !slices.Equal(got, []float32{1, 0, 1, 0}) {
		t.Errorf("%v", got)
	}
}

// A slice that goes back from before the first element has that one, as the standard clamps its start.
func TestSliceBackwards(t *testing.T) {
	back := func(n int) uint64 { return uint64(-int64(n)) }
	data := file(listedAs("start", back(9)), listedAs("end", back(9)), listedAs("axis", 1), listedAs("step", back(1)),
		operatorNode("Slice", "y", "x", "start", "end", "axis", "step"))
	if got := outputsOf(t, data, 7, 8, 9, 10); !slices.Equal(got, []float32{7}) {
		t.Errorf("%v", got)
	}
}

// Gradients stop at whole numbers, and that of x⁰ is 0 everywhere.
func TestGradientsThatStop(t *testing.T) {
	weight := func(values ...float32) []byte {
		tensor := join(number(tensorDims, uint64(len(values))), number(tensorType, typeFloat), text(tensorName, []byte("w")))
		for _, v := range values {
			tag := protowire.AppendTag(tensor, tensorFloats, protowire.Fixed32Type)
			tensor = protowire.AppendFixed32(tag, math.Float32bits(v))
		}
		return tensor
	}
	for name, nodes := range map[string][][]byte{
		"cast": {operatorNode("Mul", "m", "x", "w"), castTo(typeInt64, "i", "m"), castTo(typeFloat, "f", "i"),
			operatorNode("Add", "y", "m", "f")},
		"power": {listedAs("s", 1), operatorNode("ConstantOfShape", "zero", "s"), operatorNode("Mul", "m", "x", "w"),
			operatorNode("Pow", "p", "m", "zero"), operatorNode("Add", "y", "m", "p")},
	} {
		m := mustRead(t, written{nodes: nodes, tensors: [][]byte{weight(2, 0, 1, 3)}}.file(), Options{Features: 4})
		parameters, gradients := values(m)
		x := []float32{0.5, 2, 0, 4}
		if err := m.Backward(nil, parameters, x, []float32{1, 1, 1, 1}, gradients, 1); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(gradients[0], x) {
			t.Errorf("%s: the gradient is %v, want %v", name, gradients[0], x)
		}
	}
}

// Tensors that have the bytes of another file again and again are an error before they fill the memory.
func TestTensorsOfTheSameBytes(t *testing.T) {
	data := make([]byte, 1<<16)
	var tensors [][]byte
	for k := range 200 {
		entry := func(key, value string) []byte { return join(text(1, []byte(key)), text(2, []byte(value))) }
		tensors = append(tensors, join(number(tensorDims, uint64(len(data)/4)), number(tensorType, typeFloat),
			text(tensorName, []byte{'a' + byte(k%26), 'a' + byte(k/26)}), number(tensorPlace, 1),
			text(tensorExternal, entry("location", "net.data"))))
	}
	options := Options{Features: 4, External: func(string) ([]byte, error) { return data, nil }}
	_, err := Read(written{nodes: [][]byte{operatorNode("Neg", "y", "x")}, tensors: tensors}.file(), options)
	if err == nil || !strings.Contains(err.Error(), "more than 4 times its bytes") {
		t.Errorf("the error is %v", err)
	}
}
