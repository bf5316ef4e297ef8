package learn

import "github.com/deeppsl/deeppsl/internal/learn/label"

// calibrated is the loss by which held-out labels are judged: the cross-entropy at the temperature that suits values
// best. What is inferred of several things that networks see lies between them: by any one temperature, outputs had
// better be 0 or 1, so that each thing has one vote, however much is to be said for it. By the best one, they may lie
// as near each other as they tell most.
type calibrated struct{}

// Value implements measure.
func (c calibrated) Value(labels *label.Labels, y []float64) float64 {
	return c.Gradient(labels, y, make([]float64, len(y)))
}

// Gradient implements measure. The temperature is one of a few; as the loss is flat there, it is taken as given.
func (calibrated) Gradient(labels *label.Labels, y, gradient []float64) float64 {
	return labels.Refined(y, labels.Judge(y).Exponent(), gradient)
}

// measure is that of the labels.
func (s Settings) measure() measure {
	if s.Calibrated {
		return calibrated{}
	}
	return s.Loss
}
