package ties

import (
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// chains say which targets that nobody has labelled are about the same as labelled ones: M(A, Y) -> L(A, Y), also by
// way of others such as M. Truth about the one is then truth about the other: a network that M is equated with learns
// from it.
type chains struct {
	ends  map[int]int  // the labelled predicate where the chain of another one ends; a labelled one is its own
	rules map[int]bool // that chains are made of
}

// chained returns the chains of the rules.
func (t *Ties) chained() *chains {
	if t.chains != nil {
		return t.chains
	}
	t.chains = &chains{make(map[int]int), make(map[int]bool)}
	silent := make([]bool, len(t.g.Program.Predicates))
	for k, p := range t.g.Program.Predicates {
		if p.Closed || p.Perceived {
			continue
		}
		if silent[k] = !t.HasTruth(k); !silent[k] {
			t.chains.ends[k] = k
		}
	}
	for grown := true; grown; {
		grown = false
		next := make(map[int]int)
		for k := range silent {
			if _, done := t.chains.ends[k]; !silent[k] || done {
				continue
			}
			if end := t.lengthen(k, silent); end >= 0 {
				next[k], grown = end, true
			}
		}
		for from, end := range next {
			t.chains.ends[from] = end
		}
	}
	return t.chains
}

// lengthen finds rules by which a predicate is about the same as one whose chain is known, and returns its end, or -1.
func (t *Ties) lengthen(from int, silent []bool) int {
	end := -1
	for _, rule := range t.g.Program.Rules {
		to := equated(t.g.Program, rule, from)
		reached, known := t.chains.ends[to]
		if !known || end >= 0 && reached != end || !t.same(from, to, silent) {
			continue
		}
		end = reached
		t.chains.rules[rule.Index] = true
	}
	return end
}

// same tells whether a predicate from which another one follows is about the same, and no kind of it of which there are
// more, as of Dog(A) -> Animal(A) and Cat(A) -> Animal(A): the converse follows as well, or what nobody has labelled
// leads there from it alone.
func (t *Ties) same(from, to int, silent []bool) bool {
	alone := true
	for _, rule := range t.g.Program.Rules {
		if equated(t.g.Program, rule, to) == from {
			return true
		}
		for k, unknown := range silent {
			alone = alone && (!unknown || k == from || k == to || equated(t.g.Program, rule, k) != to)
		}
	}
	return alone
}

// lend gives targets without labels those of the ends of their chains: known has the place of each variable's label.
func (t *Ties) lend(known map[int32]int) {
	var tuple []symbol.ID
	for from, atoms := range t.g.Tables.Store.Relations {
		to, chained := t.chained().ends[from]
		if !chained || to == from {
			continue
		}
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			tuple = atoms.Tuple(tuple[:0], row)
			end, there := t.g.Tables.Store.Relations[to].Find(tuple...)
			if !there || t.g.Tables.Store.Relations[to].Role(end) != relation.Target {
				continue
			}
			if label, labelled := known[t.g.Tables.Store.Relations[to].Number(end)]; labelled {
				known[atoms.Number(row)] = label
			}
		}
	}
}
