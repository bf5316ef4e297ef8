package onnx

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/deeppsl/deeppsl/internal/half"
)

// The fields of the file's messages that are read.
const (
	modelGraph protowire.Number = 7
	modelOpset protowire.Number = 8

	opsetDomain  protowire.Number = 1
	opsetVersion protowire.Number = 2

	graphNode        protowire.Number = 1
	graphInitializer protowire.Number = 5
	graphInput       protowire.Number = 11
	graphOutput      protowire.Number = 12
	graphSparse      protowire.Number = 15

	nodeInput     protowire.Number = 1
	nodeOutput    protowire.Number = 2
	nodeName      protowire.Number = 3
	nodeOperator  protowire.Number = 4
	nodeAttribute protowire.Number = 5
	nodeDomain    protowire.Number = 7

	tensorDims     protowire.Number = 1
	tensorType     protowire.Number = 2
	tensorFloats   protowire.Number = 4
	tensorInt32s   protowire.Number = 5
	tensorInt64s   protowire.Number = 7
	tensorName     protowire.Number = 8
	tensorRaw      protowire.Number = 9
	tensorDoubles  protowire.Number = 10
	tensorUint64s  protowire.Number = 11
	tensorExternal protowire.Number = 13
	tensorPlace    protowire.Number = 14
)

// reader reads the parts of a file.
type reader struct {
	open  func(name string) ([]byte, error) // another file that has tensors; nil if none can be
	files map[string]*sidecar               // that have been opened
}

// sidecar is another file that has tensors, and how many of its bytes these may still be.
type sidecar struct {
	data []byte
	left int
}

// head is what a file says before its graph.
type head struct {
	graph []byte
	opset int64
}

// head finds the graph and the version of the operators.
func readHead(data []byte) (h head, err error) {
	err = fields(data, func(f field) error {
		switch f.number {
		case modelGraph:
			if h.graph != nil {
				return damaged(errors.New("it has two graphs"))
			}
			h.graph = f.bytes
		case modelOpset:
			domain, version := "", int64(0)
			err := fields(f.bytes, func(f field) error {
				switch f.number {
				case opsetDomain:
					domain = string(f.bytes)
				case opsetVersion:
					version = int64(f.value)
				}
				return nil
			})
			if domain == "" || domain == standardDomain {
				h.opset = version
			}
			return err
		}
		return nil
	})
	switch {
	case err != nil:
		return h, err
	case h.graph == nil:
		return h, damaged(errors.New("it has no graph"))
	case h.opset < oldestOpset:
		return h, fmt.Errorf("its operators are of version %d of the standard; %d and later are read", h.opset, oldestOpset)
	}
	return h, nil
}

const (
	// standardDomain is another name of the standard's operators, beside none.
	standardDomain = "ai.onnx"
	oldestOpset    = 7
)

// tensor reads a tensor with its name.
func (r *reader) tensor(message []byte) (name string, t *tensor, err error) {
	s := stored{}
	if err := fields(message, func(f field) error { return s.read(f) }); err != nil {
		return s.name, nil, err
	}
	if s.elsewhere {
		if s.raw, err = r.elsewhere(s.external); err != nil {
			return s.name, nil, err
		}
	}
	t, err = s.tensor()
	if err != nil {
		err = fmt.Errorf("tensor %q: %w", s.name, err)
	}
	return s.name, t, err
}

// stored is a tensor as it stands in a file.
type stored struct {
	name      string
	kind      int
	dims      []int64
	raw       []byte
	reals     []float32
	ints      []int64
	elsewhere bool
	external  map[string]string
}

func (s *stored) read(f field) (err error) {
	switch f.number {
	case tensorName:
		s.name = string(f.bytes)
	case tensorType:
		s.kind = int(f.value)
	case tensorDims:
		s.dims, err = integers(s.dims, f, maxRank)
	case tensorRaw:
		s.raw = f.bytes
	case tensorFloats:
		s.reals, err = reals(s.reals, f)
	case tensorDoubles:
		s.reals, err = doubles(s.reals, f)
	case tensorInt32s, tensorInt64s, tensorUint64s:
		s.ints, err = integers(s.ints, f, maxElements)
	case tensorPlace:
		s.elsewhere = f.value == 1
	case tensorExternal:
		if s.external == nil {
			s.external = make(map[string]string)
		}
		var key, value string
		err = fields(f.bytes, func(f field) error {
			switch f.number {
			case 1:
				key = string(f.bytes)
			case 2:
				value = string(f.bytes)
			}
			return nil
		})
		s.external[key] = value
	}
	return err
}

