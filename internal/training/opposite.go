package training

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

const (
	// opposedErrors is by how many standard errors a rule's head has to be true less often where its body is true than
	// elsewhere, and opposedGain by how many nats each thing with a label has to be told better by that.
	opposedErrors, opposedGain = 3, 0.01
	// littleLeft is the part of the largest weight, both relative to what was written, up to which little is left of one.
	littleLeft = 0.3
)

// opposite notices rules that labels contradict. No weight is below 0, so learning leaves such a rule out, and does not
// say that its opposite would tell something.
func (n *notices) opposite() error {
	g := n.g
	labels, err := g.labels(load.Learn, relation.Target)
	if err != nil {
		return err
	}
	exclusive := labels.Coupled()
	for _, rule := range g.leftOut() {
		if !concludes(rule) || slices.ContainsFunc(g.Program.Rules, rivals(rule, exclusive)) {
			continue
		}
		if with, without := g.conclusions(rule, labels); with.less(without) {
			n.see("learn-opposite", rule.Span, "", "try the opposite, "+opposed(rule),
				"the labels say the opposite: what the rule concludes is true of %.0f %% of the %d labels where all else in it "+
					"is true, and of %.0f %% of the %d others", 100*with.share(), with.labels, 100*without.share(), without.labels)
		}
	}
	return nil
}

// leftOut returns the rules of which learning has left little, or all that are to be learned if weights are as written:
// a rule may be right beside others though what it concludes is seldom true.
func (g *learner) leftOut() (rules []*program.Rule) {
	written, most, least := g.written(), 0.0, math.Inf(1)
	ratio := func(rule *program.Rule) float64 { return g.Theta[rule.Index] / written[rule.Index] }
	for r, learned := range g.learned() {
		if learned && !g.Program.Rules[r].Inactive {
			rules = append(rules, g.Program.Rules[r])
			most, least = max(most, ratio(g.Program.Rules[r])), min(least, ratio(g.Program.Rules[r]))
		}
	}
	kept := func(rule *program.Rule) bool { return least < most && ratio(rule) > littleLeft*most }
	return slices.DeleteFunc(rules, kept)
}

// concludes tells whether a rule concludes one atom from others.
func concludes(rule *program.Rule) bool {
	clause := rule.Written.Logical
	return clause != nil && len(clause.Head) == 1 && clause.Head[0].Atom != nil && len(rule.Atoms) > 1
}

// rivals tells whether another rule concludes something of the same predicate from the same: the opposite, or, of
// classes of which one is true, the others, as where each has a rule of its own. Then the rule's own opposite adds
// nothing.
func rivals(rule *program.Rule, exclusive bool) func(other *program.Rule) bool {
	body, head := printed(rule.Written.Logical.Body), rule.Written.Logical.Head[0].Atom
	return func(other *program.Rule) bool {
		if other == rule || !concludes(other) || printed(other.Written.Logical.Body) != body {
			return false
		}
		atom := other.Written.Logical.Head[0].Atom
		return atom.Name == head.Name && (exclusive || atom.String() == head.String())
	}
}

// printed is the literals of a body.
func printed(body []syntax.Literal) (text string) {
	for _, literal := range body {
		text += literal.String() + " "
	}
	return text
}

// opposed prints a rule with the opposite conclusion.
func opposed(rule *program.Rule) string {
	other, clause := *rule.Written, *rule.Written.Logical
	clause.Head = slices.Clone(clause.Head)
	clause.Head[0].Negated = !clause.Head[0].Negated
	other.Logical = &clause
	return syntax.Print(&other)
}

// outcomes counts labels of what a rule concludes, those that say that it is true, and the things that they are about.
type outcomes struct{ labels, true, things int }

// share is that of the labels which are true, with one more of either kind.
func (o outcomes) share() float64 { return (float64(o.true) + 1) / (float64(o.labels) + 2) }

// less tells whether labels are true less often than others, by what is no chance and tells something of each thing.
func (o outcomes) less(others outcomes) bool {
	p, q := o.share(), others.share()
	if o.labels < fewLabels || others.labels < fewLabels || p >= q {
		return false
	}
	n, m := float64(o.labels), float64(others.labels)
	all := (n*p + m*q) / (n + m)
	gain := n*divergence(p, all) + m*divergence(q, all)
	return q-p > opposedErrors*math.Sqrt(p*(1-p)/n+q*(1-q)/m) && gain > opposedGain*float64(o.things)
}

// divergence is Kullback and Leibler's of what is true with probability p from what is with q.
func divergence(p, q float64) float64 { return p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q)) }

// conclusions counts what labels say of a rule's conclusion: where labels and observations make all else in a ground
// rule true, and elsewhere, of the same class if it names one. Labels that are degrees say nothing.
func (g *learner) conclusions(rule *program.Rule, labels *label.Labels) (with, without outcomes) {
	head := &rule.Atoms[len(rule.Atoms)-1]
	atoms := g.Tables.Store.Relations[head.Predicate]
	if atoms.Free != relation.Target {
		return with, without
	}
	truth := slices.Repeat([]float64{math.NaN()}, g.Model.Variables)
	for k, variable := range labels.Variables {
		if truth[variable] = labels.Truth[k]; truth[variable] != 0 && truth[variable] != 1 {
			return with, without
		}
	}
	about := make(map[int32]bool, atoms.FreeLen())
	var tuple []symbol.ID
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		if tuple = atoms.Tuple(tuple[:0], row); g.named(head, tuple) {
			about[atoms.Number(row)] = true
		}
	}
	follows := g.following(rule.Index, head.Coef.Number, about, truth)
	things := make(map[int32]bool)
	for k, variable := range labels.Variables {
		if !about[variable] {
			continue
		}
		things[labels.Entities[k]] = true
		says := &without
		if follows[variable] {
			says = &with
		}
		if says.labels++; (truth[variable] == 1) == (head.Coef.Number < 0) { // it stands in the clause as it is concluded
			says.true++
		}
	}
	with.things, without.things = len(things), len(things)
	return with, without
}

// named tells whether these arguments have the constants that an atom of a rule has.
func (g *learner) named(atom *program.Atom, arguments []symbol.ID) bool {
	for k, term := range atom.Args {
		if id, _ := g.Tables.Store.Symbols.Lookup(term.Constant); !term.IsVariable() && arguments[k] != id {
			return false
		}
	}
	return true
}

// following finds the labelled variables that a rule concludes, each with a coefficient in its clause, from what is
// true by labels; the truth of others is no number.
func (g *learner) following(rule int, coefficient float64, about map[int32]bool, truth []float64) map[int32]bool {
	follows := make(map[int32]bool)
	var buffer mrf.RowBuffer
	for _, b := range g.Model.Blocks {
		if b.Rule != rule {
			continue
		}
		for j := range b.Len {
			if len(b.InputRow(j)) > 0 {
				continue
			}
			ids, coef := b.Row(j, &buffer)
			slack := b.Constant + b.Own(j)
			for k, i := range ids {
				slack += coef[k] * truth[i]
			}
			for k, i := range ids {
				// A clause's slack is the truth of all else in it, less that of what is concluded.
				if about[i] && coef[k] == coefficient && slack+max(0, coefficient)-coefficient*truth[i] > 0.5 {
					follows[i] = true
				}
			}
		}
	}
	return follows
}
