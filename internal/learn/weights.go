package learn

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/named"
)

// Update says how the weights of rules follow their gradient.
type Update uint8

const (
	// ByOptimiser hands them to the optimiser that networks have, and keeps them positive.
	ByOptimiser Update = iota
	// Mirror multiplies them by exponentials of the gradient and keeps their sum: mirror descent with the entropy as
	// distance (Beck & Teboulle 2003), also called exponentiated gradient.
	Mirror
	// Projected steps along the gradient and returns to the nearest weights ≥ 0 of the same sum.
	Projected
	// Logarithmic hands their logarithms to the optimiser, so that a step is a factor and not a difference.
	Logarithmic
)

// Step moves the weights of rules against their gradient.
type Step interface {
	Step(weights []float32, gradient []float64, rate float64)
}

// updates is the registry of steps, by Update.
var updates = []struct {
	name string
	step func(*simplex, optimised) Step
}{
	ByOptimiser: {"optimiser", func(_ *simplex, o optimised) Step { return byOptimiser{o} }},
	Mirror:      {"mirror", func(s *simplex, _ optimised) Step { return s }},
	Projected:   {"projected", func(s *simplex, _ optimised) Step { return s }},
	Logarithmic: {"logarithmic", func(_ *simplex, o optimised) Step { return byLogarithms{o} }},
}

// KeepsSum tells whether the update moves the weights on a simplex.
func (u Update) KeepsSum() bool { return u == Mirror || u == Projected }

// String returns the update's name as configurations write it.
func (u Update) String() string { return updates[u].name }

// ParseUpdate returns the update with the given name.
func ParseUpdate(name string) (Update, error) { return named.Of[Update](len(updates), name) }

// smallestShare keeps a weight from becoming 0, where multiplying would leave it for ever. It is relative to the mean.
const smallestShare = 1e-5

// simplex moves the learned weights with their sum S fixed. What it sees are the shares p_r = w_r/S, which add up to
// one: the MAP state does not depend on S unless other weights are fixed, and then S is what the program says. The sum
// is fixed because every optimal energy is 0 for weights of 0, so the losses made of them would end there.
//
// Nothing here depends on how many rules there are, nor on what energies are measured in. Steps are scale-free: the
// gradient, less its mean, which cannot move shares, is divided by the root of the sum of all its squared largest
// components so far (AdaGrad's norm version; Ward, Wu & Bottou 2019), which shrinks the steps by itself as learning
// goes on. Regularisers and movement are in terms of relative shares, whose mean is one, and regularisers in Unit.
type simplex struct {
	update  Update
	learned []bool
	sum     float64
	count   float64   // of learned rules
	next    []float64 // the shares after a step
	Progress
}

// Progress is what a later step of the simplex depends on.
type Progress struct {
	// Squares is the sum of the squared largest components of all gradients.
	Squares float64
	// Moved is the largest change of a relative share in the last step, -1 before the first.
	Moved float64
	// Unit is the mean length of the first gradient's components, weighted with the shares: what a loss is measured in.
	Unit float64
}

func newSimplex(update Update, theta []float64, learned []bool) *simplex {
	s := &simplex{update: update, learned: learned, next: make([]float64, len(theta)), Progress: Progress{Moved: -1}}
	for r, w := range theta {
		if learned[r] {
			s.sum += w
			s.count++
		}
	}
	return s
}

// measure sets the unit by the first gradient by shares that is not 0.
func (s *simplex) measure(weights []float32, gradient []float64) {
	if s.Unit > 0 || s.sum == 0 {
		return
	}
	for r, g := range gradient {
		if s.learned[r] {
			s.Unit += float64(weights[r]) / s.sum * math.Abs(g)
		}
	}
}

// scale is what shares are multiplied with to give weights.
func (s *simplex) scale() float64 {
	if !s.update.KeepsSum() || s.sum == 0 {
		return 1
	}
	return s.sum
}

// Step moves the weights against the gradient, which is that by shares.
func (s *simplex) Step(weights []float32, gradient []float64, rate float64) {
	mean, largest, least := s.mean(weights, gradient), 0.0, math.Inf(1)
	for r, g := range gradient {
		if s.learned[r] {
			largest, least = math.Max(largest, math.Abs(g-mean)), min(least, g)
		}
	}
	s.Squares += largest * largest
	if s.Moved = 0; largest == 0 || s.sum == 0 {
		return
	}
	rate /= math.Sqrt(s.Squares)
	beyond := max(0, rate*(mean-least)-representable)
	for r, g := range gradient {
		share := float64(weights[r]) / s.sum
		if s.update == Mirror {
			s.next[r] = share * math.Exp(-rate*(g-mean)-beyond)
		} else {
			s.next[r] = share - rate/s.count*(g-mean)
		}
	}
	s.normalise()
	for r, share := range s.next {
		if s.learned[r] {
			s.Moved = math.Max(s.Moved, s.count*math.Abs(share-float64(weights[r])/s.sum))
			weights[r] = float32(share * s.sum)
		}
	}
}

