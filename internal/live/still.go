package live

import (
	"errors"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/session"
)

// ErrNoState is the error of a session whose hard rules contradict each other.
var ErrNoState = errors.New("hard rules contradict each other, so that there is no state")

// Still returns what there is now as a grounding with its model, and an answer as of the last inference, for what looks
// at ground rules, such as explanations, which also take the multipliers. Atoms and multipliers are the session's own:
// so none of these may be used beside or after the next change. It takes the time to copy the values of atoms; nothing
// is ground or solved.
func (s *Session) Still(last *session.Answer) (_ *session.Grounding, _ *session.Answer, multipliers func() []float64,
	_ error) {
	if s.infeasible {
		return nil, nil, nil, ErrNoState
	}
	model, index, multipliers := s.state.Frozen()
	g := *s.grounding
	g.Model, g.Index, g.Program = model, index, s.written()
	report := *g.Report
	report.Rules = slices.Clone(report.Rules)
	for r := range s.prog.Rules {
		if r == len(report.Rules) {
			report.Rules = append(report.Rules, report.Rules[0])
			report.Rules[r].Trivial, report.Rules[r].Constant, report.Rules[r].Missing = 0, 0, 0
		}
		report.Rules[r].Potentials = s.ground[r]
	}
	g.Report, g.Theta, g.Inputs = &report, slices.Clone(g.Theta), slices.Clone(g.Inputs)
	g.Field = mrf.NewFieldOn(model, g.Project.Threads)
	g.Field.SetWeights(g.Theta)
	g.Field.SetInputs(g.Inputs)
	answer := *last
	answer.Pages, answer.Values, answer.Perceived = nil, slices.Clone(s.state.Values()), slices.Clone(g.Inputs)
	s.mark(&answer)
	return &g, &answer, multipliers, nil
}
