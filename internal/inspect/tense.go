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

// The ground rules that cost most are asked for of a rule, by its number, or of these.
const softRules, hardRules = -1, -2

// costliest returns the ground rules that cost most of those of a rule, or of all soft or hard ones, named.
func (s *Site) costliest(ctx context.Context, of int) ([]groundRule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, known := s.costly[of]; known {
		return found, nil
	}
	w, err := s.weigh()
	if err != nil {
		return nil, err
	}
	found, err := s.pick(w.spans, func(rule int) bool {
		return rule == of || of < 0 && s.grounding.Program.Rules[rule].Weight.Hard == (of == hardRules)
	})
	if err != nil {
		return nil, err
	}
	if s.namer == nil {
		s.namer = s.grounding.Namer()
	}
	for k := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.name(&found[k])
	}
	s.costly[of] = found
	return found, nil
}

// weighed is what all ground rules cost.
type weighed struct {
	costs []session.RuleCost
	spans []stretch // where some cost more than least
}

// stretch is a span of a rule's ground rules, and what the costliest of them costs.
type stretch struct {
	span, rule int
	most       float64
}

// costs are those of the rules.
func (s *Site) costs() ([]session.RuleCost, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := s.weigh()
	if err != nil {
		return nil, err
	}
	return w.costs, nil
}

// weigh goes through all ground rules, once; the site is locked.
func (s *Site) weigh() (*weighed, error) {
	if s.weighed != nil {
		return s.weighed, nil
	}
	all := make([]stretch, s.grounding.Field.Spans())
	costs, err := s.grounding.Costs(s.answer, func(span *mrf.Span) { all[span.Number] = measure(span) })
	if err != nil {
		return nil, err
	}
	s.weighed = &weighed{costs, slices.DeleteFunc(all, func(each stretch) bool { return each.most <= least })}
	return s.weighed, nil
}

// measure is the stretch of a span.
func measure(s *mrf.Span) stretch {
	most := 0.0
	for k, d := range s.D {
		if d > 0 || s.Block.Kind == mrf.Equal || s.Block.Kind == mrf.Absolute {
			most = max(most, cost(s.Block, d, s.W(k)))
		}
	}
	return stretch{s.Number, s.Block.Rule, most}
}

// cost is what a ground rule with a slack and a weight costs, or by how much a hard one is violated.
func cost(block *mrf.Block, slack, weight float64) float64 {
	if block.Kind.Hard() {
		return violation(block.Kind, slack)
	}
	value, _ := block.Potential(slack)
	return weight * value
}

// pick finds those that cost most of some rules. They lie where the costliest of a span costs most: so few spans are
// gone through again.
func (s *Site) pick(spans []stretch, wanted func(rule int) bool) (found []groundRule, err error) {
	var of []stretch
	for _, each := range spans {
		if wanted(each.rule) {
			of = append(of, each)
		}
	}
	slices.SortStableFunc(of, func(a, b stretch) int { return -cmp.Compare(a.most, b.most) })
	var numbers []int
	for _, each := range of[:min(len(of), shownGround)] {
		numbers = append(numbers, each.span)
	}
	slices.Sort(numbers)
	err = s.grounding.Guard(func() error {
		s.grounding.Field.Visit(numbers, s.answer.Values, func(span *mrf.Span) {
			for k, d := range span.D {
				keep(&found, groundRule{Rule: span.Block.Rule, Hard: span.Block.Kind.Hard(),
					Cost: cost(span.Block, d, span.W(k)), block: span.Place, at: span.At(k)})
			}
		})
		return nil
	})
	return found, err
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

// name says what a ground rule is in words.
func (s *Site) name(g *groundRule) {
	instance := s.namer.Instance(g.block, g.at, 0)
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
	soft, err := s.costliest(ctx, softRules)
	if err != nil {
		return nil, err
	}
	hard, err := s.costliest(ctx, hardRules)
	if err != nil {
		return nil, err
	}
	return &page{Name: "tense", Title: "Costly ground rules", Data: struct {
		Soft, Hard []groundRule
		Objective  float64
	}{soft, hard, s.answer.Objective}}, nil
}
