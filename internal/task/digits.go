package task

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/idx"
	"github.com/deeppsl/deeppsl/internal/report"
)

//go:embed digits
var digitFiles embed.FS

// Digits is a project of adding numbers whose digits are pictures, as files that `deeppsl run` takes. Examples are made
// of consecutive pictures: the first Digits are the first number, from its first digit, the next the second one.
type Digits struct {
	Digits                  int     // of each number
	Net                     string  // preset of the network
	Dropout                 float64 // of the hidden layers
	Shift                   int     // pixels that training moves pictures by at most
	Faithful                bool    // the paper's rules
	Rules                   string  // if not "", in place of the program's own
	Checkpoint              string  // that the network begins with, or ""
	Train, Validation, Test *dataset.Images
	Options                 []Option
}

// Validates tells whether there are validation examples.
func (d *Digits) Validates() bool { return d.Validation.Len() > 0 }

// Classes lists the digits, for the configuration.
func (d *Digits) Classes() string { return numerals(10) }

// Places lists the columns.
func (d *Digits) Places() string { return numerals(d.Digits) }

// numerals is the list of the first n numbers, as JSON.
func numerals(n int) string {
	names := make([]string, n)
	for k := range names {
		names[k] = fmt.Sprintf("%q", fmt.Sprint(k))
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// Name is that of the program.
func (d *Digits) Name() string {
	if d.Digits == 1 {
		return "addition"
	}
	return "numbers"
}

// Write writes the project's files, but for the pictures, which training has in memory, and returns the configuration's
// path.
func (d *Digits) Write(dir string) (config string, err error) {
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o777); err != nil {
		return "", err
	}
	text, err := d.config()
	if err != nil {
		return "", err
	}
	files := map[string][]byte{d.Name() + ".json": text, d.Name() + ".psl": []byte(d.Program())}
	d.addTables(files)
	first := 0
	for _, part := range []struct {
		name   string
		images *dataset.Images
	}{{"train", d.Train}, {"validation", d.Validation}, {"test", d.Test}} {
		if part.images.Len() > 0 {
			files["data/"+part.name+".csv"] = d.examples(part.images, first)
		}
		first += part.images.Len()
	}
	for name, data := range files {
		if err := report.WriteFile(filepath.Join(dir, name), data); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, d.Name()+".json"), nil
}

// Program returns the rules.
func (d *Digits) Program() string {
	name := d.Name()
	switch {
	case d.Rules != "":
		return d.Rules
	case d.Faithful:
		name = "paper"
	}
	return DigitProgram(name)
}

// DigitProgram returns an embedded program.
func DigitProgram(name string) string {
	text, err := digitFiles.ReadFile("digits/" + name + ".psl")
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (d *Digits) config() ([]byte, error) {
	name := d.Name() + ".json"
	t, err := template.New(name).Funcs(Functions).ParseFS(digitFiles, "digits/"+name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, d)
	return b.Bytes(), err
}

// addTables writes what is true of numbers.
func (d *Digits) addTables(files map[string][]byte) {
	var plus, sums, columns, carries, results bytes.Buffer
	for a := range 10 {
		for b := range 10 {
			fmt.Fprintf(&plus, "%d\t%d\t%d\n", a, b, a+b)
		}
	}
	for s := range 19 {
		fmt.Fprintf(&sums, "%d\n", s)
	}
	if d.Digits == 1 {
		files["data/plus.tsv"], files["data/sums.tsv"] = plus.Bytes(), sums.Bytes()
		return
	}
	for k := range d.Digits {
		fmt.Fprintf(&carries, "%d\t0\n%[1]d\t1\n", k+1)
		for r := range 10 {
			fmt.Fprintf(&results, "%d\t%d\n", k, r)
		}
		for row := range 100 * min(k+1, 2) {
			c, a, b := row/100, row/10%10, row%10
			fmt.Fprintf(&columns, "%d\t%d\t%d\t%d\t%d\t%d\t%d\n", k, k+1, c, a, b, (a+b+c)%10, (a+b+c)/10)
		}
	}
	files["data/columns.tsv"], files["data/carries.tsv"] = columns.Bytes(), carries.Bytes()
	files["data/results.tsv"] = results.Bytes()
}

// examples writes the table of some pictures' examples; first is the number of the first picture.
func (d *Digits) examples(images *dataset.Images, first int) []byte {
	var b bytes.Buffer
	n := d.Digits
	b.WriteString(d.header())
	for lo := 0; lo+2*n <= images.Len(); lo += 2 * n {
		total, cells := 0, make([]string, 0, 3*n+1)
		for _, number := range [2]int{lo, lo + n} {
			value := 0
			for k := range n {
				value = 10*value + int(images.Labels[number+k])
				cells = append(cells, fmt.Sprint(first+number+n-1-k))
			}
			total += value
		}
		if n == 1 {
			cells = append(cells, fmt.Sprint(total))
		}
		for k := 0; n > 1 && k <= n; k++ {
			digit := total % 10
			total /= 10
			cells = append(cells, fmt.Sprint(digit))
		}
		fmt.Fprintln(&b, strings.Join(cells, ","))
	}
	return b.Bytes()
}

// header names the columns: slots, and then labels.
func (d *Digits) header() string {
	if d.Digits == 1 {
		return "a,b,Sum\n"
	}
	var names []string
	for _, predicate := range []string{"First", "Second", "Result"} {
		for k := range d.Digits {
			names = append(names, fmt.Sprintf("%s(%d)", predicate, k))
		}
	}
	return strings.Join(append(names, fmt.Sprintf("Carry(%d)", d.Digits)), ",") + "\n"
}

// WriteImages writes the pictures, without which the project is not complete.
func (d *Digits) WriteImages(dir string) error {
	all := d.Images()
	pictures := idx.Array{Shape: []int{all.Len(), all.Rows, all.Columns}, Data: all.Pixels}
	return report.WriteFileFunc(filepath.Join(dir, "data", "images.idx.gz"), func(w io.Writer) error {
		zipped := gzip.NewWriter(w)
		if err := pictures.Write(zipped); err != nil {
			return err
		}
		return zipped.Close()
	})
}

// Images joins the pictures of all parts, in the order of their numbers.
func (d *Digits) Images() *dataset.Images {
	all := &dataset.Images{Rows: d.Test.Rows, Columns: d.Test.Columns}
	for _, part := range []*dataset.Images{d.Train, d.Validation, d.Test} {
		all.Pixels, all.Labels = append(all.Pixels, part.Pixels...), append(all.Labels, part.Labels...)
	}
	return all
}
