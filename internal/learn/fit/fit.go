// Package fit trains networks alone, without any rule: to labels of their own outputs, or to a likelihood of others.
package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/latent"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// Fitter trains networks alone, on labels of their own outputs and without any rule: the baseline that reasoning is
// compared with, the fixed classifier of the paper's PSL baseline, and a starting point for joint training.
//
// With Held, the rate is constant, and the parameters that score best are kept. Without it, they minimise the loss
// and its decay, and nothing else decides: the rate is halved, and the best parameters gone back to, whenever this
// objective no longer falls, until that no longer helps. More epochs than that are not taken, so that they never harm.
//
// An epoch is one step by all labels, or one by each batch of them.
type Fitter struct {
	Perception perception.Networks
	// Labels are the true values of some inputs x; Labels.Variables holds input numbers, and Labels.Losses the losses of
	// networks whose outputs are of different kinds.
	Labels *label.Labels
	Loss   label.LossKind
	// Latent, if set, takes the place of Labels, or is added to these where there are any: each label then counts as much
	// as what is known of one scope.
	Latent *latent.Likelihood
	// Apart says that networks that these say nothing of stay as they are, and do not decay.
	Apart bool
	// Inputs is the length of x.
	Inputs    int
	Optimiser perception.OptimiserKind
	Rate      float64
	// Batch is about how many rows a step is about, where the networks can be divided; 0 stands for all.
	Batch int
	// BatchRate is the rate by batches.
	BatchRate float64
	// Decay is the weight decay λ: ½·λ·‖ω‖² is added to the mean loss. A negative one stands for so many times that which
	// suits the number of labels, and hidden layers have more of it where a skip goes past them. Biases are held back too,
	// the less the more labels there are: that four of five are of one class says little about the rest.
	Decay    float64
	Epochs   int // at most
	Patience int // epochs without a better validation score before stopping; 0 means never
	Seed     uint64
	Threads  int // bounds the goroutines at work; 0 means one per core
	// Held are labels that are not learned from, whose loss scores the epochs: the best one's parameters are kept. May be
	// nil.
	Held *label.Labels
	// OnEpoch, if set, is called after every epoch.
	OnEpoch func(Epoch)
}

// Epoch says how far fitting has come.
type Epoch struct {
	Number, Epochs int     // of at most so many
	Loss           float64 // the mean of the labels', without dropout
	Validation     float64 // NaN without Held
	Last           bool    // no epoch follows, unless the context ended it
	// Gradients are those of the layers.
	Gradients []perception.LayerGradient
}

// Result is what a Fitter did.
type Result struct {
	Epochs int       // that it took
	Kept   int       // after which the parameters were kept
	X      []float64 // the networks' outputs with these, without dropout
	Ended  learn.Ending
}

const (
	// fewLabels is up to how many labels biases decay as weights do.
	fewLabels = 5
	// A look is the number of epochs in which the objective, less what no network can undercut, has to fall by the share
	// progress for the rate to stay, and halvings is how often it does not before fitting ends.
	look     = 20
	progress = 2e-3
	halvings = 4
)

// fitting is a run of a Fitter.
type fitting struct {
	*Fitter
	perception  perception.Networks // of the labelled inputs alone, where it can be had
	labels      *label.Labels
	held        *label.Labels      // nil if there are none
	latent      *latent.Likelihood // nil if labels are all
	steady      bool               // whether what a look has computed can be learned from
	parameters  []*perception.Parameter
	batches     []batch // nil if a step is about all
	look        int     // the epochs of a look
	progress    float64 // what it has to gain
	optimiser   perception.Optimiser
	rate        float64
	x, upstream []float64
	best        best
	mark        float64 // the best score at the last look
	least       float64 // what the loss of the labels is at least
	lost        bool    // the last outputs were no numbers
	current     bool    // x is of the parameters as they are, and can be learned from
	halved      int
	gauge       perception.Gauge
}

// best is the parameters with the best score until now, and after how many epochs they were it.
type best struct {
	epoch  int
	score  float64
	values *perception.Values
}

// Run fits the networks. A context that ends leaves the best parameters until then, and is the error beside a Fit that
// says so.
func (f *Fitter) Run(ctx context.Context) (*Result, error) {
	r, err := f.start()
	if err != nil {
		return nil, err
	}
	fit := &Result{X: make([]float64, f.Inputs)}
	var cut error // of the context
	for stop := false; fit.Epochs < f.Epochs && !stop; {
		if cut = ctx.Err(); cut != nil {
			fit.Ended, _ = learn.CutShort(ctx, cut)
			break
		}
		if err := r.step(fit.Epochs); err != nil {
			return nil, err
		}
		fit.Epochs++
		line, err := r.see(fit.Epochs)
		if err != nil {
			return nil, err
		}
		fit.Ended, stop = r.ends(fit.Epochs)
		if line.Last = stop || fit.Epochs == f.Epochs; f.OnEpoch != nil {
			f.OnEpoch(line)
		}
	}
	fit.Kept = r.best.epoch
	r.goBack()
	if err := f.Perception.Forward(fit.X, false, 0); err != nil {
		return nil, err
	}
	return fit, cut
}

