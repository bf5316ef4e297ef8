package export

import (
	"bufio"
	"math"
)

// writeLP writes the program in the LP format. Errors stay in the writer. The objective names every y, with the
// coefficient 0 if need be: readers number the columns in the order in which they meet them.
func writeLP(w *bufio.Writer, q *program) {
	w.WriteString("\\ A hinge-loss Markov random field as a quadratic program: y are its variables, s the slacks of\n" +
		"\\ its potentials.\nminimize\n obj:")
	t := terms{w: w}
	for i, a := range q.linear {
		t.add(a, name('y', i))
	}
	q.slacks(func(p *potential) {
		if !p.shape.squared {
			t.add(p.weight, name('s', p.number))
		}
	})
	t.squares(q)
	t.constant(q.offset)
	w.WriteString("\nsubject to\n")
	q.visit(func(p *potential) { writeRows(w, p) })
	writeLPBounds(w, q)
	w.WriteString("end\n")
}

// writeRows writes the rows of one potential. A row must have a term: one whose variables are all gone has 0 y_0.
func writeRows(w *bufio.Writer, p *potential) {
	for _, r := range p.shape.rows {
		w.WriteString(" " + name(r.prefix, p.number) + ":")
		t := terms{w: w}
		p.terms(func(i int32, a float64) { t.add(a, name('y', int(i))) })
		switch {
		case r.slack != 0:
			t.add(r.slack, name('s', p.number))
		case t.count == 0:
			t.add(0, name('y', 0))
		}
		w.WriteString(" " + r.relation.sign + " " + exact(p.bound()) + "\n")
	}
}

// writeLPBounds writes the bounds that differ from the format's default, [0, ∞).
func writeLPBounds(w *bufio.Writer, q *program) {
	w.WriteString("bounds\n")
	for i := range q.linear {
		w.WriteString(" 0 <= " + name('y', i) + " <= 1\n")
	}
	q.slacks(func(p *potential) {
		if p.shape.free {
			w.WriteString(" " + name('s', p.number) + " free\n")
		}
	})
}

// termsPerLine keeps lines well below the 560 characters that readers of the format may insist on.
const termsPerLine = 8

// terms writes a sum, in lines of a bounded length.
type terms struct {
	w     *bufio.Writer
	count int
}

// add writes one term, with its sign.
func (t *terms) add(coefficient float64, name string) {
	t.sign(coefficient)
	t.w.WriteString(exact(math.Abs(coefficient)) + " " + name)
}

// sign writes a term's sign, on a new line if this one is full.
func (t *terms) sign(coefficient float64) {
	if t.count > 0 && t.count%termsPerLine == 0 {
		t.w.WriteString("\n ")
	}
	t.count++
	if coefficient < 0 {
		t.w.WriteString(" - ")
		return
	}
	t.w.WriteString(" + ")
}

// squares writes the quadratic part, half of what is within the brackets.
func (t *terms) squares(q *program) {
	first := true
	q.slacks(func(p *potential) {
		if !p.shape.squared {
			return
		}
		if first {
			t.w.WriteString("\n  + [")
			first, t.count = false, 0
		}
		t.add(2*p.weight, name('s', p.number)+" ^ 2")
	})
	if !first {
		t.w.WriteString(" ] / 2")
	}
}

// constant writes the objective's constant, unless it is 0.
func (t *terms) constant(v float64) {
	if v != 0 {
		t.sign(v)
		t.w.WriteString(exact(math.Abs(v)))
	}
}
