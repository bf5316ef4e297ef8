package learn

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// shared is a task of which each rule wants twenty labels of its own to be true and gets those that are right. Every
// second one is held out.
func shared(t *testing.T, rules int, right func(rule, label int) bool) (task Task, rest, held *label.Labels) {
	t.Helper()
	build := mrftest.New(rules*each, 0, rules)
	parts := [2]*label.Labels{{}, {}}
	labels := &label.Labels{}
	for r := range rules {
		block := build.Rule(r, mrf.Linear, 2)
		for k := range each {
			i := r*each + k
			block.Add(1, []mrftest.Term{{Index: i, Coef: -1}}, nil)
			for _, of := range []*label.Labels{labels, parts[k%2]} {
				of.Variables = append(of.Variables, int32(i))
				of.Truth = append(of.Truth, map[bool]float64{true: 1}[right(r, k)])
			}
		}
	}
	field := mrf.NewField(build.Model())
	solver, err := exactSolver(field)
	if err != nil {
		t.Fatal(err)
	}
	task = Task{Field: field, Solver: solver, NewSolver: exactSolver, Labels: labels}
	for range rules {
		task.Theta, task.Learned = append(task.Theta, 1), append(task.Learned, true)
	}
	return task, parts[0], parts[1]
}

// each is how many labels each rule of shared has.
const each = 20

// Steps of one length for all of many rules are far from the maximum after a hundred, and Finish comes there.
func TestManyWeightsComeToTheirMaximum(t *testing.T) {
	right := func(r int) int { return 12 + 2*(r%4) }
	task, rest, held := shared(t, 40, func(r, k int) bool { return k < right(r) })
	written := slices.Clone(task.Theta)
	trainer, history := train(t, task, weightDefaults(Likelihood))
	off := func() (largest float64) {
		for r, w := range trainer.Theta {
			largest = math.Max(largest, math.Abs(math.Log(w/likeliest(float64(right(r))/each, each))))
		}
		return largest
	}
	before, loss := off(), history[len(history)-1].Loss
	if err := trainer.Finish(context.Background(), written, rest, held); err != nil {
		t.Fatal(err)
	}
	after := off()
	t.Logf("logarithms of weights are off by %.3f, and by %.3f in the end", before, after)
	if before < 0.3 || after > 0.05 {
		t.Errorf("logarithms of weights are off by %.3f, and by %.3f in the end", before, after)
	}
	if last := trainer.history[len(trainer.history)-1]; !(last.Loss < loss) || !slices.Equal(last.Theta, trainer.Theta) {
		t.Errorf("the learning curve ends at %v with %v", last.Loss, last.Theta)
	}
}

// Where labels that are held out say the opposite, weights stay as written.
func TestFinishStopsForWhatIsHeldOut(t *testing.T) {
	task, rest, held := shared(t, 10, func(_, k int) bool { return k%2 == 0 })
	task.Theta = slices.Repeat([]float64{0.5}, 10)
	written := slices.Clone(task.Theta)
	trainer, _ := train(t, task, weightDefaults(Likelihood))
	if err := trainer.Finish(context.Background(), written, rest, held); err != nil {
		t.Fatal(err)
	}
	for r, w := range trainer.Theta {
		if math.Abs(math.Log(w/written[r])) > 1e-6 {
			t.Errorf("weight %d is %v, written %v", r, w, written[r])
		}
	}
}

// likeliest is the weight w of a rule that gets a share of n labels: the least n·(log(1+exp(-w)) + (1-share)·w) +
// 0.3·log²w, by trying.
func likeliest(share, n float64) (best float64) {
	least := math.Inf(1)
	for log := -6.0; log < 4; log += 0.001 {
		w := math.Exp(log)
		if value := n*(math.Log1p(math.Exp(-w))+(1-share)*w) + WeightPrior*log*log; value < least {
			best, least = w, value
		}
	}
	return best
}

// What is no likelihood stays as it is, and so does all once the context has ended.
func TestFinishWaitsForNobody(t *testing.T) {
	task := planted(t, []float64{1, 2, 0.5}, 1)
	trainer, _ := train(t, task, weightDefaults(Perceptron))
	given := slices.Clone(trainer.Theta)
	if err := trainer.Finish(context.Background(), given, task.Labels, task.Labels); err != nil ||
		!slices.Equal(trainer.Theta, given) {
		t.Errorf("%v: a perceptron has gone on", err)
	}
	trainer, _ = train(t, task, weightDefaults(Likelihood))
	given = slices.Clone(trainer.Theta)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := trainer.Finish(ended, given, task.Labels, task.Labels); err == nil || !slices.Equal(trainer.Theta, given) {
		t.Errorf("%v: the context had ended", err)
	}
}