// representable is a power of e that a number can be; all factors are made as much smaller as the largest is beyond it.
const representable = 500

// mean is that of a gradient by shares, weighted with them.
func (s *simplex) mean(weights []float32, gradient []float64) float64 {
	sum, total := 0.0, 0.0
	for r, g := range gradient {
		if s.learned[r] {
			sum += float64(weights[r]) * g
			total += float64(weights[r])
		}
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// normalise makes the next shares positive numbers whose sum is one.
func (s *simplex) normalise() {
	shift := 0.0
	if s.update == Projected {
		shift = s.shift()
	}
	total := 0.0
	for r := range s.next {
		if s.learned[r] {
			s.next[r] = math.Max(smallestShare/s.count, s.next[r]-shift)
			total += s.next[r]
		}
	}
	for r := range s.next {
		s.next[r] /= total
	}
}

// shift returns τ such that the sum of max(0, p_r - τ) is one: the projection on the simplex by sorting (Held, Wolfe &
// Crowder 1974).
func (s *simplex) shift() float64 {
	var sorted []float64
	for r, share := range s.next {
		if s.learned[r] {
			sorted = append(sorted, share)
		}
	}
	slices.SortFunc(sorted, func(a, b float64) int {
		if a > b {
			return -1
		}
		return 1
	})
	total, shift := 0.0, 0.0
	for k, share := range sorted {
		total += share
		if candidate := (total - 1) / float64(k+1); share > candidate {
			shift = candidate
		}
	}
	return shift
}

// optimised are weights with the optimiser that moves the learned ones.
type optimised struct {
	*perception.Optimiser
	rules   *perception.Parameter
	learned []bool
}

// follow moves what the parameter holds against the gradient that is in it.
func (o optimised) follow(rate float64) { o.Optimiser.Step([]*perception.Parameter{o.rules}, rate) }

// take gives the parameter the gradient by the learned weights.
func (o optimised) take(gradient []float64) {
	for r, slope := range gradient {
		o.rules.Gradient[r] = 0
		if o.learned[r] {
			o.rules.Gradient[r] = float32(slope)
		}
	}
}

// bound keeps the learned weights positive.
func (o optimised) bound() {
	for r, w := range o.rules.Value {
		if o.learned[r] {
			o.rules.Value[r] = max(w, smallestWeight)
		}
	}
}

// byOptimiser steps by the optimiser that networks have.
type byOptimiser struct{ optimised }

// Step implements Step.
func (o byOptimiser) Step(_ []float32, gradient []float64, rate float64) {
	o.take(gradient)
	o.follow(rate)
	o.bound()
}

// byLogarithms steps by the optimiser in the logarithms of the learned weights.
type byLogarithms struct{ optimised }

// Step implements Step.
func (o byLogarithms) Step(w []float32, gradient []float64, rate float64) {
	o.take(gradient)
	given := slices.Clone(w)
	for r := range w {
		o.rules.Gradient[r] *= w[r]
		w[r] = float32(math.Log(float64(w[r])))
	}
	o.follow(rate)
	for r := range w {
		if w[r] = float32(math.Exp(float64(w[r]))); !o.learned[r] {
			w[r] = given[r]
		}
	}
	o.bound()
}

// regulariser is what is added to a loss of rule weights.
type regulariser struct{ l2, barrier, entropy float64 }

// regularise adds to a gradient by shares that of Unit times the mean over the learned rules of l2 q² - barrier log q +
// entropy q log q, where q are relative shares, and returns its value. Where the sum of the weights is free, q are the
// weights, and it is their sum, in the loss's own unit.
func (s *simplex) regularise(by regulariser, weights []float32, gradient []float64) float64 {
	unit, share := 1.0, 1.0 // of q: what a rule's term counts, and how many q a share is
	if s.update.KeepsSum() && s.sum > 0 {
		s.measure(weights, gradient)
		unit, share = s.Unit/s.count, s.count
	}
	value, scale := 0.0, s.scale()/share
	for r, w := range weights {
		if s.learned[r] {
			q := math.Max(float64(w)/scale, smallestShare)
			value += unit * (by.l2*q*q - by.barrier*math.Log(q) + by.entropy*q*math.Log(q))
			gradient[r] += unit * share * (2*by.l2*q - by.barrier/q + by.entropy*(1+math.Log(q)))
		}
	}
	return value
}
