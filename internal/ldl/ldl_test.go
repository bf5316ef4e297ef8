package ldl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/deeppsl/deeppsl/internal/alloctest"
	"github.com/deeppsl/deeppsl/internal/ldl"
)

// matrix is a symmetric quasi-definite matrix.
type matrix struct {
	pattern  ldl.Pattern
	diagonal []float64
	numbers  []float64
	negative []bool
}

// newMatrix draws numbers for the edges, and a diagonal that makes the matrix quasi-definite.
func newMatrix(n int, edges [][2]int, negative func(i int) bool, rng *rand.Rand) *matrix {
	m := &matrix{diagonal: make([]float64, n), negative: make([]bool, n)}
	seen := make(map[[2]int]bool)
	columns := make([][]int, n)
	for _, e := range edges {
		i, j := max(e[0], e[1]), min(e[0], e[1])
		if i != j && !seen[[2]int{i, j}] {
			seen[[2]int{i, j}] = true
			if rng.IntN(2) == 0 {
				i, j = j, i
			}
			columns[j] = append(columns[j], i)
		}
	}
	for i := range n {
		m.diagonal[i], m.negative[i] = 0.01+rng.Float64(), negative(i)
	}
	m.pattern.Start = []int{0}
	for j, rows := range columns {
		for _, i := range rows {
			v := rng.NormFloat64()
			m.pattern.Row = append(m.pattern.Row, int32(i))
			m.numbers = append(m.numbers, v)
			if m.negative[i] == m.negative[j] {
				m.diagonal[i] += math.Abs(v)
				m.diagonal[j] += math.Abs(v)
			}
		}
		m.pattern.Start = append(m.pattern.Start, len(m.pattern.Row))
	}
	for i := range n {
		if m.negative[i] {
			m.diagonal[i] *= -1
		}
	}
	return m
}

func (m *matrix) product(x []float64) []float64 {
	out := make([]float64, len(x))
	for j := range x {
		out[j] += m.diagonal[j] * x[j]
		for e := m.pattern.Start[j]; e < m.pattern.Start[j+1]; e++ {
			i := m.pattern.Row[e]
			out[i] += m.numbers[e] * x[j]
			out[j] += m.numbers[e] * x[i]
		}
	}
	return out
}

// check factors, solves and compares.
func (m *matrix) check(t *testing.T, name string) {
	t.Helper()
	s := ldl.Analyse(&m.pattern)
	var first []float64
	for _, threads := range []int{1, 3} {
		f := ldl.NewFactor(s, m.negative, threads)
		for range 2 {
			if lost, _ := f.Factor(m.diagonal, m.numbers, nil); lost > 0 {
				t.Fatalf("%s: %d pivots lost", name, lost)
			}
		}
		x := make([]float64, len(m.diagonal))
		for i := range x {
			x[i] = math.Sin(float64(i))
		}
		b := m.product(x)
		f.Solve(b)
		for i := range x {
			if math.Abs(b[i]-x[i]) > 1e-7 {
				t.Fatalf("%s: x[%d] = %v, want %v", name, i, b[i], x[i])
			}
		}
		if first == nil {
			first = slices.Clone(b)
		} else if !slices.Equal(first, b) {
			t.Errorf("%s: other bits with %d threads", name, threads)
		}
	}
}

func chain(n int) (edges [][2]int) {
	for i := range n - 1 {
		edges = append(edges, [2]int{i, i + 1})
	}
	return edges
}

func grid(k int) (edges [][2]int) {
	for i := range k {
		for j := range k {
			if i > 0 {
				edges = append(edges, [2]int{i*k + j, i*k - k + j})
			}
			if j > 0 {
				edges = append(edges, [2]int{i*k + j, i*k + j - 1})
			}
		}
	}
	return edges
}

func random(n, m int, rng *rand.Rand) (edges [][2]int) {
	for range m {
		edges = append(edges, [2]int{rng.IntN(n), rng.IntN(n)})
	}
	return edges
}

func TestFactor(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(120)
		some := func(int) bool { return rng.IntN(3) == 0 }
		newMatrix(n, random(n, rng.IntN(4*n), rng), some, rng).check(t, fmt.Sprint("random ", seed))
		newMatrix(n, chain(n), some, rng).check(t, "chain")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	some := func(int) bool { return rng.IntN(3) == 0 }
	newMatrix(900, grid(30), some, rng).check(t, "grid")
	star := chain(1000)
	for i := range 1000 {
		star = append(star, [2]int{i, 500})
	}
	newMatrix(1000, star, some, rng).check(t, "star")
	newMatrix(440, sums(20), some, rng).check(t, "a table's sums")
	newMatrix(2300, append(sums(40), random(2300, 900, rng)...), some, rng).check(t, "a table's sums and others")
	newMatrix(cube(12), cubeSums(12), some, rng).check(t, "a cube's sums")
	newMatrix(300, random(300, 40000, rng), some, rng).check(t, "full")
	newMatrix(2000, random(2000, 6000, rng), some, rng).check(t, "sparse")
}

