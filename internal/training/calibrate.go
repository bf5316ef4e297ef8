package training

import "github.com/deeppsl/deeppsl/internal/learn"

// What follows from several things that networks see is mostly between what each of them says: the mean, where rules
// are squared. By a loss of values as they are, which is least where these are 0 or 1, networks learn to be sure of
// each thing, so that it has one vote however much speaks for it. Where all is to be added up, they had better be
// unsure. So networks that nobody has labelled descend on the loss at the temperature that suits what is inferred, too,
// and held-out labels choose. That is steep: each step is taken at a MAP state of its own, along the exact derivative.

// calibratedRate is the rate of these steps, relative to that of ten at one MAP state.
const calibratedRate = 4

// calibrates tells whether networks learn so, too: where no label is of what they see, and options leave it to us.
func (c *crossFitting) calibrates() bool {
	s := &c.g.Project.Learning
	return c.latent() && !c.g.large() && !s.LossSet && !s.StepsSet && (s.Auto || s.Learn.Method == learn.Implicit)
}

// calibrate has a method learn so. One that is asked for has that rate already.
func calibrate(s *learn.Settings, asked bool) {
	if s.Method, s.Calibrated, s.Steps = learn.Implicit, true, 1; !asked {
		s.NetworkRate *= calibratedRate
	}
}
