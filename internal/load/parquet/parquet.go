// Package parquet reads and writes tables in Apache Parquet: flat ones, whose columns are text, numbers or booleans. It
// is the only package that knows the library, so that the rest of the program does not depend on whose it is.
package parquet

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// batch is how many rows are read or written at once.
const batch = 128

// Read calls header with the names of the columns, in the order of the schema, and then row with the fields of each row
// in that order, as text; row must not keep the slice. Either ends the reading by returning false. The error says what
// is wrong with the file: it is not Parquet, is damaged, or has nested or missing values.
func Read(file io.ReaderAt, size int64, header func(names []string) bool, row func(fields []string) bool) (err error) {
	// The library panics on some damaged files, which are the user's and not a broken invariant of ours.
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the file is damaged: %v", cause)
		}
	}()
	all, err := check(file, size)
	if err != nil || !header(names(all)) {
		return err
	}
	table, err := parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	for _, group := range table.RowGroups() {
		if more, err := readGroup(group, all, row); err != nil || !more {
			return err
		}
	}
	return nil
}

func names(all []column) []string {
	out := make([]string, len(all))
	for k, c := range all {
		out[k] = c.name
	}
	return out
}

// readGroup reads the rows of one group; more is false if row wants no more of them.
func readGroup(group parquet.RowGroup, all []column, row func([]string) bool) (more bool, err error) {
	if group.NumRows() == 0 {
		return true, nil // the library looks for pages, which there are none of
	}
	fields := make([]string, len(all))
	rows := group.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	buffer := make([]parquet.Row, batch)
	for {
		n, err := rows.ReadRows(buffer)
		for _, values := range buffer[:n] {
			if err := texts(fields, all, values); err != nil {
				return false, err
			}
			if !row(fields) {
				return false, nil
			}
		}
		if errors.Is(err, io.EOF) || err == nil && n == 0 {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// texts writes the values of a row into the fields of their columns.
func texts(fields []string, all []column, values parquet.Row) (err error) {
	for _, value := range values {
		k := value.Column()
		if fields[k], err = all[k].text(value); err != nil {
			return err
		}
	}
	return nil
}

// text writes a value as a table of text would have it.
func (c *column) text(value parquet.Value) (string, error) {
	switch value.Kind() {
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return string(value.ByteArray()), nil
	case parquet.Float:
		return strconv.FormatFloat(float64(value.Float()), 'g', -1, 32), nil
	case parquet.Double:
		return strconv.FormatFloat(value.Double(), 'g', -1, 64), nil
	case parquet.Int32, parquet.Int64:
		return c.integer(value), nil
	case parquet.Boolean:
		return strconv.FormatBool(value.Boolean()), nil
	}
	return "", errors.New("a value is missing or of a kind that cannot be read")
}

// Writer writes a table.
type Writer struct {
	out    *parquet.GenericWriter[any]
	rows   []parquet.Row
	column []int // of the texts and then of the numbers: columns are ordered by name
}

// NewWriter returns a writer of rows with columns of text and of numbers. Nothing is complete before Close.
func NewWriter(w io.Writer, texts, numbers []string) *Writer {
	schema := parquet.Group{}
	for _, name := range texts {
		schema[name] = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	}
	for _, name := range numbers {
		schema[name] = parquet.Leaf(parquet.DoubleType)
	}
	names := slices.Concat(texts, numbers)
	out := &Writer{column: make([]int, len(names))}
	sorted := slices.Sorted(slices.Values(names))
	for k, name := range names {
		out.column[k], _ = slices.BinarySearch(sorted, name)
	}
	out.out = parquet.NewGenericWriter[any](w, parquet.NewSchema("atoms", schema), parquet.Compression(&parquet.Snappy))
	return out
}

// Write adds one row.
func (w *Writer) Write(texts []string, numbers ...float64) error {
	row := make(parquet.Row, len(w.column))
	for k, text := range texts {
		row[w.column[k]] = parquet.ByteArrayValue([]byte(text)).Level(0, 0, w.column[k])
	}
	for k, number := range numbers {
		at := w.column[len(texts)+k]
		row[at] = parquet.DoubleValue(number).Level(0, 0, at)
	}
	if w.rows = append(w.rows, row); len(w.rows) < batch {
		return nil
	}
	return w.flush()
}

func (w *Writer) flush() error {
	_, err := w.out.WriteRows(w.rows)
	w.rows = w.rows[:0]
	return err
}

// Close writes what is left, and the file's end. It does not close the underlying writer.
func (w *Writer) Close() error { return errors.Join(w.flush(), w.out.Close()) }
