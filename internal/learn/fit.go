package learn

import (
	"context"
	"fmt"
	"math"
)

// Fitter trains networks alone, on labels of their own outputs and without any rule: the baseline that reasoning is
// compared with, the fixed classifier of the paper's PSL baseline, and a starting point for joint training.
type Fitter struct {
	Perception Perception
	// Labels are the true values of some inputs x; Labels.Variables holds input numbers.
	Labels *Labels
	Loss   LossKind
	// Inputs is the length of x.
	Inputs    int
	Optimiser OptimiserKind
	Rate      float64
	Decay     float64
	Epochs    int
	Patience  int // epochs without a better validation score before stopping; 0 means never
	Seed      uint64
	// Validate scores the networks' outputs; higher is better. The best epoch's parameters are kept. May be nil.
	Validate func(x []float64) float64
}

// Fit is what a Fitter did.
type Fit struct {
	Epochs int       // that it took
	Kept   int       // after which the parameters were kept
	X      []float64 // the networks' outputs with these, without dropout
	Ended  Ending
}

// Run fits the networks. A context that ends leaves the best parameters until then, and is the error beside a Fit that
// says so.
func (f *Fitter) Run(ctx context.Context) (*Fit, error) {
	if len(f.Labels.Variables) == 0 {
		return nil, fmt.Errorf("nothing to fit the networks to: no output of theirs has a label")
	}
	x := make([]float64, f.Inputs)
	upstream := make([]float64, f.Inputs)
	optimiser := Optimiser{Kind: f.Optimiser, Decay: f.Decay}
	best := snapshot{Score: math.Inf(-1)}
	fit := &Fit{X: x}
	var cut error // of the context
	for stop := false; fit.Epochs < f.Epochs && !stop; fit.Epochs++ {
		if cut = ctx.Err(); cut != nil {
			fit.Ended, _ = CutShort(ctx, cut)
			break
		}
		if err := f.step(&optimiser, x, upstream, fit.Epochs); err != nil {
			return nil, err
		}
		if err := f.Perception.Forward(x, false, 0); err != nil {
			return nil, err
		}
		if stop = f.improves(&best, x, fit.Epochs); stop {
			fit.Ended = OutOfPatience
		}
	}
	fit.Kept = fit.Epochs
	if best.Values != nil {
		fit.Kept = best.Epoch + 1
		for k, p := range f.Perception.Parameters() {
			copy(p.Value, best.Values[k])
		}
	}
	if err := f.Perception.Forward(x, false, 0); err != nil {
		return nil, err
	}
	return fit, cut
}

// step takes one full-batch gradient step, with dropout.
func (f *Fitter) step(optimiser *Optimiser, x, upstream []float64, epoch int) error {
	if err := f.Perception.Forward(x, true, f.Seed+uint64(epoch)+1); err != nil {
		return err
	}
	Loss{f.Loss, TinyFloor}.gradient(f.Labels, x, upstream)
	if err := f.Perception.Backward(upstream); err != nil {
		return err
	}
	optimiser.Step(f.Perception.Parameters(), f.Rate)
	return nil
}

// improves keeps the parameters if x scores better than ever, and says whether patience has run out.
func (f *Fitter) improves(best *snapshot, x []float64, epoch int) (stop bool) {
	if f.Validate == nil {
		return false
	}
	if score := f.Validate(x); score > best.Score {
		*best = snapshot{Epoch: epoch, Score: score}
		for _, p := range f.Perception.Parameters() {
			best.Values = append(best.Values, append([]float32(nil), p.Value...))
		}
	}
	return f.Patience > 0 && epoch-best.Epoch >= f.Patience
}
