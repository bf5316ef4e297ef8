package training

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/fit"
	"github.com/deeppsl/deeppsl/internal/source"
)

// fit looks at the gradients of networks that are fitted alone, and tells at the end of that.
func (n *notices) fit(line fit.Epoch) {
	if line.Number == 1 {
		clear(n.lasted)
	}
	n.when = "after " + source.Count(line.Number, "epoch") + " of fitting"
	if line.Loss > nothingLeft {
		n.layers(line.Gradients)
	}
	if n.waits = !line.Last; line.Last && n.g.Project.Learning.Auto {
		n.postpone()
	}
	n.tell(briefly)
}

// postpone keeps the signs that fitting does not reach a network for the end: training end to end may, by weights that
// it learns.
func (n *notices) postpone() {
	n.late = nil
	n.signs = slices.DeleteFunc(n.signs, func(s sign) bool {
		isLate := s.warning.ID == "learn-vanishing" && n.lasted[s.key]+1 >= briefly
		if isLate {
			n.late = append(n.late, s)
		}
		return isLate
	})
}