// tensor makes the tensor, whose elements must be there.
func (s *stored) tensor() (t *tensor, err error) {
	shape := make([]int, len(s.dims))
	for k, d := range s.dims {
		shape[k] = int(d)
	}
	n := 0
	if err := attempt(func() { n = size(shape) }); err != nil {
		return nil, err
	}
	_, real := realTypes[s.kind]
	switch {
	case s.raw != nil || s.elsewhere || n == 0:
		t, err = decode(s.kind, n, s.raw)
	case real && (s.kind == typeFloat || s.kind == typeDouble):
		t = &tensor{reals: s.reals}
	case real:
		t = &tensor{reals: make([]float32, len(s.ints))}
		for k, bits := range s.ints {
			if t.reals[k] = half.Float32(uint16(bits)); s.kind == typeBFloat16 {
				t.reals[k] = realTypes[typeBFloat16].read([]byte{byte(bits), byte(bits >> 8)})
			}
		}
	case intTypes[s.kind].size > 0:
		t = &tensor{ints: s.ints}
	default:
		return nil, fmt.Errorf("elements of type %s are not supported", typeName(s.kind))
	}
	if err != nil {
		return nil, err
	}
	if t.len() != n {
		return nil, fmt.Errorf("it has %d elements, and its shape %v %d", t.len(), shape, n)
	}
	t.shape = shape
	return t, nil
}

// elsewhere returns the bytes of a tensor in another file.
func (r *reader) elsewhere(where map[string]string) ([]byte, error) {
	location := where["location"]
	if !filepath.IsLocal(location) {
		return nil, fmt.Errorf("a tensor is in the file %q, which is not beside this one", location)
	}
	file, err := r.file(location)
	if err != nil {
		return nil, err
	}
	data, from, length := file.data, 0, len(file.data)
	if text := where["offset"]; text != "" {
		if from, err = strconv.Atoi(text); err != nil || from < 0 || from > len(data) {
			return nil, fmt.Errorf("a tensor is at byte %s of %s, which has %d", text, location, len(data))
		}
		length = len(data) - from
	}
	if text := where["length"]; text != "" {
		if length, err = strconv.Atoi(text); err != nil || length < 0 || length > len(data)-from {
			return nil, fmt.Errorf("a tensor of %s bytes is at byte %d of %s, which has %d", text, from, location, len(data))
		}
	}
	// Many tensors of the same bytes would take more memory than both files have.
	if file.left -= length; file.left < 0 {
		return nil, fmt.Errorf("the tensors in %s have more than %d times its bytes", location, timesShared)
	}
	return data[from : from+length], nil
}

// timesShared is how often tensors may have the bytes of another file.
const timesShared = 4

// file returns another file, which is read once.
func (r *reader) file(name string) (*sidecar, error) {
	if known := r.files[name]; known != nil {
		return known, nil
	}
	if r.open == nil {
		return nil, fmt.Errorf("a tensor is in the file %q, which cannot be read from here", name)
	}
	data, err := r.open(name)
	if err != nil {
		return nil, err
	}
	if r.files == nil {
		r.files = make(map[string]*sidecar)
	}
	r.files[name] = &sidecar{data, timesShared * len(data)}
	return r.files[name], nil
}

// node is one operator of the graph.
type node struct {
	name, operator, domain string
	in, out                []string
	attributes             map[string]*attribute
}

// node reads one, without its attributes if they are not wanted.
func (r *reader) node(message []byte, withAttributes bool) (n node, err error) {
	err = fields(message, func(f field) error {
		switch f.number {
		case nodeInput:
			n.in = append(n.in, string(f.bytes))
		case nodeOutput:
			n.out = append(n.out, string(f.bytes))
		case nodeName:
			n.name = string(f.bytes)
		case nodeOperator:
			n.operator = string(f.bytes)
		case nodeDomain:
			n.domain = string(f.bytes)
		case nodeAttribute:
			if !withAttributes {
				return nil
			}
			name, a, err := readAttribute(f.bytes, r)
			if err != nil {
				return err
			}
			if n.attributes == nil {
				n.attributes = make(map[string]*attribute)
			}
			n.attributes[name] = a
		}
		return nil
	})
	for len(n.in) > 0 && n.in[len(n.in)-1] == "" { // inputs that are left out at the end
		n.in = n.in[:len(n.in)-1]
	}
	if err == nil && (n.operator == "" || !slices.ContainsFunc(n.out, func(name string) bool { return name != "" })) {
		err = damaged(errors.New("a node has no operator or no output"))
	}
	return n, err
}

// signature is the name of an input or output of the graph, with what is said of its type.
type signature struct {
	name  string
	kind  int
	shape []int // -1 for sizes that may vary
	typed bool
}

// signature reads one: a value's name and its type, that of a tensor with its shape.
func readSignature(message []byte) (s signature, err error) {
	err = fields(message, func(f field) error {
		switch f.number {
		case 1:
			s.name = string(f.bytes)
		case 2:
			return fields(f.bytes, func(f field) error {
				if f.number == 1 {
					return s.tensorType(f.bytes)
				}
				return nil
			})
		}
		return nil
	})
	return s, err
}

func (s *signature) tensorType(message []byte) error {
	return fields(message, func(f field) error {
		switch f.number {
		case 1:
			s.kind = int(f.value)
		case 2:
			s.typed = true
			return fields(f.bytes, func(f field) error {
				if f.number != 1 {
					return nil
				}
				size := -1
				err := fields(f.bytes, func(f field) error {
					if f.number == 1 {
						size = int(f.value)
					}
					return nil
				})
				if s.shape = append(s.shape, size); len(s.shape) > maxRank {
					return fmt.Errorf("%q has more than %d dimensions", s.name, maxRank)
				}
				return err
			})
		}
		return nil
	})
}
