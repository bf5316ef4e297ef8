package eval

import "math"

// calibration is how probable a prediction makes it that an atom is true: a logistic curve.
type calibration struct{ slope, middle, offset float64 }

// calibrate fits the curve to labels, as Platt does (Probabilistic outputs for support vector machines, 1999): what is
// true counts as a little less than that, and what is false as a little more, the fewer there are the more so, so that
// labels that a threshold divides without error do not make a step of it.
func calibrate(labels []label) calibration {
	sides := countSides(labels)
	soft := [2]float64{1 / float64(sides[0]+2), float64(sides[1]+1) / float64(sides[1]+2)}
	c := calibration{offset: math.Log(float64(sides[1]+1) / float64(sides[0]+1))}
	for _, l := range labels {
		c.middle += l.prediction / float64(len(labels))
	}
	loss := func(c calibration) (sum float64) {
		for _, l := range labels {
			z := c.logit(l.prediction)
			sum += math.Max(z, 0) - soft[l.truth]*z + math.Log1p(math.Exp(-math.Abs(z)))
		}
		return sum
	}
	current := loss(c)
	for range 100 {
		slope, offset := c.newton(labels, soft)
		next, reached := c, current
		for size := 1.0; size > 1e-6; size /= 2 {
			next.slope, next.offset = c.slope-size*slope, c.offset-size*offset
			if reached = loss(next); reached < current {
				break
			}
		}
		if reached >= current {
			break
		}
		gain := current - reached
		if c, current = next, reached; gain < 1e-9*current {
			break
		}
	}
	return c
}

// newton is the step of Newton's method for the logistic loss; 0 for the slope where all predictions are the same.
func (c calibration) newton(labels []label, soft [2]float64) (slope, offset float64) {
	var g0, g1, h00, h01, h11 float64
	for _, l := range labels {
		x, q := l.prediction-c.middle, c.probability(l.prediction)
		w := q * (1 - q)
		g0, g1 = g0+(q-soft[l.truth]), g1+(q-soft[l.truth])*x
		h00, h01, h11 = h00+w, h01+w*x, h11+w*x*x
	}
	determinant := h00*h11 - h01*h01
	if determinant <= 1e-12*h00*h11 {
		return 0, ratio(g0, h00)
	}
	return (h00*g1 - h01*g0) / determinant, (h11*g0 - h01*g1) / determinant
}

func (c calibration) logit(prediction float64) float64 {
	return c.offset + c.slope*(prediction-c.middle)
}

// probability is the chance that an atom is true.
func (c calibration) probability(prediction float64) float64 {
	return 1 / (1 + math.Exp(-c.logit(prediction)))
}

// Calibrate returns how probable a prediction makes it that an atom is true, by the logistic curve that suits the truth
// of some predictions best.
func Calibrate(truth, predictions []float64) (probability func(prediction float64) float64) {
	labels := make([]label, len(truth))
	for k := range labels {
		labels[k] = label{prediction: predictions[k], truth: bit(truth[k] >= DefaultThreshold)}
	}
	c := calibrate(labels)
	c.slope = math.Max(c.slope, 0)
	return c.probability
}
