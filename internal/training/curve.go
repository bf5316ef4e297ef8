package training

import "github.com/deeppsl/deeppsl/internal/learn"

// curve is what held-out labels of a fold say after each number of epochs, and what its networks see then; nothing of
// that where it would be too much.
type curve struct {
	verdicts []learn.Verdict
	inputs   [][]float64
}

// least returns the loss after each number of epochs, and the number whose loss is least with its verdict.
func least(curves []curve, epochs int) (losses []float64, best int, verdict learn.Verdict) {
	losses = make([]float64, epochs+1)
	for t := range losses {
		verdicts := make([]learn.Verdict, len(curves))
		for k, curve := range curves {
			verdicts[k] = curve.verdicts[min(t, len(curve.verdicts)-1)]
		}
		all := learn.Together(verdicts...)
		if losses[t] = all.Loss(); t == 0 || losses[t] < losses[best] {
			best, verdict = t, all
		}
	}
	return losses, best, verdict
}
