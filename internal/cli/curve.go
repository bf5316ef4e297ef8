package cli

import (
	"errors"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/report"
)

// drawCurve draws the learning curve of epochs.
func drawCurve(path string, epochs []learn.Epoch) error {
	chart := learn.Curve(epochs)
	if chart == nil {
		return errors.New("--curve: nothing was learned, epoch by epoch, that could be drawn")
	}
	return report.WriteFileFunc(path, chart.SVG)
}
