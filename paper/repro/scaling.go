package repro

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/training"
)

// Scaling is the paper's study of run time: inference and gradient steps on samples of growing size.
type Scaling struct {
	Dataset string // one of ScalingDatasets
	Runs    int    // samples of each size, each with its own seed
	Seed    uint64
	Threads int
	// Set holds options that win over the study's own.
	Set []string
	// OnSample, if set, is called after every sample.
	OnSample func()
}

// ScalingDatasets are the data sets of the paper's study.
var ScalingDatasets = []string{"cora", "citeseer-er"}

// ScalingSizes is the number of sizes of each data set.
var ScalingSizes = map[string]int{"cora": len(paperCora), "citeseer-er": len(paperResolution)}

// printedScale is a row of the paper's tables of run time; seconds are per epoch. Entity resolution has no nodes and no
// edges.
type printedScale struct {
	Nodes       int     `json:"nodes,omitempty"`
	Edges       int     `json:"edges,omitempty"`
	GroundRules int     `json:"ground_rules"`
	Inference   float64 `json:"inference_seconds"`
	Gradient    float64 `json:"gradient_seconds"`
}

// ScalePoint is what was measured at one size: medians over the samples of each one's median, and the first sample's
// counts.
type ScalePoint struct {
	Nodes       int `json:"nodes"` // documents, or paper mentions
	Edges       int `json:"edges"` // citations in both directions, or author references
	GroundRules int `json:"ground_rules"`
	// Counted is the number of ground rules as the paper counts them; 0 if that is not known.
	Counted   int     `json:"ground_rules_counted_as_in_paper,omitempty"`
	Inference float64 `json:"inference_seconds"`
	// Processor is what the processors worked for an inference, which other programs disturb less.
	Processor float64      `json:"inference_processor_seconds"`
	Gradient  float64      `json:"gradient_seconds"`
	Gap       float64      `json:"worst_gap"`
	Paper     printedScale `json:"paper"`
}

// Power is the fit c·nᵏ of seconds to n ground rules, by least squares of the logarithms.
type Power struct {
	Exponent float64 `json:"exponent"`
	Squared  float64 `json:"r_squared"` // of the logarithms; 1 is a straight line
}

// ScalingResult is the study of one data set.
type ScalingResult struct {
	Task      string       `json:"task"`
	Dataset   string       `json:"dataset"`
	Runs      int          `json:"runs"`
	Points    []ScalePoint `json:"points"`
	Inference Power        `json:"inference"`
	Processor Power        `json:"inference_processor"`
	Gradient  Power        `json:"gradient"`
	// PaperInference and PaperGradient are the same fits to what the paper prints.
	PaperInference Power  `json:"paper_inference"`
	PaperGradient  Power  `json:"paper_gradient"`
	Seed           uint64 `json:"seed"`
}

// sampler draws a sample of one of the paper's sizes.
type sampler func(size int, seed uint64) (*sample, error)

// sample is a project on a part of the data.
type sample struct {
	nodes, edges, counted int
	paper                 printedScale
	write                 func(dir string) (config string, err error)
	// truth gives the sample's labels to the project.
	truth   func(*project.Project) error
	options []string
}

// Run measures all sizes, the smallest first. The samples of a size are measured one after the other.
func (s *Scaling) Run(ctx context.Context) (*ScalingResult, error) {
	draw, err := s.sampler()
	if err != nil {
		return nil, err
	}
	result := &ScalingResult{Task: "scaling", Dataset: s.Dataset, Runs: s.Runs, Seed: s.Seed}
	for size := range ScalingSizes[s.Dataset] {
		point, err := s.point(ctx, draw, size)
		if err != nil {
			return nil, err
		}
		result.Points = append(result.Points, point)
	}
	result.fit()
	return result, nil
}

func (s *Scaling) sampler() (sampler, error) {
	switch s.Dataset {
	case "cora":
		return coraSampler()
	case "citeseer-er":
		return resolutionSampler()
	}
	return nil, fmt.Errorf("no data set %q: want one of %v", s.Dataset, ScalingDatasets)
}

// timing is what one sample took.
type timing struct {
	groundRules                    int
	inference, processor, gradient []float64
	gap                            float64
}

// point measures one size.
func (s *Scaling) point(ctx context.Context, draw sampler, size int) (point ScalePoint, err error) {
	var all timing
	for run := range s.Runs {
		seed := s.Seed + uint64(run)
		part, err := draw(size, seed)
		if err != nil {
			return point, err
		}
		t, err := s.measure(ctx, part, seed)
		if err != nil {
			return point, err
		}
		if run == 0 {
			point = ScalePoint{Nodes: part.nodes, Edges: part.edges, GroundRules: t.groundRules, Counted: part.counted,
				Paper: part.paper}
		}
		all.inference = append(all.inference, median(t.inference).Median)
		all.processor = append(all.processor, median(t.processor).Median)
		all.gradient = append(all.gradient, median(t.gradient).Median)
		all.gap = max(all.gap, t.gap)
		if s.OnSample != nil {
			s.OnSample()
		}
	}
	point.Inference, point.Gradient = median(all.inference).Median, median(all.gradient).Median
	point.Processor, point.Gap = median(all.processor).Median, all.gap
	return point, nil
}

