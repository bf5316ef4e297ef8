package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/deeppsl/deeppsl/internal/alloctest"
)

// plainRecord and its like have the same columns in different encodings.
type (
	plainRecord struct {
		Who   string  `parquet:"who"`
		Age   int64   `parquet:"age"`
		Known bool    `parquet:"known"`
		Truth float64 `parquet:"truth"`
	}
	optionalRecord struct {
		Who   string  `parquet:"who,optional"`
		Age   int64   `parquet:"age,optional"`
		Known bool    `parquet:"known"`
		Truth float64 `parquet:"truth,optional"`
	}
	dictionaryRecord struct {
		Who   string  `parquet:"who,dict"`
		Age   int64   `parquet:"age,dict"`
		Known bool    `parquet:"known"`
		Truth float64 `parquet:"truth,dict,optional"`
	}
	deltaRecord struct {
		Who   string  `parquet:"who,delta"`
		Age   int64   `parquet:"age,delta"`
		Known bool    `parquet:"known"`
		Truth float64 `parquet:"truth,split"`
	}
)

var codecs = []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Brotli,
	&parquet.Lz4Raw}

// written returns a table of so many rows in a file.
func written[T plainRecord | optionalRecord | dictionaryRecord | deltaRecord](t testing.TB, rows, version int,
	codec compress.Codec) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, parquet.Compression(codec), parquet.DataPageVersion(version))
	for k := range rows {
		r := plainRecord{fmt.Sprint("person ", k), int64(k%100 + 1), k%3 != 0, float64(k+1) / float64(rows+1)}
		if _, err := w.Write([]T{T(r)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestVersions reads the same table in everything that it can be written in.
func TestVersions(t *testing.T) {
	const rows, last = 3000, "person 2999|100|true|0.9996667777407531"
	for _, codec := range codecs {
		for version := 1; version <= 2; version++ {
			for k, data := range [][]byte{
				written[plainRecord](t, rows, version, codec), written[optionalRecord](t, rows, version, codec),
				written[dictionaryRecord](t, rows, version, codec), written[deltaRecord](t, rows, version, codec),
			} {
				if lines, err := read(data); err != nil || len(lines) != rows+1 || lines[rows] != last {
					t.Errorf("%s, version %d, encoding %d: %d lines, %v", codec, version, k, len(lines), err)
				}
			}
		}
	}
}

// most is how much may be allocated for a file of so many bytes: the package's bound, and what the library needs for
// any file, some of it once.
func most(size int) uint64 { return uint64(expansion*size + pageSize + 2<<20) }

// TestDamage changes each byte of some files: nothing panics, and nothing allocates more than the bound.
func TestDamage(t *testing.T) {
	for k, data := range [][]byte{
		written[plainRecord](t, 3, 1, &parquet.Snappy), written[optionalRecord](t, 3, 2, &parquet.Uncompressed),
		written[dictionaryRecord](t, 3, 1, &parquet.Zstd), written[deltaRecord](t, 3, 2, &parquet.Gzip),
	} {
		alloctest.Damage(data, func(at int) {
			if n := alloctest.Bytes(func() { _, _ = read(data) }); n > most(len(data)) {
				t.Errorf("file %d with another byte %d: %d bytes for %d", k, at, n, len(data))
			}
		})
	}
}

// footed returns a file without pages, with this description at its end.
func footed(footer string) []byte {
	data := append([]byte("PAR1"), footer...)
	return append(binary.LittleEndian.AppendUint32(data, uint32(len(footer))), "PAR1"...)
}

// TestLies reads files that say that they are large.
func TestLies(t *testing.T) {
	const list = "\x29\xfc" // the second field is a list of structures, whose number follows
	for name, data := range map[string][]byte{
		"two thousand million columns":  footed(list + "\xff\xff\xff\xff\x07"),
		"columns of which none has any": footed(list + "\x80\x80\x04" + strings.Repeat("\x00", 1<<16) + "\x00"),
		"a list in a list and so on":    footed("\x29" + strings.Repeat("\x19", 1<<20)),
		"a long text":                   footed("\x68\xff\xff\xff\xff\x07"),
		"a map without end":             footed("\x2b\xff\xff\xff\xff\x07\x88"),
		"columns that hold columns":     footed("\x29\x1c\x48\x01a\x15\xfe\xff\xff\xff\x0f\x00\x00"),
	} {
		var err error
		n := alloctest.Bytes(func() { _, err = read(data) })
		if err == nil || n > most(len(data)) {
			t.Errorf("%s: %d bytes for %d, error %v", name, n, len(data), err)
		}
	}
}

// TestRuns reads runs, as many values as they have.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		data  string
		width int
		want  string
	}{
		{"", 1, ""},
		{"\x0a\x01", 1, "11111"},
		{"\x03\x0f", 1, "11110000"},
		{"\x03\xff", 2, "3333"}, // cut short
		{"\x03\x88\xc6\xfa", 3, "01234567"},
		{"\x00\x05\x04\x05\x03\x02", 3, "5520"}, // cut short,
		{"\x02\xff\xff\xff\xff\x0f", 32, "4294967295"},
		{"\x02\xff", 32, ""},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x80", 1, "00000001"},
		{"\x80", 1, ""},
	} {
		got := ""
		for r := (runs{data: []byte(c.data), width: c.width}); ; {
			value, err := r.next()
			if err != nil {
				break
			}
			got += fmt.Sprint(value)
		}
		if got != c.want {
			t.Errorf("%q of %d bits: %q, and not %q", c.data, c.width, got, c.want)
		}
	}
}

// TestExpand checks that what a page holds is never more than it says, whatever it is compressed with.
func TestExpand(t *testing.T) {
	unzstd, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		t.Fatal(err)
	}
	defer unzstd.Close()
	c := reader{zstd: unzstd}
	zeros := make([]byte, 1<<20)
	for _, codec := range codecs[1:] {
		page, err := codec.Encode(nil, zeros)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{len(zeros), len(zeros) + 1} {
			if got, err := c.expand(codec.CompressionCodec(), page, make([]byte, size)); err != nil || len(got) != len(zeros) {
				t.Errorf("%s: %d bytes of %d, %v", codec, len(got), len(zeros), err)
			}
		}
		if _, err := c.expand(codec.CompressionCodec(), page, make([]byte, len(zeros)-1)); err == nil {
			t.Errorf("%s: a page holds more than it says", codec)
		}
	}
}
