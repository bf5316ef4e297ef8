package search

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn"
)

var methods = []learn.Method{learn.Grid, learn.Random, learn.Bayes, learn.Hyperband, learn.Climb}

// hill is a problem whose score is highest, 0, where the weights of rules 0, 2 and 3 have given ratios to each other.
// Rule 1 is fixed. A low budget blurs the score.
func hill(relative bool) Problem {
	return Problem{
		Start: []float64{1, 5, 1, 1}, Learned: []bool{true, false, true, true}, Relative: relative,
		Score: func(_ context.Context, w []float64, budget float64) (float64, error) {
			a, b := math.Log10(w[0]/w[2])-1, math.Log10(w[2]/w[3])+2
			return -(a*a + b*b) - 0.01*(1/budget-1)*math.Sin(100*w[0]), nil
		},
	}
}

func search(t *testing.T, method learn.Method, p Problem, s Settings) []Trial {
	t.Helper()
	trials, err := Run(context.Background(), method, p, s)
	if err != nil {
		t.Fatal(err)
	}
	return trials
}

// Climbing does not spend its trials on gains next to nothing, such as a loss that decides between equal scores.
func TestClimbLeavesPlateaus(t *testing.T) {
	p := Problem{Start: []float64{1, 1}, Learned: []bool{true, true}, Score: func(_ context.Context, w []float64,
		_ float64) (float64, error) {
		score := 1e-6 * math.Log(w[0])
		if w[1] > 1.9 && w[1] < 2.1 {
			score++
		}
		return score, nil
	}}
	if best := Best(search(t, learn.Climb, p, Settings{})); best.Score < 1 {
		t.Errorf("the best weights are %v", best.Weights)
	}
}

func TestSearchesFindThePlantedOptimum(t *testing.T) {
	for _, method := range methods {
		for _, seed := range []uint64{1, 2, 3} {
			trials := search(t, method, hill(true), Settings{Seed: seed, Sampling: LogUniform})
			best := Best(trials)
			if best.Score < -0.5 {
				t.Errorf("%v, seed %d: the best of %d trials scores %v: %v, at first %v", method, seed, len(trials), best.Score,
					best.Weights, trials[0].Score)
			}
			for k, trial := range trials {
				if trial.Number != k || trial.Weights[1] != 5 {
					t.Fatalf("%v: trial %d is %+v", method, k, trial)
				}
			}
			again := search(t, method, hill(true), Settings{Seed: seed, Sampling: LogUniform})
			if !reflect.DeepEqual(again, trials) {
				t.Errorf("%v: the same seed gives other trials", method)
			}
		}
	}
}

// 5³ combinations of levels have 61 different ratios; trial 0 is the start.
func TestGridTriesEachRatioOnce(t *testing.T) {
	relative := search(t, learn.Grid, hill(true), Settings{})
	if len(relative) != 62 || Best(relative).Score != 0 {
		t.Errorf("%d trials, best %+v", len(relative), Best(relative))
	}
	absolute := search(t, learn.Grid, hill(false), Settings{Trials: 1000})
	if len(absolute) != 126 {
		t.Errorf("%d trials", len(absolute))
	}
	if capped := search(t, learn.Grid, hill(true), Settings{Trials: 9}); len(capped) != 9 {
		t.Errorf("%d trials, want 9", len(capped))
	}
}

func TestLargeGridsAreDrawn(t *testing.T) {
	first := func(_ context.Context, w []float64, _ float64) (float64, error) { return w[0], nil }
	p := Problem{Relative: true, Score: first}
	for range 40 {
		p.Start, p.Learned = append(p.Start, 1), append(p.Learned, true)
	}
	if trials := search(t, learn.Grid, p, Settings{Trials: 30}); len(trials) != 30 || Best(trials).Weights[0] != 10 {
		t.Errorf("%d trials, best %v", len(trials), Best(trials).Weights[0])
	}
}

func TestSimplexKeepsTheSum(t *testing.T) {
	for _, alpha := range []float64{0.3, 1, 5} {
		for _, trial := range search(t, learn.Random, hill(true), Settings{Trials: 50, Concentration: alpha}) {
			if sum := trial.Weights[0] + trial.Weights[2] + trial.Weights[3]; math.Abs(sum-3) > 1e-9 {
				t.Fatalf("α = %v: weights %v add up to %v", alpha, trial.Weights, sum)
			}
		}
	}
}

// Hyperband spends full budgets on few trials, and every bracket ends with at least one.
func TestHyperbandBudgets(t *testing.T) {
	count := make(map[float64]int)
	for _, trial := range search(t, learn.Hyperband, hill(true), Settings{}) {
		count[trial.Budget]++
	}
	// Brackets of 160, 54, 20 and 10 draws, divided by four at every rung; and the start.
	want := map[float64]int{1. / 64: 160, 1. / 16: 40 + 54, 0.25: 10 + 13 + 20, 1: 2 + 3 + 5 + 10 + 1}
	if !reflect.DeepEqual(count, want) {
		t.Errorf("trials by budget: %v, want %v", count, want)
	}
}

func TestUndefinedScoresLose(t *testing.T) {
	for _, method := range methods {
		p := hill(true)
		score := p.Score
		p.Score = func(ctx context.Context, w []float64, budget float64) (float64, error) {
			if w[0] < w[2] {
				return math.NaN(), nil
			}
			return score(ctx, w, budget)
		}
		if best := Best(search(t, method, p, Settings{Trials: 20})); math.IsNaN(best.Score) {
			t.Errorf("%v: an undefined score won", method)
		}
	}
}

func TestSearchEnds(t *testing.T) {
	broken := errors.New("broken")
	for _, method := range methods {
		ctx, cancel := context.WithCancel(context.Background())
		s := Settings{OnTrial: func(trial Trial) {
			if trial.Number == 3 {
				cancel()
			}
		}}
		if trials, err := Run(ctx, method, hill(true), s); !errors.Is(err, context.Canceled) || len(trials) != 4 {
			t.Errorf("%v: %d trials and %v after cancelling", method, len(trials), err)
		}
		p := hill(true)
		p.Score = func(context.Context, []float64, float64) (float64, error) { return 0, broken }
		if _, err := Run(context.Background(), method, p, Settings{}); !errors.Is(err, broken) {
			t.Errorf("%v: the error is %v", method, err)
		}
		if _, err := Run(context.Background(), learn.Hyperband, hill(true), Settings{Brackets: 40}); err == nil {
			t.Error("forty brackets are no error")
		}
		p.Learned = make([]bool, 4)
		if _, err := Run(context.Background(), method, p, Settings{}); err == nil {
			t.Errorf("%v: nothing to learn is no error", method)
		}
	}
}

// A process must go through its points, and be unsure away from them.
func TestProcessInterpolates(t *testing.T) {
	var points [][]float64
	var scores []float64
	for k := range 9 {
		x := float64(k) - 4
		points, scores = append(points, []float64{x}), append(scores, math.Sin(x))
	}
	p := fit(points, scores)
	standard := standardise(scores)
	for k, point := range points {
		mean, deviation := p.predict(point)
		if math.Abs(mean-standard[k]) > 0.02 || deviation > 0.05 {
			t.Errorf("at %v: %v ± %v, want %v", point, mean, deviation, standard[k])
		}
	}
	if _, far := p.predict([]float64{100}); math.Abs(far-1) > 1e-9 {
		t.Errorf("far away the deviation is %v, want 1", far)
	}
	if here, there := p.improvement(points[0]), p.improvement([]float64{1.7}); here >= there {
		t.Errorf("the improvement is %v at a bad point, %v near the top", here, there)
	}
}
