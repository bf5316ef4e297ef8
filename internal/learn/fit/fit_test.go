package fit

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/latent"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/learn/perceptiontest"
)

func fitted(t *testing.T, fitter Fitter) *Result {
	t.Helper()
	fit, err := fitter.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

// yesNo fits the smallest network to a yes and a no.
func yesNo(network *perceptiontest.Logits, epochs int) Fitter {
	return Fitter{Perception: network, Labels: &label.Labels{Variables: []int32{0, 2}, Truth: []float64{1, 0}},
		Loss: label.BinaryCrossEntropy, Inputs: 4, Optimiser: perception.Adam, Rate: 0.1, Decay: 1e-3, Epochs: epochs}
}

func TestFitLearnsItsLabels(t *testing.T) {
	fit := fitted(t, yesNo(perceptiontest.NewLogits(4), 200))
	if x := fit.X; fit.Kept == 0 || fit.Kept > fit.Epochs || x[0] < 0.95 || x[2] > 0.05 || x[1] != 0.5 {
		t.Errorf("after %d epochs, %d kept, the outputs are %v", fit.Epochs, fit.Kept, x)
	}
}

func TestFitKeepsTheBestEpoch(t *testing.T) {
	network := perceptiontest.NewLogits(1)
	fitter := Fitter{Perception: network, Labels: &label.Labels{Variables: []int32{0}, Truth: []float64{1}},
		Loss: label.BinaryCrossEntropy, Inputs: 1, Optimiser: perception.SGD, Rate: 1, Epochs: 100, Patience: 5,
		Held: &label.Labels{Variables: []int32{0}, Truth: []float64{0.8}}}
	fit := fitted(t, fitter)
	if fit.Epochs == 100 || fit.Kept != fit.Epochs-5 || math.Abs(fit.X[0]-0.8) > 0.1 || fit.Ended != learn.OutOfPatience {
		t.Errorf("after %d epochs, %d kept, the output is %v, want about 0.8 by an early stop", fit.Epochs, fit.Kept,
			fit.X[0])
	}
}

// Without validation, fitting ends at the optimum of the loss and its decay, where the derivative -½(1-x)+λ·logit is 0.
// However many epochs are allowed, it ends there.
func TestFitConverges(t *testing.T) {
	fit := fitted(t, yesNo(perceptiontest.NewLogits(4), 5_000))
	logit := math.Log(fit.X[0] / (1 - fit.X[0]))
	if slope := 1e-3*logit - (1-fit.X[0])/2; math.Abs(slope) > 1e-3 || fit.Ended != learn.Converged || fit.Epochs > 2_000 {
		t.Errorf("%v after %d epochs with slope %v", fit.Ended, fit.Epochs, slope)
	}
	more := fitted(t, yesNo(perceptiontest.NewLogits(4), 10_000))
	if !slices.Equal(more.X, fit.X) || more.Epochs != fit.Epochs {
		t.Errorf("%v in %d epochs with 10,000 allowed, %v in %d with 5,000", more.X, more.Epochs, fit.X, fit.Epochs)
	}
}

// More epochs never fit worse, whatever the rate: one too small, a good one, and those that leap over the optimum or
// out of all bounds.
func TestMoreEpochsNeverFitWorse(t *testing.T) {
	for _, rate := range []float64{1e-4, 0.1, 3, 1e3, 1e30} {
		last := math.Inf(1)
		for _, epochs := range []int{1, 2, 5, 20, 21, 40, 100, 300} {
			network := perceptiontest.NewLogits(4)
			network.Parameter.Value[0] = -1 // where it begins, it is wrong
			f := yesNo(network, epochs)
			f.Rate = rate
			fit := fitted(t, f)
			penalty := perception.Optimiser{Decay: f.Decay}
			objective := label.Loss{Kind: f.Loss, Floor: label.TinyFloor}.Value(f.Labels, fit.X)
			objective += penalty.Penalty(network.Parameters())
			if !(objective <= last) {
				t.Errorf("rate %v: %v after %d epochs, %v after fewer", rate, objective, epochs, last)
			}
			last = objective
		}
		if begin := -math.Log(1/(1+math.E))/2 - math.Log(0.5)/2 + 5e-4; last > begin+1e-9 {
			t.Errorf("rate %v: the objective is %v, it was %v", rate, last, begin)
		}
	}
}

// fragile is a network that computes nothing any more where its weights are large.
type fragile struct{ *perceptiontest.Logits }

func (f fragile) Forward(x []float64, train bool, seed uint64) error {
	err := f.Logits.Forward(x, train, seed)
	if v := f.Parameter.Value[0]; v > 10 || v < -10 {
		f.X[0], x[0] = math.NaN(), math.NaN()
	}
	return err
}

// A rate that leads where there are no numbers is lowered until it does not, and leaves nothing behind.
func TestFitComesBackFromNowhere(t *testing.T) {
	f := yesNo(perceptiontest.NewLogits(4), 1_000)
	f.Perception, f.Rate = fragile{perceptiontest.NewLogits(4)}, 60
	if x := fitted(t, f).X; !(x[0] > 0.9) || !(x[2] < 0.1) {
		t.Errorf("the outputs are %v", x)
	}
}

// A variable may have two labels, of two phases, and be learned from here and held there.
func TestRenumbered(t *testing.T) {
	number := make(map[int32]int32)
	labels := (&label.Labels{Variables: []int32{7, 3, 7, 9}, Truth: []float64{1, 0, 1, 1}}).Renumbered(number)
	held := (&label.Labels{Variables: []int32{5, 3}, Truth: []float64{0, 1}}).Renumbered(number)
	if !slices.Equal(labels.Variables, []int32{0, 1, 0, 2}) || !slices.Equal(held.Variables, []int32{3, 1}) ||
		!slices.Equal(label.ByNumber(number), []int32{7, 3, 9, 5}) {
		t.Errorf("numbers %v and %v for %v", labels.Variables, held.Variables, label.ByNumber(number))
	}
}

// The default of decay is in proportion to the labels, and a bias is held back as a weight is, by few labels.
func TestFitDecay(t *testing.T) {
	logit := func(decay float64, labels int, bias bool) float64 {
		network := perceptiontest.NewLogits(labels)
		network.Parameter.Bias = bias
		f := Fitter{Perception: network, Labels: &label.Labels{}, Loss: label.BinaryCrossEntropy, Inputs: labels,
			Optimiser: perception.Adam, Rate: 0.1, Decay: decay, Epochs: 3_000}
		for k := range labels {
			f.Labels.Variables, f.Labels.Truth = append(f.Labels.Variables, int32(k)), append(f.Labels.Truth, 1)
		}
		x := fitted(t, f).X[0]
		return math.Log(x / (1 - x))
	}
	if a, b := logit(-3, 4, false), logit(3*perception.DecayMass/4, 4, false); a != b {
		t.Errorf("three times the default decay gives %v, as a number %v", a, b)
	}
	if a, b := logit(-1, 4, false), logit(perception.DecayMass/4, 4, false); a != b {
		t.Errorf("the default decay gives %v, %v labels' share %v", a, perception.DecayMass, b)
	}
	if weight, bias := logit(1, 1, false), logit(1, 1, true); bias != weight {
		t.Errorf("a bias comes to %v under a decay that holds a weight at %v", bias, weight)
	}
	if weight, bias := logit(1, 100, false), logit(1, 100, true); bias < 10*weight {
		t.Errorf("of 100 labels, a bias comes to %v where a weight comes to %v", bias, weight)
	}
}

// Progress is told epoch by epoch, and the end is told as such.
func TestFitTellsItsProgress(t *testing.T) {
	f := yesNo(perceptiontest.NewLogits(4), 5_000)
	var lines []Epoch
	f.OnEpoch = func(line Epoch) { lines = append(lines, line) }
	fit := fitted(t, f)
	for k, line := range lines {
		if line.Number != k+1 || line.Epochs != 5_000 || line.Last != (k == len(lines)-1) || !math.IsNaN(line.Validation) {
			t.Fatalf("line %d is %+v", k, line)
		}
	}
	if last := lines[len(lines)-1].Loss; len(lines) != fit.Epochs || last >= lines[0].Loss {
		t.Errorf("%d lines of %d epochs; the loss went from %v to %v", len(lines), fit.Epochs, lines[0].Loss, last)
	}
}

// A label counts as much as what is known of one scope.
func TestLossOfLabelsAndScopes(t *testing.T) {
	likelihood := new(latent.Likelihood)
	for thing := range int32(2) {
		likelihood.Add(latent.Choices{Things: [][]int32{{3 * thing, 3*thing + 1, 3*thing + 2}}, Alone: []bool{false}},
			latent.NewDiagram([]int{3}, []float64{1, 0.1, 0.3}))
	}
	labels := &label.Labels{Variables: []int32{2, 5}, Truth: []float64{1, 0}}
	both := Fitter{Latent: likelihood, Labels: labels, Loss: label.BinaryCrossEntropy}
	alone := Fitter{Labels: labels, Loss: label.BinaryCrossEntropy}
	x, slopes := []float64{0.2, 0.3, 0.5, 0.6, 0.3, 0.1}, make([]float64, 6)
	ofLatent, ofLabels := make([]float64, 6), make([]float64, 6)
	want := (likelihood.Value(x, ofLatent) + alone.lossOf(nil, labels, x, ofLabels)) / 2
	if loss := both.Value(x); math.Abs(loss-want) > 1e-12 {
		t.Errorf("a loss of %v, want the mean %v", loss, want)
	}
	both.lossOf(likelihood, labels, x, slopes)
	for i, slope := range slopes {
		if mean := (ofLatent[i] + ofLabels[i]) / 2; math.Abs(slope-mean) > 1e-12 {
			t.Errorf("input %d: slope %v, want %v", i, slope, mean)
		}
	}
}
