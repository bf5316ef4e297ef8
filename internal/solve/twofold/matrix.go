package twofold

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/bitset"
)

// matrix is a symmetric positive definite matrix, or its factors L D Lᵀ. Its rows stand at places, by which the factors
// are sparse: a row of the fewest others that it is tied to, by entries or by what is left of rows before it, comes
// next.
type matrix struct {
	place []int32 // of each row
	// diagonal has the entries on it, or D, and column for each place those below it, or L's, at the places of below.
	diagonal []number
	column   [][]number
	below    [][]int32
	done     *float64 // products so far
	// work is a column as it is factored, or what is solved for, by places. Next is where in each column the row is that
	// is factored next, and first and link chain those of whom it is the same.
	work        []number
	next        []int
	first, link []int32
}

// newMatrix makes room for a matrix of so many rows, of which cliques are tied to each other; or not, if adding these
// up and factoring it take more products than limit.
func newMatrix(size int, cliques [][]entry, limit float64, done *float64) *matrix {
	m := &matrix{place: make([]int32, size), diagonal: make([]number, size), column: make([][]number, size),
		below: make([][]int32, size), done: done, work: make([]number, size), next: make([]int, size),
		first: make([]int32, size), link: make([]int32, size)}
	if !m.order(cliques, limit) {
		return nil
	}
	for k, below := range m.below {
		m.column[k] = make([]number, len(below))
	}
	return m
}

// order finds the places of the rows by the minimum degree algorithm, or that more products are needed than limit.
func (m *matrix) order(cliques [][]entry, limit float64) bool {
	for _, clique := range cliques {
		limit -= float64(len(clique)*len(clique)) / 2
	}
	if limit < 0 {
		return false
	}
	size := len(m.place)
	tied, degree := make([]bitset.Set, size), make([]int, size)
	for i := range tied {
		tied[i] = bitset.New(size)
	}
	for _, clique := range cliques {
		for _, a := range clique {
			for _, b := range clique {
				tied[a.row].Add(b.row)
			}
		}
	}
	for i := range tied {
		tied[i].Add(i)
		degree[i] = tied[i].Len()
	}
	for k := range size {
		next := 0
		for i, d := range degree {
			if d < degree[next] {
				next = i
			}
		}
		if limit -= float64(degree[next]*(degree[next]-1)) / 2; limit < 0 {
			return false
		}
		m.place[next], degree[next] = int32(k), math.MaxInt
		tied[next].Remove(next)
		for i := range tied[next].All() {
			tied[i].Unite(tied[next])
			tied[i].Remove(next)
			degree[i] = tied[i].Len()
			m.below[k] = append(m.below[k], int32(i))
		}
	}
	for _, below := range m.below {
		for e, i := range below {
			below[e] = m.place[i]
		}
		slices.Sort(below)
	}
	return true
}

func (m *matrix) clear() {
	clear(m.diagonal)
	for _, column := range m.column {
		clear(column)
	}
}

// add adds to an entry.
func (m *matrix) add(a, b int, v number) {
	i, j := m.place[a], m.place[b]
	if i == j {
		m.diagonal[i] = m.diagonal[i].plus(v)
		return
	}
	k := min(i, j)
	at, _ := slices.BinarySearch(m.below[k], max(i, j))
	m.column[k][at] = m.column[k][at].plus(v)
}

// dependent is the part of a row of the matrix that is nothing but rounding if it is left by those before, and yielding
// what it is to be then: multipliers of equations that contradict each other grow, which is what shows it.
const dependent, yielding = 1e-27, 1e-20

// factor factors the matrix, column by column: each is what those before it leave. A row of nothing has no part in
// solutions.
func (m *matrix) factor() {
	for k := range m.first {
		m.first[k] = none
	}
	for k, below := range m.below {
		whole := m.diagonal[k]
		if whole.high == 0 {
			continue
		}
		m.work[k] = whole
		for e, i := range below {
			m.work[i] = m.column[k][e]
		}
		for j := m.first[k]; j != none; {
			at, then := m.next[j], m.link[j]
			l := m.column[j][at]
			m.subtract(m.below[j][at:], l.times(m.diagonal[j]), m.column[j][at:])
			m.chain(j, at+1)
			j = then
		}
		pivot := m.work[k]
		if !(pivot.high > dependent*whole.high) {
			pivot = whole.by(yielding)
		}
		m.diagonal[k] = pivot
		for e, i := range below {
			m.column[k][e] = m.work[i].over(pivot)
		}
		m.chain(int32(k), 0)
	}
}

// none is the end of a chain.
const none = -1

// chain notes what row of a column is factored next.
func (m *matrix) chain(column int32, at int) {
	if below := m.below[column]; at < len(below) {
		m.next[column], m.link[column] = at, m.first[below[at]]
		m.first[below[at]] = column
	}
}

// subtract takes a column times a number from the one that is factored. Rounding is a part of what there was, and not
// of what is left, as with minus.
func (m *matrix) subtract(places []int32, times number, column []number) {
	work := m.work
	for e, i := range places {
		v, c := column[e], work[i]
		high := times.high * v.high
		low := math.FMA(times.high, v.high, -high) + (float64(times.high*v.low) + float64(times.low*v.high))
		rest, left := sum(c.high, -high)
		work[i] = normal(rest, left+(c.low-low))
	}
	*m.done += float64(len(places))
}

// solve replaces a vector, by rows, by the solution.
func (m *matrix) solve(v []number) {
	x := m.work
	for i, k := range m.place {
		x[k] = v[i]
	}
	for k, below := range m.below {
		if m.diagonal[k].high == 0 {
			x[k] = number{}
		}
		for e, i := range below {
			x[i] = x[i].minus(m.column[k][e].times(x[k]))
		}
	}
	for k, below := range slices.Backward(m.below) {
		if m.diagonal[k].high == 0 {
			continue
		}
		x[k] = x[k].over(m.diagonal[k])
		for e, i := range below {
			x[k] = x[k].minus(m.column[k][e].times(x[i]))
		}
		*m.done += float64(2 * len(below))
	}
	for i, k := range m.place {
		v[i] = x[k]
	}
}
