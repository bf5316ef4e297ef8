package repro

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/report"
)

// Hyper is the paper's study of hyper-parameters: the second task on Cora with the paper's settings as printed, one of
// which is varied.
type Hyper struct {
	Study string // one of HyperStudies
	// Runs counts the trainings with each setting, Epochs their length; 0 means the study's own.
	Runs, Epochs int
	Seed         uint64
	Threads      int
	// Set holds options that win over all others.
	Set []string
	// OnRun, if set, is called after every training.
	OnRun func()
}

// HyperStudies are the studies of the paper's appendix.
var HyperStudies = []string{"initialisation", "mu", "rate", "network"}

// study says what is varied, and on which split.
type study struct {
	title               string
	split, runs, epochs int
	settings            []setting
}

// setting is one choice of what is varied.
type setting struct {
	name   string
	option string // as name=value; "" if it is none
	shape  Classifier
	paper  *Mean // accuracy, as printed
}

// studies have the values that the paper's figures and its table have. For the learning rate its text names others
// (0.004, 0.012 and 0.1) than its figure. The paper does not say how many runs its figures show but for the first.
var studies = map[string]study{
	"initialisation": {title: "Initialisation of weights", split: 2, runs: 10, epochs: 75,
		settings: []setting{{name: "as printed"}}},
	"mu": {title: "Weight μ of the regulariser", split: 1, runs: 3, epochs: 100,
		settings: varied("μ", "learn.mu", "0.04", "0.12", "0.2")},
	"rate": {title: "Learning rate η of the network", split: 1, runs: 3, epochs: 100,
		settings: varied("η", "learn.rate.networks", "0.002", "0.02", "0.1")},
	"network": {title: "Hidden nodes and dropout", split: 1, runs: 3, epochs: 75, settings: networkSettings()},
}

// varied returns a setting for each value of an option.
func varied(symbol, option string, values ...string) (settings []setting) {
	for _, value := range values {
		settings = append(settings, setting{name: symbol + " = " + value, option: option + "=" + value})
	}
	return settings
}

var (
	hiddenNodes = []int{8, 16, 24}
	dropouts    = []float64{0, 0.2, 0.4}
	// paperNetwork is the paper's table of accuracies, by dropout and hidden nodes.
	paperNetwork = [][]Mean{
		{{80.12, 0.70}, {80.42, 0.49}, {80.64, 0.35}},
		{{79.97, 0.60}, {81.85, 0.43}, {81.76, 0.45}},
		{{74.23, 0.78}, {79.16, 0.57}, {80.47, 0.70}},
	}
)

// networkSettings are all pairs of dropout and hidden nodes, by dropout.
func networkSettings() (settings []setting) {
	for d, dropout := range dropouts {
		for h, hidden := range hiddenNodes {
			shape := Classifier{Hidden: hidden, Dropout: dropout}
			if dropout == 0 {
				shape.Dropout = -1
			}
			settings = append(settings, setting{name: fmt.Sprintf("dropout %g, %d nodes", dropout, hidden), shape: shape,
				paper: &paperNetwork[d][h]})
		}
	}
	return settings
}

// HyperResult is the outcome of one study.
type HyperResult struct {
	Task     string         `json:"task"`
	Study    string         `json:"study"`
	Title    string         `json:"title"`
	Dataset  string         `json:"dataset"`
	Split    int            `json:"split"`
	Runs     int            `json:"runs"`
	Epochs   int            `json:"epochs"`
	Settings []HyperSetting `json:"settings"`
	Seed     uint64         `json:"seed"`
}

// HyperSetting is the outcome with one setting: of the test documents with the parameters that validation chose, and
// the course of learning.
type HyperSetting struct {
	Name         string `json:"setting"`
	Accuracy     Mean   `json:"accuracy"`
	ClassAverage Mean   `json:"accuracy_class_avg"`
	Validation   Mean   `json:"validation_accuracy"`
	// Loss and Validations are means by epoch over the runs with their 95 % intervals, the latter in percent.
	Loss         []Mean  `json:"loss_by_epoch"`
	Validations  []Mean  `json:"validation_by_epoch"`
	TrainSeconds Median  `json:"train_seconds"`
	WorstGap     float64 `json:"worst_gap"`
	Paper        *Mean   `json:"paper_accuracy,omitempty"`
}

