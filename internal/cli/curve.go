package cli

import (
	"fmt"
	"io"
	"math"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/report"
)

// drawCurve draws the loss and, if there is one, the validation score of learning's epochs. Those of held-out folds are
// other trainings, and left out.
func drawCurve(path string, epochs []learn.Epoch) error {
	loss, validation := report.Series{Name: "loss"}, report.Series{Name: "validation"}
	for _, e := range epochs {
		if e.Fold != 0 {
			continue
		}
		x := float64(e.Number)
		loss.X, loss.Y = append(loss.X, x), append(loss.Y, e.Loss)
		if !math.IsNaN(e.Validation) {
			validation.X, validation.Y = append(validation.X, x), append(validation.Y, e.Validation)
		}
	}
	if len(loss.X) == 0 {
		return fmt.Errorf("--curve: nothing was learned, epoch by epoch, that could be drawn")
	}
	chart := report.Chart{Title: "Learning", XLabel: "epoch", YLabel: "loss", Series: []report.Series{loss}}
	if len(validation.X) > 0 {
		chart.YLabel, chart.Series = "loss, score", append(chart.Series, validation)
	}
	return report.WriteFileFunc(path, func(w io.Writer) error { return chart.SVG(w) })
}
