package task

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/training"
)

// Demo is the paper's second task on a citation network that is generated on the spot: what a network sees in few
// labelled documents, what rules make of it, and what both learn together.
type Demo struct {
	Seed    uint64
	Threads int
	// Documents is the size of the network; 0 means 900. Labelled ones are few: about 1 in 22.
	Documents int
	// Dir receives the project, the learning curve and the predictions.
	Dir string
	// OnEpoch, if set, is called after every epoch of the end-to-end training.
	OnEpoch func(learn.Epoch)
}

// DemoResult is what the demo found.
type DemoResult struct {
	Task        string    `json:"task"`
	Documents   int       `json:"documents"`
	Labelled    int       `json:"labelled"`
	GroundRules int       `json:"ground_rules"`
	Rows        []DemoRow `json:"methods"`
	Config      string    `json:"config"`
	Curve       string    `json:"curve"`
	Predictions []string  `json:"predictions"`
	Seed        uint64    `json:"seed"`
}

// DemoRow is one method's result.
type DemoRow struct {
	Method       string  `json:"method"`
	Accuracy     float64 `json:"accuracy"`
	ClassAverage float64 `json:"accuracy_class_avg"`
	TrainSeconds float64 `json:"train_seconds"`
	Gap          float64 `json:"gap"`
}

// demoMethods are the rows of the demo's table.
var demoMethods = []struct{ method, title string }{
	{"mlp", "network alone"},
	{"psl", "rules with that network, fixed"},
	{"deeppsl", "trained end to end"},
}

