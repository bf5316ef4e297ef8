// Package latent is the likelihood of labels that rules tie to classes which nobody has labelled.
package latent

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// Likelihood is that of labels where networks see what nobody has labelled, such as the digits of a sum. Rules
// cannot begin to teach such networks by their hinges: as long as outputs are near uniform, no conjunction of them is
// above 0, and what is inferred depends on none. So here outputs are probabilities, and each thing has one class. A
// choice z of classes for the things that some ground rules speak of breaks these by e(v, z), with labels at values v.
// What the labels say of that scope is how probable their true values t are, of all that they could have:
//
//	−log Σ_z Π_t x(t, z_t) · p(t | z),   p(v | z) = exp(−β e(v, z)) / Σ_v' exp(−β e(v', z))
//
// Were it not for the sum below, classes that leave all open would explain everything: of people who are all as tall,
// each may be called the tallest. Labels that say which one of several classes is true, or that hard equalities tie,
// have other values together, with all further labels at the true ones; of degrees of truth, nothing else is thought to
// be possible. Scopes are taken to be independent of each other: the result is a composite likelihood (Varin, Reid and
// Firth 2011), exact where each label is about things of its own. It has a slope wherever something is to be learned,
// but for outputs that are all uniform. Labels about more things than can be gone through together are a crowd.
type Likelihood struct {
	scopes []*scope
	crowds []*crowd
	tried  int // choices times the terms that they are tried in
}

// scope is choices, and what each is worth.
type scope struct {
	Choices
	likely *Diagram // p(t | z) of each choice
	kept   *Diagram // exp(−β e(t, z)), or 1 where t is so likely that z tells it all the same
}

// wrongLabels is the share of labels that are taken to be wrong: exp(−β) for the largest weight.
const WrongLabels = 0.02

// tellingMore is how many times as probable as by lot a label is that classes tell, though they break ground rules: of
// a paper by two authors of different fields, one of which is its topic, but not of two things that may be as good.
const tellingMore = 1.5

// Len returns the number of scopes, and of crowds.
func (l *Likelihood) Len() int { return len(l.scopes) + len(l.crowds) }

// Renumbered returns it with inputs numbered anew.
func (l *Likelihood) Renumbered(number map[int32]int32) *Likelihood {
	anew := &Likelihood{tried: l.tried}
	for _, s := range l.scopes {
		anew.scopes = append(anew.scopes, s.renumbered(number))
	}
	for _, c := range l.crowds {
		anew.crowds = append(anew.crowds, c.renumbered(number))
	}
	return anew
}

// renumbered returns it with inputs numbered anew.
func (s *scope) renumbered(number map[int32]int32) *scope {
	return &scope{s.Choices.renumbered(number), s.likely, s.kept}
}

// Add adds what is known of labels at each choice: how likely they are.
func (l *Likelihood) Add(c Choices, likely *Diagram) {
	l.scopes = append(l.scopes, &scope{c, likely, likely})
}

// Value returns the mean loss of the scopes, and writes its gradient by the inputs if upstream is not nil.
func (l *Likelihood) Value(x, upstream []float64) float64 {
	clear(upstream)
	loss, many := 0.0, float64(l.Len())
	for _, s := range l.scopes {
		total := math.Max(s.likely.expect(s.ChanceOf(x)), label.TinyFloor)
		loss -= math.Log(total)
		if upstream != nil {
			s.slopes(s.likely, upstream, -1/(total*many))
		}
	}
	for _, c := range l.crowds {
		loss += c.loss(x, upstream, 1/many)
	}
	return loss / many
}

// Judge returns the verdict of the labels on what networks see: how probable it makes those of each scope, and all else
// that they could have, at each temperature.
func (l *Likelihood) Judge(x []float64) label.Verdict {
	likely := make([]float64, 0, l.Len())
	for _, s := range l.scopes {
		likely = append(likely, s.likely.expect(s.ChanceOf(x)))
	}
	for _, c := range l.crowds {
		likely = append(likely, math.Exp(-c.loss(x, nil, 1)))
	}
	return label.JudgeLikely(likely)
}

// Kept returns the share of the scopes whose classes, more likely than not, break nothing with the labels as they are,
// or tell them all the same.
func (l *Likelihood) Kept(x []float64) float64 {
	kept := 0
	for _, s := range l.scopes {
		if s.kept.expect(s.ChanceOf(x)) > 0.5 {
			kept++
		}
	}
	for _, c := range l.crowds {
		if c.unhurt(x) > 0.5 {
			kept++
		}
	}
	return float64(kept) / float64(l.Len())
}

// slopes adds the gradient of what a diagram of the scope expected last, times a factor.
func (s *scope) slopes(d *Diagram, upstream []float64, factor float64) {
	d.slopes(func(thing, class int, slope float64) {
		switch {
		case !s.Alone[thing]:
			upstream[s.Things[thing][class]] += factor * slope
		case class == 0:
			upstream[s.Things[thing][0]] += factor * slope
		default:
			upstream[s.Things[thing][0]] -= factor * slope
		}
	})
}
