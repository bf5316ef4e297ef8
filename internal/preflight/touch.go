package preflight

import (
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
)

// lintTouched reports targets that are in no ground rule, of predicates some of whose targets are. That is known only
// where all ground rules about a predicate could be looked at.
func (m *Model) lintTouched(out *source.Diagnostics) {
	touched := make(map[int32]bool)
	sampled := make(map[int]bool) // predicates in rules that were not looked at whole
	for k := range m.Estimates {
		e := &m.Estimates[k]
		for _, a := range atoms(m.Program.Rules[k]) {
			sampled[a.Predicate] = sampled[a.Predicate] || !e.Exact
		}
		for _, variable := range e.Touched {
			touched[variable] = true
		}
	}
	for k, p := range m.Config.Predicates {
		if r := m.Tables.Store.Relations[k]; r.Free == relation.Target && !sampled[k] {
			m.lintUntouched(p, r, touched, out)
		}
	}
}

// lintUntouched reports the targets of a predicate that are not among the touched variables, if some are.
func (m *Model) lintUntouched(
	p *load.Predicate, r *relation.Relation, touched map[int32]bool, out *source.Diagnostics,
) {
	missed, example := 0, int32(0)
	for row := int32(r.Len()) - 1; int(row) >= r.Observed; row-- {
		if !touched[r.Number(row)] {
			missed, example = missed+1, row
		}
	}
	if missed == 0 || missed == r.FreeLen() {
		return
	}
	verb := map[bool]string{true: "is", false: "are"}[missed == 1]
	out.Warnf("untouched-target", p.Span, "add a rule about all of them, if only a prior: 1: !"+form(p),
		"%s of the %s of %s %s in no ground rule and can have any value, such as %s", ground.Amount(float64(missed), true),
		count(r.FreeLen(), "target"), p.Name, verb, m.Tables.Store.Atom(r, example))
}
