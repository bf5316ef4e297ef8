package features

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A table as people keep it: text, gaps, numbers that are names, and columns that are no features.
const people = "name,age,town,postcode,income,label\n" +
	"ann,30,Rome,00100,,yes\nbob,?,\"Paris, 1er\",75001,2000,no\ncy,50,,00100,NaN,yes\ndi,40,Rome,75001,3000,no\n"

func TestTextsAndGaps(t *testing.T) {
	for _, test := range []struct {
		form  Form
		text  string
		names []string
		want  map[string][]float32
	}{
		{Form{Format: CSV, Columns: []string{"name", "age", "town", "income"}}, people,
			[]string{"age", "age missing", "town=Paris, 1er", "town=Rome", "income", "income missing"},
			map[string][]float32{"ann": {30, 0, 0, 1, 2500, 1}, "bob": {40, 1, 1, 0, 2000, 0},
				"cy": {50, 0, 0, 0, 2500, 1}, "di": {40, 0, 0, 1, 3000, 0}}},
		{Form{Format: CSV, Columns: []string{"name", "postcode"}, Categories: []string{"postcode"}}, people,
			[]string{"postcode=00100", "postcode=75001"},
			map[string][]float32{"ann": {1, 0}, "bob": {0, 1}, "cy": {1, 0}, "di": {0, 1}}},
		{Form{Format: CSV, Columns: []string{"name", "postcode"}}, people, nil,
			map[string][]float32{"ann": {100}, "bob": {75001}, "cy": {100}, "di": {75001}}},
		{Form{Format: CSV}, "a,1,\nb,,\nc,3,\n", []string{"column 1", "column 1 missing", "column 2"},
			map[string][]float32{"a": {1, 0, 0}, "b": {2, 1, 0}, "c": {3, 0, 0}}},
		{Form{Format: CSV}, "x,kind\na,1,good\nb,2,bad\n", []string{"x", "kind=bad", "kind=good"},
			map[string][]float32{"a": {1, 0, 1}, "b": {2, 1, 0}}},
	} {
		r := newTableReader(test.form)
		if err := r.readFrom(CSV, "f", strings.NewReader(test.text)); err != nil {
			t.Errorf("%v: %v", test.form.Columns, err)
			continue
		}
		f, err := r.finish(CSV)
		if err != nil {
			t.Errorf("%v: %v", test.form.Columns, err)
			continue
		}
		if diff := cmp.Diff(test.names, f.names) + cmp.Diff(test.want, rowsOf(f)); diff != "" {
			t.Errorf("%v: %s", test.form.Columns, diff)
		}
	}
}

