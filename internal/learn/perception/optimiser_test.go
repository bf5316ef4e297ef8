package perception

import (
	"math"
	"testing"
)

// The optimisers are checked against their definitions, written out here step by step in float64.
func TestOptimisersFollowTheirDefinitions(t *testing.T) {
	gradients := []float64{0.5, -1.25, 2, 0, 0.125}
	const rate, decay = 0.1, 0.01
	for _, kind := range []OptimiserKind{SGD, Adagrad, Adam} {
		p := &Parameter{Value: []float32{1.5}, Gradient: []float32{0}, Decay: true}
		o := Optimiser{Kind: kind, Decay: decay}
		want, mean, square := 1.5, 0.0, 0.0
		for step, g := range gradients {
			p.Gradient[0] = float32(g)
			o.Step([]*Parameter{p}, rate)
			g += decay * want
			switch kind {
			case SGD:
				want -= rate * g
			case Adagrad:
				square += g * g
				want -= rate * g / (math.Sqrt(square) + 1e-10)
			case Adam:
				mean, square = 0.9*mean+0.1*g, 0.999*square+0.001*g*g
				n := float64(step + 1)
				want -= rate * (mean / (1 - math.Pow(0.9, n))) / (math.Sqrt(square/(1-math.Pow(0.999, n))) + 1e-8)
			}
			if got := float64(p.Value[0]); math.Abs(got-want) > 1e-5 {
				t.Errorf("%v, step %d: %v, want %v", kind, step, got, want)
			}
			if p.Gradient[0] != 0 {
				t.Errorf("%v: the gradient is not cleared", kind)
			}
		}
	}
}

// Parameters decay by the optimiser's λ, by one of their own, or not at all.
func TestDecayOfEachParameter(t *testing.T) {
	own, none := 0.25, 0.0
	o := Optimiser{Kind: SGD, Decay: 0.5}
	for _, test := range []struct {
		decay bool
		own   *float64
		want  float32
	}{{false, nil, 1}, {false, &own, 1}, {true, nil, 0.5}, {true, &own, 0.75}, {true, &none, 1}} {
		p := &Parameter{Value: []float32{1}, Gradient: []float32{0}, Decay: test.decay, OwnDecay: test.own}
		o.Step([]*Parameter{p}, 1)
		if p.Value[0] != test.want {
			t.Errorf("%+v moved to %v, want %v", test, p.Value[0], test.want)
		}
	}
}

func TestOptimiserNames(t *testing.T) {
	for k := range len(optimiserNames) {
		if got, err := ParseOptimiser(OptimiserKind(k).String()); err != nil || got != OptimiserKind(k) {
			t.Errorf("optimiser %d: %v, %v", k, got, err)
		}
	}
	if _, err := ParseOptimiser("x"); err == nil {
		t.Error("an unknown name is no error")
	}
}

// A decay that suits the labels is shared as parameters say, and the penalty is what it is the derivative of.
func TestSharesOfDecay(t *testing.T) {
	for _, test := range []struct {
		shares  bool
		share   float64
		butLast bool
		want    [2]float64 // times the decay that the two values have
	}{
		{false, 4, true, [2]float64{1, 1}},
		{true, 0, false, [2]float64{1, 1}},
		{true, 4, false, [2]float64{4, 4}},
		{true, 4, true, [2]float64{4, 1}},
	} {
		p := &Parameter{Value: []float32{1, 2}, Gradient: []float32{0, 0}, Decay: true, Share: test.share,
			ButLast: test.butLast}
		o := Optimiser{Kind: SGD, Decay: 0.5, Shares: test.shares}
		penalty := o.Penalty([]*Parameter{p})
		if want := 0.5 / 2 * (test.want[0] + 4*test.want[1]); math.Abs(penalty-want) > 1e-12 {
			t.Errorf("%+v: penalty %v, want %v", test, penalty, want)
		}
		o.Step([]*Parameter{p}, 0.125)
		for i, before := range []float64{1, 2} {
			if want := before - 0.125*0.5*test.want[i]*before; math.Abs(float64(p.Value[i])-want) > 1e-6 {
				t.Errorf("%+v: value %d becomes %v, want %v", test, i, p.Value[i], want)
			}
		}
	}
}