// start prepares a run, whose best are at first the parameters as they are.
func (f *Fitter) start() (*fitting, error) {
	if f.Latent == nil && len(f.Labels.Variables) == 0 {
		return nil, fmt.Errorf("nothing to fit the networks to: no output of theirs has a label")
	}
	r := &fitting{Fitter: f, perception: f.Perception, labels: f.Labels, held: f.Held, latent: f.Latent,
		parameters: f.Perception.Parameters(), rate: f.Rate, best: best{score: math.Inf(-1)}, mark: math.Inf(-1),
		look: look, progress: progress}
	mass := f.mass()
	r.optimiser = perception.Optimiser{Kind: f.Optimiser, Decay: f.Decay, BiasShare: min(1, fewLabels/mass),
		Threads: f.Threads}
	if f.Decay < 0 {
		r.optimiser.Decay *= -perception.DecayMass / mass
		r.optimiser.Shares = true
	}
	inputs := f.Inputs
	if whole, ok := f.Perception.(perception.Restrictable); ok {
		var err error
		if r.perception, inputs, err = r.restrict(whole); err != nil {
			return nil, err
		}
		if f.Apart {
			r.parameters = r.perception.Parameters()
		}
	}
	if steady, ok := r.perception.(perception.Steady); ok {
		r.steady = steady.Steady()
	}
	if f.Latent == nil {
		r.least = label.Loss{Kind: r.Loss, Floor: label.TinyFloor}.Least(r.labels)
	}
	r.x, r.upstream = make([]float64, inputs), make([]float64, inputs)
	if err := r.divide(); err != nil {
		return nil, err
	}
	if r.batches != nil {
		r.look, r.progress, r.rate = lookOfBatches, progressOfBatches, r.BatchRate
	}
	_, err := r.see(0)
	return r, err
}

// restrict numbers what labels are about anew, and returns the perception of that alone, and how much it is.
func (r *fitting) restrict(whole perception.Restrictable) (perception.Networks, int, error) {
	number := make(map[int32]int32)
	if r.latent != nil {
		r.latent = r.latent.Renumbered(number)
	}
	if r.labels != nil {
		r.labels = r.labels.Renumbered(number)
	}
	if r.held != nil {
		r.held = r.held.Renumbered(number)
	}
	perception, err := whole.Restrict(label.ByNumber(number))
	return perception, len(number), err
}

// mass is how many labels there are for decay to be measured by.
func (f *Fitter) mass() float64 {
	mass := 0.0
	if f.Latent != nil {
		mass = float64(f.Latent.Len())
	}
	if f.Labels != nil {
		mass += label.Loss{Kind: f.Loss}.Mass(f.Labels)
	}
	return mass
}

// Value returns the mean loss at some outputs.
func (f *Fitter) Value(x []float64) float64 { return f.lossOf(f.Latent, f.Labels, x, nil) }

// loss returns the mean of the labels' losses, and writes its gradient if upstream is not nil.
func (r *fitting) loss(upstream []float64) float64 {
	return r.lossOf(r.latent, r.labels, r.x, upstream)
}

func (f *Fitter) lossOf(latent *latent.Likelihood, labels *label.Labels, x, upstream []float64) float64 {
	switch {
	case latent == nil:
		return f.labelled(labels, x, upstream)
	case labels == nil:
		return latent.Value(x, upstream)
	}
	share := float64(latent.Len()) / f.mass()
	loss := share * latent.Value(x, upstream)
	slopes := slices.Clone(upstream)
	loss += (1 - share) * f.labelled(labels, x, upstream)
	for i, slope := range slopes {
		upstream[i] = share*slope + (1-share)*upstream[i]
	}
	return loss
}

// labelled is the loss of labels alone.
func (f *Fitter) labelled(labels *label.Labels, x, upstream []float64) float64 {
	loss := label.Loss{Kind: f.Loss, Floor: label.TinyFloor}
	if upstream == nil {
		return loss.Value(labels, x)
	}
	return loss.Gradient(labels, x, upstream)
}

// step takes one full-batch gradient step, with dropout, or one by each batch.
func (r *fitting) step(epoch int) error {
	if r.batches != nil {
		return r.pass(epoch)
	}
	if !r.current {
		if err := r.perception.Forward(r.x, true, r.Seed+uint64(epoch)+1); err != nil {
			return err
		}
	}
	r.loss(r.upstream)
	if err := r.perception.Backward(r.upstream); err != nil {
		return err
	}
	r.gauge.Read(r.parameters)
	r.optimiser.Step(r.parameters, r.rate)
	r.current = false
	return nil
}