func TestNewTable(t *testing.T) {
	ids, names := []string{"a", "b", "c"}, []string{"age", "code"}
	f, err := NewTable(ids, names, [][]string{{"1", "", "3"}, {"7", "x", "7"}}, []string{"code"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]float32{"a": {1, 0, 1, 0}, "b": {2, 1, 0, 1}, "c": {3, 0, 1, 0}}
	features := []string{"age", "age missing", "code=7", "code=x"}
	if diff := cmp.Diff(want, rowsOf(f)) + cmp.Diff(features, f.Names()); diff != "" {
		t.Error(diff)
	}
	f, err = NewTable(ids, names[:1], [][]string{{"1", "2", "3"}}, nil)
	if err != nil || f.Names() != nil || f.Width() != 1 {
		t.Errorf("a table of numbers: %v, %v", f, err)
	}
	for want, columns := range map[string][][]string{
		`the features:2:3: error: "x" is not a finite number`: {{"1", "x", "2"}, {"1", "2", "3"}},
		"3 ids and 2 names": {{"1", "2"}, {"1", "2", "3"}},
	} {
		if _, err := NewTable(ids, names, columns, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Many dates are numbers of days, and a few are texts like others.
func TestDates(t *testing.T) {
	const rows = 30
	ids, days, times, few := make([]string, rows), make([]string, rows), make([]string, rows), make([]string, rows)
	for k := range rows {
		ids[k], days[k] = fmt.Sprint(k), time.Unix(int64(k)*24*60*60, 0).UTC().Format("2006-01-02")
		times[k], few[k] = days[k]+"T12:00:00Z", days[k%2]
	}
	days[3] = ""
	f, err := NewTable(ids, []string{"day", "time", "few"}, [][]string{days, times, few}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"day", "day missing", "time", "few=1970-01-01", "few=1970-01-02"}
	if diff := cmp.Diff(want, f.Names()); diff != "" {
		t.Error(diff)
	}
	seen := rowsOf(f)
	rowsWanted := [][]float32{{15, 1, 3.5, 0, 1}, {4, 0, 4.5, 1, 0}}
	if diff := cmp.Diff(rowsWanted, [][]float32{seen["3"], seen["4"]}); diff != "" {
		t.Error(diff)
	}
	days[4] = "soon"
	if _, err := NewTable(ids, []string{"day"}, [][]string{days}, nil); err == nil {
		t.Error("days that are none are read")
	}
}

// Many numbers with the same unit are numbers, and a few are texts like others.
func TestQuantities(t *testing.T) {
	const rows = 30
	ids, power, doors, way := make([]string, rows), make([]string, rows), make([]string, rows), make([]string, rows)
	for k := range rows {
		ids[k], power[k], doors[k] = fmt.Sprint(k), fmt.Sprintf("%d.5 kW", k), fmt.Sprintf("%d doors", 2+k%2)
		way[k] = fmt.Sprintf("%dkm", -k)
	}
	way[3] = "?"
	f, err := NewTable(ids, []string{"power", "doors", "way"}, [][]string{power, doors, way}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"power in kW", "doors=2 doors", "doors=3 doors", "way in km", "way in km missing"}
	if diff := cmp.Diff(want, f.Names()); diff != "" {
		t.Error(diff)
	}
	seen := rowsOf(f)
	rowsWanted := [][]float32{{3.5, 0, 1, -15, 1}, {4.5, 1, 0, -4, 0}}
	if diff := cmp.Diff(rowsWanted, [][]float32{seen["3"], seen["4"]}); diff != "" {
		t.Error(diff)
	}
	power[4] = "5 PS"
	if _, err := NewTable(ids, []string{"power"}, [][]string{power}, nil); err == nil {
		t.Error("numbers of different units are read")
	}
}

func TestTextErrors(t *testing.T) {
	names, born, weight := "id,name\n", "id,born\n", "id,weight\n"
	for k := range 50 {
		names += fmt.Sprintf("%d,name %d\n", k, k)
		born += fmt.Sprintf("%d,%d.3.2026\n", k, k%25)
		weight += fmt.Sprintf("%d,\"%d,5 kg\"\n", k, k%25)
	}
	for _, test := range []struct {
		form Form
		text string
		want []string
	}{
		{Form{}, "id,a,b\nx,1,2\ny,3,twelve\nz,1,2\n", []string{`f:3:5: error: "twelve" is not a finite number`,
			`3 twelve`, `column "b" has numbers too: write "categories": ["b"]`}},
		{Form{}, "id,a,b\nx,1,14%\ny,3,20%\n", []string{`f:2:5: error: "14%" is not a finite number`, "have a point"}},
		{Form{}, "id,a\nx,\"1,58\"\ny,0\n", []string{`f:2:3: error: "1,58" is not a finite number`, "numbers have a point"}},
		{Form{}, born, []string{`f:2:3: error: "0.3.2026" is not a finite number`, "dates are written as 2026-03-01"}},
		{Form{}, weight, []string{`f:2:3: error: "0,5 kg" is not a finite number`, "numbers have a point"}},
		{Form{}, "id,a,b\nx,1,2\ny,red, dark,4\n", []string{`f:3:1: error: the row has 4 columns`, "in quotes"}},
		{Form{Columns: []string{"id", "a"}}, "id,a,b\nx,1,2\ny,3\n", []string{`f:3:1: error: the row has 2 columns`}},
		{Form{}, "x,1,red\ny,2,blue\n", []string{`f:1:5: error: "red"`, "a first line that has them"}},
		{Form{}, names, []string{`column "name" has 50 different texts in 50 rows`, `"columns"`}},
		{Form{}, "id,a\nx,1\nx,2\n", []string{`entity "x" has a row already, on line 2`, `names another one first`}},
		{Form{}, "id,a\nx,1\nx,2\n", []string{"leave one row of each entity"}},
		{Form{}, "id;a;b\nx;1,500;2\n", []string{`f:2:3: error: "1,500" is not a finite number`, "numbers have a point"}},
		{Form{}, "id;a;b\nx;1.234,5;2\n", []string{`"1.234,5" is not a finite number`, "numbers have a point"}},
		{Form{}, "x,1\ny;2\n", []string{"f:2:1: error: the row has 0 values", "commas separate the columns"}},
		{Form{Columns: []string{"name", "aeg"}}, people, []string{`there is no column "aeg"`, "did you mean age?"}},
		{Form{Categories: []string{"twon"}}, people, []string{`there is no column "twon"`, "did you mean town?"}},
		{Form{Columns: []string{"name", "town"}, Width: 7}, people, []string{"1 values, 7 are wanted"}},
		{Form{Columns: []string{"name", "town"}, Width: 1}, people, []string{"the 1 columns of f are 2 features"}},
	} {
		r := newTableReader(test.form)
		err := r.readFrom(CSV, "f", strings.NewReader(test.text))
		if err == nil {
			_, err = r.finish(CSV)
		}
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v %.20q: error %v, want %q", test.form, test.text, err, want)
			}
		}
	}
	err := newTableReader(Form{Columns: []string{"a", "b"}}).readFrom(DenseText, "f", strings.NewReader("a\t1\nx\t2\n"))
	if err == nil || !strings.Contains(err.Error(), `there is no column "b"; there are a, 1`) {
		t.Error(err)
	}
}

// A table is read alike whatever separates its columns, where that is certain: commas, semicolons or tabs, with a comma
// or a point before decimals. Between tabs, quotes are signs like others.
func TestSeparators(t *testing.T) {
	const points = "id,town,age,income\na,Rome,40,1.5\nb,Oslo,,0.125\nc,Rome,30,12.75\n"
	want, err := Read(CSV, "f", strings.NewReader(points), 0)
	if err != nil {
		t.Fatal(err)
	}
	commas := strings.NewReplacer(",", ";", ".", ",").Replace(points)
	tabs := strings.ReplaceAll(points, ",", "\t")
	for _, test := range []struct {
		format Format
		text   string
	}{
		{CSV, strings.ReplaceAll(points, ",", ";")}, {CSV, commas}, {CSV, "\uFEFF\r\n" + commas}, {CSV, tabs},
		{DenseText, tabs},
		{DenseText, strings.ReplaceAll(commas, ";", "\t")}, {DenseText, strings.ReplaceAll(tabs, "\n", "\r\n\r\n")},
	} {
		got, err := Read(test.format, "f", strings.NewReader(test.text), 0)
		if err != nil || !slices.Equal(got.values, want.values) || !slices.Equal(got.names, want.names) ||
			!slices.Equal(got.ids, want.ids) {
			t.Errorf("%s %q: %+v, %v", test.format, test.text, got, err)
		}
	}
	quoted, err := Read(DenseText, "f", strings.NewReader("id\tsize\n\"a\"\t5\"\nb\t7\"\n"), 0)
	if err != nil || quoted.ids[0] != `"a"` || quoted.names[1] != `size=7"` {
		t.Errorf("%+v, %v", quoted, err)
	}
	for _, dense := range []string{"id\ta b\nx\t1 2\n", "x\t1,5\t2,5\ny\t1,5\t2,5\n", "a\t1 2\nb\t1 3\n",
		"id\ta\tb\nx\t1 2\n"} {
		if f, err := Read(DenseText, "f", strings.NewReader(dense), 0); err == nil && f.header != nil {
			t.Errorf("%q: read with names %q", dense, f.header)
		}
	}
	columns := newTableReader(Form{Columns: []string{"id", "income"}})
	if err := columns.readFrom(DenseText, "f", strings.NewReader(tabs)); err != nil || len(columns.values) != 3 {
		t.Errorf("chosen columns: %v, %v", columns.values, err)
	}
}
