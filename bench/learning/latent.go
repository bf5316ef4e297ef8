package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A puzzle is a function of latent classes, of which only the result is known. Its network reads pictures of digits, or
// points around a centre of each class.
type puzzle struct {
	name, about string
	inputs      int // 2 unless it is said
	classes     int
	result      func(digits []int) int
	train       int // examples
	// defaults leaves every option as it is; otherwise they are those that docs/examples.md writes for such programs.
	defaults bool
	// table has the rule that one would write first, over a table of all results.
	table bool
	// noise is the deviation of points around centres; 0 means pictures of digits.
	noise float64
}

// documented are the options of the documented program of sums.
var documented = map[string]string{"learn.method": "energy", "learn.batch": "16"}

func (z puzzle) task() task {
	return task{name: z.name, metric: "accuracy", about: z.about, make: z.problem}
}

// rules are the documented program of sums, with the table of any function in the place of additions, or the first rule
// that comes to mind.
func (z *puzzle) rules() string {
	var b strings.Builder
	var digits, seen, sums []string
	for k := range z.inputs {
		digits = append(digits, fmt.Sprintf("D%d", k+1))
		sums = append(sums, fmt.Sprintf("+D%d", k+1))
		seen = append(seen, fmt.Sprintf("Digit('%c', D%d)", 'a'+k, k+1))
	}
	if z.table {
		return fmt.Sprintf("1: %s & Row(%s, R) -> Result(R) ^2\nResult(+R) = 1 .\n", strings.Join(seen, " & "),
			strings.Join(digits, ", "))
	}
	for k := range z.inputs {
		arguments := append([]string(nil), sums...)
		arguments[k] = digits[k]
		fmt.Fprintf(&b, "fixed 1: Row(%s, +R) = %s ^2\n", strings.Join(arguments, ", "), seen[k])
	}
	fmt.Fprintf(&b, "Row(%s, R) = Result(R) .\nResult(+R) = 1 .\n", strings.Join(sums, ", "))
	fmt.Fprintf(&b, "fixed 0.00001: Row(%s, R) <= %s - %d ^2\n", strings.Join(digits, ", "), strings.Join(seen, " + "),
		z.inputs-1)
	return b.String()
}

// tests is the number of examples that are judged.
const tests = 500

func (z *puzzle) problem(seed uint64) (*problem, error) {
	random := newRandom("puzzle "+z.name, seed)
	x, y := z.inputsOf(random)
	p := z.project(x)
	s := &samples{Hidden: []int{pairHidden}}
	train, test := p.table("train.csv"), p.table("test.csv")
	for _, b := range []*bytes.Buffer{train, test} {
		fmt.Fprintln(b, strings.Join(z.slots(), ",")+",Result")
	}
	highest := 0
	for k := range z.train + tests {
		at := z.choose(k, len(x), random)
		digits, both, cells := make([]int, z.inputs), []float64(nil), make([]string, z.inputs)
		for i, row := range at {
			digits[i], both, cells[i] = y[row], append(both, x[row]...), strconv.Itoa(row)
		}
		result := z.result(digits)
		highest = max(highest, result)
		line := fmt.Sprintf("%s,%d\n", strings.Join(cells, ","), result)
		if k < z.train {
			train.WriteString(line)
			s.Train, s.Known = append(s.Train, both), append(s.Known, result)
		} else {
			test.WriteString(line)
			s.Test, s.Wanted = append(s.Test, both), append(s.Wanted, result)
		}
	}
	return &problem{project: p, score: score{"Result", "Examples", "Accuracy"}, samples: s,
		plain: s.network(highest + 1), plainScore: accuracy("Neural"), reference: 100}, nil
}

// inputsOf draws what the network reads.
func (z *puzzle) inputsOf(random *rand.Rand) (x [][]float64, y []int) {
	if z.noise > 0 {
		return blobs(random, z.inputs*(z.train+tests), z.classes, 8, z.noise)
	}
	all := allDigits()
	for _, k := range random.Perm(len(all.digit)) {
		if all.digit[k] < z.classes {
			x, y = append(x, all.pixels[k]), append(y, all.digit[k])
		}
	}
	return x, y
}

