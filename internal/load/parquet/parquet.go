// Package parquet reads and writes tables in Apache Parquet: flat ones, whose columns are text, numbers or booleans. It
// is the only package that knows the libraries, so that the rest of the program does not depend on whose they are.
//
// What a file says about itself, and the compression of its pages, are read by libraries; the pages are read here.
// A library that makes records of rows believes the sizes in a file and allocates as much, so that each page would have
// to be gone through before it; and linking one doubles the program. What is read here is looked at value by value,
// where it lies in its page, so that of what a file says, only what it has is allocated:
//
//   - for each column what one of its pages holds, and its dictionary;
//   - for rows, whose number compression does not bound, rowsPerByte for each byte of what the pages hold.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	tables "github.com/deeppsl/deeppsl/internal/format"
)

const (
	// A page holds expansion times the file's size and pageSize at most, which is four times what writers put into one.
	expansion   = 20
	pageSize    = 4 << 20
	rowsPerByte = 32 // of a column that differs from row to row, 26 fit into a byte
	fewRows     = 1 << 16
	// A structure in a list of the file's description takes about 500 bytes of memory, and some ten of the file.
	structSize = 25
	fewStructs = 1 << 10
)

// mark begins a file and ends it.
const mark = "PAR1"

var errDamaged = errors.New("the file is damaged: sizes in it do not agree")

// Read is that of a tables.Format; the columns are in the order of the schema. The error says what is wrong with the
// file: it is not Parquet, is damaged, or has nested values, or no value where rows are to be whole.
func Read(file io.ReaderAt, size int64, header func([]string) tables.Rows, row func([]string) bool) error {
	about, err := describe(file, size)
	if err != nil {
		return err
	}
	all, err := columns(about.Schema)
	if err != nil {
		return err
	}
	wanted := header(names(all))
	if wanted == tables.None {
		return nil
	}
	unzstd, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return err
	}
	defer unzstd.Close()
	r := reader{file: file, size: size, left: size, gaps: wanted == tables.Gapped, zstd: unzstd}
	for k := range about.RowGroups {
		if more, err := r.group(&about.RowGroups[k], all, row); err != nil || !more {
			return err
		}
	}
	return nil
}

// describe reads the description of a file.
func describe(file io.ReaderAt, size int64) (*format.FileMetaData, error) {
	footer, err := readFooter(file, size)
	if err != nil {
		return nil, err
	}
	length, structs, err := skipStruct(footer)
	if err != nil {
		return nil, err
	}
	if int64(structs) > size/structSize+fewStructs {
		return nil, errDamaged
	}
	about := new(format.FileMetaData)
	return about, thrift.Unmarshal(new(thrift.CompactProtocol), footer[:length], about)
}

// readFooter reads the description at the file's end, which its length and the format's mark follow.
func readFooter(file io.ReaderAt, size int64) ([]byte, error) {
	const end = 8
	tail := make([]byte, end)
	if size < end {
		return nil, errors.New("this is no Parquet file")
	}
	if err := readAt(file, tail, size-end); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if string(tail[4:]) != mark || length > size-end {
		return nil, errors.New("this is no Parquet file, or its end is missing")
	}
	footer := make([]byte, length)
	return footer, readAt(file, footer, size-end-length)
}

// readAt fills data; a reader may report the end of the file together with its last bytes.
func readAt(file io.ReaderAt, data []byte, offset int64) error {
	n, err := file.ReadAt(data, offset)
	if n == len(data) {
		return nil
	}
	return err
}

// A reader reads the groups of rows of a file.
type reader struct {
	file   io.ReaderAt
	size   int64
	gaps   bool  // a missing value is an empty field
	left   int64 // of size, for the chunks of columns that are still to come
	held   int64 // bytes in the pages of the group so far, uncompressed
	buffer []byte
	zstd   *zstd.Decoder
}

// group reads the rows of one group; more is false if row wants no more of them.
func (r *reader) group(about *format.RowGroup, all []column, row func([]string) bool) (more bool, err error) {
	if len(about.Columns) != len(all) || about.NumRows < 0 {
		return false, errDamaged
	}
	r.held = 0
	chunks := make([]chunk, len(all))
	for k := range all {
		chunks[k] = chunk{reader: r, column: &all[k], rows: about.NumRows}
		if err := chunks[k].open(&about.Columns[k].MetaData); err != nil {
			return false, fmt.Errorf("column %q: %w", all[k].name, err)
		}
	}
	fields := make([]string, len(all))
	for n := range about.NumRows {
		for k := range chunks {
			if fields[k], err = chunks[k].next(); err != nil {
				return false, fmt.Errorf("column %q, row %d: %w", all[k].name, n+1, err)
			}
		}
		if n > rowsPerByte*r.held+fewRows {
			return false, errDamaged
		}
		if !row(fields) {
			return false, nil
		}
	}
	return true, nil
}
