package session

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/source"
)

// GroundRule is one in a file of them.
type GroundRule struct {
	Rule string `json:"rule"`
	// File and Line are where the rule is written.
	File string `json:"file"`
	Line int    `json:"line"`
	Hard bool   `json:"hard"`
	// Weight is 0 of hard rules.
	Weight  float64 `json:"weight"`
	Squared bool    `json:"squared"`
	// GroundRule is the rule with constants for the variables, and Atoms all of its atoms; "" and none of examples, which
	// are ground with other observations.
	GroundRule string         `json:"ground_rule"`
	Atoms      []explain.Atom `json:"atoms"`
	*Toll
}

// Toll is how far an answer is from satisfying a ground rule, and what that costs.
type Toll struct {
	Distance float64 `json:"distance"`
	Cost     float64 `json:"cost"`
}

// WriteGroundRules writes all ground rules as lines of JSON, with what they were made from, and what they cost at an
// answer if that is not nil.
func (g *Grounding) WriteGroundRules(w io.Writer, answer *Answer) error {
	if g.Model.Paged() != nil {
		return explain.ErrPaged
	}
	x := g.Namer()
	index := mrf.NewOccurrences(g.Model)
	if index == nil {
		return explain.ErrTooLarge
	}
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	place := 0
	for block, b := range g.Model.Blocks {
		for j := range b.Len {
			rule := x.groundRule(block, j, index.Twins(place), answer)
			if err := encoder.Encode(rule); err != nil {
				return err
			}
			place++
		}
	}
	return out.Flush()
}

// Namer is an Explainer that names ground rules, and explains no state.
func (g *Grounding) Namer() *Explainer {
	return &Explainer{grounding: g, tracer: ground.NewTracer(g.Program, g.Tables.Store)}
}

// groundRule names one, of several that are equal the one after so many others.
func (x *Explainer) groundRule(block, j, others int, answer *Answer) *GroundRule {
	b := x.grounding.Model.Blocks[block]
	rule := x.grounding.Program.Rules[b.Rule]
	out := &GroundRule{Rule: rule.Text, Hard: b.Kind.Hard(), Squared: !b.Kind.Hard() && b.Exponent == 2,
		Atoms: []explain.Atom{}}
	out.File, out.Line = position(rule.Span)
	p := b.At(j)
	if !out.Hard {
		out.Weight = x.grounding.Theta[b.Rule] * p.Scale
	}
	if answer != nil {
		out.Toll = toll(b, &p, out.Weight, answer)
	}
	in := x.Instance(block, j, others)
	if in == nil {
		return out
	}
	out.GroundRule = in.Text()
	for k := range in.Terms {
		t := &in.Terms[k]
		switch {
		case answer == nil:
		case t.Free && t.Role == explain.RoleTarget:
			t.Value = answer.Values[t.Number]
		case t.Free:
			t.Value = answer.Perceived[t.Number]
		}
		out.Atoms = append(out.Atoms, t.Atom)
	}
	return out
}

// toll is what a potential of a block costs with a weight.
func toll(b *mrf.Block, p *mrf.Potential, weight float64, answer *Answer) *Toll {
	slack := p.Constant
	for k, i := range p.Vars {
		slack += p.Coef[k] * answer.Values[i]
	}
	for k, i := range p.Inputs {
		slack += p.InputCoef[k] * answer.Perceived[i]
	}
	value, _ := b.Potential(slack)
	out := &Toll{Distance: max(0, slack), Cost: weight * value}
	if b.Kind == mrf.Equal || b.Kind == mrf.Absolute {
		out.Distance = max(slack, -slack)
	}
	return out
}

// position is where a rule is written.
func position(at source.Span) (file string, line int) {
	at = at.Written()
	if at.File == nil {
		return "", 0
	}
	if at.HasText() {
		line, _ = at.File.Position(at.Start)
	}
	return at.File.Name, line
}
