package repro

import (
	"fmt"
	"io"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/report"
)

// writeCurve draws the loss and the validation accuracy by epoch: the mean over the runs, with a 95 % band if there are
// several. A run that ended early is left out of the later epochs.
func writeCurve(path, title string, runs [][]learn.Epoch) error {
	chart := report.Chart{Title: title, XLabel: "epoch", YLabel: "loss, share right", Series: []report.Series{
		series("cross-entropy loss", runs, func(e learn.Epoch) float64 { return e.Loss }),
		series("validation accuracy", runs, func(e learn.Epoch) float64 { return e.Validation }),
	}}
	return report.WriteFileFunc(path, func(w io.Writer) error { return chart.SVG(w) })
}

// series is the mean of a number of each epoch, with a band if there are several runs.
func series(name string, runs [][]learn.Epoch, of func(learn.Epoch) float64) report.Series {
	s := report.Series{Name: name}
	for epoch, m := range byEpoch(runs, of) {
		s.X, s.Y = append(s.X, float64(epoch)), append(s.Y, m.Mean)
		if len(runs) > 1 {
			s.Low, s.High = append(s.Low, m.Mean-m.CI95), append(s.High, m.Mean+m.CI95)
		}
	}
	return s
}

// byEpoch is the mean of a number of each epoch over the runs that have it.
func byEpoch(runs [][]learn.Epoch, of func(learn.Epoch) float64) (means []Mean) {
	for epoch := 0; ; epoch++ {
		var values []float64
		for _, run := range runs {
			if epoch < len(run) {
				values = append(values, of(run[epoch]))
			}
		}
		if len(values) == 0 {
			return means
		}
		mean, ci95 := eval.Interval(values)
		means = append(means, Mean{mean, ci95})
	}
}

// decimals prints a number with a fixed number of decimals, as a table's number.
func decimals(v float64, digits int) report.Number {
	return report.Number(fmt.Sprintf("%.*f", digits, v))
}
