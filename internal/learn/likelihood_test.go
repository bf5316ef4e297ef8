package learn

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// The quadrature must agree with integrals that have a closed form.
func TestPseudoLikelihoodIsExact(t *testing.T) {
	const truth = 0.3
	for _, w := range []float64{0.01, 1, 8, 60} {
		linear := -math.Log(w) + math.Log(1-math.Exp(-w)) + w*truth
		// The integral of exp(-w(v - 0.6)²) is a difference of error functions.
		root := math.Sqrt(w)
		square := math.Log(math.Sqrt(math.Pi)/2/root*(math.Erf(0.4*root)+math.Erf(0.6*root))) + w*0.3*0.3
		for _, c := range []struct {
			kind     mrf.Kind
			constant float64
			want     float64
		}{{mrf.Linear, 0, linear}, {mrf.Absolute, -0.6, square}} {
			model := mrftest.New(1, 0, 1).Rule(0, c.kind, 2).
				Add(c.constant, ones(0), nil).Model()
			field := mrf.NewField(model)
			field.SetWeights([]float64{w})
			labels := &label.Labels{Variables: []int32{0}, Truth: []float64{truth}}
			got, err := newPseudoLikelihood(model, labels).at(field, []float64{truth}, make([]float64, 1), nil)
			if err != nil || math.Abs(got-c.want) > 1e-6 {
				t.Errorf("kind %d, weight %v: %v, want %v", c.kind, w, got, c.want)
			}
		}
	}
}

// Labels that are all 0 or 1 are that and nothing between: a rule that holds for three labels of four gets their odds.
func TestPseudoLikelihoodOfClasses(t *testing.T) {
	build := mrftest.New(4, 0, 1).Rule(0, mrf.Linear, 2)
	labels := &label.Labels{Truth: []float64{1, 1, 0, 1}}
	for i := range int32(4) {
		build.Add(1, []mrftest.Term{{Index: int(i), Coef: -1}}, nil)
		labels.Variables = append(labels.Variables, i)
	}
	field := mrf.NewField(build.Model())
	weights := make([]float64, 1)
	for _, w := range []float64{0.1, math.Log(3), 4} {
		field.SetWeights([]float64{w})
		got, err := newPseudoLikelihood(field.Model, labels).at(field, labels.Truth, weights, nil)
		if want := math.Log1p(math.Exp(-w)) + w/4; err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("weight %v: %v (%v), want %v", w, got, err, want)
		}
		if want := 0.25 - 1/(1+math.Exp(w)); math.Abs(weights[0]-want) > 1e-12 {
			t.Errorf("weight %v: derivative %v, want %v", w, weights[0], want)
		}
	}
}

func TestPseudoLikelihoodGradients(t *testing.T) {
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 12))
		kinds, moving := mrftest.Soft, true
		if seed%2 == 1 {
			kinds, moving = mrftest.All, false // intervals that hard rules cut count as constant in x
		}
		model, theta, x := mrftest.Random(random, mrftest.Shape{Variables: 12, Inputs: 4, Blocks: 6, Potentials: 10,
			Kinds: kinds, Arity: 3, Scales: true})
		labels := new(label.Labels)
		y := make([]float64, 12)
		for i := range y {
			y[i] = random.Float64()
			if i%3 > 0 {
				labels.Variables, labels.Truth = append(labels.Variables, int32(i)), append(labels.Truth, y[i])
			}
		}
		p := newPseudoLikelihood(model, labels)
		field := mrf.NewField(model)
		weights, inputs := make([]float64, len(theta)), make([]float64, len(x))
		scratchW, scratchX := make([]float64, len(theta)), make([]float64, len(x))
		value := func() float64 {
			field.SetWeights(theta)
			field.SetInputs(x)
			loss, err := p.at(field, y, scratchW, scratchX)
			if err != nil {
				t.Fatal(err)
			}
			return loss
		}
		value()
		copy(weights, scratchW)
		copy(inputs, scratchX)
		compare(t, "weight", weights, theta, value, 1e-5, 1e-4)
		if moving {
			compare(t, "input", inputs, x, value, 1e-7, 1e-2)
		}
	}
}

// Variables that an equality ties move together: with f(v) = 2wv along the line, the likelihood has a closed form.
func TestPseudoLikelihoodOfTiedVariables(t *testing.T) {
	const w, truth = 3, 0.25
	difference := append(ones(0), mrftest.Term{Index: 1, Coef: -1})
	model := mrftest.New(2, 0, 2).
		Rule(0, mrf.Linear, 1).Add(0, ones(0), nil).Add(0, ones(1), nil).
		Rule(1, mrf.Equal, 0).Add(0, difference, nil).Model()
	field := mrf.NewField(model)
	field.SetWeights([]float64{w, 0})
	labels := &label.Labels{Variables: []int32{0, 1}, Truth: []float64{truth, truth}}
	got, err := newPseudoLikelihood(model, labels).at(field, []float64{truth, truth}, make([]float64, 2), nil)
	if want := 2*w*truth + math.Log((1-math.Exp(-2*w))/(2*w)); err != nil || math.Abs(got-want) > 1e-9 {
		t.Errorf("%v and %v, want %v", got, err, want)
	}
}

func TestLines(t *testing.T) {
	// y0 + y1 + y2 = 1 with y1 true, y3 + y4 ≤ 0.75, y5 = 0.5, and y6 free.
	model := mrftest.New(7, 0, 2).
		Rule(0, mrf.Equal, 0).Add(-1, ones(0, 1, 2), nil).Add(-0.5, ones(5), nil).
		Rule(1, mrf.LessEqual, 0).Add(-0.75, ones(3, 4), nil).Model()
	labels := &label.Labels{Variables: []int32{0, 1, 3, 5, 6}, Truth: []float64{0.25, 0.75, 0.25, 0.5, 0.5}}
	y := []float64{0.25, 0.75, 0, 0.25, 0.5, 0.5, 0.5}
	slacks := make([]float64, model.Potentials())
	mrf.NewField(model).Slacks(y, slacks)
	lines := profiles(model, labels)
	want := []struct {
		variables []int32
		steps     []float64
		lo, hi    float64
	}{
		{[]int32{0, 1}, []float64{1, -1}, -0.25, 0.75},
		{[]int32{1, 0}, []float64{1, -1}, -0.75, 0.25},
		{[]int32{3}, []float64{1}, -0.25, 0},
		{[]int32{6}, []float64{1}, -0.5, 0.5},
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
	for k, l := range lines {
		lo, hi := l.interval(slacks, y)
		if !reflect.DeepEqual(l.Variables, want[k].variables) || !reflect.DeepEqual(l.Steps, want[k].steps) ||
			math.Abs(lo-want[k].lo) > 1e-6 || math.Abs(hi-want[k].hi) > 1e-6 {
			t.Errorf("line %d: %v by %v from %v to %v, want %v", k, l.Variables, l.Steps, lo, hi, want[k])
		}
	}
}

// Labels that the hard rules determine are an error, not weights that nothing has moved.
func TestFixedLabels(t *testing.T) {
	model := mrftest.New(1, 0, 2).
		Rule(0, mrf.Hinge, 2).Add(0, ones(0), nil).
		Rule(1, mrf.Equal, 0).Add(-0.5, ones(0), nil).Model()
	p := newPseudoLikelihood(model, &label.Labels{Variables: []int32{0}, Truth: []float64{0.5}})
	if _, err := p.at(mrf.NewField(model), []float64{0.5}, make([]float64, 2), nil); !errors.Is(err, errFixedLabels) {
		t.Errorf("got the error %v", err)
	}
}
