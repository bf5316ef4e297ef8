package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library believes what a file says about its sizes, and allocates as much. A checker reads a file before the
// library does, and refuses sizes that cannot be true, so that what is allocated is at most:
//
//   - expansion times the file's size and pageSize, for what a page holds, beside the library's own copies of it;
//   - for rows, whose number compression does not bound, rowsPerByte for each byte of what the pages hold.
type checker struct {
	file   io.ReaderAt
	size   int64
	left   int64  // of size, for the chunks of columns that are still to come
	buffer []byte // what a compressed page holds
	zstd   *zstd.Decoder
}

const (
	expansion   = 20
	pageSize    = 4 << 20 // four times what writers put into a page
	rowsPerByte = 32      // of a column that differs from row to row, 26 fit into a byte
	fewRows     = 1 << 16
	// A structure in a list of the file's description takes about 500 bytes of memory, and some ten of the file.
	structSize = 25
	fewStructs = 1 << 10
	// plainDictionary is the old name of RLEDictionary, which files still have.
	plainDictionary = format.Encoding(2)
)

var errDamaged = errors.New("the file is damaged: sizes in it do not agree")

// check returns the file's columns, in their order, if what the file says about its sizes can be true.
func check(file io.ReaderAt, size int64) (all []column, err error) {
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
	var about format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer[:length], &about); err != nil {
		return nil, err
	}
	if all, err = columns(about.Schema); err != nil {
		return nil, err
	}
	unzstd, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, err
	}
	defer unzstd.Close()
	c := checker{file: file, size: size, left: size, zstd: unzstd}
	for k := range about.RowGroups {
		if err := c.group(&about.RowGroups[k], about.Schema[1:]); err != nil {
			return nil, err
		}
	}
	return all, nil
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
	if string(tail[4:]) != "PAR1" || length > size-end {
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

// group checks the columns of one group of rows.
func (c *checker) group(group *format.RowGroup, columns []format.SchemaElement) error {
	if len(group.Columns) != len(columns) || group.NumRows < 0 {
		return errDamaged
	}
	held := int64(0)
	for k := range columns {
		chunk := chunk{checker: c, column: &columns[k], about: &group.Columns[k].MetaData, rows: group.NumRows}
		if err := chunk.check(); err != nil {
			return fmt.Errorf("column %q: %w", columns[k].Name, err)
		}
		held += chunk.held
	}
	if group.NumRows > rowsPerByte*held+fewRows {
		return errDamaged
	}
	return nil
}

// chunk is the pages of one column of a group of rows.
type chunk struct {
	*checker
	column *format.SchemaElement
	about  *format.ColumnMetaData
	rows   int64
	values int64 // of the pages so far
	held   int64 // bytes in them, uncompressed
}

// check checks all pages, which must have a value for each row.
func (c *chunk) check() error {
	start, length := c.about.DataPageOffset, c.about.TotalCompressedSize
	if c.about.DictionaryPageOffset != 0 {
		start = c.about.DictionaryPageOffset
	}
	if start < 0 || length < 0 || length > c.left || start > c.size-length || c.about.NumValues != c.rows {
		return errDamaged
	}
	c.left -= length
	data := make([]byte, length)
	if err := readAt(c.file, data, start); err != nil {
		return err
	}
	found := false // the page that is said to be the first one
	for len(data) > 0 {
		found = found || start+length-int64(len(data)) == c.about.DataPageOffset
		var err error
		if data, err = c.page(data); err != nil {
			return err
		}
	}
	if c.values != c.rows || !found && c.rows > 0 {
		return errDamaged
	}
	return nil
}

// page checks the first page of data and returns what comes after it.
func (c *chunk) page(data []byte) (rest []byte, err error) {
	length, _, err := skipStruct(data)
	if err != nil {
		return nil, err
	}
	var header format.PageHeader
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), data[:length], &header); err != nil {
		return nil, err
	}
	data = data[length:]
	stored, size := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
	if stored < 0 || stored > int64(len(data)) || size < 0 || size > pageSize+expansion*c.size {
		return nil, errDamaged
	}
	if int64(cap(c.buffer)) < size {
		c.buffer = make([]byte, size)
	}
	return data[stored:], c.content(&header, data[:stored], c.buffer[:size])
}

// content checks what a page holds; buffer has the size that it should have uncompressed.
func (c *chunk) content(header *format.PageHeader, page, buffer []byte) error {
	switch header.Type {
	case format.DictionaryPage:
		return c.dictionary(&header.DictionaryPageHeader.V, page, buffer)
	case format.DataPage:
		h := &header.DataPageHeader.V
		page, err := c.expand(c.about.Codec, page, buffer)
		if err != nil {
			return err
		}
		c.held += int64(len(page))
		if page, err = c.levels(page, h); err != nil {
			return err
		}
		return c.encoded(page, h.Encoding, h.NumValues)
	case format.DataPageV2:
		return c.second(&header.DataPageHeaderV2.V, page, buffer)
	}
	return errDamaged
}

