package repro

import (
	"cmp"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/task"
)

// Classifier is the shape of the network; a zero field means the task's own. A negative dropout means none.
type Classifier struct {
	Hidden       int
	Dropout      float64
	InputDropout float64
	Normalize    string
}

// chosen are the settings for every data set and split, which were chosen on splits of other seeds than the reported
// ones; docs/results.md has the search. Against the paper's: dropout and a decay that suits the number of labels keep
// the network from learning its few labels by heart; it is fitted alone first, and has nodes enough to imitate what is
// then inferred; and rules keep the weights that they are written with, of which that of the third hop is next to
// nothing.
var chosen = learning{
	Classifier: Classifier{Hidden: 64, Dropout: 0.5, InputDropout: 0.5, Normalize: "none"},
	measure:    task.Accuracy,
	thirdHop:   "0.01",
	options: []string{"network.epochs", "100", "learn.epochs", "40", "learn.patience", "12",
		"learn.rate.networks", "4e-3", "learn.schedule", "linear", "learn.decay", "-1", "learn.rate.rules", "0",
		"learn.deviation", "0", "learn.imitation", "1"},
}

// learning is the shape of the network and how all is learned.
type learning struct {
	Classifier
	measure  string   // by which the best epoch is chosen
	thirdHop string   // the weight of the rule about three hops
	options  []string // names and values in turn
}

// printed are the paper's settings, in which networks begin with nothing.
func printed(split int) learning {
	decay := "3e-4"
	if split == 2 {
		decay = "3e-5"
	}
	return learning{
		Classifier: Classifier{Hidden: 16, Dropout: 0.2, Normalize: "none"},
		measure:    task.ClassAverage,
		thirdHop:   "1.0",
		options: []string{"network.epochs", "0", "learn.epochs", "75", "learn.rate.networks", "2e-2", "learn.decay", decay,
			"learn.rate.rules", printedRuleRate},
	}
}

const printedRuleRate = "2e-3"

// alone are the options of a network that is fitted without rules, for methods that have it so.
var alone = task.Set("network.epochs", "200", "network.rate", "1e-2", "network.decay", "5e-4", "network.patience", "30")

// learning returns the settings of the method, and its options.
func (t *T2) learning() (own learning, options []task.Option) {
	own = chosen
	if t.Faithful {
		own = printed(t.Split)
	}
	options = task.Set("learn.method", "deeppsl", "learn.loss", "cross-entropy", "learn.alpha", "1", "learn.mu", "0.12",
		"learn.steps", "10", "learn.optimiser", "adam")
	switch t.Method {
	case "psl": // the network stays as it was fitted alone; the rules learn
		own.thirdHop = "1.0"
		options = append(options, task.Set("learn.freeze", "true", "learn.epochs", "75",
			"learn.rate.rules", printedRuleRate)...)
		options = append(options, alone...)
	case "mlp": // the network alone, also for deeppsl run
		options = append(append(options, task.Set("learn.epochs", "0")...), alone...)
	default:
		options = append(options, task.Set(own.options...)...)
	}
	return own, options
}

// citation returns the project of the task on given data, with the settings of the method.
func (t *T2) citation(data *dataset.Citation) *citation {
	own, options := t.learning()
	return &citation{task.Citation{
		Citation:     data,
		Hidden:       cmp.Or(t.Classifier.Hidden, own.Hidden),
		Dropout:      max(0, cmp.Or(t.Classifier.Dropout, own.Dropout)),
		InputDropout: max(0, cmp.Or(t.Classifier.InputDropout, own.InputDropout)),
		Normalize:    cmp.Or(t.Classifier.Normalize, own.Normalize),
		Measure:      own.measure,
		ThirdHop:     own.thirdHop,
		Options:      task.OfRun(options, t.Set, t.Seed),
	}}
}

// paperT2 are the numbers that the paper prints, in percent with their 95 % intervals, by dataset, split and method.
var paperT2 = map[string]Mean{
	"cora/1/deeppsl": {81.31, 0.28}, "cora/1/gcn": {80.08, 0.34}, "cora/1/psl": {62.97, 0.52},
	"citeseer/1/deeppsl": {69.11, 0.27}, "citeseer/1/gcn": {67.96, 0.32}, "citeseer/1/psl": {64.88, 0.38},
	"cora/2/deeppsl": {88.94, 0.25}, "cora/2/gcn": {87.46, 0.30}, "cora/2/psl": {85.94, 0.28},
	"citeseer/2/deeppsl": {76.01, 0.31}, "citeseer/2/gcn": {75.96, 0.34}, "citeseer/2/psl": {75.66, 0.32},
}
