package export

import "bufio"

// writeQPS writes the program in the free MPS format, with the quadratic part as QUADOBJ: the lower triangle of Q, for
// the objective cᵀz + ½zᵀQz. Errors stay in the writer.
func writeQPS(w *bufio.Writer, q *program) {
	w.WriteString("NAME deeppsl\nROWS\n N obj\n")
	q.visit(func(p *potential) {
		for _, r := range p.shape.rows {
			w.WriteString(" " + string(r.relation.mps) + " " + name(r.prefix, p.number) + "\n")
		}
	})
	w.WriteString("COLUMNS\n")
	writeVariables(w, q)
	q.slacks(func(p *potential) { writeSlack(w, p) })
	writeRightSides(w, q)
	writeMPSBounds(w, q)
	w.WriteString("QUADOBJ\n")
	q.slacks(func(p *potential) {
		if p.shape.squared {
			s := name('s', p.number)
			writeEntry(w, s, s, 2*p.weight)
		}
	})
	w.WriteString("ENDATA\n")
}

// writeEntry writes one line of a section that is a sparse matrix.
func writeEntry(w *bufio.Writer, column, row string, value float64) {
	w.WriteString(" " + column + " " + row + " " + exact(value) + "\n")
}

// writeVariables writes the columns of y. Each has its place in the objective, even with 0, so that all are declared,
// in order.
func writeVariables(w *bufio.Writer, q *program) {
	start, entries := q.columns()
	for i, a := range q.linear {
		y := name('y', i)
		writeEntry(w, y, "obj", a)
		for _, e := range entries[start[i]:start[i+1]] {
			writeEntry(w, y, name(e.prefix, e.number), e.coefficient)
		}
	}
}

// entry is a place in the matrix of rows, within a column.
type entry struct {
	number      int
	coefficient float64
	prefix      byte
}

// columns transposes the rows, since the format has columns: column i of y has the entries [start[i], start[i+1]).
func (q *program) columns() (start []int, entries []entry) {
	start = make([]int, len(q.linear)+1)
	q.visit(func(p *potential) {
		p.terms(func(i int32, _ float64) { start[i+1] += len(p.shape.rows) })
	})
	for i := range q.linear {
		start[i+1] += start[i]
	}
	entries = make([]entry, start[len(q.linear)])
	next := append([]int(nil), start...)
	q.visit(func(p *potential) {
		for _, r := range p.shape.rows {
			p.terms(func(i int32, a float64) {
				entries[next[i]] = entry{p.number, a, r.prefix}
				next[i]++
			})
		}
	})
	return start, entries
}

// writeSlack writes the column of a potential's slack.
func writeSlack(w *bufio.Writer, p *potential) {
	s := name('s', p.number)
	if !p.shape.squared {
		writeEntry(w, s, "obj", p.weight)
	}
	for _, r := range p.shape.rows {
		writeEntry(w, s, name(r.prefix, p.number), r.slack)
	}
}

// writeRightSides writes those that are not 0. That of the objective is its constant, negated.
func writeRightSides(w *bufio.Writer, q *program) {
	w.WriteString("RHS\n")
	if q.offset != 0 {
		writeEntry(w, "rhs", "obj", -q.offset)
	}
	q.visit(func(p *potential) {
		for _, r := range p.shape.rows {
			if b := p.bound(); b != 0 {
				writeEntry(w, "rhs", name(r.prefix, p.number), b)
			}
		}
	})
}

// writeMPSBounds writes the bounds that differ from the format's default, [0, ∞).
func writeMPSBounds(w *bufio.Writer, q *program) {
	w.WriteString("BOUNDS\n")
	for i := range q.linear {
		w.WriteString(" UP bnd " + name('y', i) + " 1\n")
	}
	q.slacks(func(p *potential) {
		if p.shape.free {
			w.WriteString(" FR bnd " + name('s', p.number) + "\n")
		}
	})
}