// see computes the outputs after some epochs and keeps the parameters if they are the best so far.
func (r *fitting) see(epoch int) (Epoch, error) {
	line := Epoch{Number: epoch, Epochs: r.Epochs, Validation: math.NaN(), Gradients: r.gauge.Take()}
	if err := r.perception.Forward(r.x, false, 0); err != nil {
		return line, err
	}
	r.current = r.steady
	line.Loss = r.loss(nil)
	score := -line.Loss - r.optimiser.Penalty(r.parameters)
	if r.held != nil {
		line.Validation = -label.Loss{Kind: r.Loss, Floor: label.TinyFloor}.Value(r.held, r.x)
		score = line.Validation
	}
	if r.lost = math.IsNaN(score); score > r.best.score {
		r.best = best{epoch, score, perception.ValuesOf(r.parameters)}
	}
	return line, nil
}

// ends tells whether, and why, fitting ends after some epochs.
func (r *fitting) ends(epoch int) (learn.Ending, bool) {
	switch {
	case r.held != nil:
		if r.Patience > 0 && epoch-r.best.epoch >= r.Patience {
			return learn.OutOfPatience, true
		}
	case epoch%r.look == 0:
		if r.best.score-r.mark < r.progress*math.Abs(r.best.score+r.least) {
			if r.halved == halvings {
				return learn.Converged, true
			}
			r.halved++
			r.rate /= 2
			r.goBack()
			if r.lost { // and so are the optimiser's moments
				r.optimiser = perception.Optimiser{Kind: r.optimiser.Kind, Decay: r.optimiser.Decay,
					BiasShare: r.optimiser.BiasShare,
					Shares:    r.optimiser.Shares, Threads: r.optimiser.Threads}
			}
		}
		r.mark = r.best.score
	}
	return learn.Completed, false
}

// goBack gives the networks the best parameters so far. There are none if no output was ever a number.
func (r *fitting) goBack() {
	r.best.values.Paste(r.parameters)
	r.current = false
}

const (
	// leastBatches are worth it: of fewer rows, networks learn some by heart before they see what all have in common.
	// mostBatches bounds how many there are, as each has room for what networks compute of it.
	leastBatches, mostBatches = 10, 64
	// A look is fewer epochs where each is many steps, and then has to gain more: the objective falls by as much in fewer
	// epochs, but is less smooth.
	lookOfBatches, progressOfBatches = 5, 5e-3
	// streamOfBatches keeps what batches are drawn by apart from other draws of a seed.
	streamOfBatches = 0x6261746368
)

// batch is what a step of a fit is about.
type batch struct {
	perception  perception.Networks
	labels      *label.Labels
	x, upstream []float64
}

// divide deals the labelled rows into batches, if there are enough of them.
func (r *fitting) divide() error {
	whole, ok := r.perception.(perception.Divisible)
	if !ok || r.Batch == 0 || r.latent != nil {
		return nil
	}
	label := make(map[int32]int, len(r.labels.Variables))
	for k, i := range r.labels.Variables {
		label[i] = k
	}
	var rows [][]int // the labels of each
	for _, inputs := range whole.Rows() {
		var labels []int
		for _, i := range inputs {
			if k, ok := label[i]; ok {
				labels = append(labels, k)
			}
		}
		if labels != nil {
			rows = append(rows, labels)
		}
	}
	random := rand.New(rand.NewPCG(r.Seed, streamOfBatches))
	random.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
	count := min(len(rows)/r.Batch, mostBatches)
	for k := 0; k < count && count >= leastBatches; k++ {
		b, err := r.batch(whole, rows[k*len(rows)/count:(k+1)*len(rows)/count])
		if err != nil {
			return err
		}
		r.batches = append(r.batches, b)
	}
	return nil
}

// batch returns that of some rows, by their labels.
func (r *fitting) batch(whole perception.Restrictable, rows [][]int) (b batch, err error) {
	b.labels = new(label.Labels)
	for _, labels := range rows {
		for _, k := range labels {
			b.labels.Variables = append(b.labels.Variables, r.labels.Variables[k])
			b.labels.Truth = append(b.labels.Truth, r.labels.Truth[k])
			if r.labels.Losses != nil {
				b.labels.Losses = append(b.labels.Losses, r.labels.Losses[k])
			}
		}
	}
	number := make(map[int32]int32)
	b.labels = b.labels.Renumbered(number)
	b.perception, err = whole.Restrict(label.ByNumber(number))
	b.x, b.upstream = make([]float64, len(number)), make([]float64, len(number))
	return b, err
}

// pass takes a step by each batch, in an order of the epoch.
func (r *fitting) pass(epoch int) error {
	order := rand.New(rand.NewPCG(r.Seed+uint64(epoch), streamOfBatches)).Perm(len(r.batches))
	for at, k := range order {
		b := &r.batches[k]
		if err := b.perception.Forward(b.x, true, r.Seed+uint64(epoch*len(order)+at)+1); err != nil {
			return err
		}
		label.Loss{Kind: r.Loss, Floor: label.TinyFloor}.Gradient(b.labels, b.x, b.upstream)
		if err := b.perception.Backward(b.upstream); err != nil {
			return err
		}
		r.gauge.Read(r.parameters)
		r.optimiser.Step(r.parameters, r.rate)
	}
	r.current = false
	return nil
}