// choose returns the inputs of an example. Tests have the last ones, each its own; of the others, pictures may be fewer
// than there are places, and are then in several examples.
func (z *puzzle) choose(example, n int, random *rand.Rand) []int {
	at := make([]int, z.inputs)
	free := n - z.inputs*tests
	for i := range at {
		switch own := example*z.inputs + i; {
		case example >= z.train:
			at[i] = free + (example-z.train)*z.inputs + i
		case own < free:
			at[i] = own
		default:
			at[i] = random.IntN(free)
		}
	}
	return at
}

// slots are the places of an example: a, b and so on.
func (z *puzzle) slots() []string {
	list := make([]string, z.inputs)
	for k := range list {
		list[k] = string(rune('a' + k))
	}
	return list
}

// project writes all but the examples.
func (z *puzzle) project(x [][]float64) *setting {
	p := newProject(z.rules())
	p.config.Networks["reader"] = &network{Features: "features.tsv", Hidden: []int{32}}
	p.declare("Digit/2", predicate{Neural: &neural{Network: "reader", Class: one(), Classes: names("", z.classes),
		Slots: z.slots()}})
	rowsOf := predicate{Targets: []string{"rows.tsv"}}
	if z.table {
		rowsOf = predicate{Observations: []string{"rows.tsv"}}
	}
	p.declare("Row/"+strconv.Itoa(z.inputs+1), rowsOf)
	p.declare("Result/1", predicate{Targets: []string{"results.tsv"}})
	p.config.Examples = map[string]any{"learn": "train.csv", "infer": "test.csv"}
	if !z.defaults {
		p.config.Options = documented
	}
	rows := 1
	for range z.inputs {
		rows *= z.classes
	}
	seen := make(map[int]bool)
	for row := range rows {
		digits, cells, rest := make([]int, z.inputs), make([]any, z.inputs), row
		for k := range digits {
			digits[k], rest = rest%z.classes, rest/z.classes
			cells[k] = digits[k]
		}
		result := z.result(digits)
		p.row("rows.tsv", append(cells, result)...)
		if !seen[result] {
			seen[result] = true
			p.row("results.tsv", result)
		}
	}
	for k := range x {
		cells := []any{k}
		for _, value := range x[k] {
			cells = append(cells, value)
		}
		p.row("features.tsv", cells...)
	}
	return p
}

// pairHidden is the width of the hidden layer of a network that is shown all inputs of an example.
const pairHidden = 64

// network is a network that is shown all inputs of an example side by side, and the result as its class.
func (s *samples) network(classes int) *setting {
	c := &classification{classes: classes, hidden: s.Hidden}
	c.x, c.y = append(append(c.x, s.Train...), s.Test...), append(append(c.y, s.Known...), s.Wanted...)
	for k := range c.y {
		if k < len(s.Known) {
			c.train = append(c.train, k)
		} else {
			c.test = append(c.test, k)
		}
	}
	return c.problem().plain
}

// Functions of latent digits.
func sum(digits []int) int {
	total := 0
	for _, d := range digits {
		total += d
	}
	return total
}

func modulo(n int) func([]int) int { return func(digits []int) int { return sum(digits) % n } }

func product(digits []int) int {
	total := 1
	for _, d := range digits {
		total *= d
	}
	return total
}

func largest(digits []int) int { return slices.Max(digits) }

func allDifferent(digits []int) int {
	for k, d := range digits {
		if slices.Contains(digits[:k], d) {
			return 0
		}
	}
	return 1
}

// order says whether the first of two is less, equal or more.
func order(digits []int) int {
	switch {
	case digits[0] < digits[1]:
		return 0
	case digits[0] == digits[1]:
		return 1
	}
	return 2
}

func kin(digits []int) int { return truth(digits[0] == digits[1]) }

func hit(digits []int) int {
	return truth(min(digits[0], digits[1]) == 0 && max(digits[0], digits[1]) == 5)
}
