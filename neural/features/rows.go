package features

import (
	"fmt"
	"maps"
	"slices"
)

// Row is a row of a table of features that is to come: a new one, or one in the place of that of the same entity.
type Row struct {
	ID string `json:"row"`
	// Columns are those of Values, from 0 and ascending; all others are 0. Without Columns, Values has all columns.
	Columns []int32   `json:"columns,omitzero"`
	Values  []float32 `json:"values"`
}

// lateRows is how many rows are looked up in a map of their own before all are in one again.
const lateRows = 1024

// With returns the table with other rows: each stands in the place of that of its entity, or behind all. Of two of one
// entity the last one counts. The table itself stays what it is. Rows behind others take time for themselves alone,
// those in the place of others that for a copy of the table; replaced tells whether there are such.
func (f *Table) With(rows []Row) (out *Table, replaced bool, err error) {
	rows = lastOfEach(rows)
	places := make([]int, len(rows))
	out = f.open()
	fresh := 0
	for k := range rows {
		if err := f.checkRow(&rows[k]); err != nil {
			return nil, false, err
		}
		at, known := f.Row(rows[k].ID)
		if !known {
			at = int32(len(out.ids))
			out.ids, out.late[rows[k].ID] = append(out.ids, rows[k].ID), at
			fresh++
		}
		places[k] = int(at)
	}
	if len(out.late) > lateRows+len(out.rowOf)/8 {
		out.rowOf = maps.Clone(out.rowOf)
		maps.Copy(out.rowOf, out.late)
		out.late = nil
	}
	switch {
	case fresh == len(rows):
		for k := range rows {
			out.append(&rows[k])
		}
	case f.Sparse():
		out.rebuild(f, rows, places)
	default:
		out.values = slices.Concat(f.values, make([]float32, fresh*f.width))
		for k := range rows {
			rows[k].spread(out.values[places[k]*f.width : (places[k]+1)*f.width])
		}
	}
	return out, fresh < len(rows), nil
}

// Grown tells whether With has made the table: what grows with it, row by row, may then have room for more behind it.
func (f *Table) Grown() bool { return f.opened }

// open returns the table as one that rows can be added to: what others have made of it shares no memory with it that is
// written to. Of several that are made of one such table, only the last may be used.
func (f *Table) open() *Table {
	out := *f
	if !f.opened {
		out.ids, out.values, out.columns, out.start = slices.Clip(f.ids), slices.Clip(f.values), slices.Clip(f.columns),
			slices.Clip(f.start)
		out.opened = true
	}
	if out.late = maps.Clone(f.late); out.late == nil {
		out.late = make(map[string]int32)
	}
	return &out
}

// lastOfEach leaves the last row of each entity, in the order of their first ones.
func lastOfEach(rows []Row) (kept []Row) {
	at := make(map[string]int, len(rows))
	for _, r := range rows {
		if k, known := at[r.ID]; known {
			kept[k] = r
			continue
		}
		at[r.ID] = len(kept)
		kept = append(kept, r)
	}
	return kept
}

// checkRow checks what With needs.
func (f *Table) checkRow(r *Row) error {
	if r.Columns == nil && len(r.Values) != f.width || r.Columns != nil && len(r.Columns) != len(r.Values) {
		return fmt.Errorf("row %q has %d values; the features have %d columns", r.ID, len(r.Values), f.width)
	}
	for k, c := range r.Columns {
		if c < 0 || int(c) >= f.width || k > 0 && c <= r.Columns[k-1] {
			return fmt.Errorf("row %q has column %d; columns ascend from 0 and stay below %d", r.ID, c, f.width)
		}
	}
	for k, v := range r.Values {
		if !isFinite(float64(v)) {
			return fmt.Errorf("row %q has %v for its value %d; finite numbers are wanted", r.ID, v, k)
		}
	}
	return nil
}

// spread writes the row as a dense one.
func (r *Row) spread(out []float32) {
	if r.Columns == nil {
		copy(out, r.Values)
		return
	}
	clear(out)
	for k, c := range r.Columns {
		out[c] = r.Values[k]
	}
}

// append writes a row behind the others.
func (f *Table) append(r *Row) {
	if !f.Sparse() {
		n := len(f.values)
		f.values = append(f.values, make([]float32, f.width)...)
		r.spread(f.values[n:])
		return
	}
	for k, v := range r.Values {
		c := int32(k)
		if r.Columns != nil {
			c = r.Columns[k]
		}
		if v != 0 {
			f.columns, f.values = append(f.columns, c), append(f.values, v)
		}
	}
	f.start = append(f.start, len(f.values))
}

// rebuild writes the rows of another sparse table with some at their places.
func (f *Table) rebuild(before *Table, rows []Row, places []int) {
	by := make(map[int]*Row, len(rows))
	for k := range rows {
		by[places[k]] = &rows[k]
	}
	f.start, f.columns, f.values = make([]int, 1, len(f.ids)+1), make([]int32, 0, len(f.columns)),
		make([]float32, 0, len(f.values))
	for at := range f.ids {
		if r := by[at]; r != nil {
			f.append(r)
			continue
		}
		lo, hi := before.Span(at)
		f.columns, f.values = append(f.columns, before.columns[lo:hi]...), append(f.values, before.values[lo:hi]...)
		f.start = append(f.start, len(f.values))
	}
}

// RowOf returns a row of the table as With takes it.
func (f *Table) RowOf(at int32) Row {
	lo, hi := f.Span(int(at))
	r := Row{ID: f.ids[at], Values: slices.Clone(f.values[lo:hi])}
	if f.Sparse() {
		r.Columns = append([]int32{}, f.columns[lo:hi]...)
	}
	return r
}

// Alike tells whether two tables have the same values in a row, which both keep alike.
func (f *Table) Alike(other *Table, at int) bool {
	lo, hi := f.Span(at)
	first, last := other.Span(at)
	return slices.Equal(f.values[lo:hi], other.values[first:last]) &&
		(!f.Sparse() || slices.Equal(f.columns[lo:hi], other.columns[first:last]))
}

// Bytes is about what the table takes.
func (f *Table) Bytes() int64 {
	return 4*int64(len(f.values)+len(f.columns)) + 8*int64(len(f.start)) + 60*int64(len(f.ids))
}

// SameRow tells whether two tables have the same values of an entity.
func (f *Table) SameRow(other *Table, id string) bool {
	a, known := f.Row(id)
	b, both := other.Row(id)
	if !known || !both || f.width != other.width {
		return false
	}
	mine, theirs := make([]float32, f.width), make([]float32, f.width)
	f.Gather([]int32{a}, mine)
	other.Gather([]int32{b}, theirs)
	return slices.Equal(mine, theirs)
}
