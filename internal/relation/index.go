package relation

import "github.com/deeppsl/deeppsl/internal/symbol"

// Index finds the rows of a relation by the values of some of its columns. Rows of one key are in ascending order.
type Index struct {
	columns []int
	rows    map[string][]int32
}

// Rows returns the rows whose indexed columns hold key, ascending. The caller must not change the slice.
func (x *Index) Rows(key ...symbol.ID) []int32 { return x.rows[keyOf(key)] }

// Index returns the index on columns, building it on first use. It is safe for concurrent use.
func (r *Relation) Index(columns ...int) *Index {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make([]symbol.ID, len(columns))
	for k, column := range columns {
		ids[k] = symbol.ID(column)
	}
	name := keyOf(ids)
	if x, ok := r.indexes[name]; ok {
		return x
	}
	x := &Index{columns: columns, rows: make(map[string][]int32)}
	for row := range r.Len() {
		for k, column := range columns {
			ids[k] = r.Columns[column][row]
		}
		key := keyOf(ids)
		x.rows[key] = append(x.rows[key], int32(row))
	}
	if r.indexes == nil {
		r.indexes = make(map[string]*Index)
	}
	r.indexes[name] = x
	return x
}

// Find returns the row of a whole tuple.
func (r *Relation) Find(tuple ...symbol.ID) (row int32, ok bool) {
	all := make([]int, r.Arity)
	for k := range all {
		all[k] = k
	}
	rows := r.Index(all...).Rows(tuple...)
	if len(rows) == 0 {
		return 0, false
	}
	return rows[0], true
}

func keyOf(ids []symbol.ID) string {
	buf := make([]byte, 0, 4*len(ids))
	for _, id := range ids {
		buf = append(buf, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
	}
	return string(buf)
}
