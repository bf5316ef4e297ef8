package live

import (
	"context"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/session"
)

// Knowing is New where what the answer's inference knew is observed from then on.
func Knowing(ctx context.Context, g *session.Grounding, answer *session.Answer) (*Session, error) {
	s, err := New(g, answer)
	if err != nil || len(g.Known.Variables) == 0 {
		return s, err
	}
	var observed []change.Change
	g.EachKnown(func(a session.Atom) {
		observed = append(observed, change.Observe(a.Value, a.Predicate, a.Arguments...))
	})
	_, err = s.Apply(ctx, observed)
	return s, err
}

// Observed returns a grounding in which what another one's inference knew is observed, and its answer.
func Observed(ctx context.Context, g *session.Grounding, answer *session.Answer) (
	*session.Grounding, *session.Answer, error,
) {
	s, err := Knowing(ctx, g, answer)
	if err != nil {
		return nil, nil, err
	}
	if g, err = s.Settled(ctx); err != nil {
		return nil, nil, err
	}
	answer, err = g.InferAgain(ctx, nil)
	return g, answer, err
}