// Run generates, trains, and writes the files.
func (d *Demo) Run(ctx context.Context) (*DemoResult, error) {
	data, split, err := d.generate()
	if err != nil {
		return nil, err
	}
	result := &DemoResult{Task: "demo", Documents: data.Documents, Labelled: len(split.Train), Seed: d.Seed}
	for _, m := range demoMethods {
		if err := d.method(ctx, data, split, m.method, m.title, result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// demoDocuments is the usual size of the generated network, and FewestDocuments the least that leaves something to
// test.
const (
	demoDocuments   = 900
	FewestDocuments = 40
)

// generate makes the network and chooses the documents whose classes are known.
func (d *Demo) generate() (data *dataset.Citation, split dataset.Split, err error) {
	documents := d.Documents
	if documents == 0 {
		documents = demoDocuments
	}
	if documents < FewestDocuments {
		return nil, split, fmt.Errorf("%d documents are too few: want at least %d", documents, FewestDocuments)
	}
	if data, err = (dataset.Generator{Documents: documents, Seed: d.Seed}).Citation(); err != nil {
		return nil, split, err
	}
	perClass := max(1, documents*10/demoDocuments)
	split, err = dataset.RandomSplit(data.Labels,
		dataset.SplitOptions{PerClass: perClass, Validation: documents / 6, Seed: d.Seed})
	return data, split, err
}

// method trains one method and adds its row; the last one leaves its files.
func (d *Demo) method(ctx context.Context, data *dataset.Citation, split dataset.Split, method, title string,
	result *DemoResult) error {
	c := &Citation{Citation: data, Hidden: 16, Dropout: 0.2, Normalize: "rows", Measure: ClassAverage, ThirdHop: "1.0",
		Options: d.options(method)}
	path, err := c.Write(d.Dir, split)
	if err != nil {
		return err
	}
	options := project.Options{Seed: d.Seed, Threads: d.Threads}
	if method == "deeppsl" {
		options.OnEpoch = d.OnEpoch
	}
	project, err := project.Load(path, options)
	if err != nil {
		return err
	}
	g, err := engine.Ground(ctx, project, load.Learn)
	if err != nil {
		return err
	}
	run, answer, err := runDemo(ctx, g, method)
	if err != nil {
		return err
	}
	result.GroundRules, result.Config = g.Potentials(), path
	result.Rows = append(result.Rows, DemoRow{Method: title, Accuracy: 100 * run.accuracy,
		ClassAverage: 100 * run.classAverage, TrainSeconds: run.training.Elapsed.Seconds(), Gap: answer.Gap})
	if method != "deeppsl" {
		return nil
	}
	result.Curve = filepath.Join(d.Dir, "learning-curve.svg")
	if err := drawCurve(result.Curve, run.training.Epochs); err != nil {
		return err
	}
	result.Predictions, err = g.WriteAtoms(filepath.Join(d.Dir, "predictions"), answer)
	return err
}

// options are those of a method: the network alone, rules with that network as it is, or both end to end, beginning
// with nothing.
func (d *Demo) options(method string) []Option {
	epochs, ruleRate, imitation := "75", "0", "0.5"
	switch method {
	case "psl":
		ruleRate, imitation = "2e-3", "0"
	case "mlp":
		epochs = "0"
	}
	options := Set("learn.method", "deeppsl", "learn.alpha", "1", "learn.mu", "0.12", "learn.epochs", epochs,
		"learn.steps", "10", "learn.optimiser", "adam", "learn.rate.rules", ruleRate, "learn.rate.networks", "2e-2",
		"learn.decay", "3e-4", "learn.loss", "cross-entropy", "learn.imitation", imitation, "learn.imitation.start", "15")
	if method == "deeppsl" {
		options = append(options, Set("network.epochs", "0")...)
	} else {
		options = append(options, Set("network.epochs", "200", "network.rate", "1e-2", "network.decay", "5e-4",
			"network.patience", "30")...)
	}
	if method == "psl" {
		options = append(options, Set("learn.freeze", "true")...)
	}
	return OfRun(options, nil, d.Seed)
}

// demoRun is what one method came to: shares of the test documents, over all of them and as a mean over classes.
type demoRun struct {
	accuracy, classAverage float64
	training               *training.Training
}

// runDemo trains, infers and scores.
func runDemo(ctx context.Context, g *session.Grounding, method string) (
	run demoRun, answer *session.Answer, err error) {
	train, scored := training.Train, "Label"
	if method == "mlp" {
		train, scored = training.Fit, "Neural"
	}
	if run.training, err = train(ctx, g); err != nil {
		return run, nil, err
	}
	if answer, err = g.Infer(ctx); err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return run, nil, err
	}
	evaluations, err := g.Evaluate(answer, load.Infer)
	for _, e := range evaluations {
		if e.Predicate == scored {
			run.accuracy, run.classAverage = e.Values["Accuracy"], e.Values["ClassAveragedAccuracy"]
		}
	}
	return run, answer, err
}

// drawCurve draws the loss and the validation accuracy by epoch.
func drawCurve(path string, epochs []learn.Epoch) error {
	loss, accuracy := report.Series{Name: "cross-entropy loss"}, report.Series{Name: "validation accuracy"}
	for k, e := range epochs {
		loss.X, loss.Y = append(loss.X, float64(k)), append(loss.Y, e.Loss)
		accuracy.X, accuracy.Y = append(accuracy.X, float64(k)), append(accuracy.Y, e.Validation)
	}
	chart := report.Chart{Title: "Learning curve of the demo", XLabel: "epoch", YLabel: "loss, share right",
		Series: []report.Series{loss, accuracy}}
	return report.WriteFileFunc(path, func(w io.Writer) error { return chart.SVG(w) })
}

// Text prints the table and where the files are.
func (r *DemoResult) Text(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d documents, %d of them labelled, %d ground rules, seed %d\n\n", r.Documents, r.Labelled,
		r.GroundRules, r.Seed)
	if err != nil {
		return err
	}
	table := report.NewTable("method", "accuracy %", "class-averaged %", "training s")
	for _, row := range r.Rows {
		table.Row(row.Method, decimal(row.Accuracy), decimal(row.ClassAverage), decimal(row.TrainSeconds))
	}
	if err := table.Text(w); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\nlearning curve  %s\npredictions     %s\nproject         %s (try: deeppsl run %[3]s)\n",
		r.Curve, filepath.Dir(r.Predictions[0]), r.Config)
	return err
}

// decimal prints a number with one decimal, as a table's number.
func decimal(v float64) report.Number { return report.Number(fmt.Sprintf("%.1f", v)) }