// Trainings counts the trainings that Run takes; 0 if there is no such study.
func (h *Hyper) Trainings() int {
	s := studies[h.Study]
	return len(s.settings) * cmp.Or(h.Runs, s.runs)
}

// Run trains with all settings of the study, each on the same splits.
func (h *Hyper) Run(ctx context.Context) (*HyperResult, error) {
	if !slices.Contains(HyperStudies, h.Study) {
		return nil, fmt.Errorf("no study %q: want one of %v", h.Study, HyperStudies)
	}
	data, err := readPlanetoid("cora")
	if err != nil {
		return nil, err
	}
	return h.on(ctx, data)
}

// on is Run on given data.
func (h *Hyper) on(ctx context.Context, data *dataset.Citation) (*HyperResult, error) {
	s := studies[h.Study]
	result := &HyperResult{Task: "hyper", Study: h.Study, Title: s.title, Dataset: data.Name, Split: s.split,
		Runs: cmp.Or(h.Runs, s.runs), Epochs: cmp.Or(h.Epochs, s.epochs), Seed: h.Seed}
	for _, choice := range s.settings {
		t := T2{Dataset: data.Name, Split: s.split, Method: "deeppsl", Runs: result.Runs, Faithful: true, Seed: h.Seed,
			Threads: h.Threads, Classifier: choice.shape, Set: []string{fmt.Sprintf("learn.epochs=%d", result.Epochs)}}
		if choice.option != "" {
			t.Set = append(t.Set, choice.option)
		}
		t.Set = append(t.Set, h.Set...)
		if h.OnRun != nil {
			t.OnRun = func(T2Run) { h.OnRun() }
		}
		trained, err := t.on(ctx, data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", choice.name, err)
		}
		result.Settings = append(result.Settings, newHyperSetting(choice, trained))
	}
	return result, nil
}

func newHyperSetting(choice setting, r *T2Result) HyperSetting {
	s := HyperSetting{Name: choice.name, Accuracy: r.Accuracy, ClassAverage: r.ClassAverage, Validation: r.Validation,
		TrainSeconds: r.TrainSeconds, Paper: choice.paper}
	s.Loss = byEpoch(r.Curves, func(e learn.Epoch) float64 { return e.Loss })
	s.Validations = byEpoch(r.Curves, func(e learn.Epoch) float64 { return 100 * e.Validation })
	for _, curve := range r.Curves {
		for _, e := range curve {
			s.WorstGap = max(s.WorstGap, e.Gap)
		}
	}
	return s
}

// Text prints the study's table.
func (r *HyperResult) Text(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s: %s\n\n", r.Title, r.how()); err != nil {
		return err
	}
	return r.table().Text(w)
}

// how says how the study was done.
func (r *HyperResult) how() string {
	return fmt.Sprintf("%s split %d, %d runs of %d epochs each", r.Dataset, r.Split, r.Runs, r.Epochs)
}

// table has a row per setting.
func (r *HyperResult) table() *report.Table {
	table := report.NewTable("setting", "validation", "accuracy", "class-averaged", "the paper's", "last loss",
		"training s", "worst gap")
	for _, s := range r.Settings {
		paper := report.Number("-")
		if s.Paper != nil {
			paper = report.Number(s.Paper.String())
		}
		last := s.Loss[len(s.Loss)-1]
		table.Row(s.Name, report.Number(s.Validation.String()), report.Number(s.Accuracy.String()),
			report.Number(s.ClassAverage.String()), paper, report.Number(last.String()), decimals(s.TrainSeconds.Median, 1),
			report.Number(fmt.Sprintf("%.1e", s.WorstGap)))
	}
	return table
}
