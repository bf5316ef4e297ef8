package task

import (
	"fmt"
	"image"
	"io"
	"math"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/report"
)

// DrawCurve draws the test sums of runs by the time of training if they were watched, or else the loss.
func DrawCurve(w io.Writer, title string, runs []DigitsRun) error {
	chart := report.Chart{Title: title, XLabel: "seconds of training", YLabel: "share of test sums right"}
	watched := !math.IsNaN(runs[0].Curve[0].Sums)
	if !watched {
		chart.YLabel = "loss"
	}
	for k := range runs {
		s := report.Series{Name: fmt.Sprintf("seed %d", runs[k].Seed)}
		for _, e := range runs[k].Curve {
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

// DrawConfusion draws how often the run's network took each digit for each.
func (run *DigitsRun) DrawConfusion(w io.Writer, test *dataset.Images) error {
	c := report.Confusion{Title: fmt.Sprintf("%d test pictures, %.2f %% right", len(run.Reading), 100*run.Digits)}
	for digit := range 10 {
		c.Classes = append(c.Classes, fmt.Sprint(digit))
		c.Counts = append(c.Counts, make([]int, 10))
	}
	for k, seen := range run.Reading {
		c.Counts[test.Labels[k]][seen]++
	}
	return c.SVG(w)
}

// pageOf is how many misread pictures are shown.
const pageOf = 100

// DrawMisread shows the first test pictures that the run's network took for other digits.
func (run *DigitsRun) DrawMisread(w io.Writer, test *dataset.Images) error {
	sheet, wrong := report.Sheet{}, 0
	for k, seen := range run.Reading {
		if byte(seen) == test.Labels[k] {
			continue
		}
		if wrong++; wrong > pageOf {
			continue
		}
		picture := &image.Gray{Pix: test.Pixel(k), Stride: test.Columns}
		picture.Rect = image.Rect(0, 0, test.Columns, test.Rows)
		sheet.Pictures = append(sheet.Pictures, report.Picture{Image: picture,
			Caption: fmt.Sprintf("%d as %d", test.Labels[k], seen)})
	}
	sheet.Title = fmt.Sprintf("%d of %d test pictures misread", wrong, len(run.Reading))
	if wrong > pageOf {
		sheet.Title += fmt.Sprintf("; the first %d", pageOf)
	}
	return sheet.SVG(w)
}
