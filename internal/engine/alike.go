package engine

import (
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// What learning notices is about things with labels. Inference may be about others, in a graph of their own, where
// rules whose weights suit the labels push all things to one class, or away from one: that is noticed by the answer.

// An answer is suspicious if so many of at least so many things get one class, of which the labels had no more than a
// part. Answers of more rows are not looked at.
const (
	mostAlike, varied = 0.95, 0.7
	leastThings       = 30
	mostRows          = 1_000_000
)

// contrast is the classes that an answer gives things of a relation, beside those of the labels learned from.
type contrast struct {
	relation      string
	labels, given classes
}

// contrasts returns those of the relations of whose things with labels each has one class.
func contrasts(learned, g *session.Grounding, answer *session.Answer) (all []contrast, err error) {
	for k, to := range g.Tables.Store.Relations {
		if to.Arity < 2 || to.FreeLen() < leastThings || to.FreeLen() > mostRows || to.Free != relation.Target {
			continue
		}
		truth, err := learned.Truth(load.Learn, k)
		if err != nil {
			return nil, err
		}
		if truth == nil || truth.Len() > mostRows {
			continue
		}
		labels := classes{symbols: learned.Tables.Store.Symbols}
		labels.count(truth, 0, truth.Value)
		given := classes{symbols: g.Tables.Store.Symbols}
		given.count(to, int32(to.Observed), func(row int32) float64 { return answer.Values[to.Number(row)] })
		if !labels.shared && labels.things >= leastThings {
			all = append(all, contrast{to.Name, labels, given})
		}
	}
	return all, nil
}

// warnOfAlike warns of answers that give nearly all things one class, where the labels learned from had several.
func (r *Report) warnOfAlike(learned, g *session.Grounding, answer *session.Answer) error {
	all, err := contrasts(learned, g, answer)
	var warnings source.Diagnostics
	for _, c := range all {
		most, share := c.given.most()
		usual := float64(c.labels.of[most]) / float64(c.labels.things)
		if c.given.things < leastThings || share < mostAlike || usual > varied {
			continue
		}
		warnings.Warnf("learn-alike", source.Span{}, "compare with the weights as written (-i), and with smaller "+
			"ones of rules that tie things to each other; write ^2 behind rules that have none; learn from things like these, "+
			"with the facts that they have, and as many ties",
			"%.3g %% of the %d things that %s is inferred for get %s, which %.3g %% of the labels say", 100*share,
			c.given.things, c.relation, most, 100*usual)
	}
	g.Project.Warn(warnings)
	r.Warnings = append(r.Warnings, warnings.Plain()...)
	return err
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

// most is the most frequent class, and its share.
func (c *classes) most() (class string, share float64) {
	for name, n := range c.of {
		if n > c.of[class] || n == c.of[class] && name < class {
			class = name
		}
	}
	return class, float64(c.of[class]) / float64(c.things)
}
