package training

import "github.com/deeppsl/deeppsl/internal/learn/label"

// curve is what held-out labels of a fold say after each number of epochs, and what its networks see then; nothing of
// that where it would be too much.
type curve struct {
	verdicts []judgement
	inputs   [][]float64
}

// judgement is what a fold's labels say: by what is descended on, which may be squares, and by the rules as they are
// written.
type judgement struct{ sight, verdict label.Verdict }

// least returns the loss after each number of epochs, by what is descended on, and the number whose loss is least with
// its verdicts.
func least(curves []curve, epochs int) (losses []float64, best int, sight, verdict label.Verdict) {
	losses = make([]float64, epochs+1)
	for t := range losses {
		sights, verdicts := make([]label.Verdict, len(curves)), make([]label.Verdict, len(curves))
		for k, curve := range curves {
			at := curve.verdicts[min(t, len(curve.verdicts)-1)]
			sights[k], verdicts[k] = at.sight, at.verdict
		}
		all := label.Together(sights...)
		if losses[t] = all.Loss(); t == 0 || losses[t] < losses[best] {
			best, sight, verdict = t, all, label.Together(verdicts...)
		}
	}
	return losses, best, sight, verdict
}
