// Package format is the registry of the formats of tables that are read by a library of size: a program has those that
// it imports. What a few lines read, such as CSV, is built in where it is read.
package format

import (
	"fmt"
	"io"
	"strconv"
)

// Format is a format of tables: rows below columns that have names.
type Format interface {
	// Read calls header with the names of the columns, which says what is wanted of the rows, and then row with the
	// fields of each row in that order, as text; row must not keep the slice, and ends the reading by returning false.
	// The error says what is wrong with the file.
	Read(file io.ReaderAt, size int64, header func(names []string) Rows, row func(fields []string) bool) error
	// Writer returns what writes a table with columns of text and of numbers. All names are different.
	Writer(w io.Writer, texts, numbers []string) Writer
}

// Rows says what is wanted of a table's rows.
type Rows uint8

const (
	// None are wanted.
	None Rows = iota
	// Whole rows have a value in each field: it is an error if one is missing.
	Whole
	// Gapped rows may have none, which is an empty field.
	Gapped
)

// Writer writes a table.
type Writer interface {
	// Write adds one row.
	Write(texts []string, numbers ...float64) error
	// Close writes what is left, and the file's end; before, nothing is complete. It does not close the underlying
	// writer.
	Close() error
}

// homes are the packages that register formats, by the extension of the files.
var homes = map[string]string{".parquet": "github.com/deeppsl/deeppsl/parquet"}

// imported are the formats that this program has, by the extension of the files.
var imported = make(map[string]Format)

// Register makes a format known to the program, by the extension of its files. It is called when packages are
// initialised.
func Register(extension string, f Format) {
	if homes[extension] == "" || imported[extension] != nil {
		panic("format: " + extension + " has no home, or is registered already")
	}
	imported[extension] = f
}

// Registered tells whether files of the extension are of a format that some package registers, imported or not.
func Registered(extension string) bool { return homes[extension] != "" }

// Of returns the format of files of the extension. The error is *Missing.
func Of(extension string) (Format, error) {
	f := imported[extension]
	if f == nil {
		return nil, &Missing{extension, homes[extension]}
	}
	return f, nil
}

// Missing is the error of a format that this program does not have.
type Missing struct{ Extension, Home string }

// Error says what is missing, and how a program comes by it.
func (m *Missing) Error() string { return fmt.Sprintf("%s; %s", m.What(), m.Hint()) }

// What says what is missing.
func (m *Missing) What() string {
	return fmt.Sprintf("this program is linked without the format of %s files", m.Extension)
}

// Hint says how a program comes by it.
func (m *Missing) Hint() string { return fmt.Sprintf("import _ %q", m.Home) }

// Arguments names the columns of an atom's arguments: arg1, arg2, …, of one length, since some formats order by name.
func Arguments(arity int) []string {
	names := make([]string, arity)
	for k := range names {
		names[k] = fmt.Sprintf("arg%0*d", len(strconv.Itoa(arity)), k+1)
	}
	return names
}
