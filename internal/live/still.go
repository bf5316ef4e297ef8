package live

import (
	"errors"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/session"
)

// ErrNoState is the error of a session whose hard rules contradict each other.
var ErrNoState = errors.New("hard rules contradict each other, so that there is no state")

// Still returns what there is now as a grounding with its model, and an answer as of the last inference with its
// multipliers: for what looks at ground rules, such as explanations. The ground rules stay as they are when the session
// goes on, but the atoms are the session's own: so neither may be used beside or after the next change. It takes the
// time to copy numbers; nothing is ground or solved.
func (s *Session) Still(last *session.Answer) (*session.Grounding, *session.Answer, error) {
	if s.infeasible {
		return nil, nil, ErrNoState
	}
	all, index := s.state.Frozen()
	g := *s.grounding
	g.Model, g.Index, g.Program = all.Model, index, s.written()
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
	g.Field = mrf.NewFieldOn(all.Model, g.Project.Threads)
	g.Field.SetWeights(g.Theta)
	g.Field.SetInputs(g.Inputs)
	answer := *last
	answer.Pages, answer.Values, answer.Perceived = nil, slices.Clone(s.state.Values()), slices.Clone(g.Inputs)
	answer.Multipliers = all.Multipliers
	s.mark(&answer)
	return &g, &answer, nil
}
