package features

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// Table is an immutable table of feature vectors, one row for each entity. A sparse table keeps the nonzeros of
// each row in ascending order of columns; a dense one keeps all values.
type Table struct {
	ids    []string
	rowOf  map[string]int32
	late   map[string]int32 // rows that With has added, and rowOf has not
	width  int
	names  []string // of the features, if texts or gaps are among them
	header []string // of each feature, the name of the column that it is; "" of one that is none
	opened bool     // With has made the table

	readings []Reading // of columns that mean something else to somebody else

	start   []int   // sparse: row r has the nonzeros start[r]..start[r+1]
	columns []int32 // sparse
	values  []float32
}

// A Reading tells what was made of columns that mean something else to somebody else, as a warning has it.
type Reading struct{ ID, Text, Hint string }

// Readings returns what was made of columns that mean something else to somebody else.
func (f *Table) Readings() []Reading { return f.readings }

// Rows numbers all rows.
func (f *Table) Rows() []int32 {
	all := make([]int32, f.Len())
	for r := range all {
		all[r] = int32(r)
	}
	return all
}

// Write writes all rows to a digest: two tables that write the same are the same. It is no format to read again.
func (f *Table) Write(digest io.Writer) {
	fmt.Fprintf(digest, "%q %d %d\n", f.ids, f.width, f.start)
	binary.Write(digest, binary.LittleEndian, f.columns)
	binary.Write(digest, binary.LittleEndian, f.values)
}

// NewDense returns a dense table whose row r is values[r*width:(r+1)*width].
func NewDense(ids []string, width int, values []float32) (*Table, error) {
	f, err := newTable(ids, width, values)
	if err == nil && len(values) != len(ids)*width {
		err = fmt.Errorf("%d rows of width %d need %d values, not %d", len(ids), width, len(ids)*width, len(values))
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// NewNames returns a table of rows that have names alone: a network of kind "external" knows what they look like.
func NewNames(ids []string) (*Table, error) {
	f, err := newTable(ids, 1, nil)
	if err == nil {
		f.width = 0
	}
	return f, err
}

// NewSparse returns a sparse table in compressed rows: the nonzeros of row r are values[k] in columns[k] for k from
// start[r] to start[r+1]-1, and start has one element more than ids. Columns ascend within a row.
func NewSparse(ids []string, width int, start []int, columns []int32, values []float32) (*Table, error) {
	f, err := newTable(ids, width, values)
	if err != nil {
		return nil, err
	}
	f.start, f.columns = start, columns
	if err := f.checkSparse(); err != nil {
		return nil, err
	}
	return f, nil
}

// newTable checks what sparse and dense tables have in common.
func newTable(ids []string, width int, values []float32) (*Table, error) {
	f := &Table{ids: ids, rowOf: make(map[string]int32, len(ids)), width: width, values: values}
	if len(ids) == 0 || width <= 0 {
		return nil, fmt.Errorf("the feature table is empty: %d rows of width %d", len(ids), width)
	}
	for r, id := range ids {
		if _, exists := f.rowOf[id]; exists {
			return nil, fmt.Errorf("entity %q has two rows", id)
		}
		f.rowOf[id] = int32(r)
	}
	for k, v := range values {
		if isFinite(float64(v)) {
			continue
		}
		if len(values) != len(ids)*width {
			return nil, fmt.Errorf("the feature table holds %v; finite numbers are wanted", v)
		}
		return nil, fmt.Errorf("row %q has %v in column %d; finite numbers are wanted", ids[k/width], v, k%width)
	}
	return f, nil
}

// checkSparse checks what the kernels rely on: they do not check bounds, and take each column of a row to occur once.
func (f *Table) checkSparse() error {
	if len(f.start) != len(f.ids)+1 || f.start[0] != 0 || f.start[len(f.ids)] != len(f.values) ||
		len(f.columns) != len(f.values) || !slices.IsSorted(f.start) {
		return fmt.Errorf("the row starts do not fit %d rows of %d nonzeros", len(f.ids), len(f.values))
	}
	for r := range f.ids {
		last := int32(-1)
		for _, c := range f.columns[f.start[r]:f.start[r+1]] {
			if c <= last || int(c) >= f.width {
				return fmt.Errorf("row %q: column %d after %d; columns ascend and stay below %d",
					f.ids[r], c, last, f.width)
			}
			last = c
		}
	}
	return nil
}

// Len returns the number of rows.
func (f *Table) Len() int { return len(f.ids) }

// Width returns the number of features of each row.
func (f *Table) Width() int { return f.width }

// Sparse reports whether the table keeps only nonzeros.
func (f *Table) Sparse() bool { return f.start != nil }

// IDs returns the entities of all rows.
func (f *Table) IDs() []string { return f.ids }

// Names returns what the features stand for, such as town=Rome and "income missing"; nil for a table of numbers alone.
func (f *Table) Names() []string { return f.names }

// Heading returns the name of the column of numbers that a feature is, or "" of one that has none.
func (f *Table) Heading(feature int) string {
	if feature < len(f.header) {
		return f.header[feature]
	}
	return ""
}

// ID returns the entity of a row.
func (f *Table) ID(row int32) string { return f.ids[row] }

// Row returns the row of an entity.
func (f *Table) Row(id string) (row int32, ok bool) {
	if row, ok = f.rowOf[id]; !ok {
		row, ok = f.late[id]
	}
	return row, ok
}

// Column returns the values of some rows of a dense table in a column.
func (f *Table) Column(rows []int32, column int) []float32 {
	values := make([]float32, len(rows))
	for k, r := range rows {
		values[k] = f.values[int(r)*f.width+column]
	}
	return values
}

// Values returns all that the table keeps, row by row: of a sparse table the nonzeros, of a dense one all values. They
// are the table's own.
func (f *Table) Values() []float32 { return f.values }

// Of returns a table of the same rows with other values: of a sparse table of as many, of a dense one of any width.
func (f *Table) Of(width int, values []float32) *Table {
	out := *f
	out.width, out.values = width, values
	return &out
}

// Nonzeros returns the columns, ascending, and the values of a row of a sparse table. They are the table's own.
func (f *Table) Nonzeros(row int) (columns []int32, values []float32) {
	lo, hi := f.start[row], f.start[row+1]
	return f.columns[lo:hi], f.values[lo:hi]
}

// Span returns where the values of a row lie in Values.
func (f *Table) Span(row int) (lo, hi int) {
	if f.Sparse() {
		return f.start[row], f.start[row+1]
	}
	return row * f.width, (row + 1) * f.width
}

// ColumnOf returns the column of the k-th of Values.
func (f *Table) ColumnOf(k int) int {
	if f.Sparse() {
		return int(f.columns[k])
	}
	return k % f.width
}

// Gather writes the chosen rows, one after the other, into values, of shape [rows, width].
func (f *Table) Gather(rows []int32, values []float32) {
	clear(values)
	for i, r := range rows {
		lo, hi := f.Span(int(r))
		row := values[i*f.width : (i+1)*f.width]
		if !f.Sparse() {
			copy(row, f.values[lo:hi])
			continue
		}
		for k := lo; k < hi; k++ {
			row[f.columns[k]] = f.values[k]
		}
	}
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// KeyError says which key of a Form is wrong, or of what describes a network.
type KeyError struct {
	Key string
	Err error
}

// Error says what is wrong.
func (e *KeyError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *KeyError) Unwrap() error { return e.Err }

// wrongKey returns an error about one key.
func wrongKey(key, format string, args ...any) error {
	return &KeyError{key, fmt.Errorf(format, args...)}
}
