package source

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
)

func TestPosition(t *testing.T) {
	file := &File{Name: "f", Text: "ab\nçd\r\n\nz"}
	for _, test := range []struct {
		offset, line, column int
		text                 string
	}{
		{0, 1, 1, "ab"}, {2, 1, 3, "ab"}, {3, 2, 1, "çd"}, {5, 2, 2, "çd"}, {8, 3, 1, ""}, {9, 4, 1, "z"},
		{10, 4, 2, "z"}, {99, 4, 2, "z"}, {-1, 1, 1, "ab"},
	} {
		line, column := file.Position(test.offset)
		if line != test.line || column != test.column {
			t.Errorf("Position(%d) = %d:%d, want %d:%d", test.offset, line, column, test.line, test.column)
		}
		if start, end := file.Line(test.offset); file.Text[start:end] != test.text {
			t.Errorf("Line(%d) is %q, want %q", test.offset, file.Text[start:end], test.text)
		}
	}
}

// TestPositionIsWhereItSays finds any place again by counting lines and columns.
func TestPositionIsWhereItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aé\t\n€"))).Draw(t, "text")
		want := len(string([]rune(text)[:rapid.IntRange(0, len([]rune(text))).Draw(t, "rune")]))
		line, column := (&File{Text: text}).Position(want)
		lines := strings.SplitAfter(text, "\n")
		offset := len(strings.Join(lines[:line-1], ""))
		for k := range lines[line-1] {
			if column > 1 && offset+k < want {
				column--
			}
		}
		if column != 1 {
			t.Fatalf("offset %d of %q is %d columns from its column", want, text, column-1)
		}
	})
}