const (
	coldInferences = 3   // of each sample at least, each by a solver that knows nothing of the others
	coldSeconds    = 0.5 // for which they are repeated at least, so that short ones have a median
	timedEpochs    = 5   // of each sample's training, whose gradient steps are timed
)

// measure grounds a sample, infers, and trains for a few epochs. Its files are removed again.
func (s *Scaling) measure(ctx context.Context, part *sample, seed uint64) (t timing, err error) {
	dir, err := os.MkdirTemp("", "deeppsl-scaling-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	g, err := s.ground(ctx, part, dir, seed)
	if err != nil {
		return t, err
	}
	t.groundRules = g.Potentials()
	for total := 0.0; len(t.inference) < coldInferences || total < coldSeconds; {
		processor := report.ProcessorSeconds()
		answer, err := g.Infer(ctx)
		if err != nil {
			return t, err
		}
		t.processor = append(t.processor, report.ProcessorSeconds()-processor)
		seconds := answer.Elapsed.Seconds()
		t.inference, t.gap, total = append(t.inference, seconds), max(t.gap, answer.Gap), total+seconds
	}
	training, err := training.Train(ctx, g)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return t, err
	}
	for _, e := range training.Epochs[:len(training.Epochs)-1] { // the last line is an inference alone
		t.gradient = append(t.gradient, e.Gradient)
	}
	return t, nil
}

// ground writes a sample's project into a folder and grounds it.
func (s *Scaling) ground(ctx context.Context, part *sample, dir string, seed uint64) (*session.Grounding, error) {
	path, err := part.write(dir)
	if err != nil {
		return nil, err
	}
	set := slices.Concat([]string{fmt.Sprintf("learn.epochs=%d", timedEpochs), "inference.gap=1e-4"}, part.options, s.Set)
	project, err := project.Load(path, project.Options{Seed: seed, Threads: s.Threads, Set: set})
	if err != nil {
		return nil, err
	}
	if err := part.truth(project); err != nil {
		return nil, err
	}
	return engine.Ground(ctx, project, load.Learn)
}

// fit fits powers to the points and to what the paper prints.
func (r *ScalingResult) fit() {
	ours := func(p ScalePoint) float64 { return float64(p.GroundRules) }
	paper := func(p ScalePoint) float64 { return float64(p.Paper.GroundRules) }
	r.Inference = fitPower(r.column(ours), r.column(func(p ScalePoint) float64 { return p.Inference }))
	r.Processor = fitPower(r.column(ours), r.column(func(p ScalePoint) float64 { return p.Processor }))
	r.Gradient = fitPower(r.column(ours), r.column(func(p ScalePoint) float64 { return p.Gradient }))
	r.PaperInference = fitPower(r.column(paper), r.column(func(p ScalePoint) float64 { return p.Paper.Inference }))
	r.PaperGradient = fitPower(r.column(paper), r.column(func(p ScalePoint) float64 { return p.Paper.Gradient }))
}

// column returns a number of each point.
func (r *ScalingResult) column(of func(ScalePoint) float64) []float64 {
	values := make([]float64, len(r.Points))
	for k, p := range r.Points {
		values[k] = of(p)
	}
	return values
}

// fitPower fits c·xᵏ to y. Fewer than two different x have no exponent: NaN.
func fitPower(x, y []float64) Power {
	logX, logY := logs(x), logs(y)
	intercept, slope := stat.LinearRegression(logX, logY, nil, false)
	if math.IsInf(slope, 0) || math.IsNaN(slope) {
		return Power{math.NaN(), math.NaN()}
	}
	return Power{slope, stat.RSquared(logX, logY, nil, intercept, slope)}
}

func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for k, v := range values {
		out[k] = math.Log(v)
	}
	return out
}

// Text prints a line per size and the exponents.
func (r *ScalingResult) Text(w io.Writer) error {
	table := r.table()
	if err := table.Text(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, r.exponents())
	return err
}

// exponents says how time grows, in a sentence.
func (r *ScalingResult) exponents() string {
	return fmt.Sprintf("Seconds grow with the ground rules to the power of %.2f for inference (R² %.3f; processor time "+
		"%.2f, R² %.3f) and %.2f for the gradient steps (R² %.3f); the paper's with %.2f and %.2f.",
		r.Inference.Exponent, r.Inference.Squared, r.Processor.Exponent, r.Processor.Squared, r.Gradient.Exponent,
		r.Gradient.Squared, r.PaperInference.Exponent, r.PaperGradient.Exponent)
}
