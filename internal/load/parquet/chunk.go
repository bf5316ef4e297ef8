package parquet

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// errMissing is the error of a row without a value.
var errMissing = errors.New("a value is missing")

// chunk is the pages of one column of a group of rows.
type chunk struct {
	*reader
	column     *column
	codec      format.CompressionCodec
	rows       int64  // that pages to come have values for
	data       []byte // of those pages
	content    []byte // of the page that is read now
	dictionary lookup // nil if there has been none
	left       int    // rows of the page that are still to come
	levels     *runs  // say of each whether it has a value; nil if all have
	values     cursor // gives them
}

// A cursor returns the next value of a page, as text.
type cursor func() (string, error)

// open reads the pages as they are stored.
func (c *chunk) open(about *format.ColumnMetaData) error {
	start, length := about.DataPageOffset, about.TotalCompressedSize
	if about.DictionaryPageOffset != 0 {
		start = about.DictionaryPageOffset
	}
	if start < 0 || length < 0 || length > c.reader.left || start > c.size-length || about.NumValues != c.rows {
		return errDamaged
	}
	c.reader.left -= length
	c.codec, c.data = about.Codec, make([]byte, length)
	return readAt(c.file, c.data, start)
}

// next returns the value of the next row.
func (c *chunk) next() (string, error) {
	for c.left == 0 {
		if err := c.turn(); err != nil {
			return "", err
		}
	}
	c.left--
	if c.levels == nil {
		return c.values()
	}
	switch level, err := c.levels.next(); {
	case err != nil:
		return "", err
	case level > 0:
		return c.values()
	case c.gaps:
		return "", nil
	}
	return "", errMissing
}

// turn begins with the next page.
func (c *chunk) turn() error {
	length, _, err := skipStruct(c.data)
	if err != nil {
		return err
	}
	var header format.PageHeader
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), c.data[:length], &header); err != nil {
		return err
	}
	c.data = c.data[length:]
	stored, size := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
	if stored < 0 || stored > int64(len(c.data)) || size < 0 || size > pageSize+expansion*c.size {
		return errDamaged
	}
	page := c.data[:stored]
	c.data = c.data[stored:]
	if header.CRC != 0 && uint32(header.CRC) != crc32.ChecksumIEEE(page) {
		return errors.New("the file is damaged: a page is not what was written")
	}
	switch header.Type {
	case format.DictionaryPage:
		return c.look(&header.DictionaryPageHeader.V, page, size)
	case format.DataPage:
		return c.first(&header.DataPageHeader.V, page, size)
	case format.DataPageV2:
		return c.second(&header.DataPageHeaderV2.V, page, size)
	}
	return errDamaged
}

// hold returns what a page holds, which is size bytes at most, behind what buffer has. A page allocates what it has,
// and not what it says.
func (c *chunk) hold(page, buffer []byte, size int64) ([]byte, error) {
	if int64(cap(c.buffer)) < size {
		c.buffer = make([]byte, size)
	}
	found, err := c.expand(c.codec, page, c.buffer[:size])
	c.held += int64(len(found))
	return append(buffer, found...), err
}

// look takes a page of values that others refer to.
func (c *chunk) look(h *format.DictionaryPageHeader, page []byte, size int64) error {
	held, err := c.hold(page, nil, size)
	if err != nil {
		return err
	}
	c.dictionary, err = c.column.dictionary(held, int(h.NumValues))
	return err
}

// first takes a page of values of the format's first version, whose levels are compressed with the values.
func (c *chunk) first(h *format.DataPageHeader, page []byte, size int64) (err error) {
	if c.content, err = c.hold(page, c.content[:0], size); err != nil {
		return err
	}
	values := c.content
	c.levels = nil
	if c.column.optional {
		const prefix = 4
		if len(values) < prefix {
			return errDamaged
		}
		length := int64(binary.LittleEndian.Uint32(values))
		if values = values[prefix:]; length > int64(len(values)) || h.DefinitionLevelEncoding != format.RLE {
			return errDamaged
		}
		c.levels, values = &runs{data: values[:length], width: 1}, values[length:]
	}
	return c.begin(values, h.Encoding, h.NumValues)
}

// second takes a page of values of the format's second version, whose levels are not compressed.
func (c *chunk) second(h *format.DataPageHeaderV2, page []byte, size int64) (err error) {
	repetitions, definitions := int64(h.RepetitionLevelsByteLength), int64(h.DefinitionLevelsByteLength)
	if repetitions < 0 || definitions < 0 || repetitions+definitions > min(int64(len(page)), size) {
		return errDamaged
	}
	levels, page := page[repetitions:repetitions+definitions], page[repetitions+definitions:]
	if c.levels = nil; definitions > 0 && c.column.optional {
		c.levels = &runs{data: levels, width: 1}
	}
	c.held += definitions
	if h.IsCompressed.Valid && !h.IsCompressed.V {
		c.held += int64(len(page))
		return c.begin(page, h.Encoding, h.NumValues)
	}
	if c.content, err = c.hold(page, c.content[:0], size-repetitions-definitions); err != nil {
		return err
	}
	return c.begin(c.content, h.Encoding, h.NumValues)
}

// begin takes the values of a page.
func (c *chunk) begin(values []byte, encoding format.Encoding, n int32) (err error) {
	if n < 0 || int64(n) > c.rows {
		return errDamaged
	}
	c.rows -= int64(n)
	c.left = int(n)
	if c.values = empty; len(values) > 0 {
		c.values, err = c.cursor(values, encoding)
	}
	return err
}
