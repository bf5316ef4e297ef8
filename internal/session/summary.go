package session

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// PredicateAnswer sums up the answer about one predicate's atoms.
type PredicateAnswer struct {
	Predicate string `json:"predicate"`
	Atoms     int    `json:"atoms"`
	// Mean is that of the values, and AboveHalf the share of those above ½.
	Mean      float64 `json:"mean"`
	AboveHalf float64 `json:"above_half"`
	// True says which of them count as true, where learning has found from which value on; nil elsewhere.
	True *TrueAtoms `json:"true,omitempty"`
	// Largest are the atoms with the largest values, the largest first; of equal ones the first in the data.
	Largest []Atom `json:"largest"`
}

// TrueAtoms are the atoms of a predicate whose values are at least a threshold that was learned.
type TrueAtoms struct {
	From  float64 `json:"from"`
	Share float64 `json:"share"`
}

// largestAtoms is how many atoms a PredicateAnswer names.
const largestAtoms = 3

// ByPredicate sums up an answer by predicate, in the order of the configuration; those without atoms are left out.
func (g *Grounding) ByPredicate(answer *Answer) []PredicateAnswer {
	var all []PredicateAnswer
	for k, atoms := range g.Tables.Store.Relations {
		p := PredicateAnswer{Predicate: g.Project.Config.Predicates[k].Name}
		var sum, above, from float64
		threshold, learned := g.thresholds[k]
		var rows []int32 // of the largest values
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			if !atoms.Has(row) {
				continue
			}
			v := FreeValue(answer, atoms, row)
			p.Atoms++
			sum += v
			if v > 0.5 {
				above++
			}
			if v >= threshold {
				from++
			}
			if len(rows) == largestAtoms && v <= FreeValue(answer, atoms, rows[len(rows)-1]) {
				continue
			}
			at := len(rows)
			for at > 0 && v > FreeValue(answer, atoms, rows[at-1]) {
				at--
			}
			rows = slices.Insert(rows, at, row)
			rows = rows[:min(len(rows), largestAtoms)]
		}
		if p.Atoms == 0 {
			continue
		}
		p.Mean, p.AboveHalf = sum/float64(p.Atoms), above/float64(p.Atoms)
		if learned {
			p.True = &TrueAtoms{threshold, from / float64(p.Atoms)}
		}
		for _, row := range rows {
			p.Largest = append(p.Largest, Atom{p.Predicate, g.arguments(atoms, row), FreeValue(answer, atoms, row)})
		}
		all = append(all, p)
	}
	return all
}

// PredicateSize is how many atoms a predicate has.
type PredicateSize struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments" doc:"their types"`
	Observed  int      `json:"observed"`
	Targets   int      `json:"targets" doc:"atoms that are inferred"`
	Inputs    int      `json:"inputs" doc:"atoms whose values networks or users give"`
}

// Sizes counts the atoms that there are, by predicate.
func (g *Grounding) Sizes() []PredicateSize {
	g.names.RLock()
	defer g.names.RUnlock()
	all := make([]PredicateSize, len(g.Tables.Store.Relations))
	for k, atoms := range g.Tables.Store.Relations {
		declared, size := g.Project.Config.Predicates[k], &all[k]
		size.Predicate, size.Arguments = declared.Name, []string{}
		for _, t := range declared.Types {
			size.Arguments = append(size.Arguments, t.String())
		}
		if atoms.Function != nil { // which computes them
			continue
		}
		for row := range int32(atoms.Len()) {
			switch {
			case !atoms.Has(row):
			case int(row) < atoms.Observed:
				size.Observed++
			case atoms.Free == relation.Target:
				size.Targets++
			default:
				size.Inputs++
			}
		}
	}
	return all
}

// RuleCost is what one rule's ground rules cost at an answer.
type RuleCost struct {
	Rule   string  `json:"rule"`
	Weight float64 `json:"weight"` // 0 of a hard rule
	Hard   bool    `json:"hard"`
	// GroundRules counts those in the model, and Active those of them whose hinge is not flat there, to within 0.001:
	// what they ask for is not had, or only just.
	GroundRules int64 `json:"ground_rules"`
	Active      int64 `json:"active"`
	// Cost is their part of the objective; hard rules cost nothing.
	Cost float64 `json:"cost"`
}

// ActiveMargin is how far below 0 the argument of a hinge is if it is flat there, and not at its kink.
const ActiveMargin = 1e-3

// CostByRule shares an answer's objective out among the rules.
func (g *Grounding) CostByRule(answer *Answer) ([]RuleCost, error) { return g.Costs(answer, nil) }

// Costs is CostByRule, for which all ground rules are gone through: also sees them span by span, unless it is nil.
func (g *Grounding) Costs(answer *Answer, also func(*mrf.Span)) ([]RuleCost, error) {
	potentials, active := make([]float64, g.Model.Rules), make([]float64, g.Model.Rules)
	err := g.Guard(func() error {
		g.Field.SetInputs(answer.Perceived)
		g.Field.Tally(answer.Values, ActiveMargin, potentials, active, also)
		return nil
	})
	costs := make([]RuleCost, len(g.Program.Rules))
	for k, count := range g.Counts() {
		costs[k] = RuleCost{Rule: count.Rule, Hard: count.Hard, GroundRules: count.Kept, Active: int64(active[k])}
		if !count.Hard {
			costs[k].Weight, costs[k].Cost = g.Theta[k], g.Theta[k]*potentials[k]
		}
	}
	return costs, err
}
