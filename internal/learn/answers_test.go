package learn

import (
	"math"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/latent"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// ways is a scene of three examples of one shape. Each goes one of two ways, y0 + y1 = 1, and a way is dear if what is
// on it is so, of which inputs 0 and 2 say that it is, and 1 and 3 that it is not; else the second one costs a little.
// What input 4 says is by itself, and makes the first way dearest, or with strict forbids it; input 5 is in no ground
// rule.
func ways(strict bool) *Scene {
	b := mrftest.New(6, 18, 3)
	for e := range 3 {
		for way := range 2 {
			b.Rule(0, mrf.Hinge, 1).Add(-1, ones(2*e+way), ones(6*e+2*way))
		}
		b.Rule(1, mrf.Equal, 0).Add(-1, ones(2*e, 2*e+1), nil)
		b.Rule(2, mrf.Hinge, 1).Add(0, ones(2*e+1), nil)
		kind := mrf.Hinge
		if strict {
			kind = mrf.LessEqual
		}
		b.Rule(1, kind, 1).Add(-1, ones(2*e), ones(6*e+4))
	}
	s := &Scene{Perception: distributed{}, Shapes: []int32{7, 7, 7}, Labels: new(label.Labels)}
	s.Field = mrf.NewField(b.Model())
	s.Field.SetWeights([]float64{1, 3, 0.5})
	s.Solver, _ = exactSolver(s.Field)
	s.Labels = &label.Labels{Variables: []int32{0, 1, 2, 3, 4, 5}, Truth: []float64{1, 0, 0, 1, 1, 0},
		Entities: []int32{0, 1, 2, 3, 4, 5}, Classes: slices.Repeat([]int32{label.NoClass}, 6)}
	return s
}

// distributed is a perception of which only the distributions are asked for.
type distributed struct{ perception.Networks }

func (distributed) Distributions() (things [][]int32) {
	for e := range int32(3) {
		things = append(things, []int32{6 * e, 6*e + 1}, []int32{6*e + 2, 6*e + 3})
	}
	return things
}

// seenWays is what is seen of the three examples.
var seenWays = []float64{0.2, 0.8, 0.6, 0.4, 0.1, 0, 0.7, 0.3, 0.4, 0.6, 0.3, 0, 0.5, 0.5, 0.5, 0.5, 0.9, 0}

// The likelihood of labels is how probable classes are at which they are inferred, once for each shape, and its
// gradient is what differences say.
func TestAnswersByHand(t *testing.T) {
	for _, strict := range []bool{false, true} {
		s, answers := ways(strict), new(Answers)
		if err := answers.Ask(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if got := len(answers.shapes[7].states); got != 8*2 {
			t.Fatalf("%d values of eight states of two variables", got)
		}
		likelihood := answers.latent(s)
		want := 0.0
		for e := range 3 {
			x := seenWays[6*e:]
			right := (1 - x[4]) * (1 - x[0]*x[3]) // for the first way
			if e == 1 {
				right = 1 - right
			}
			want -= math.Log(right+latent.WrongLabels*(1-right)) / 3
		}
		gradient := make([]float64, len(seenWays))
		if got := likelihood.Value(seenWays, gradient); math.Abs(got-want) > 1e-9 {
			t.Errorf("strict %v: loss %v, want %v", strict, got, want)
		}
		const step = 1e-6
		for i := range seenWays {
			up, down := slices.Clone(seenWays), slices.Clone(seenWays)
			up[i] += step
			down[i] -= step
			slope := (likelihood.Value(up, nil) - likelihood.Value(down, nil)) / (2 * step)
			if math.Abs(slope-gradient[i]) > 1e-8 {
				t.Errorf("strict %v, input %d: slope %v, differences %v", strict, i, gradient[i], slope)
			}
		}
	}
}

// The most probable labels are those of all classes together that lead to them, whatever one of them is.
func TestLikeliest(t *testing.T) {
	s, answers := ways(false), new(Answers)
	if err := answers.Ask(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	labels := [][]int32{{0}, {1}}
	for e, want := range []float32{1, 0, 0} {
		state := answers.Likeliest(s, e, seenWays, labels)
		if state == nil || math.Abs(float64(state[0]-want)) > 1e-3 {
			t.Errorf("example %d goes %v, want the first way: %v", e, state, want)
		}
	}
	if state := answers.Likeliest(s, 0, make([]float64, 18), labels); state != nil {
		t.Errorf("of nothing seen, %v is likeliest", state)
	}
}

// A state between more than two candidates does not say which is true, and what choices leave open may tip the balance.
func TestLikeliestIsTold(t *testing.T) {
	for _, c := range []struct {
		name   string
		states []float32 // of one thing's three classes, three candidates each
		x      []float64
		want   int // its class; -1 if none
	}{
		{"plain", []float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, []float64{0.3, 0.3, 0.4}, 2},
		{"open", []float32{1, 0, 0, 0.6, 0.1, 0.3, 0, 0, 1}, []float64{0.3, 0.4, 0.3}, -1},
		{"little open", []float32{1, 0, 0, 0.6, 0.1, 0.3, 0, 0, 1}, []float64{0.5, 0.1, 0.4}, -1},
		{"less open", []float32{1, 0, 0, 0.6, 0.1, 0.3, 0, 0, 1}, []float64{0.6, 0.1, 0.3}, 0},
	} {
		things := latent.Choices{Things: [][]int32{{0, 1, 2}}, Alone: []bool{false}}
		answers := Answers{shapes: map[int32]*shape{0: {Choices: things, all: 3, variables: 3, states: c.states}}}
		s := &Scene{Field: mrf.NewField(mrftest.New(3, 3, 1).Model()), Shapes: []int32{0}}
		state, want := answers.Likeliest(s, 0, c.x, [][]int32{{0, 1, 2}}), []float32(nil)
		if c.want >= 0 {
			want = c.states[3*c.want : 3*c.want+3]
		}
		if !slices.Equal(state, want) {
			t.Errorf("%s: %v is likeliest, want %v", c.name, state, want)
		}
	}
}

// Where most states are mixtures of a label's candidates, nothing of them says what several labels are; several
// candidates that are as good as each other are no mixture, and neither is a label that is true or false by itself.
func TestLikeliestOfMixtures(t *testing.T) {
	for _, c := range []struct {
		name   string
		states []float32 // of one thing's three classes, three candidates and a label by itself each
		mixed  bool
	}{
		{"mixtures", []float32{1, 0, 0, 1, 0.5, 0.2, 0.3, 1, 0.1, 0.8, 0.1, 0}, true},
		{"one mixture", []float32{1, 0, 0, 1, 0.5, 0.2, 0.3, 1, 0, 1, 0, 0.5}, false},
		{"equals", []float32{1, 0, 0, 1, 0.5, 0.5, 0, 1, 0, 0.5, 0.5, 0}, false},
		{"all equal", []float32{1, 0, 0, 1, 0.33, 0.34, 0.33, 1, 0.34, 0.33, 0.33, 0}, true},
	} {
		things := latent.Choices{Things: [][]int32{{0, 1, 2}}, Alone: []bool{false}}
		known := &shape{Choices: things, all: 3, variables: 4, states: c.states}
		answers := Answers{shapes: map[int32]*shape{0: known}}
		s := &Scene{Field: mrf.NewField(mrftest.New(4, 3, 1).Model()), Shapes: []int32{0}}
		labels := [][]int32{{0, 1, 2}, {3}}
		state := answers.Likeliest(s, 0, []float64{0.6, 0.2, 0.2}, labels)
		if known.mixed(labels) != c.mixed || (state == nil) != c.mixed {
			t.Errorf("%s: mixed %v, likeliest %v", c.name, known.mixed(labels), state)
		}
		if known.mixed(labels[1:]) {
			t.Errorf("%s: a label by itself is mixed", c.name)
		}
	}
}

// A state in which a label of several is a mixture of its candidates is no answer, as where things of one kind share
// roles that each has one of: the most probable roles are those of classes that leave none open.
func TestLikeliestOfPlainStates(t *testing.T) {
	states := []float32{0.5, 0.25, 0.25, 0.5, 0.25, 0.25, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1}
	things := latent.Choices{Things: [][]int32{{0, 1, 2}}, Alone: []bool{false}}
	answers := Answers{shapes: map[int32]*shape{0: {Choices: things, all: 3, variables: 6, states: states}}}
	s := &Scene{Field: mrf.NewField(mrftest.New(6, 3, 1).Model()), Shapes: []int32{0}}
	state := answers.Likeliest(s, 0, []float64{0.5, 0.3, 0.2}, [][]int32{{0, 1, 2}, {3, 4, 5}})
	if !slices.Equal(state, states[6:12]) {
		t.Errorf("%v is likeliest, want %v", state, states[6:12])
	}
}

// What is not certain has no answers: too many choices, or none.
func TestFewChoicesAreAsked(t *testing.T) {
	b := mrftest.New(1, 20, 1).Rule(0, mrf.Hinge, 1)
	for i := range 20 {
		b.Add(-1, ones(0), ones(i))
	}
	for name, model := range map[string]*mrf.Model{"many": b.Model(), "none": mrftest.New(1, 20, 1).Model()} {
		s := &Scene{Field: mrf.NewField(model), Perception: nobody{}, Shapes: []int32{0}, Labels: new(label.Labels)}
		answers := new(Answers)
		if err := answers.Ask(t.Context(), s); err != nil || answers.latent(s) != nil {
			t.Errorf("%s: %v, %v", name, answers, err)
		}
		if state := answers.Likeliest(s, 0, make([]float64, 20), [][]int32{{0}}); state != nil {
			t.Errorf("%s: %v is likeliest", name, state)
		}
	}
}

// nobody is a perception whose outputs are all by themselves.
type nobody struct{ perception.Networks }

func (nobody) Distributions() [][]int32 { return nil }
