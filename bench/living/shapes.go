package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/change"
)

// shape is a model: its tables are in a pad.
type shape struct {
	rules string
	draw  func(rng *rand.Rand) change.Change
}

// pad is what the tables of a model are written on.
type pad struct {
	rng    *rand.Rand
	scale  float64
	tables map[string]*table
	order  []string // of the predicates
}

// table is one of targets, or of observations with values.
type table struct {
	rows   deeppsl.Rows
	values []float64
	there  map[string]bool
}

func (t *table) seq() deeppsl.Values {
	return func(yield func([]string, float64) bool) {
		for k, row := range t.rows {
			if !yield(row, t.values[k]) {
				return
			}
		}
	}
}

func (p *pad) of(predicate string) *table {
	t, there := p.tables[predicate]
	if !there {
		t = &table{there: make(map[string]bool)}
		p.tables[predicate] = t
		p.order = append(p.order, predicate)
	}
	return t
}

// target adds an atom to be inferred, and observe one with a value, unless it is there already.
func (p *pad) target(predicate string, arguments ...string) {
	t := p.of(predicate)
	t.rows = append(t.rows, arguments)
}

func (p *pad) observe(value float64, predicate string, arguments ...string) {
	t, key := p.of(predicate), fmt.Sprint(arguments)
	if t.there[key] {
		return
	}
	t.there[key] = true
	t.rows, t.values = append(t.rows, arguments), append(t.values, value)
}

// many is a number of things by the scale.
func (p *pad) many(n int) int { return max(2, int(p.scale*float64(n))) }

// some is one of the rows of observations with another value.
func (p *pad) some(predicate string) func(rng *rand.Rand) change.Change {
	rows := p.of(predicate).rows
	return func(rng *rand.Rand) change.Change {
		return change.Observe(rng.Float64(), predicate, rows[rng.IntN(len(rows))]...)
	}
}

// shapes make models by their names.
var shapes = map[string]func(p *pad) shape{
	"classes-hard-squared": func(p *pad) shape { return classes(p, "Label(A, +C) = 1 .", " ^2") },
	"classes-hard-linear":  func(p *pad) shape { return classes(p, "Label(A, +C) = 1 .", "") },
	"classes-soft-squared": func(p *pad) shape { return classes(p, "20: Label(A, +C) = 1 ^2", " ^2") },
	"chain":                func(p *pad) shape { return chain(p, 30_000, " ^2", alike(100, " ^2")) },
	"chain-stiff":          func(p *pad) shape { return chain(p, 30_000, " ^2", alike(10_000, " ^2")) },
	"chain-linear":         func(p *pad) shape { return chain(p, 30_000, "", alike(2, "")) },
	"order-squared":        func(p *pad) shape { return chain(p, 10_000, " ^2", "T(A) <= T(B) + 1 - Next(A, B) .") },
	"order-linear":         func(p *pad) shape { return chain(p, 10_000, "", "T(A) <= T(B) + 1 - Next(A, B) .") },
	"grid":                 func(p *pad) shape { return grid(p, " ^2", alike(4, " ^2")) },
	"grid-stiff":           func(p *pad) shape { return grid(p, " ^2", alike(100, " ^2")) },
	"grid-linear":          func(p *pad) shape { return grid(p, "", alike(0.4, "")) },
	"pairs-squared":        func(p *pad) shape { return pairs(p, " ^2") },
	"pairs-linear":         func(p *pad) shape { return pairs(p, "") },
	"hubs":                 hubs,
	"means":                means,
	"schedule":             schedule,
	"weights-apart":        weightsApart,
	"transitive":           transitive,
}

func shapeNames() []string { return slices.Sorted(maps.Keys(shapes)) }

func name(prefix string, k int) string { return prefix + strconv.Itoa(k) }

// alike says that neighbours are, by a weight.
func alike(weight float64, square string) string {
	return fmt.Sprintf("%v: Next(A, B) & T(A) -> T(B)%s\n%[1]v: Next(A, B) & T(B) -> T(A)%[2]s", weight, square)
}

// classes are those of documents that link to others at random: what changes reaches all of them in a few steps.
func classes(p *pad, sum, square string) shape {
	const kinds = 6
	n := p.many(3000)
	for a := range n {
		var seen [kinds]float64
		total := 0.0
		for c := range seen {
			seen[c] = math.Exp(2 * p.rng.NormFloat64())
			total += seen[c]
		}
		for c := range seen {
			p.observe(seen[c]/total, "See", name("d", a), name("c", c))
			p.target("Label", name("d", a), name("c", c))
		}
		for range 3 {
			p.observe(1, "Link", name("d", a), name("d", p.rng.IntN(n)))
		}
	}
	rules := "1: See(A, C) -> Label(A, C)%s\n1: Link(A, B) & Label(A, C) -> Label(B, C)%[1]s\n" +
		"1: Link(A, B) & Label(B, C) -> Label(A, C)%[1]s\n0.01: !Label(A, C)%[1]s\n"
	seen := p.some("See")
	return shape{fmt.Sprintf(rules, square) + sum, func(rng *rand.Rand) change.Change {
		if rng.IntN(2) == 0 {
			return seen(rng)
		}
		return change.Observe(1, "Link", name("d", rng.IntN(n)), name("d", rng.IntN(n)))
	}}
}

// chain has values along a line that are seen with noise.
func chain(p *pad, n int, square, rule string) shape {
	n = p.many(n)
	for a := range n {
		p.target("T", name("n", a))
		p.observe(min(1, max(0, float64(a)/float64(n)+0.2*p.rng.NormFloat64())), "S", name("n", a))
		if a > 0 {
			p.observe(1, "Next", name("n", a-1), name("n", a))
		}
	}
	return shape{"1: T(A) = S(A)" + square + "\n" + rule, p.some("S")}
}

