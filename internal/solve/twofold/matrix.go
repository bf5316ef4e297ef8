package twofold

// matrix is a symmetric positive definite matrix, or its factors L D Lᵀ: below the diagonal L, which has ones there,
// and on it D.
type matrix struct {
	size  int
	lower [][]number
	// whole is the diagonal before it is factored.
	whole []number
	done  *float64 // products so far
}

func newMatrix(size int, done *float64) *matrix {
	m := &matrix{size: size, lower: make([][]number, size), whole: make([]number, size), done: done}
	for i := range m.lower {
		m.lower[i] = make([]number, i+1)
	}
	return m
}

func (m *matrix) clear() {
	for _, row := range m.lower {
		clear(row)
	}
}

// dependent is the part of a row of the matrix that is nothing but rounding if it is left by those before, and yielding
// what it is to be then: multipliers of equations that contradict each other grow, which is what shows it.
const dependent, yielding = 1e-27, 1e-20

// factor factors the matrix. A row of nothing has no part in solutions.
func (m *matrix) factor() {
	column := make([]number, m.size) // of L, times D
	for i, row := range m.lower {
		m.whole[i] = row[i]
	}
	for k := range m.size {
		pivot := m.lower[k][k]
		if m.whole[k].high == 0 {
			continue
		}
		if !(pivot.high > dependent*m.whole[k].high) {
			pivot = m.whole[k].by(yielding)
			m.lower[k][k] = pivot
		}
		for i := k + 1; i < m.size; i++ {
			if column[i] = m.lower[i][k]; column[i].high == 0 {
				continue
			}
			l := column[i].over(pivot)
			m.lower[i][k] = l
			row := m.lower[i]
			for j := k + 1; j <= i; j++ {
				if column[j].high != 0 {
					row[j] = row[j].minus(l.times(column[j]))
				}
			}
			*m.done += float64(i - k)
		}
	}
}

// solve replaces a vector by the solution.
func (m *matrix) solve(v []number) {
	for i := range m.size {
		if m.lower[i][i].high == 0 {
			v[i] = number{}
			continue
		}
		for k, l := range m.lower[i][:i] {
			if l.high != 0 {
				v[i] = v[i].minus(l.times(v[k]))
			}
		}
	}
	for i := m.size - 1; i >= 0; i-- {
		if m.lower[i][i].high == 0 {
			continue
		}
		v[i] = v[i].over(m.lower[i][i])
	}
	for i := m.size - 1; i >= 0; i-- {
		for k, l := range m.lower[i][:i] {
			if l.high != 0 {
				v[k] = v[k].minus(l.times(v[i]))
			}
		}
	}
	*m.done += float64(m.size * m.size)
}
