// Package ties finds what rules tie to the atoms that networks see: the targets that are about the same, to which truth
// about the one is truth about the other, and whose inferred values a network may imitate. It reads the rules, and
// their ground rules where atoms have other arguments; it computes no values.
package ties

import (
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/session"
)

// Ties are those of one grounding's neural predicates, each found when it is first asked for.
type Ties struct {
	g       *session.Grounding
	links   map[int]link // of neural predicates
	affirms map[int]affirmation
	chains  *chains // of targets
	passing []bool  // which rules just pass on what networks see; nil before
}

// Of returns the ties of a grounding.
func Of(g *session.Grounding) *Ties { return &Ties{g: g} }

// HasTruth tells whether there is truth about a predicate to learn from.
func (t *Ties) HasTruth(predicate int) bool {
	truth, err := t.g.Truth(load.Learn, predicate) // an error has been told where labels were read
	return err == nil && truth != nil && truth.Len() > 0
}
