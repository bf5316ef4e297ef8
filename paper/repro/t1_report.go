package repro

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/deeppsl/deeppsl/internal/report"
)

// paperT1 is what the paper prints, for sums of one digit each.
var paperT1 = Mean{96.2, 0.2}

// WriteT1 writes the result as a Markdown table beside the paper's number, the learning curve and, of the last run, a
// confusion matrix of the test pictures and a page of those that were misread. It returns the files' paths.
func WriteT1(dir string, r *T1Result) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("t1-%d-%s-%d", r.Digits, r.Net, r.TrainPairs)
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{name + ".md", r.markdown},
		{name + "-curve.svg", r.curve},
		{name + "-confusion.svg", r.confusion},
		{name + "-misread.svg", r.misread},
	} {
		path := filepath.Join(dir, file.name)
		if err := report.WriteFileFunc(path, file.write); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// markdown writes the table.
func (r *T1Result) markdown(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("# T1: addition of handwritten digits\n\nPairs of consecutive pictures in MNIST's order, learned " +
		"from their sums alone; means over runs with 95 % intervals (Student's t).\n\n")
	paper := "-"
	if r.Digits == 1 && r.TrainPairs == 30000 {
		paper = paperT1.String()
	}
	table := report.NewTable("digits", "network", "pairs", "runs", "sums %", "the paper's", "digits %", "training s",
		"rules' share %", "peak MiB")
	table.Row(r.Digits, r.Net, r.TrainPairs, r.Runs, r.SumAccuracy.String(), paper, r.DigitAccuracy.String(),
		decimals(r.TrainSeconds.Median, 1), decimals(100*r.RulesShare.Median, 1), r.PeakRSS>>20)
	if err := table.Markdown(&b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// curve draws the test sums by the time of training if they were watched, or else the loss.
func (r *T1Result) curve(w io.Writer) error {
	chart := report.Chart{Title: r.title(), XLabel: "seconds of training", YLabel: "share of test sums right"}
	watched := !math.IsNaN(r.runs[0].Curve[0].Sums)
	if !watched {
		chart.YLabel = "loss"
	}
	for k := range r.runs {
		s := report.Series{Name: fmt.Sprintf("seed %d", r.runs[k].Seed)}
		for _, e := range r.runs[k].Curve {
			y := e.Loss
			if watched {
				y = e.Sums
			}
			s.X, s.Y = append(s.X, e.Seconds), append(s.Y, y)
		}
		chart.Series = append(chart.Series, s)
	}
	return chart.SVG(w)
}

// confusion draws how often the last run's network took each digit for each.
func (r *T1Result) confusion(w io.Writer) error {
	run := &r.runs[len(r.runs)-1]
	c := report.Confusion{Title: fmt.Sprintf("%d test pictures, %.2f %% right", len(run.reading), 100*run.Digits)}
	for digit := range 10 {
		c.Classes = append(c.Classes, fmt.Sprint(digit))
		c.Counts = append(c.Counts, make([]int, 10))
	}
	for k, seen := range run.reading {
		c.Counts[r.test.Labels[k]][seen]++
	}
	return c.SVG(w)
}

// pageOf is how many misread pictures are shown.
const pageOf = 100

// misread shows the first pictures that the last run's network took for other digits.
func (r *T1Result) misread(w io.Writer) error {
	run := &r.runs[len(r.runs)-1]
	sheet, wrong := report.Sheet{}, 0
	for k, seen := range run.reading {
		if byte(seen) == r.test.Labels[k] {
			continue
		}
		if wrong++; wrong > pageOf {
			continue
		}
		picture := &image.Gray{Pix: r.test.Pixel(k), Stride: r.test.Columns}
		picture.Rect = image.Rect(0, 0, r.test.Columns, r.test.Rows)
		sheet.Pictures = append(sheet.Pictures, report.Picture{Image: picture,
			Caption: fmt.Sprintf("%d as %d", r.test.Labels[k], seen)})
	}
	sheet.Title = fmt.Sprintf("%d of %d test pictures misread", wrong, len(run.reading))
	if wrong > pageOf {
		sheet.Title += fmt.Sprintf("; the first %d", pageOf)
	}
	return sheet.SVG(w)
}
