package features

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// people40 is a table of forty rows, each with its number and whatever column a test wants.
func people40(column func(k int) string) string {
	text := "id,age,what\n"
	for k := range 40 {
		text += fmt.Sprintf("p%d,%d,%s\n", k, 20+k%7, column(k))
	}
	return text
}

// What a column means may be open: it is read as what it most likely is, and told.
func TestReadings(t *testing.T) {
	for _, test := range []struct {
		name   string
		column func(k int) string
		want   []string // names of features
		told   string
	}{
		{"names of rows are left out", func(k int) string { return fmt.Sprintf("Mr. %d", k) },
			[]string{"age"}, `features-names nearly every row has another text in "what"`},
		{"titles that are numbers, too", func(k int) string {
			return map[bool]string{true: fmt.Sprint(1900 + k), false: fmt.Sprintf("Part %d", k)}[k%5 == 0]
		}, []string{"age"}, `features-names nearly every row has another text in "what"`},
		{"few names, some of them numbers", func(k int) string { return [4]string{"4", "r", "f", "4"}[k%4] },
			[]string{"age", "what=4", "what=f", "what=r"}, `features-mixed of numbers and texts in "what"`},
		{"a text among numbers", func(k int) string {
			return map[bool]string{true: "twelve", false: fmt.Sprint(k % 6)}[k == 30]
		}, []string{"age", "what", "what missing"},
			`features-odd beside 39 numbers, column "what" has 1 text, "twelve" in f:32: seen`},
		{"a few texts among numbers", func(k int) string {
			return map[bool]string{true: "136A", false: fmt.Sprint(k)}[k%20 == 7]
		}, []string{"age", "what", "what missing"},
			`features-odd beside 38 numbers, column "what" has 2 texts, such as "136A" in f:9: `},
		{"a title that is no finite number", func(k int) string { return [4]string{"Infinity", "Heat", "Alien", "Big"}[k%4] },
			[]string{"age", "what=Alien", "what=Big", "what=Heat", "what=Infinity"}, ""},
		{"days before months", func(k int) string { return fmt.Sprintf("%d/3/2026", 1+k%31) },
			[]string{"age", "what"}, `features-dates dates in "what" are read as day, month, year`},
		{"months before days, and times", func(k int) string { return fmt.Sprintf("3-%d-26 17:%02d", 1+k%31, k) },
			[]string{"age", "what"}, `features-dates dates in "what" are read as month, day, year`},
	} {
		f, err := Read(CSV, "f", strings.NewReader(people40(test.column)), 0)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(test.want, f.Names()); f.Names() != nil && diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		told := ""
		for _, reading := range f.Readings() {
			told += reading.ID + " " + reading.Text + "\n"
		}
		if !strings.HasPrefix(told, test.told) || strings.Count(told, "\n") != min(1, len(test.told)) {
			t.Errorf("%s: %q, want %q", test.name, told, test.told)
		}
	}
}

// The days of dates are those of the calendar, whatever their order.
func TestWrittenDays(t *testing.T) {
	table := people40(func(k int) string { return fmt.Sprintf("%d.1.1970", 1+k%31) })
	f, err := Read(CSV, "f", strings.NewReader(table), 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float32{24, 4}, rowsOf(f)["p4"]); diff != "" {
		t.Error(diff)
	}
}

// What could be a mistake is one: dates in two orders, numbers with texts or with signs, and names that were
// asked for.
func TestUncertainReadings(t *testing.T) {
	for want, column := range map[string]func(k int) string{
		`"twelve" is not a finite number`: func(k int) string {
			return map[bool]string{true: "twelve", false: fmt.Sprint(k)}[k%9 == 0]
		},
		`"1,500" is not a finite number`:    func(k int) string { return [2]string{"\"1,500\"", fmt.Sprint(k)}[min(k, 1)] },
		`"1.3.2026" is not a finite num`:    func(k int) string { return [2]string{"1.3.2026", fmt.Sprint(k)}[min(k, 1)] },
		`"12%" is not a finite number`:      func(k int) string { return [2]string{"12%", "3"}[k%2] },
		`"Infinity" is not a finite`:        func(k int) string { return [2]string{"Infinity", fmt.Sprint(k)}[min(k, 1)] },
		`"1/1/2026" is not a finite`:        func(k int) string { return fmt.Sprintf("%d/%d/2026", 1+k%12, 1+k/12) },
		`"5 kg" is not a finite number`:     func(k int) string { return [2]string{"5 kg", fmt.Sprint(k)}[k%2] },
		`"31/31/2026" is not a finite numb`: func(k int) string { return fmt.Sprintf("%d/%d/2026", 31-k%30, 31) },
	} {
		_, err := Read(CSV, "f", strings.NewReader(people40(column)), 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	r := newTableReader(Form{Columns: []string{"id", "age", "what"}})
	err := r.readFrom(CSV, "f", strings.NewReader(people40(func(k int) string { return fmt.Sprint("Mr. ", k) })))
	if err == nil {
		_, err = r.finish(CSV)
	}
	if err == nil || !strings.Contains(err.Error(), `column "what" has 40 different texts`) {
		t.Error(err)
	}
}

// Sodium is no gap.
func TestSodiumIsAName(t *testing.T) {
	f, err := Read(CSV, "f", strings.NewReader("id,RI,Na,Mg\na,1.5,13.6,4.5\nb,1.6,13.9,\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"RI", "Na", "Mg", "Mg missing"}, f.Names()); diff != "" {
		t.Error(diff)
	}
	if isHeader("a", []string{"red", "NA"}) || isHeader("a", []string{"NA", "?", "x"}) || isHeader("a", []string{"-"}) {
		t.Error("rows with gaps are taken for names of columns")
	}
}

// A value may be missing in the words of whatever wrote the table.
func TestSignsOfGaps(t *testing.T) {
	signs := []string{"", " ", "?", "-", ".", "NA", "n/a", "n.a.", "#N/A", "<NA>", "NaN", "NaT", "NULL", "None"}
	for _, sign := range signs {
		f, err := Read(CSV, "f", strings.NewReader("id,age\na,1\nb,"+sign+"\nc,3\n"), 0)
		if err != nil {
			t.Errorf("%q: %v", sign, err)
			continue
		}
		if diff := cmp.Diff([]float32{2, 1}, rowsOf(f)["b"]); diff != "" {
			t.Errorf("%q: %s", sign, diff)
		}
	}
}

// Of a frame, whose columns have types, one of names is left out as well, and one of dates is days. Numbers that are
// texts stay texts.
func TestTextsOfFrames(t *testing.T) {
	var ids, names, dates, codes []string
	for k := range 30 {
		ids, names = append(ids, fmt.Sprint(k)), append(names, fmt.Sprint("Mr. ", k))
		dates, codes = append(dates, fmt.Sprintf("1970-01-%02d 00:00:00", 1+k)), append(codes, fmt.Sprint(100*(k%2)))
	}
	headings := []string{"name", "since", "code"}
	f, err := NewTable(ids, headings, [][]string{names, dates, codes}, headings)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"since", "code=0", "code=100"}, f.Names()); diff != "" || len(f.Readings()) != 1 {
		t.Errorf("%v, %s", f.Readings(), diff)
	}
	if diff := cmp.Diff([]float32{4, 1, 0}, rowsOf(f)["4"]); diff != "" {
		t.Error(diff)
	}
}
