package training

import (
	"errors"
	"fmt"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Sensitivity finds derivatives of losses of answers. It keeps its memory between them. The zero value is ready.
type Sensitivity struct{ at *learn.Sensitivity }

// Of returns the derivatives of a loss of an answer, whose derivative in each of Values slope is: in the inputs among
// those values, 0 for targets, and in the weights of the rules. The grounding must have the weights of the answer, and
// know what its inference knew.
func (s *Sensitivity) Of(g *session.Grounding, answer *session.Answer, slope []float64) (
	values, weights []float64, err error,
) {
	if answer.Status == solve.Infeasible.String() || len(answer.Multipliers) != g.Field.Model.Potentials() {
		return nil, nil, errors.New("an answer has a derivative if it has a state and its proof, of ground rules in memory")
	}
	along := make([]float64, len(answer.Values))
	at := 0
	for atoms, row := range g.Open() {
		if at < len(slope) && atoms.Role(row) == relation.Target {
			along[atoms.Number(row)] = slope[at]
		}
		at++
	}
	if at != len(slope) {
		return nil, nil, fmt.Errorf("there are %d values, and not %d", at, len(slope))
	}
	for _, i := range g.Known.Variables {
		along[i] = 0
	}
	inputs := make([]float64, len(answer.Perceived))
	weights = make([]float64, len(g.Theta))
	err = g.Guard(func() error {
		field := g.Knowing()
		field.SetWeights(g.Theta)
		field.SetInputs(answer.Perceived)
		if s.at == nil || s.at.Field != field {
			s.at = learn.NewSensitivity(field)
		}
		s.at.Of(answer.Values, answer.Multipliers, along, inputs, weights)
		return nil
	})
	values = make([]float64, len(slope))
	at = 0
	for atoms, row := range g.Open() {
		if atoms.Role(row) != relation.Target { // it is what it is, and what the targets are because of it
			values[at] = slope[at] + inputs[atoms.Number(row)]
		}
		at++
	}
	return values, weights, err
}
