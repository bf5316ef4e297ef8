package inspect

import (
	"cmp"
	"context"
	"math"
	"net/url"
	"slices"

	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/session"
)

// shownGround is how many ground rules of a rule are shown.
const shownGround = 50

// groundRule is a ground rule that costs something, or a hard one that is violated.
type groundRule struct {
	Rule int
	Hard bool
	// Cost is its part of the objective, or by how much a hard one is violated.
	Cost  float64
	Text  string
	Atoms []explain.Atom

	block, at int // where it is
}

// costliest returns the ground rules that cost most of those of some rules, named.
func (s *Site) costliest(ctx context.Context, rules ...int) (found []groundRule, err error) {
	err = s.explaining(func(x *session.Explainer) error {
		if s.tense == nil {
			if err := s.weigh(); err != nil {
				return err
			}
		}
		for _, g := range s.top(rules) {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.name(x, g)
			found = append(found, *g)
		}
		return nil
	})
	return found, err
}

// top returns the ground rules that cost most of those of some rules, the costliest first.
func (s *Site) top(rules []int) (all []*groundRule) {
	for _, rule := range rules {
		for k := range s.tense[rule] {
			all = append(all, &s.tense[rule][k])
		}
	}
	slices.SortStableFunc(all, func(a, b *groundRule) int { return -cmp.Compare(a.Cost, b.Cost) })
	return all[:min(len(all), shownGround)]
}

// stretch is where ground rules lie that a sweep visits together, and what the costliest of them costs.
type stretch struct {
	block, first, len int
	most              float64
}

// weigh goes through all ground rules for those that cost most. Those of a rule lie where the costliest of a stretch
// costs most, so that one pass over all finds stretches, and another one goes through these alone.
func (s *Site) weigh() error {
	g := s.grounding
	all, stretches := make([][]groundRule, g.Model.Rules), make([][]stretch, g.Model.Rules)
	err := g.Guard(func() error {
		g.Field.SetInputs(s.answer.Perceived)
		found := make([]stretch, g.Field.Spans())
		g.Field.Sweep(s.answer.Values, nil, func(span *mrf.Span) float64 {
			found[span.Number] = stretch{span.Place, span.First, len(span.D), highest(span)}
			return 0
		})
		for _, each := range found {
			if rule := g.Model.Blocks[each.block].Rule; each.most > least {
				stretches[rule] = append(stretches[rule], each)
			}
		}
		for rule, of := range stretches {
			slices.SortStableFunc(of, func(a, b stretch) int { return -cmp.Compare(a.most, b.most) })
			of = of[:min(len(of), shownGround)]
			slices.SortFunc(of, func(a, b stretch) int { return cmp.Compare(a.first, b.first) })
			for _, each := range of {
				s.pick(&all[rule], each)
			}
		}
		return nil
	})
	s.tense = all
	return err
}

// highest is what the costliest ground rule of a span costs.
func highest(s *mrf.Span) (most float64) {
	for k, d := range s.D {
		if d > 0 || s.Block.Kind == mrf.Equal || s.Block.Kind == mrf.Absolute {
			most = max(most, cost(s.Block, d, s.W(k)))
		}
	}
	return most
}

// cost is what a ground rule with a slack and a weight costs, or by how much a hard one is violated.
func cost(block *mrf.Block, slack, weight float64) float64 {
	if block.Kind.Hard() {
		return violation(block.Kind, slack)
	}
	value, _ := block.Potential(slack)
	return weight * value
}

// pick keeps those of a stretch that cost most.
func (s *Site) pick(all *[]groundRule, at stretch) {
	g, first := s.grounding, 0
	for _, before := range g.Model.Blocks[:at.block] {
		first += before.Len
	}
	block := g.Model.Blocks[at.block]
	for j := at.first - first; j < at.first-first+at.len; j++ {
		p := block.At(j)
		slack := p.Constant
		for k, i := range p.Vars {
			slack += p.Coef[k] * s.answer.Values[i]
		}
		for k, i := range p.Inputs {
			slack += p.InputCoef[k] * s.answer.Perceived[i]
		}
		keep(all, groundRule{Rule: block.Rule, Hard: block.Kind.Hard(), Cost: cost(block, slack, g.Theta[block.Rule]*p.Scale),
			block: at.block, at: j})
	}
}

// violation is by how much a hard ground rule with a slack is violated.
func violation(kind mrf.Kind, slack float64) float64 {
	if kind == mrf.Equal {
		return math.Abs(slack)
	}
	return max(0, slack)
}

// least is what a ground rule costs at least if it is shown: less than that is rounding.
const least = 1e-6

// keep puts a ground rule among those that cost most.
func keep(all *[]groundRule, g groundRule) {
	if g.Cost <= least || len(*all) == shownGround && g.Cost <= (*all)[shownGround-1].Cost {
		return
	}
	at, _ := slices.BinarySearchFunc(*all, g.Cost, func(other groundRule, cost float64) int {
		if other.Cost >= cost { // of equal ones the first stays first
			return -1
		}
		return 1
	})
	*all = slices.Insert(*all, at, g)
	*all = (*all)[:min(len(*all), shownGround)]
}

// name says what a ground rule is in words, once.
func (s *Site) name(x *session.Explainer, g *groundRule) {
	if g.Text != "" {
		return
	}
	instance := x.Instance(g.block, g.at, 0)
	if instance == nil {
		g.Text = s.grounding.Program.Rules[g.Rule].Text
		return
	}
	g.Text = instance.Text()
	for _, term := range instance.Terms {
		if term.Free {
			term.Value = s.value(term.Role, term.Number)
		}
		g.Atoms = append(g.Atoms, term.Atom)
	}
}

// value is that of a target, or of an input.
func (s *Site) value(role string, number int32) float64 {
	if role == explain.RoleTarget {
		return s.answer.Values[number]
	}
	return s.answer.Perceived[number]
}

// tensest is the page of the ground rules that cost most of all, and of hard ones that are violated.
func (s *Site) tensest(ctx context.Context, _ url.Values) (*page, error) {
	var rules [2][]int // soft, hard
	for k, rule := range s.grounding.Program.Rules {
		kind := 0
		if rule.Weight.Hard {
			kind = 1
		}
		rules[kind] = append(rules[kind], k)
	}
	soft, err := s.costliest(ctx, rules[0]...)
	if err != nil {
		return nil, err
	}
	hard, err := s.costliest(ctx, rules[1]...)
	if err != nil {
		return nil, err
	}
	return &page{Name: "tense", Title: "Costly ground rules", Data: struct {
		Soft, Hard []groundRule
		Objective  float64
	}{soft, hard, s.answer.Objective}}, nil
}
