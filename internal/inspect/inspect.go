// Package inspect shows an answer to people who would rather look than read: pages about rules, atoms, why these have
// their values, what costs most and what is wrong, made here, for a browser or for one file to mail. The one script
// moves drawings, which can be scrolled without. Names of a user's data are text everywhere, whatever is in them.
package inspect

import (
	"context"
	"slices"
	"sync"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/live"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Site is the pages about one answer. Any number of goroutines may ask for them.
type Site struct {
	title      string
	report     *engine.Report
	grounding  *session.Grounding
	answer     *session.Answer
	lints      []source.Plain
	predicates []session.PredicateAnswer
	// multipliers are the answer's, for explanations.
	multipliers func() []float64
	// whole says that explanations are whole, however long they take.
	whole bool
	// Known is the site's own, or shared by those of the versions of a model.
	Known *Known

	why why

	mu      sync.Mutex         // of what follows, and of the grounding
	namer   *session.Explainer // of ground rules alone
	judged  []scoredPredicate
	weighed *weighed             // nil until it is asked for
	costly  map[int][]groundRule // named, by what was asked for
}

// why is what explains atoms, which may take long: by itself, so that other pages need not wait.
type why struct {
	mu          sync.Mutex
	grounding   *session.Grounding // nil until somebody asks
	multipliers []float64
	explainer   *session.Explainer
}

// New makes the pages about a run of a project with the given name, and of what was suspicious about it. Unless its
// answer has multipliers, the run is inferred once more, from where it ended, for what its explanations rest on.
func New(ctx context.Context, title string, result *engine.Report, lints []source.Plain) (*Site, error) {
	now := *result
	if len(now.Grounding.Known.Variables) > 0 { // they are reasons, and are not explained themselves
		g, answer, err := live.Observed(ctx, now.Grounding, now.Answer)
		if err != nil {
			return nil, err
		}
		now.Grounding, now.Answer = g, answer
		now.Variables, now.GroundRules, now.Objective = g.Variables(), g.Potentials(), answer.Objective
	}
	if now.Answer.Multipliers == nil {
		var err error
		if now.Answer, err = now.Grounding.InferAgain(ctx, now.Answer); err != nil {
			return nil, err
		}
	}
	mu := now.Answer.Multipliers
	return Of(title, &now, lints, func() []float64 { return slices.Clone(mu) }), nil
}

// Of is New for an answer of what multipliers prove, a copy of which is asked for once somebody wants an explanation.
func Of(title string, result *engine.Report, lints []source.Plain, multipliers func() []float64) *Site {
	s := &Site{title: title, report: result, grounding: result.Grounding, answer: result.Answer, lints: lints,
		multipliers: multipliers, Known: &Known{}, costly: make(map[int][]groundRule)}
	s.predicates = s.grounding.ByPredicate(s.answer)
	return s
}

// Apart makes ready that atoms are explained while tables and multipliers change, which must not before it has
// returned. It takes the time to copy them.
func (s *Site) Apart() {
	s.why.mu.Lock()
	defer s.why.mu.Unlock()
	s.apart()
}

func (s *Site) apart() {
	if s.why.grounding == nil {
		s.why.grounding, s.why.multipliers = s.grounding.Apart(), s.multipliers()
	}
}

// explaining calls f with what explains atoms, while nobody else uses it.
func (s *Site) explaining(f func(*session.Grounding, *session.Explainer) error) error {
	s.why.mu.Lock()
	defer s.why.mu.Unlock()
	s.apart()
	if s.why.explainer == nil {
		var err error
		if s.why.explainer, err = s.why.grounding.ExplainerBy(s.answer, s.why.multipliers); err != nil {
			return err
		}
	}
	return f(s.why.grounding, s.why.explainer)
}

// Explain says why a target has its value, with so many counterfactuals. After Apart, it may be called beside changes.
func (s *Site) Explain(ctx context.Context, o explain.Options, changes int, predicate string, arguments []string) (
	found *explain.Explanation, err error) {
	err = s.explaining(func(_ *session.Grounding, x *session.Explainer) error {
		if found, err = x.Explain(ctx, o, predicate, arguments...); err != nil || changes == 0 {
			return err
		}
		return x.Changes(ctx, found, changes)
	})
	return found, err
}
