package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/goldentest"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
)

func sampleTable() *Table {
	return NewTable("method", "accuracy", "pass", "note").
		Row("Newton", Number("0.93 ± 0.01"), 4, "exact").
		Row("グラフ", 0.123456, 12000).
		Row("a|b", math.NaN(), int64(-3), "two\nlines").
		Row("", float32(2), uint8(7), nil)
}

func TestTableForms(t *testing.T) {
	var text, markdown bytes.Buffer
	if err := sampleTable().Text(&text); err != nil {
		t.Fatal(err)
	}
	if err := sampleTable().Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	goldentest.File(t, "testdata/table.txt", text.Bytes())
	goldentest.File(t, "testdata/table.md", markdown.Bytes())
}

func TestTableRejectsRowsWiderThanItsHeader(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a row of two cells in a table of one column did not panic")
		}
	}()
	NewTable("only").Row(1, 2)
}

// Whatever the cells hold, each row stays one line, and lines of single-width text have one length.
func TestTableIsRectangular(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := NewTable("left", "right")
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			table.Row(rapid.StringMatching(`[a-z|\n ]{0,9}`).Draw(t, "text"), rapid.Int().Draw(t, "number"))
		}
		var b bytes.Buffer
		if err := table.Markdown(&b); err != nil {
			t.Fatal(err)
		}
		rows := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(rows) != len(table.rows)+2 {
			t.Fatalf("%d lines for %d rows:\n%s", len(rows), len(table.rows), b.String())
		}
		for _, row := range rows {
			if utf8.RuneCountInString(row) != utf8.RuneCountInString(rows[0]) {
				t.Fatalf("lines of different length:\n%s", b.String())
			}
		}
	})
}

// narrow is a writer of so many columns.
type narrow struct {
	strings.Builder
	columns int
}

func (n *narrow) Columns() int { return n.columns }

// A table on a terminal breaks its longest texts, and no number; one that cannot fit is as narrow as it gets.
func TestTableFits(t *testing.T) {
	table := NewTable("option", "default", "meaning").
		Row("a.rather.long.name", Number("1e-6"), "what it is about, in more words than a line of a terminal has").
		Row("short", Number("2"), "brief")
	for _, test := range []struct {
		columns int
		want    string
	}{
		{0, `option              default  meaning
──────────────────  ───────  ─────────────────────────────────────────────────────────────
a.rather.long.name     1e-6  what it is about, in more words than a line of a terminal has
short                     2  brief
`},
		{60, `option              default  meaning
──────────────────  ───────  ───────────────────────────────
a.rather.long.name     1e-6  what it is about, in more words
                             than a line of a terminal has
short                     2  brief
`},
	} {
		w := &narrow{columns: test.columns}
		if err := table.Text(w); err != nil {
			t.Fatal(err)
		}
		got := strings.Split(w.String(), "\n")
		want := strings.Split(test.want, "\n")
		for k := range want {
			if k != 1 && (k >= len(got) || got[k] != want[k]) {
				t.Errorf("%d columns, line %d: got\n%s", test.columns, k+1, w.String())
				break
			}
			if test.columns > 0 && len([]rune(got[k])) > test.columns {
				t.Errorf("%d columns: %s", test.columns, got[k])
			}
		}
	}
	w := &narrow{columns: 10}
	if err := table.Text(w); err != nil || strings.Count(w.String(), "\n") < 6 {
		t.Errorf("%v\n%s", err, w.String())
	}
}
