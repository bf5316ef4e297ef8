package onnx

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// attribute is one setting of an operator.
type attribute struct {
	integer int64
	real    float32
	text    string
	ints    []int64
	reals   []float32
	tensor  *tensor
	other   bool // of a kind that no operator here wants
}

// The fields of an attribute in the file.
const (
	attributeName    protowire.Number = 1
	attributeReal    protowire.Number = 2
	attributeInteger protowire.Number = 3
	attributeText    protowire.Number = 4
	attributeTensor  protowire.Number = 5
	attributeReals   protowire.Number = 7
	attributeInts    protowire.Number = 8
	attributeDoc     protowire.Number = 13
	attributeType    protowire.Number = 20
)

// longestList bounds the numbers of an attribute.
const longestList = 1 << 16

// attributes are the settings of one node. Those that the operator takes are gone from the map: what is left at the end
// is something that it does not know, and must not ignore.
type attributes struct {
	byName map[string]*attribute
	err    error
}

// readAttribute reads one setting.
func readAttribute(message []byte, read *reader) (name string, a *attribute, err error) {
	a = new(attribute)
	err = fields(message, func(f field) (err error) {
		switch f.number {
		case attributeName:
			name = string(f.bytes)
		case attributeReal:
			a.real = math.Float32frombits(uint32(f.value))
		case attributeInteger:
			a.integer = int64(f.value)
		case attributeText:
			a.text = string(f.bytes)
		case attributeTensor:
			_, a.tensor, err = read.tensor(f.bytes)
		case attributeReals:
			a.reals, err = reals(a.reals, f)
		case attributeInts:
			a.ints, err = integers(a.ints, f, longestList)
		case attributeDoc, attributeType:
		default:
			a.other = true
		}
		return err
	})
	return name, a, err
}

// take returns an attribute, or nil, and marks it as known.
func (a *attributes) take(name string) *attribute {
	found := a.byName[name]
	delete(a.byName, name)
	if found != nil && found.other {
		a.wrong("attribute %s is of a kind that is not known", name)
	}
	return found
}

// wrong notes the first thing that is wrong.
func (a *attributes) wrong(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

// integer returns an attribute, or what it is where it is not written.
func (a *attributes) integer(name string, otherwise int) int {
	if found := a.take(name); found != nil {
		return int(found.integer)
	}
	return otherwise
}

func (a *attributes) real(name string, otherwise float32) float32 {
	if found := a.take(name); found != nil {
		return found.real
	}
	return otherwise
}

func (a *attributes) text(name, otherwise string) string {
	if found := a.take(name); found != nil {
		return found.text
	}
	return otherwise
}

// ints returns a list; nil where it is not written.
func (a *attributes) ints(name string) []int {
	found := a.take(name)
	if found == nil {
		return nil
	}
	list := make([]int, len(found.ints))
	for k, v := range found.ints {
		list[k] = int(v)
	}
	return list
}

// has tells whether an attribute is written and not yet taken.
func (a *attributes) has(name string) bool { return a.byName[name] != nil }

// only is an error unless the attribute has its one value that is known, or is not written.
func (a *attributes) only(name string, value int) {
	if got := a.integer(name, value); got != value {
		a.wrong("%s = %d is not supported; %d is", name, got, value)
	}
}

// end returns what is wrong with the attributes.
func (a *attributes) end() error {
	if a.err == nil && len(a.byName) > 0 {
		a.wrong("attribute %s is not known here", slices.Sorted(maps.Keys(a.byName))[0])
	}
	return a.err
}
