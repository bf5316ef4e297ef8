package mrf

import "math"

// Weights sums up weights: their mean, and about what the least and the largest are, which can be known without looking
// at all of them again when some come and go.
type Weights struct {
	logarithms
	low, high float64 // Σ w^-4 and Σ w^4
}

// add adds a weight above 0.
func (s *Weights) add(w float64) {
	s.logarithms.add(w, 1)
	s.low, s.high = s.low+Fourth(1/w), s.high+Fourth(w)
}

// addTimes adds others, each times w.
func (s *Weights) addTimes(w float64, others Weights) {
	s.logarithms.add(w, others.count)
	s.exponents += others.exponents
	s.fractions += others.fractions
	s.low, s.high = s.low+others.low*Fourth(1/w), s.high+others.high*Fourth(w)
}

// Mean is the geometric mean.
func (s *Weights) Mean() float64 { return s.mean() }

// Grain is GrainOf of the weights.
func (s *Weights) Grain() float64 { return GrainOf(s.Mean(), s.low, s.high, float64(s.count)) }

// Means are the geometric mean of weights, and about the least and the largest of them: power means with the exponents
// -4 and 4. Those of parts tell the grain of the whole.
type Means struct{ Mean, Least, Largest float64 }

// Means returns those of the weights; all are 1 if there are none.
func (s *Weights) Means() Means {
	if s.count == 0 {
		return Means{1, 1, 1}
	}
	root := func(v float64) float64 { return math.Sqrt(math.Sqrt(v / float64(s.count))) } // exact for powers of two
	return Means{s.Mean(), 1 / root(s.low), root(s.high)}
}

// addMeans adds n weights of which these are the means.
func (s *Weights) addMeans(n int, m Means) {
	s.logarithms.add(m.Mean, n)
	s.low, s.high = s.low+float64(n)*Fourth(1/m.Least), s.high+float64(n)*Fourth(m.Largest)
}

// GrainOfParts is the grain of weights of which n[k] have the means of[k].
func GrainOfParts(n []int, of []Means) float64 {
	var all Weights
	for k, m := range of {
		all.addMeans(n[k], m)
	}
	return all.Grain()
}

// finest is how much less than the largest weights the grain may be: what is computed with these has rounding errors of
// 1e-16 of their size, and a gap of 1e-6 of the grain is to be much more.
const finest = 1e-8

// GrainOf returns about the least of n weights, but no less than finest times the largest: power means with the
// exponents -4 and 4 of the two, by the sums of w^-4 and w^4. A ten-thousandth of weights that are small makes it ten
// times as much as they are. It is 1 if there are none, and at most the geometric mean.
func GrainOf(mean, low, high, n float64) float64 {
	if n == 0 {
		return 1
	}
	root := func(v float64) float64 { return math.Sqrt(math.Sqrt(v / n)) } // exact for powers of two
	least, largest := 1/root(low), root(high)
	if math.IsInf(largest, 0) {
		return mean
	}
	return min(mean, max(least, finest*largest))
}

// Fourth is v⁴.
func Fourth(v float64) float64 { return (v * v) * (v * v) }