// A factorisation asks often whether to leave off, does so at once, and is whole again when it is not told to.
func TestStops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := newMatrix(900, random(900, 400_000, rng), func(i int) bool { return i%3 == 0 }, rng)
	for _, threads := range []int{1, 3} {
		f := ldl.NewFactor(ldl.Analyse(&m.pattern), m.negative, threads)
		var asked atomic.Int32
		count := func() bool { asked.Add(1); return false }
		if _, whole := f.Factor(m.diagonal, m.numbers, count); !whole {
			t.Fatal("it left off unasked")
		}
		all := asked.Load()
		if all < 3 {
			t.Fatalf("it asked %d times in %v flops", all, ldl.Analyse(&m.pattern).Flops)
		}
		asked.Store(0)
		second := func() bool { return asked.Add(1) >= 2 }
		if _, whole := f.Factor(m.diagonal, m.numbers, second); whole {
			t.Error("it went on when told to leave off")
		}
		if n := asked.Load(); n > 2+int32(threads) {
			t.Errorf("it asked %d times, the second of which was to be the last", n)
		}
		if _, whole := f.Factor(m.diagonal, m.numbers, nil); !whole {
			t.Fatal("it left off for what it had been told before")
		}
		x := make([]float64, len(m.diagonal))
		x[7] = 1
		b := m.product(x)
		f.Solve(b)
		if math.Abs(b[7]-1) > 1e-7 || math.Abs(b[8]) > 1e-7 {
			t.Errorf("after it was stopped, the solution is %v, %v", b[7], b[8])
		}
	}
}

// A pivot that nothing is left of takes no part.
func TestLostPivots(t *testing.T) {
	p := ldl.Pattern{Start: []int{0, 1, 1, 1}, Row: []int32{1}}
	f := ldl.NewFactor(ldl.Analyse(&p), make([]bool, 3), 1)
	if lost, _ := f.Factor([]float64{1, 1, 2}, []float64{1}, nil); lost != 1 {
		t.Errorf("%d pivots lost, want 1", lost)
	}
	b := []float64{3, 3, 4}
	f.Solve(b)
	if got := b[0] + b[1]; math.Abs(got-3) > 1e-12 || b[2] != 2 {
		t.Errorf("solution %v", b)
	}
}

// What a factorisation costs is known before: a chain has no fill, a full matrix is one front.
func TestCosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	positive := func(int) bool { return false }
	if s := ldl.Analyse(&newMatrix(10000, chain(10000), positive, rng).pattern); s.Entries > 60000 || s.Flops > 400000 {
		t.Errorf("a chain takes %v entries and %v flops", s.Entries, s.Flops)
	}
	full := random(50, 50000, rng)
	if s := ldl.Analyse(&newMatrix(50, full, positive, rng).pattern); s.Entries != 2500 || s.Working != 0 {
		t.Errorf("a full matrix takes %v entries, and %v between", s.Entries, s.Working)
	}
	if s := ldl.Analyse(&newMatrix(10000, grid(100), positive, rng).pattern); s.Flops > 3e7 {
		t.Errorf("a grid of 100 by 100 takes %v flops", s.Flops)
	}
	// Each row of a table leaves a clique of its columns, which are no work if all of them are one front.
	const n = 40
	if s := ldl.Analyse(&newMatrix(n*n+2*n, sums(n), positive, rng).pattern); s.Working > 4*n*n || s.Flops > 4*n*n*n {
		t.Errorf("sums of a table's rows and columns take %v flops, and %v between", s.Flops, s.Working)
	}
}

// sums ties each entry of a table to its row and its column.
func sums(n int) (edges [][2]int) {
	for k := range n * n {
		edges = append(edges, [2]int{k, n*n + k/n}, [2]int{k, n*n + n + k%n})
	}
	return edges
}

// cube is the number of rows of cubeSums.
func cube(n int) int { return n*n*n + 3*n*n }