// grid has values in a plane.
func grid(p *pad, square, rule string) shape {
	side := int(120 * math.Sqrt(p.scale))
	for k := range side * side {
		p.target("T", name("n", k))
		p.observe(p.rng.Float64(), "S", name("n", k))
		if k%side > 0 {
			p.observe(1, "Next", name("n", k-1), name("n", k))
		}
		if k >= side {
			p.observe(1, "Next", name("n", k-side), name("n", k))
		}
	}
	return shape{"1: T(A) = S(A)" + square + "\n" + rule, p.some("S")}
}

// pairs match things one to one.
func pairs(p *pad, square string) shape {
	n := p.many(3000)
	there := make(map[[2]int]bool)
	for a := range n {
		for range 8 {
			b := (a + p.rng.IntN(40) + n - 20) % n
			if there[[2]int{a, b}] {
				continue
			}
			there[[2]int{a, b}] = true
			similar := p.rng.Float64() / 2
			if a == b {
				similar += 0.5
			}
			p.observe(similar, "Similar", name("a", a), name("b", b))
			p.target("Match", name("a", a), name("b", b))
		}
	}
	return shape{fmt.Sprintf("1: Similar(A, B) -> Match(A, B)%s\n0.3: !Match(A, B)%[1]s\n", square) +
		"Match(A, +B) <= 1 .\nMatch(+A, B) <= 1 .", p.some("Similar")}
}

// hubs are what thousands of values are tied to.
func hubs(p *pad) shape {
	const number = 20
	for a := range p.many(20_000) {
		p.target("T", name("u", a))
		p.observe(p.rng.Float64(), "S", name("u", a))
		p.observe(1, "In", name("u", a), name("h", p.rng.IntN(number)))
	}
	for k := range number {
		p.target("H", name("h", k))
	}
	return shape{"1: T(A) = S(A) ^2\n1: In(A, H) & T(A) -> H(H) ^2\n1: In(A, H) & H(H) -> T(A) ^2", p.some("S")}
}

// weightsApart has weights of eight orders of magnitude.
func weightsApart(p *pad) shape {
	n := p.many(8000)
	for a := range n {
		p.target("T", name("v", a))
		p.observe(p.rng.Float64(), "S", name("v", a))
		for range 3 {
			p.observe(1, "Link", name("v", a), name("v", p.rng.IntN(n)))
		}
		if a < n/50 {
			p.observe(1, "Known", name("v", a))
			p.observe(1, "Doubted", name("v", n-1-a))
		}
	}
	return shape{"0.0001: T(A) = S(A) ^2\n1: Link(A, B) & T(A) -> T(B) ^2\n0.001: !T(A)\n10000: Known(A) -> T(A)\n" +
		"0.5: Doubted(A) -> !T(A) ^2", func(rng *rand.Rand) change.Change {
		return change.Observe(rng.Float64(), "Known", name("v", rng.IntN(n)))
	}}
}

// transitive groups things in blocks of ten.
func transitive(p *pad) shape {
	const block, group = 10, 3
	n := p.many(1500)
	for a := range n {
		for b := a - a%block; b < min(n, a-a%block+block); b++ {
			if a == b {
				continue
			}
			similar := 0.3 * p.rng.Float64()
			if a/group == b/group {
				similar += 0.6
			}
			p.observe(similar, "Similar", name("p", a), name("p", b))
			p.target("Same", name("p", a), name("p", b))
		}
	}
	return shape{"1: Similar(A, B) -> Same(A, B)\n0.5: !Same(A, B)\nSame(A, B) = Same(B, A) .\n" +
		"1: Same(A, B) & Same(B, C) & (A != B) & (B != C) & (A != C) -> Same(A, C)", p.some("Similar")}
}

// means is a plane in which most values have to be the means of those beside them.
func means(p *pad) shape {
	rules := "0 * Inner(A) + T(A) = T(+B) / |B| . {B: Beside(A, B)}\n"
	side := int(100 * math.Sqrt(p.scale))
	for k := range side * side {
		p.target("T", name("n", k))
		p.observe(p.rng.Float64(), "S", name("n", k))
		if p.rng.IntN(10) > 0 {
			p.observe(1, "Inner", name("n", k))
		}
		for _, l := range [][2]int{{k, k - 1}, {k - 1, k}} {
			if k%side > 0 {
				p.observe(1, "Beside", name("n", l[0]), name("n", l[1]))
			}
		}
		for _, l := range [][2]int{{k, k - side}, {k - side, k}} {
			if k >= side {
				p.observe(1, "Beside", name("n", l[0]), name("n", l[1]))
			}
		}
	}
	return shape{rules + "1: T(A) = S(A)", p.some("S")}
}

// schedule has tasks that wait for others, most of which could be earlier.
func schedule(p *pad) shape {
	const lanes = 20
	rules := "0 * Before(A, B) + T(B) >= T(A) + Length(A) .\nT(A) >= Release(A) .\n"
	n := p.many(4000)
	for k := range n {
		early := 0.5 * float64(k) / float64(n)
		p.target("T", name("n", k))
		p.observe(0.5*p.rng.Float64()*lanes/float64(n), "Length", name("n", k))
		p.observe(max(0, early-0.2*p.rng.Float64()), "Release", name("n", k))
		p.observe(min(1, max(0, early+0.3*p.rng.NormFloat64())), "S", name("n", k))
		for _, gap := range []int{1, lanes + 1} {
			if before := k - gap - p.rng.IntN(lanes); before >= 0 {
				p.observe(1, "Before", name("n", before), name("n", k))
			}
		}
	}
	return shape{rules + "1: T(A) <= S(A)\n0.1: T(A) >= S(A)", p.some("S")}
}
