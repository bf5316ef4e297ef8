package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"
)

// maxPickle bounds the size of a pickle, which is read into memory.
const maxPickle = 1 << 28

// unpickle reads a Python pickle that holds numbers, strings, lists, dictionaries, numpy arrays and scipy matrices in
// compressed rows. Nothing in it is executed. Arrays become *array, matrices *sparse.
func unpickle(r io.Reader) (value any, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPickle+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPickle {
		return nil, errors.New("pickle: larger than 256 MiB")
	}
	if err := checkOpcodes(data); err != nil {
		return nil, err
	}
	// The library has panics for some malformed pickles.
	defer func() {
		if problem := recover(); problem != nil {
			value, err = nil, fmt.Errorf("pickle: %v", problem)
		}
	}()
	u := pickle.NewUnpickler(&byteReader{data: data})
	u.FindClass = findClass
	if value, err = u.Load(); err != nil {
		return nil, fmt.Errorf("pickle: %w", err)
	}
	return value, nil
}

// byteReader is a bytes.Reader; the library asks for both interfaces of it.
type byteReader struct{ data []byte }

func (r *byteReader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

func (r *byteReader) ReadByte() (byte, error) {
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	c := r.data[0]
	r.data = r.data[1:]
	return c, nil
}

// Kinds of arguments that opcodes have, other than a fixed number of bytes.
const (
	length1  = -1 // a length of one byte and as many bytes
	length4  = -4 // a length of four bytes and as many bytes
	oneLine  = -10
	twoLines = -20
)

// opcodes are those of protocol 2 that the data sets, and pickles like them, have; with their arguments.
var opcodes = map[byte]int{
	0x80: 1, '.': 0, '(': 0, '0': 0, '1': 0, '2': 0, 'N': 0, 0x88: 0, 0x89: 0,
	'K': 1, 'M': 2, 'J': 4, 'G': 8, 0x8a: length1, 'I': oneLine, 'L': oneLine, 'F': oneLine,
	'U': length1, 'T': length4, 'X': length4, 'S': oneLine, 'V': oneLine,
	')': 0, 't': 0, 0x85: 0, 0x86: 0, 0x87: 0, ']': 0, 'l': 0, 'a': 0, 'e': 0, '}': 0, 'd': 0, 's': 0, 'u': 0,
	'c': twoLines, 'R': 0, 'b': 0, 0x81: 0,
	'q': 1, 'r': 4, 'p': oneLine, 'h': 1, 'j': 4, 'g': oneLine,
}

// checkOpcodes walks over a pickle and makes sure that every length in it lies within the data, so that reading it
// allocates no more than its size allows.
func checkOpcodes(data []byte) error {
	for at := 0; at < len(data); {
		opcode := data[at]
		kind, known := opcodes[opcode]
		if !known {
			return fmt.Errorf("pickle: unexpected opcode 0x%02x at byte %d", opcode, at)
		}
		next, ok := skip(data, at+1, kind)
		if !ok {
			return fmt.Errorf("pickle: truncated at byte %d", at)
		}
		if opcode == '.' {
			return nil
		}
		at = next
	}
	return errors.New("pickle: truncated")
}

// skip returns the offset after an argument of this kind.
func skip(data []byte, at, kind int) (next int, ok bool) {
	switch kind {
	case length1:
		if at >= len(data) {
			return 0, false
		}
		next = at + 1 + int(data[at])
	case length4:
		if at+4 > len(data) {
			return 0, false
		}
		next = at + 4 + int(binary.LittleEndian.Uint32(data[at:]))
	case oneLine, twoLines:
		next = at
		for lines := kind / oneLine; lines > 0; next++ {
			if next >= len(data) {
				return 0, false
			}
			if data[next] == '\n' {
				lines--
			}
		}
	default:
		next = at + kind
	}
	return next, next <= len(data)
}

// findClass knows the few classes that pickles of numbers are made of.
func findClass(module, name string) (any, error) {
	switch module + "." + name {
	case "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct":
		return maker(func([]any) any { return &array{} }), nil
	case "numpy.dtype":
		return maker(newDtype), nil
	case "scipy.sparse.csr.csr_matrix", "scipy.sparse._csr.csr_matrix":
		return maker(func([]any) any { return &sparse{} }), nil
	case "collections.defaultdict":
		return maker(func([]any) any { return types.NewDict() }), nil
	case "numpy.ndarray", "__builtin__.list":
		return maker(func([]any) any { return nil }), nil
	}
	return nil, fmt.Errorf("unexpected class %s.%s", module, name)
}

// maker is a Python class, or function, as far as unpickling calls it.
type maker func(args []any) any

// Call implements types.Callable.
func (m maker) Call(args ...any) (any, error) { return m(args), nil }

// PyNew implements types.PyNewable.
func (m maker) PyNew(args ...any) (any, error) { return m(args), nil }

// dtype is the type of an array's elements: its code, such as "i4", and byte order.
type dtype struct {
	code  string
	order binary.ByteOrder
}

func newDtype(args []any) any {
	d := &dtype{order: binary.LittleEndian}
	if len(args) > 0 {
		d.code, _ = args[0].(string)
	}
	return d
}

// PySetState implements types.PyStateSettable: the second item of the state is the byte order.
func (d *dtype) PySetState(state any) error {
	if t, ok := state.(*types.Tuple); ok && t.Len() > 1 && t.Get(1) == ">" {
		d.order = binary.BigEndian
	}
	return nil
}

// array is a numpy array in rows, as numbers.
type array struct {
	shape  []int
	values []float64
}

// PySetState implements types.PyStateSettable for (version, shape, dtype, fortran, bytes).
func (a *array) PySetState(state any) error {
	t, ok := state.(*types.Tuple)
	if !ok || t.Len() != 5 {
		return errors.New("unexpected state of a numpy array")
	}
	shape, okShape := t.Get(1).(*types.Tuple)
	kind, okType := t.Get(2).(*dtype)
	raw, okData := t.Get(4).(string)
	if !okShape || !okType || !okData || t.Get(3) == true {
		return errors.New("unsupported numpy array")
	}
	for k := range shape.Len() {
		n, ok := shape.Get(k).(int)
		if !ok || n < 0 || n > math.MaxInt32 {
			return errors.New("unsupported shape of a numpy array")
		}
		a.shape = append(a.shape, n)
	}
	var err error
	a.values, err = kind.decode([]byte(raw))
	return err
}

func (d *dtype) decode(raw []byte) ([]float64, error) {
	sizes := map[string]int{"i4": 4, "i8": 8, "f4": 4, "f8": 8, "u1": 1, "i1": 1, "b1": 1}
	size, ok := sizes[d.code]
	if !ok || len(raw)%size != 0 {
		return nil, fmt.Errorf("unsupported numpy type %q", d.code)
	}
	out := make([]float64, len(raw)/size)
	for k := range out {
		out[k] = d.element(raw[k*size:])
	}
	return out, nil
}

func (d *dtype) element(raw []byte) float64 {
	switch d.code {
	case "i4":
		return float64(int32(d.order.Uint32(raw)))
	case "i8":
		return float64(int64(d.order.Uint64(raw)))
	case "f4":
		return float64(math.Float32frombits(d.order.Uint32(raw)))
	case "f8":
		return math.Float64frombits(d.order.Uint64(raw))
	case "i1":
		return float64(int8(raw[0]))
	}
	return float64(raw[0])
}

// sparse is a scipy matrix in compressed rows.
type sparse struct {
	rows, columns          int
	start, indices, values []float64
}

// PyDictSet implements types.PyDictSettable for the attributes of a csr_matrix.
func (s *sparse) PyDictSet(key, value any) error {
	vector, isArray := value.(*array)
	switch name, _ := key.(string); {
	case name == "_shape":
		shape, ok := value.(*types.Tuple)
		if !ok || shape.Len() != 2 {
			return errors.New("unexpected shape of a sparse matrix")
		}
		s.rows, _ = shape.Get(0).(int)
		s.columns, _ = shape.Get(1).(int)
	case name == "indptr" && isArray:
		s.start = vector.values
	case name == "indices" && isArray:
		s.indices = vector.values
	case name == "data" && isArray:
		s.values = vector.values
	}
	return nil
}

// each calls visit with the columns of every row that hold something other than 0.
func (s *sparse) each(visit func(columns []int32)) error {
	if len(s.start) != s.rows+1 || s.rows < 0 || len(s.indices) != len(s.values) {
		return errors.New("pickle: a sparse matrix whose parts do not fit")
	}
	for row := range s.rows {
		begin, end := s.start[row], s.start[row+1]
		if !(begin >= 0 && begin <= end && end <= float64(len(s.indices))) {
			return errors.New("pickle: a sparse matrix with rows out of order")
		}
		var columns []int32
		for k := int(begin); k < int(end); k++ {
			column := s.indices[k]
			if !(column >= 0 && column < float64(s.columns)) {
				return errors.New("pickle: a sparse matrix with a column out of range")
			}
			if s.values[k] != 0 {
				columns = append(columns, int32(column))
			}
		}
		visit(columns)
	}
	return nil
}
