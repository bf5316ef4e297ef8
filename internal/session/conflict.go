package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve/conflict"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// HardRule is a hard ground rule: potential at of a block.
type HardRule struct {
	Block *mrf.Block
	At    int
}

// Conflict prints hard ground rules that cannot hold together, of those that a solver names by their places among all
// potentials: a few of which none can be left out, or where that takes too long to find, a group that share variables.
func (g *Grounding) Conflict(ctx context.Context, places []int) []string {
	return g.printed(g.conflicting(ctx, places))
}

// printed prints hard ground rules.
func (g *Grounding) printed(rules []HardRule) (lines []string) {
	tracer := ground.NewTracer(g.Program, g.Tables.Store)
	for _, rule := range rules {
		lines = append(lines, g.inWords(tracer, rule))
	}
	return lines
}

// conflicting is Conflict without words.
func (g *Grounding) conflicting(ctx context.Context, places []int) []HardRule {
	if len(places) == 0 {
		return nil
	}
	return arranged(HardRules(g.Model, conflict.Minimal(ctx, g.Field, places, g.Settings.Solve)))
}

// ExplainConflict is why an answer has no state: the ground rules of its conflict, with all that they were made from.
func (g *Grounding) ExplainConflict(answer *Answer) *explain.Conflict {
	x, out := g.Namer(), &explain.Conflict{Status: answer.Status, Conflict: answer.Conflict}
	for _, rule := range answer.clash {
		named := x.groundRule(slices.Index(g.Model.Blocks, rule.Block), rule.At, 0, answer)
		out.GroundRules = append(out.GroundRules, explain.Clash{Rule: named.Rule, File: named.File, Line: named.Line,
			GroundRule: named.GroundRule, Atoms: named.Atoms})
	}
	return out
}

// together is how many ground rules of one rule stand next to each other in a conflict.
const together = 10

// arranged puts ground rules of the rules that have fewest of them first, since one sum is more telling than the many
// atoms in it; of each rule a few at a time, so that the beginning of a long list has some of each.
func arranged(rules []HardRule) []HardRule {
	count, seen := make(map[int]int), make(map[int]int)
	for _, rule := range rules {
		count[rule.Block.Rule]++
	}
	turn := make(map[HardRule]int)
	for _, rule := range rules {
		turn[rule] = seen[rule.Block.Rule] / together
		seen[rule.Block.Rule]++
	}
	slices.SortStableFunc(rules, func(a, b HardRule) int {
		return cmp.Or(turn[a]-turn[b], count[a.Block.Rule]-count[b.Block.Rule], a.Block.Rule-b.Block.Rule)
	})
	return rules
}

// inWords prints a hard ground rule as its rule is written, with constants for the variables; and if observed atoms
// decide what it says of the others, that too.
func (g *Grounding) inWords(tracer *ground.Tracer, rule HardRule) string {
	linear := ground.Text(g.Theta, g.Tables.Store, rule.Block, rule.At)
	found := tracer.Trace(rule.Block, rule.At, 0)
	if found == nil { // of examples, which are ground with other observations
		return linear
	}
	written := syntax.Print(syntax.Substitute(found.Rule.Written, found.Constants))
	if !slices.ContainsFunc(found.Terms, func(t ground.Term) bool { return !t.Free() }) {
		return written
	}
	return fmt.Sprintf("%s  [%s]", written, linear)
}

// HardRules finds the ground rules at places, which ascend.
func HardRules(model *mrf.Model, places []int) []HardRule {
	rules := make([]HardRule, 0, len(places))
	first := 0
	for _, b := range model.Blocks {
		for len(rules) < len(places) && places[len(rules)] < first+b.Len {
			rules = append(rules, HardRule{b, places[len(rules)] - first})
		}
		first += b.Len
	}
	return rules
}
