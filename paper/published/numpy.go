package published

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/nlpodyssey/gopickle/types"
)

// classes makes the objects of a pickle. Their arrays hold no more bytes than the pickle, which could otherwise name
// those of one array again and again.
type classes struct{ left int }

// find knows the few classes that pickles of numbers are made of, under their names in old and new versions of
// numpy and scipy. Any other class is refused: a pickle could ask for one that runs commands.
func (c *classes) find(module, name string) (any, error) {
	switch module + "." + name {
	case "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct":
		return maker(func([]any) any { return &array{classes: c} }), nil
	case "numpy.dtype":
		return maker(newDtype), nil
	case "scipy.sparse.csr.csr_matrix", "scipy.sparse._csr.csr_matrix":
		return maker(func([]any) any { return &sparse{} }), nil
	case "collections.defaultdict":
		return maker(func([]any) any { return types.NewDict() }), nil
	case "numpy.ndarray", "__builtin__.list": // only named as arguments of others
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

// newDtype makes a type of its code; numpy's other arguments concern its own memory.
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
	shape   []int
	values  []float64
	classes *classes // of its pickle
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
	if a.classes.left -= len(raw); a.classes.left < 0 {
		return errors.New("numpy arrays that share their memory")
	}
	var err error
	a.values, err = kind.decode(raw)
	return err
}

// decode makes numbers of an array's memory. Every type that it knows fits a float64 for the sizes of data sets.
func (d *dtype) decode(raw string) ([]float64, error) {
	sizes := map[string]int{"i4": 4, "i8": 8, "f4": 4, "f8": 8, "u1": 1, "i1": 1, "b1": 1}
	size, ok := sizes[d.code]
	if !ok || len(raw)%size != 0 {
		return nil, fmt.Errorf("unsupported numpy type %q", d.code)
	}
	out := make([]float64, len(raw)/size)
	for k := range out {
		out[k] = d.element([]byte(raw[k*size : (k+1)*size]))
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

// sparse is a scipy matrix in compressed rows: row r has its columns in indices[start[r]:start[r+1]], and what is there
// in values. The parts come from outside, and are checked only when they are used together, by each.
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
