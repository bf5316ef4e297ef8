package load

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/program"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// readTabs reads texts as observations of one predicate, in pieces of a size, or row by row if that is 0; bulk says
// how many went in pieces.
func readTabs(types []program.Type, size int, texts ...string) (symbols []string, rows string, bulk int,
	diags source.Diagnostics) {
	table := symbol.NewTable()
	t := newTable(&Predicate{Predicate: program.Predicate{Name: "P", Types: types}}, table, &diags)
	for k, text := range texts {
		file := &source.File{Name: fmt.Sprintf("p%d.tsv", k), Text: text}
		t.begin(origin{file: file, data: &Data{}, what: "observations", tabs: true}, relation.Observed)
		if size > 0 && t.addBulk(text, size, 3) {
			bulk++
		} else {
			t.addTabs(file)
		}
		t.end()
	}
	for id := range table.Len() {
		symbols = append(symbols, table.Name(symbol.ID(id)))
	}
	diags.Sort()
	r := t.builder.Relation(false)
	return symbols, fmt.Sprint(r.Columns, valuesOf(r)), bulk, diags
}

func valuesOf(r *relation.Relation) (all []float64) {
	for row := range r.Len() {
		all = append(all, r.Value(int32(row)))
	}
	return all
}

// Reading in pieces gives the same constants, rows and messages as reading row by row.
func TestBulk(t *testing.T) {
	inBulk := 0
	rapid.Check(t, func(t *rapid.T) {
		fields := []string{"a", "b", "ab", "7", "07", "-3", "1.50", "a b", " a", "", "ä", "a name of more than two words",
			"fifteen bytes !", "sixteen bytes !!", "eightbyt", "b 0.5"}
		if rapid.Bool().Draw(t, "tame") {
			fields = []string{"a", "b", "c", "d", "long constants too, of twenty bytes", "e f"}
		}
		types := []program.Type{rapid.SampledFrom([]program.Type{program.String, program.String, program.Int,
			program.Float}).Draw(t, "type"), program.String}
		truths := []string{"1", "0.5", "0.123456789012345678", "1.0", "0", "1e-3", "0.3333333", "1.5", "x", "0x1p-2", "-0"}
		valued := rapid.Bool().Draw(t, "valued")
		var texts []string
		for range rapid.IntRange(1, 3).Draw(t, "files") {
			var text strings.Builder
			for range rapid.IntRange(0, 12).Draw(t, "rows") {
				row := rapid.SampledFrom(fields).Draw(t, "first") + "\t" + rapid.SampledFrom(fields).Draw(t, "second")
				if valued {
					most := len(truths)
					if rapid.IntRange(0, 3).Draw(t, "right") > 0 {
						most = 7
					}
					row += "\t" + truths[rapid.IntRange(0, most-1).Draw(t, "truth")]
				}
				if rapid.IntRange(0, 19).Draw(t, "torn") == 0 {
					row = rapid.SampledFrom([]string{"a", "", "a\tb\tc\td", "\ta\tb", "a\tb\t"}).Draw(t, "row")
				}
				text.WriteString(row + rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\n\n", " \n"}).Draw(t, "end"))
			}
			texts = append(texts, text.String())
		}
		symbols, rows, _, diags := readTabs(types, 0, texts...)
		for _, size := range []int{1, 20, 1000} {
			got, gotRows, bulk, gotDiags := readTabs(types, size, texts...)
			inBulk += bulk
			if !reflect.DeepEqual(got, symbols) || gotRows != rows {
				t.Fatalf("pieces of %d: %q\n%s\nwant %q\n%s", size, got, gotRows, symbols, rows)
			}
			if fmt.Sprint(gotDiags.Err(), gotDiags) != fmt.Sprint(diags.Err(), diags) {
				t.Fatalf("pieces of %d: %v\nwant %v", size, gotDiags, diags)
			}
		}
	})
	if inBulk == 0 {
		t.Error("nothing was read in pieces")
	}
}

// Of a large table, an atom that is there twice is found wherever it is, and all else is the same as row by row.
func TestBulkOfManyRows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	seen := make(map[[2]int]bool)
	for len(seen) < 100_000 {
		pair := [2]int{random.IntN(3000), random.IntN(3000)}
		if !seen[pair] {
			seen[pair] = true
			fmt.Fprintf(&text, "user%d\titem number %d\t0.%03d\n", pair[0], pair[1], random.IntN(1000))
		}
	}
	types := []program.Type{program.String, program.String}
	symbols, rows, _, _ := readTabs(types, 0, text.String())
	got, gotRows, bulk, diags := readTabs(types, 1<<16, text.String())
	if bulk != 1 || !reflect.DeepEqual(got, symbols) || gotRows != rows || diags.HasErrors() {
		t.Errorf("%d read in pieces; %v", bulk, diags.Err())
	}
	first, _, _ := strings.Cut(text.String(), "\n")
	_, gotRows, bulk, diags = readTabs(types, 1<<16, text.String()+first+"\n")
	if bulk != 0 || gotRows != rows || diags.HasErrors() {
		t.Errorf("a row that is there twice: %d read in pieces; %v", bulk, diags.Err())
	}
	other := first[:strings.LastIndex(first, "\t")] + "\t1"
	_, _, bulk, diags = readTabs(types, 1<<16, text.String()+other+"\n")
	if bulk != 0 || !strings.Contains(fmt.Sprint(diags.Err()), "with another value; it is also at p0.tsv:1:1") {
		t.Errorf("%d read in pieces; %v", bulk, diags.Err())
	}
	second := "user0\tnew\t1\n"
	_, _, bulk, diags = readTabs(types, 1<<16, text.String(), second+strings.ReplaceAll(second, "new", "newer"))
	if bulk != 2 || diags.HasErrors() {
		t.Errorf("%d read in pieces; %v", bulk, diags.Err())
	}
	_, _, bulk, diags = readTabs(types, 1<<16, text.String(), other+"\n"+second)
	if bulk != 1 || !strings.Contains(fmt.Sprint(diags.Err()), "it is also at p0.tsv:1:1") {
		t.Errorf("%d read in pieces; %v", bulk, diags.Err())
	}
}

// BenchmarkTabs reads a million rows of two constants and a value, in pieces and row by row.
func BenchmarkTabs(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	var text strings.Builder
	for row := range 1_000_000 {
		fmt.Fprintf(&text, "user%d\titem%d\t0.%02d\n", row/10, random.IntN(10_000)*10+row%10, random.IntN(100))
	}
	for _, c := range []struct {
		name          string
		size, threads int
	}{{"rows", 0, 1}, {"pieces-1", pieceSize, 1}, {"pieces-2", pieceSize, 2}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				var diags source.Diagnostics
				types := make([]program.Type, 2)
				t := newTable(&Predicate{Predicate: program.Predicate{Name: "P", Types: types}}, symbol.NewTable(), &diags)
				file := &source.File{Name: "p.tsv", Text: text.String()}
				t.begin(origin{file: file, data: &Data{}, tabs: true}, relation.Observed)
				if c.size == 0 {
					eachLine(file.Text, t.addLine)
				} else if !t.addBulk(file.Text, c.size, c.threads) {
					b.Fatal("not read in pieces")
				}
			}
		})
	}
}