// dictionary checks a page of the values that others refer to.
func (c *chunk) dictionary(h *format.DictionaryPageHeader, page, buffer []byte) error {
	page, err := c.expand(c.about.Codec, page, buffer)
	if err != nil {
		return err
	}
	c.held += int64(len(page))
	if h.NumValues < 0 || int64(h.NumValues)*c.plainBits() > int64(len(page))*8 {
		return errDamaged
	}
	return nil
}

// second checks a page of the format's second version, whose levels are not compressed.
func (c *chunk) second(h *format.DataPageHeaderV2, page, buffer []byte) error {
	repetitions, definitions := int64(h.RepetitionLevelsByteLength), int64(h.DefinitionLevelsByteLength)
	if repetitions < 0 || definitions < 0 || repetitions+definitions > int64(len(page)) || h.NumNulls < 0 {
		return errDamaged
	}
	levels, page := page[repetitions:repetitions+definitions], page[repetitions+definitions:]
	if definitions > 0 && c.optional() {
		if err := checkRuns(levels, 1, int(h.NumValues), int(h.NumValues)); err != nil {
			return err
		}
	}
	if !h.IsCompressed.Valid || h.IsCompressed.V {
		var err error
		if page, err = c.expand(c.about.Codec, page, buffer); err != nil {
			return err
		}
	}
	c.held += definitions + int64(len(page))
	return c.encoded(page, h.Encoding, h.NumValues)
}

// levels checks what says which values of an optional column are missing, and returns what comes after it.
func (c *chunk) levels(page []byte, h *format.DataPageHeader) (rest []byte, err error) {
	if !c.optional() {
		return page, nil
	}
	const prefix = 4
	if len(page) < prefix {
		return nil, errDamaged
	}
	length := int64(binary.LittleEndian.Uint32(page))
	if page = page[prefix:]; length > int64(len(page)) || h.DefinitionLevelEncoding != format.RLE {
		return nil, errDamaged
	}
	return page[length:], checkRuns(page[:length], 1, int(h.NumValues), int(h.NumValues))
}

func (c *chunk) optional() bool { return c.column.RepetitionType.V == format.Optional }

// encoded checks values, some of which may be missing, in their encoding.
func (c *chunk) encoded(page []byte, encoding format.Encoding, values int32) (err error) {
	if c.values += int64(values); values < 0 || c.values > c.rows {
		return errDamaged
	}
	n, least := int(values), int(values)
	if c.optional() {
		least = 0
	}
	switch encoding {
	case format.Plain:
		if int64(least)*c.plainBits() > int64(len(page))*8 {
			return errDamaged
		}
	case plainDictionary, format.RLEDictionary:
		return checkIndices(page, least, n)
	case format.RLE:
		if len(page) < 4 || c.column.Type.V != format.Boolean {
			return errDamaged
		}
		return checkRuns(page[4:], 1, least, n)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		_, err = checkDeltas(page, n)
	case format.DeltaByteArray:
		return checkPrefixes(page, n, pageSize+expansion*c.size)
	case format.ByteStreamSplit:
	default:
		return fmt.Errorf("the encoding %s cannot be read", encoding)
	}
	return err
}

// checkIndices checks the places of values in a dictionary, which begin with how many bits each has.
func checkIndices(page []byte, least, most int) error {
	if len(page) == 0 && least == 0 {
		return nil
	}
	if len(page) == 0 || page[0] > 32 {
		return errRuns
	}
	return checkRuns(page[1:], int(page[0]), least, most)
}

// checkPrefixes checks texts that begin as the ones before them do. Together they must not be longer than most.
func checkPrefixes(page []byte, values int, most int64) error {
	rest, err := checkDeltas(page, values)
	if err != nil {
		return err
	}
	if _, err = checkDeltas(rest, values); err != nil {
		return err
	}
	if n := int64(new(delta.ByteArrayEncoding).EstimateDecodeByteArraySize(page)); n < 0 || n > most {
		return errDamaged
	}
	return nil
}

// plainBits returns how many bits a value has at least that is written as it is.
func (c *chunk) plainBits() int64 {
	switch c.column.Type.V {
	case format.Boolean:
		return 1
	case format.Int32, format.Float, format.ByteArray: // a text is its length, four bytes, and itself
		return 32
	case format.Int96:
		return 96
	case format.FixedLenByteArray:
		return 8 * int64(max(0, c.column.TypeLength.V))
	}
	return 64
}