// cubeSums ties each entry of a cube to the lines through it in three directions.
func cubeSums(n int) (edges [][2]int) {
	entries := n * n * n
	for k := range entries {
		x, y, z := k/(n*n), k/n%n, k%n
		for d, line := range [...]int{x*n + y, y*n + z, z*n + x} {
			edges = append(edges, [2]int{k, entries + d*n*n + line})
		}
	}
	return edges
}

// One thread has no room for many updates that would wait for the same parent: what each front leaves goes there at
// once. Factors of a cube's sums end in one such front, below others that are nearly as large.
func TestMemory(t *testing.T) {
	alloctest.SkipIfRacing(t)
	rng := rand.New(rand.NewPCG(1, 1))
	m := newMatrix(cube(24), cubeSums(24), func(i int) bool { return i >= 24*24*24 }, rng)
	s := ldl.Analyse(&m.pattern)
	size := alloctest.Bytes(func() { ldl.NewFactor(s, m.negative, 1).Factor(m.diagonal, m.numbers, nil) })
	if most := 8 * (s.Entries + s.Working); float64(size) > most/2 {
		t.Errorf("a cube's sums take %d bytes, where all updates and the factor have %.0f", size, most)
	}
}

// FuzzFactor takes bytes for edges.
func FuzzFactor(f *testing.F) {
	f.Add([]byte("a chain, a star or anything else"))
	f.Fuzz(func(t *testing.T, edges []byte) {
		var pairs [][2]int
		for k := 1; k < len(edges); k++ {
			pairs = append(pairs, [2]int{int(edges[k-1]), int(edges[k])})
		}
		rng := rand.New(rand.NewPCG(1, 1))
		newMatrix(256, pairs, func(i int) bool { return i%3 == 0 }, rng).check(t, "fuzz")
	})
}

func BenchmarkFactor(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, edges := range map[string][][2]int{
		"chain": chain(200000), "grid": grid(200), "full": random(1500, 4000000, rng), "random": random(6000, 12000, rng),
		"sums": sums(300),
	} {
		n := 0
		for _, e := range edges {
			n = max(n, e[0]+1, e[1]+1)
		}
		m := newMatrix(n, edges, func(int) bool { return false }, rng)
		s := ldl.Analyse(&m.pattern)
		b.Run("analyse/"+name, func(b *testing.B) {
			for b.Loop() {
				ldl.Analyse(&m.pattern)
			}
		})
		b.Run("factor/"+name, func(b *testing.B) {
			f := ldl.NewFactor(s, m.negative, 1)
			for b.Loop() {
				f.Factor(m.diagonal, m.numbers, nil)
			}
			b.ReportMetric(s.Flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gflop/s")
		})
	}
}

// What takes more flops than it is worth is not ordered to the end.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var edges [][2]int
	for range 3000 {
		edges = append(edges, [2]int{rng.IntN(1000), rng.IntN(1000)})
	}
	m := newMatrix(1000, edges, func(int) bool { return false }, rng)
	s := ldl.Analyse(&m.pattern)
	if _, ok := ldl.AnalyseWithin(&m.pattern, s.Flops/10, nil); ok {
		t.Errorf("%.2g flops are within a tenth of that", s.Flops)
	}
	if again, ok := ldl.AnalyseWithin(&m.pattern, 10*s.Flops, nil); !ok || again.Flops != s.Flops {
		t.Errorf("%.2g flops are not within ten times that", s.Flops)
	}
}

// What is known of the rest while a graph is ordered is never more than that takes.
func TestWithinWhatItTakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	graphs := map[string][][2]int{"chain": chain(300), "grid": grid(30), "clique": join(1, 120), "cliques": join(20, 30)}
	for _, degree := range []int{1, 2, 4, 8, 30} {
		graphs[fmt.Sprint("random ", degree)] = random(600, 300*degree, rng)
	}
	for name, edges := range graphs {
		n := 0
		for _, e := range edges {
			n = max(n, e[0]+1, e[1]+1)
		}
		m := newMatrix(n, edges, func(int) bool { return false }, rng)
		s := ldl.Analyse(&m.pattern)
		if _, ok := ldl.AnalyseWithin(&m.pattern, s.Flops, nil); !ok {
			t.Errorf("%s: %.3g flops are not within as many", name, s.Flops)
		}
	}
}

// join returns cliques of so many nodes each.
func join(cliques, nodes int) (edges [][2]int) {
	for i := range cliques * nodes {
		for j := i - i%nodes; j < i; j++ {
			edges = append(edges, [2]int{i, j})
		}
	}
	return edges
}
