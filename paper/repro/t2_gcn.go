package repro

import (
	"context"
	"math"
	"time"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/learn/fit"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// gcnOnce returns the run of the GCN baseline with the settings of its authors: 16 hidden nodes, dropout 0.5, Adam at
// 0.01, decay 5e-4 of the first layer, at most 200 epochs, stopping after 10 without a better validation loss.
func gcnOnce(c *citation) runOnce {
	features, links := c.rowNormalized(), normalizedLinks(c.Documents, c.Links)
	return func(ctx context.Context, split dataset.Split, seed uint64) (run T2Run, err error) {
		start := time.Now()
		network := newGCN(features, links, len(c.Classes), 16, 0.5, seed)
		fitter := fit.Fitter{
			Perception: network, Labels: c.inputLabels(split.Train), Loss: label.CrossEntropy,
			Inputs: c.Documents * len(c.Classes), Optimiser: perception.Adam, Rate: 0.01, Decay: 5e-4, Epochs: 200, Patience: 10,
			Seed: seed, Held: c.inputLabels(split.Validation),
		}
		fit, err := fitter.Run(ctx)
		if err != nil {
			return run, err
		}
		run.Epochs, run.TrainSeconds = fit.Epochs, time.Since(start).Seconds()
		start = time.Now()
		err = network.Forward(fit.X, false, 0)
		run.InferenceSeconds = time.Since(start).Seconds()
		run.Accuracy, run.ClassAverage = c.accuracy(fit.X, split.Test)
		return run, err
	}
}

// inputLabels are the true classes of some documents, for inputs numbered document by document.
func (c *citation) inputLabels(documents []int32) *label.Labels {
	labels := new(label.Labels)
	for _, d := range documents {
		labels.Variables = append(labels.Variables, d*int32(len(c.Classes))+int32(c.Labels[d]))
		labels.Truth = append(labels.Truth, 1)
	}
	return labels
}

// accuracy scores class probabilities, document by document: the share of right classes, over all documents and as the
// mean over classes.
func (c *citation) accuracy(x []float64, documents []int32) (accuracy, classAverage float64) {
	right, all := make([]float64, len(c.Classes)), make([]float64, len(c.Classes))
	for _, d := range documents {
		best, top := 0, math.Inf(-1)
		for class := range c.Classes {
			if v := x[int(d)*len(c.Classes)+class]; v > top {
				best, top = class, v
			}
		}
		label := c.Labels[d]
		all[label]++
		if best == label {
			right[label]++
			accuracy += 1 / float64(len(documents))
		}
	}
	classes := 0.0
	for class, n := range all {
		if n > 0 {
			classAverage += right[class] / n
			classes++
		}
	}
	return accuracy, classAverage / classes
}
