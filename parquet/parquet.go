// Package parquet lets a program read and write tables in Apache Parquet, of atoms and of features. It is there to be
// imported:
//
//	import _ "github.com/deeppsl/deeppsl/parquet"
//
// It is apart from deeppsl since the library that it stands on, with what that is linked with, is larger than all the
// rest. The command deeppsl has it.
package parquet

import (
	"io"

	"github.com/deeppsl/deeppsl/internal/format"
	"github.com/deeppsl/deeppsl/internal/load/parquet"
)

func init() { format.Register(".parquet", tables{}) }

// tables are Parquet's.
type tables struct{}

// Read implements format.Format.
func (tables) Read(file io.ReaderAt, size int64, header func([]string) format.Rows, row func([]string) bool) error {
	return parquet.Read(file, size, header, row)
}

// Writer implements format.Format.
func (tables) Writer(w io.Writer, texts, numbers []string) format.Writer {
	return parquet.NewWriter(w, texts, numbers)
}
