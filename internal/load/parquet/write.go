package parquet

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A group has groupRows at most, of which a column of numbers has a page of a megabyte, and about groupBytes of texts.
const (
	groupRows  = 1 << 17
	groupBytes = 16 << 20
)

// Writer writes a table.
type Writer struct {
	out     io.Writer
	offset  int64 // bytes that are written
	rows    int   // of the group that is not written yet
	held    int   // bytes of texts in it
	columns []content
	column  []int // of the texts and then of the numbers: columns are ordered by name
	about   format.FileMetaData
}

// content is what a column has in a group that is not written yet: numbers as they are, or texts, each once, and for
// each row the place of its text among them; or texts as they are, too, where that takes no more.
type content struct {
	name   string
	values []byte
	texts  map[string]uint32 // nil in a column of numbers
	places []uint32
	plain  bool
}

// After so many rows of a group it is seen what texts take.
const judged = 1 << 14

// NewWriter returns a writer of rows with columns of text and of numbers. Nothing is complete before Close.
func NewWriter(w io.Writer, texts, numbers []string) *Writer {
	names := slices.Concat(texts, numbers)
	sorted := slices.Sorted(slices.Values(names))
	out := &Writer{out: w, columns: make([]content, len(names)), column: make([]int, len(names))}
	out.about = format.FileMetaData{Version: 2, CreatedBy: "deeppsl", Schema: make([]format.SchemaElement, 1+len(names))}
	out.about.Schema[0] = format.SchemaElement{Name: "atoms", NumChildren: thrift.New(int32(len(names)))}
	for k, name := range names {
		at, _ := slices.BinarySearch(sorted, name)
		out.column[k], out.columns[at].name = at, name
		element := format.SchemaElement{Name: name, RepetitionType: thrift.New(format.Required)}
		element.Type = thrift.New(format.Double)
		if k < len(texts) {
			out.columns[at].texts = make(map[string]uint32)
			element.Type, element.ConvertedType = thrift.New(format.ByteArray), thrift.New(deprecated.UTF8)
			element.LogicalType.Value = new(format.StringType)
		}
		out.about.Schema[1+at] = element
	}
	return out
}

// Write adds one row.
func (w *Writer) Write(texts []string, numbers ...float64) error {
	for k, text := range texts {
		w.columns[w.column[k]].add(text)
		w.held += len(text)
	}
	for k, number := range numbers {
		c := &w.columns[w.column[len(texts)+k]]
		c.values = binary.LittleEndian.AppendUint64(c.values, math.Float64bits(number))
	}
	if w.rows++; w.rows < groupRows && w.held < groupBytes {
		return nil
	}
	return w.flush()
}

func (c *content) add(text string) {
	known := false
	if !c.plain {
		var place uint32
		if place, known = c.texts[text]; !known {
			place = uint32(len(c.texts))
			c.texts[text] = place
		}
		c.places = append(c.places, place)
	}
	if !known {
		c.values = append(binary.LittleEndian.AppendUint32(c.values, uint32(len(text))), text...)
	}
	if len(c.places) == judged {
		c.judge()
	}
}

// judge goes over to texts as they are if they take no more, as where most are different.
func (c *content) judge() {
	texts := make([][]byte, 0, len(c.texts)) // with their lengths
	for rest := c.values; len(rest) > 0; {
		n := 4 + binary.LittleEndian.Uint32(rest)
		texts, rest = append(texts, rest[:n]), rest[n:]
	}
	var plain []byte
	for _, place := range c.places {
		plain = append(plain, texts[place]...)
	}
	if len(plain) <= len(c.values)+len(packed(c.places, len(texts))) {
		c.values, c.places, c.plain = plain, c.places[:0], true
		clear(c.texts)
	}
}

// flush writes a group of rows.
func (w *Writer) flush() error {
	if w.offset == 0 {
		if err := w.write([]byte(mark)); err != nil {
			return err
		}
	}
	if w.rows == 0 {
		return nil
	}
	group := format.RowGroup{NumRows: int64(w.rows), FileOffset: w.offset, Ordinal: int16(len(w.about.RowGroups))}
	for k := range w.columns {
		about, err := w.chunk(&w.columns[k])
		if err != nil {
			return err
		}
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: about})
		group.TotalByteSize += about.TotalUncompressedSize
		group.TotalCompressedSize += about.TotalCompressedSize
	}
	w.about.RowGroups = append(w.about.RowGroups, group)
	w.about.NumRows += group.NumRows
	w.rows, w.held = 0, 0
	return nil
}

// chunk writes what a column has in a group.
func (w *Writer) chunk(c *content) (about format.ColumnMetaData, err error) {
	about = format.ColumnMetaData{Type: format.Double, Codec: format.Snappy, NumValues: int64(w.rows),
		PathInSchema: []string{c.name}, Encoding: []format.Encoding{format.Plain}}
	start, values := w.offset, c.values
	header := format.DataPageHeader{NumValues: int32(w.rows), Encoding: format.Plain,
		DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}
	if c.texts != nil {
		about.Type = format.ByteArray
	}
	if c.texts != nil && !c.plain {
		about.DictionaryPageOffset = start
		about.Encoding = append(about.Encoding, format.RLEDictionary)
		dictionary := format.DictionaryPageHeader{NumValues: int32(len(c.texts)), Encoding: format.Plain}
		err = w.page(c.values, &about,
			format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(dictionary)})
		header.Encoding, values = format.RLEDictionary, packed(c.places, len(c.texts))
		clear(c.texts)
	}
	about.DataPageOffset = w.offset
	data := w.page(values, &about, format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(header)})
	about.TotalCompressedSize = w.offset - start
	c.values, c.places, c.plain = c.values[:0], c.places[:0], false
	return about, errors.Join(err, data)
}

// packed are places of n values in as few bits as they need: one bit at least, and one run of groups of eight.
func packed(places []uint32, n int) []byte {
	width := max(1, bits.Len32(uint32(n-1)))
	groups := (len(places) + 7) / 8
	out := binary.AppendUvarint([]byte{byte(width)}, uint64(groups)<<1|1)
	from := len(out)
	out = append(out, make([]byte, groups*width)...)
	for k, place := range places {
		for b := range width {
			at := k*width + b
			out[from+at/8] |= byte(place>>b&1) << (at % 8)
		}
	}
	return out
}

// page writes a page.
func (w *Writer) page(values []byte, about *format.ColumnMetaData, header format.PageHeader) error {
	stored := snappy.Encode(nil, values)
	header.UncompressedPageSize, header.CompressedPageSize = int32(len(values)), int32(len(stored))
	head, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
	if err != nil {
		return err
	}
	about.TotalUncompressedSize += int64(len(head) + len(values))
	return w.write(append(head, stored...))
}

func (w *Writer) write(data []byte) error {
	n, err := w.out.Write(data)
	w.offset += int64(n)
	return err
}

// Close writes what is left, and the file's end. It does not close the underlying writer.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &w.about)
	if err != nil {
		return err
	}
	return w.write(append(binary.LittleEndian.AppendUint32(footer, uint32(len(footer))), mark...))
}
