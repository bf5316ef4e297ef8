package deeppsl

import (
	"fmt"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// hardRule is a hard ground rule: potential at of a block.
type hardRule struct {
	block *mrf.Block
	at    int
}

// conflict prints hard ground rules that cannot hold together, of those that a solver names by their places among all
// potentials. The solver names every one that the least violating state violates. Those that share no variable, not
// even through others, contradict each other independently: one such group says enough.
func (g *Grounding) conflict(places []int) []string {
	if len(places) == 0 {
		return nil
	}
	var lines []string
	for _, rule := range connected(hardRules(g.model, places)) {
		template := g.program.Rules[rule.block.Rule]
		line := ground.Text(g.program, g.tables.Store, rule.block, rule.at)
		lines = append(lines, fmt.Sprintf("%s  [of the rule %s]", line, template.Text))
	}
	return lines
}

// hardRules finds the ground rules at places, which ascend.
func hardRules(model *mrf.Model, places []int) []hardRule {
	rules := make([]hardRule, 0, len(places))
	first := 0
	for _, b := range model.Blocks {
		for len(rules) < len(places) && places[len(rules)] < first+b.Len {
			rules = append(rules, hardRule{b, places[len(rules)] - first})
		}
		first += b.Len
	}
	return rules
}

// connected returns the rules that the first one is connected to by variables, itself first, in order.
func connected(rules []hardRule) []hardRule {
	reached := make(map[int32]bool)
	taken := make([]bool, len(rules))
	take := func(k int) {
		taken[k] = true
		for _, v := range rules[k].block.Variables(rules[k].at) {
			reached[v] = true
		}
	}
	take(0)
	for grown := true; grown; {
		grown = false
		for k, rule := range rules {
			if !taken[k] && touches(rule, reached) {
				take(k)
				grown = true
			}
		}
	}
	var group []hardRule
	for k, rule := range rules {
		if taken[k] {
			group = append(group, rule)
		}
	}
	return group
}

func touches(rule hardRule, variables map[int32]bool) bool {
	for _, v := range rule.block.Variables(rule.at) {
		if variables[v] {
			return true
		}
	}
	return false
}
