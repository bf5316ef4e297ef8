package engine

import (
	"slices"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// What learning notices is about things with labels. Inference may be about others, in a graph of their own, where
// rules whose weights suit the labels push all things to one class, or away from one: that is noticed by the answer.

// An answer is suspicious if so many of at least so many things get one class, of which the labels, at least so many,
// had no more than a part: if it were right, labels by lot would have no more one time in thirty. Answers of more rows
// are not looked at.
const (
	mostAlike, varied        = 0.95, 0.7
	leastThings, leastLabels = 30, 4
	mostRows                 = 1_000_000
)

// contrast is the classes that an answer gives things of a relation, beside those of the labels learned from. Where
// things do not have one of several classes each, an atom is a thing, and true or false.
type contrast struct {
	relation      string
	sides         bool // atoms are true or false
	threshold     float64
	labels, given classes
}

// contrasts returns those of the relations that have enough labels.
func contrasts(learned, g *session.Grounding, answer *session.Answer) (all []contrast, err error) {
	for k, to := range g.Tables.Store.Relations {
		if to.FreeLen() < leastThings || to.FreeLen() > mostRows || to.Free != relation.Target {
			continue
		}
		truth, err := learned.Truth(load.Learn, k)
		if err != nil {
			return nil, err
		}
		if truth == nil || truth.Len() > mostRows {
			continue
		}
		c := contrast{relation: to.Name, sides: to.Arity < 2}
		c.labels.symbols, c.given.symbols = learned.Tables.Store.Symbols, g.Tables.Store.Symbols
		value := func(row int32) float64 { return answer.Values[to.Number(row)] }
		if !c.sides {
			c.labels.count(truth, 0, truth.Value)
			c.sides = c.labels.shared
		}
		if c.sides {
			c.threshold = g.Threshold(k)
			c.labels.countSides(truth, 0, truth.Value, eval.DefaultThreshold)
			c.given.countSides(to, int32(to.Observed), value, c.threshold)
		} else {
			c.given.count(to, int32(to.Observed), value)
		}
		if c.labels.things >= leastLabels && (!c.sides || decides(g.Project.Config.Predicates[k])) {
			all = append(all, c)
		}
	}
	return all, nil
}

// decides tells whether it matters on which side of a threshold a predicate's atoms are.
func decides(p *load.Predicate) bool {
	return p.Evaluations == nil ||
		slices.ContainsFunc(p.Evaluations, func(e load.Evaluation) bool { return e.Evaluator == "discrete" })
}

// alike warns of answers that give nearly all things one class, where the labels learned from had several.
func alike(all []contrast) (warnings source.Diagnostics) {
	for _, c := range all {
		most, share := c.given.most()
		usual := float64(c.labels.of[most]) / float64(c.labels.things)
		if c.sides || c.given.things < leastThings || share < mostAlike || usual > varied {
			continue
		}
		warnings.Warnf("learn-alike", source.Span{}, "compare with the weights as written (-i), and with smaller "+
			"ones of rules that tie things to each other; write ^2 behind rules that have none; learn from things like these, "+
			"with the facts that they have, and as many ties",
			"%.3g %% of the %d things that %s is inferred for get %s, which %.3g %% of the labels say", 100*share,
			c.given.things, c.relation, most, 100*usual)
	}
	return warnings
}

// classes counts things by their classes, which the last argument of atoms names.
type classes struct {
	symbols *symbol.Table
	of      map[string]int
	things  int
	shared  bool // some thing has several
}

// best is the value of a thing's largest atoms, and one of their classes.
type best struct {
	class symbol.ID
	value float64
	ties  bool
}

// count counts the things that a relation has from a row on by the class with the largest value, if there is one.
func (c *classes) count(r *relation.Relation, from int32, value func(row int32) float64) {
	things, key, last := make(map[string]best), []byte(nil), r.Arity-1
	for row := from; row < int32(r.Len()); row++ {
		v := value(row)
		if !r.Has(row) || !(v > 0) {
			continue
		}
		key = key[:0]
		for _, column := range r.Columns[:last] {
			id := column[row]
			key = append(key, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
		}
		b := things[string(key)]
		c.shared = c.shared || b.value > 0.5 && v > 0.5
		switch {
		case v > b.value:
			b = best{r.Columns[last][row], v, false}
		case v == b.value:
			b.ties = true
		}
		things[string(key)] = b
	}
	c.of = make(map[string]int)
	for _, b := range things {
		if !b.ties {
			c.things++
			c.of[c.symbols.Name(b.class)]++
		}
	}
}

// countSides counts the atoms that a relation has from a row on by whether they are true.
func (c *classes) countSides(r *relation.Relation, from int32, value func(row int32) float64, threshold float64) {
	c.of, c.things = make(map[string]int), 0
	for row := from; row < int32(r.Len()); row++ {
		if r.Has(row) {
			c.things++
			c.of[strconv.FormatBool(value(row) >= threshold)]++
		}
	}
}

// most is the most frequent class, and its share.
func (c *classes) most() (class string, share float64) {
	for name, n := range c.of {
		if n > c.of[class] || n == c.of[class] && name < class {
			class = name
		}
	}
	return class, float64(c.of[class]) / float64(c.things)
}
