package learn

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/report"
)

// Curve is the chart of the loss and, if there is one, of the validation score by epoch; nil if nothing was learned
// epoch by epoch. Epochs of held-out folds are other trainings, and left out.
func Curve(epochs []Epoch) *report.Chart {
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
		return nil
	}
	chart := &report.Chart{Title: "Learning", XLabel: "epoch", YLabel: "loss", Series: []report.Series{loss}}
	if len(validation.X) > 0 {
		chart.YLabel, chart.Series = "loss, score", append(chart.Series, validation)
	}
	return chart
}
