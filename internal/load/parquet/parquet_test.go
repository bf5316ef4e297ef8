package parquet

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/deeppsl/deeppsl/internal/format"
)

// read returns all of a file, in which no value is missing, as lines of fields between bars.
func read(data []byte) (lines []string, err error) { return readRows(data, format.Whole) }

func readRows(data []byte, wanted format.Rows) (lines []string, err error) {
	add := func(fields []string) bool {
		lines = append(lines, strings.Join(fields, "|"))
		return true
	}
	err = Read(bytes.NewReader(data), int64(len(data)), func(names []string) format.Rows {
		add(names)
		return wanted
	}, add)
	return lines, err
}

func TestRoundTrip(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, []string{"arg1", "arg2"}, []string{"value"})
	want := []string{"arg1|arg2|value"}
	for k := range 3000 {
		if err := w.Write([]string{fmt.Sprint("a", k), "é\t'x'"}, float64(k)/4096); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("a%d|é\t'x'|%v", k, float64(k)/4096))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := read(b.Bytes())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// TestManyTexts writes more than a group, of texts that are all different, and of some that differ at first alone.
func TestManyTexts(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, []string{"arg1", "arg2", "arg3"}, nil)
	want := []string{"arg1|arg2|arg3"}
	for k := range groupRows + 3*judged {
		texts := []string{fmt.Sprint("atom ", k), fmt.Sprint("cycle ", k%(judged+7)), fmt.Sprint("few ", k%5)}
		if err := w.Write(texts); err != nil {
			t.Fatal(err)
		}
		want = append(want, strings.Join(texts, "|"))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := read(b.Bytes())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, group := range w.about.RowGroups {
		folded := []int64{0, 0, 1}
		for k, column := range group.Columns {
			if at := column.MetaData.DictionaryPageOffset; min(at, 1) != folded[k] {
				t.Errorf("column %d has its dictionary at %d", k, at)
			}
		}
	}
}

// TestColumnOrder writes columns whose names are in another order than they are: those of the file are ordered by name.
func TestColumnOrder(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, []string{"name", "atom"}, []string{"value", "force"})
	if err := w.Write([]string{"x", "y"}, 1, 2); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := read(b.Bytes())
	if err != nil || got[0] != "atom|force|name|value" || got[1] != "y|2|x|1" {
		t.Error(got, err)
	}
}

// TestKinds reads what other programs write: numbers of all kinds, booleans, optional columns.
func TestKinds(t *testing.T) {
	type record struct {
		Who   string  `parquet:"who,optional"`
		Small int32   `parquet:"small"`
		Large int64   `parquet:"large"`
		Known bool    `parquet:"known"`
		Truth float32 `parquet:"truth"`
		Four  uint32  `parquet:"four"`
		Eight uint64  `parquet:"eight"`
	}
	var b bytes.Buffer
	records := []record{{"ann", -1, 1 << 40, true, 0.1, 1<<32 - 1, 1<<64 - 1}, {"ben", 2, 3, false, 1, 4, 5}}
	if err := parquet.Write(&b, records); err != nil {
		t.Fatal(err)
	}
	got, err := read(b.Bytes())
	want := []string{"who|small|large|known|truth|four|eight",
		"ann|-1|1099511627776|true|0.1|4294967295|18446744073709551615", "ben|2|3|false|1|4|5"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// TestNoRows reads a table without rows, of which other programs write a group without pages.
func TestNoRows(t *testing.T) {
	empty, err := os.ReadFile("testdata/empty.parquet")
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(empty)
	if diff := cmp.Diff([]string{"x|y"}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// TestMeanings refuses values that mean something else than what is stored.
func TestMeanings(t *testing.T) {
	decimal := parquet.Decimal(2, 5, parquet.FixedLenByteArrayType(3))
	for name, node := range map[string]parquet.Node{
		"decimal": decimal, "cents": parquet.Decimal(2, 5, parquet.Int32Type), "date": parquet.Date(),
		"timestamp": parquet.Timestamp(parquet.Microsecond), "uuid": parquet.UUID(), "bson": parquet.BSON(),
	} {
		var b bytes.Buffer
		schema := parquet.NewSchema("table", parquet.Group{name: node})
		if err := parquet.NewGenericWriter[any](&b, schema).Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := read(b.Bytes()); err == nil || !strings.Contains(err.Error(), "is of a type for times") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	var nested, missing, other bytes.Buffer
	if err := parquet.Write(&nested, []struct{ Names []string }{{[]string{"a"}}}); err != nil {
		t.Fatal(err)
	}
	type optional struct {
		Who *string `parquet:"who,optional"`
	}
	if err := parquet.Write(&missing, []optional{{nil}}); err != nil {
		t.Fatal(err)
	}
	type times struct{ When deprecated.Int96 }
	if err := parquet.Write(&other, []times{{}}); err != nil {
		t.Fatal(err)
	}
	for want, data := range map[string][]byte{
		"is of a type for times": other.Bytes(),
		"is nested":              nested.Bytes(), "is missing": missing.Bytes(), "no Parquet file": []byte("a\tb\n"),
		"its end is missing": []byte("PAR1\xff\xff\xff\xffPAR1"),
	} {
		if _, err := read(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	w := NewWriter(&b, []string{"arg1"}, []string{"value"})
	if err := w.Write([]string{"a"}, 0.5); err != nil {
		f.Fatal(err)
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	for _, file := range append(others(f, "others", 47), others(f, "gaps", 11)...) {
		f.Add(contents(f, file))
	}
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = readRows(data, format.Gapped) })
}