func TestSpan(t *testing.T) {
	file := &File{Name: "f", Text: "one two"}
	span := file.Span(4, 7)
	for _, test := range []struct{ got, want string }{
		{span.Text(), "two"}, {span.String(), "f:1:5"}, {file.Span(0, 3).To(span).Text(), "one two"},
		{file.Whole().String(), "f"}, {file.Whole().Text(), ""}, {Span{}.String(), ""}, {file.Span(5, 99).Text(), "wo"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// TestWritten follows spans of a text to where it stands in another file, exactly if it stands there as it is.
func TestWritten(t *testing.T) {
	outer := &File{Name: "c.json", Text: `{"rules": ["A(X) -> B(X)", "A('\u0061')"]}`}
	plain := &File{Name: "c.json", Text: "A(X) -> B(X)", In: outer.Span(12, 24)}
	escaped := &File{Name: "c.json", Text: "A('a')", In: outer.Span(28, 39)}
	for _, test := range []struct {
		span Span
		text string
	}{
		{plain.Span(8, 12), "B(X)"}, {plain.Span(8, 99), "B(X)"}, {plain.Whole(), "A(X) -> B(X)"},
		{escaped.Span(2, 5), `A('\u0061')`}, {outer.Span(2, 7), "rules"}, {Span{}, ""},
	} {
		if got := test.span.Written(); got.Text() != test.text || got.File != nil && got.File != outer {
			t.Errorf("%v is written as %q in %v, want %q", test.span, got.Text(), got.File, test.text)
		}
	}
	if got := plain.Span(8, 12).String(); got != "c.json:1:21" {
		t.Errorf("the place is %s", got)
	}
	var diags Diagnostics
	diags.Warnf("w", plain.Span(8, 12), "", "m")
	if diags[0].Span != outer.Span(20, 24) {
		t.Errorf("the diagnostic is at %v", diags[0].Span)
	}
}

func TestSortRemovesRepetitions(t *testing.T) {
	a, b, twin := &File{Name: "a", Text: "12"}, &File{Name: "b"}, &File{Name: "a", Text: "34"}
	var diags Diagnostics
	for _, span := range []Span{twin.Span(0, 1), b.Span(0, 0), a.Span(1, 2), a.Span(0, 1), {}, a.Span(1, 2), a.Whole()} {
		diags.Errorf("y", span, "", "m")
		diags.Warnf("x", span, "", "m")
	}
	diags.Sort()
	var got []string
	for _, x := range diags {
		got = append(got, x.Span.String()+" "+x.ID)
	}
	want := []string{" x", " y", "a:1:1 x", "a:1:1 y", "a x", "a y", "a:1:1 x", "a:1:1 y", "a:1:2 x", "a:1:2 y",
		"b:1:1 x", "b:1:1 y"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestErr(t *testing.T) {
	var diags Diagnostics
	if err := diags.Err(); err != nil {
		t.Errorf("no diagnostics give %v", err)
	}
	diags.Warnf("w", Span{}, "", "careful")
	if err := diags.Err(); err != nil {
		t.Errorf("a warning gives %v", err)
	}
	diags.Errorf("e", Span{}, "", "wrong")
	var failure *Failure
	if err := diags.Err(); !errors.As(err, &failure) || len(failure.Diagnostics) != 2 {
		t.Fatalf("an error and a warning give %v", err)
	}
	if want := "error: wrong [e]\nwarning: careful [w]"; failure.Error() != want {
		t.Errorf("got %q, want %q", failure.Error(), want)
	}
}

func TestRender(t *testing.T) {
	file := &File{Name: "f.psl", Text: "first\n\tsécond line\r\nthird\x00\xff"}
	wide := &File{Name: "w", Text: strings.Repeat("x", 200) + "HERE" + strings.Repeat("y", 200)}
	for _, test := range []struct {
		name string
		span Span
		want string
	}{
		{"the whole file", file.Whole(), "f.psl: error: message [id]\n    hint: advice\n"},
		{"nowhere", Span{}, "error: message [id]\n    hint: advice\n"},
		{"a word", file.Span(1, 3), "f.psl:1:2: error: message [id]\n    first\n     ^~\n    hint: advice\n"},
		{"after a tab and an accent", file.Span(10, 11),
			"f.psl:2:4: error: message [id]\n        sécond line\n          ^\n    hint: advice\n"},
		{"two lines", file.Span(3, 9), "f.psl:1:4: error: message [id]\n    first\n       ^~\n    hint: advice\n"},
		{"control characters", file.Span(21, 99),
			"f.psl:3:1: error: message [id]\n    third\uFFFD\uFFFD\n    ^~~~~~~\n    hint: advice\n"},
		{"the end", file.Span(99, 99),
			"f.psl:3:8: error: message [id]\n    third\uFFFD\uFFFD\n           ^\n    hint: advice\n"},
		{"a long line", wide.Span(200, 204), "w:1:201: error: message [id]\n    …" + strings.Repeat("x", 35) + "HERE" +
			strings.Repeat("y", 69) + "…\n    " + strings.Repeat(" ", 36) + "^~~~\n    hint: advice\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var diags Diagnostics
			diags.Errorf("id", test.span, "advice", "message")
			var b strings.Builder
			diags.Render(&b, false, 0)
			if diff := cmp.Diff(test.want, b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRenderLimit(t *testing.T) {
	var diags Diagnostics
	for range 4 {
		diags.Errorf("e", Span{}, "", "wrong")
	}
	diags.Warnf("w", Span{}, "", "careful")
	var b strings.Builder
	diags.Render(&b, false, 2)
	if want := "error: wrong [e]\nerror: wrong [e]\n... and 2 errors and 1 warning more\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	b.Reset()
	diags = append(Diagnostics{{ID: "w", Severity: Warning, Message: "careful"}}, append(diags[4:], diags[0])...)
	diags.Render(&b, false, 2)
	if want := "warning: careful [w]\nerror: wrong [e]\n... and 1 warning more\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// TestColoursOnlyAddColour strips the escape sequences and finds the plain text.
func TestColoursOnlyAddColour(t *testing.T) {
	file := &File{Name: "f", Text: "text"}
	var diags Diagnostics
	diags.Warnf("w", file.Span(0, 4), "hint", "careful")
	diags.Errorf("e", file.Span(1, 2), "hint", "wrong")
	var plain, coloured strings.Builder
	diags.Render(&plain, false, 0)
	diags.Render(&coloured, true, 0)
	if !strings.Contains(coloured.String(), "\x1b[") {
		t.Error("no colours")
	}
	stripped := coloured.String()
	for _, code := range []string{"0", "1", "36", "1;31", "1;32", "1;33"} {
		stripped = strings.ReplaceAll(stripped, "\x1b["+code+"m", "")
	}
	if diff := cmp.Diff(plain.String(), stripped); diff != "" {
		t.Errorf("(-plain +stripped):\n%s", diff)
	}
}

func TestSuggest(t *testing.T) {
	names := []string{"Label", "Cite", "CiteP", "SameAuthor", "A"}
	for name, want := range map[string]string{
		"Lable": "Label", "label": "Label", "Cites": "Cite", "citep": "CiteP", "SimAuther": "SameAuthor", "Neural": "",
		"B": "", "a": "A", "": "", "Xyz": "", "SA": "A",
	} {
		if want != "" {
			want = "did you mean " + want + "?"
		}
		if got := Suggest(name, names); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", name, got, want)
		}
	}
	if got := Suggest(strings.Repeat("Label", 1<<20), names); got != "" { // whose distance would take minutes
		t.Errorf("of a long name, Suggest is %q", got)
	}
}

// TestDistanceIsAMetric checks symmetry, identity and the triangle inequality.
func TestDistanceIsAMetric(t *testing.T) {
	word := rapid.SliceOfN(rapid.RuneFrom([]rune("abc")), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		if distance(a, b) != distance(b, a) || distance(a, a) != 0 || (distance(a, b) == 0) != (string(a) == string(b)) {
			t.Error("not symmetric, or not 0 exactly for equal words")
		}
		if distance(a, c) > distance(a, b)+distance(b, c) {
			t.Error("a detour is shorter")
		}
	})
}

// TestLongLine shows parts of a line of a million bytes as it shows those of one that is not cut.
func TestLongLine(t *testing.T) {
	const half = 1 << 19
	text := strings.Repeat("ä", half/2) + "(here)" + strings.Repeat("é", half/2)
	file := &File{Name: "long", Text: text}
	line, mark := file.Span(half, half+6).excerpt()
	const before, after = excerptWidth/3 - 1, excerptWidth - excerptWidth/3 - 7
	want := "…" + strings.Repeat("ä", before) + "(here)" + strings.Repeat("é", after) + "…"
	if line != want || strings.TrimLeft(mark, " ") != "^~~~~~" || len(mark) != excerptWidth/3+6 {
		t.Errorf("%s\n%s", line, mark)
	}
	allocated := testing.AllocsPerRun(1, func() { file.Span(half, half+6).excerpt() })
	if line, _ := file.Span(0, 2).excerpt(); !strings.HasPrefix(line, "ä") || allocated > 30 {
		t.Errorf("%s after %g allocations", line, allocated)
	}
}

// TestMarks compares places of a long text with those that counting from its start finds.
func TestMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"abc", "äöü", "\n", "\xff\x80", "→"}), 1, 8).Draw(t, "parts")
		text := strings.Repeat(strings.Join(parts, ""), 2000)
		file := &File{Text: text}
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		line, column := file.Position(at)
		want := mark{line: 1, column: 1}.to(text, at)
		if line != want.line || column != want.column {
			t.Errorf("%d:%d, want %d:%d", line, column, want.line, want.column)
		}
	})
}
