package export_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// quadratic is a quadratic program as a file has it, read by as little as the tests need.
type quadratic struct {
	cost, square map[string]float64 // c and half of Q's diagonal, by column
	rows         map[string]*constraint
	lower, upper map[string]float64 // where they differ from 0 and ∞
	offset       float64
}

// constraint is one row.
type constraint struct {
	sign  string
	terms map[string]float64
	bound float64
}

func newQuadratic() *quadratic {
	return &quadratic{cost: map[string]float64{}, square: map[string]float64{}, rows: map[string]*constraint{},
		lower: map[string]float64{}, upper: map[string]float64{}}
}

// at returns the least objective for values of y, and the largest violation of a row without a slack: each slack is in
// the rows of its own number only, so the rows bound it.
func (q *quadratic) at(y []float64) (objective, violation float64) {
	objective = q.offset
	slack := map[string]float64{}
	for _, c := range q.rows {
		d, name, sign := -c.bound, "", 0.0
		for column, a := range c.terms {
			if column[0] == 's' {
				name, sign = column, a
				continue
			}
			d += a * y[number(column)]
		}
		switch {
		case name == "" && c.sign == "=":
			violation = max(violation, math.Abs(d))
		case name == "":
			violation = max(violation, d)
		default:
			if old, ok := slack[name]; ok || q.lower[name] == 0 {
				slack[name] = max(old, -sign*d, -d*sign)
			} else {
				slack[name] = d
			}
		}
	}
	for column, a := range q.cost {
		if column[0] == 'y' {
			objective += a * y[number(column)]
		} else {
			objective += a * slack[column]
		}
	}
	for column, a := range q.square {
		objective += a * slack[column] * slack[column]
	}
	return objective, violation
}

func number(name string) int {
	n, err := strconv.Atoi(name[1:])
	if err != nil {
		panic(err)
	}
	return n
}

// readQPS reads what writeQPS writes.
func readQPS(t *testing.T, text string) *quadratic {
	t.Helper()
	q, section, objective := newQuadratic(), "", ""
	signs := map[string]string{"L": "<=", "E": "=", "G": ">="}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		fields := strings.Fields(line)
		if line[0] != ' ' {
			section = fields[0]
			continue
		}
		value, _ := strconv.ParseFloat(fields[len(fields)-1], 64)
		switch section {
		case "ROWS":
			if fields[0] == "N" {
				objective = fields[1]
				continue
			}
			q.rows[fields[1]] = &constraint{sign: signs[fields[0]], terms: map[string]float64{}}
		case "COLUMNS":
			if fields[1] == objective {
				q.cost[fields[0]] = value
				continue
			}
			q.rows[fields[1]].terms[fields[0]] = value
		case "RHS":
			if fields[1] == objective {
				q.offset = -value
				continue
			}
			q.rows[fields[1]].bound = value
		case "BOUNDS":
			if fields[0] == "FR" {
				q.lower[fields[2]] = math.Inf(-1)
			} else {
				q.upper[fields[2]] = value
			}
		case "QUADOBJ":
			if fields[0] != fields[1] {
				t.Fatalf("%s is not on the diagonal", line)
			}
			q.square[fields[0]] = value / 2
		default:
			t.Fatalf("a line in section %q: %s", section, line)
		}
	}
	return q
}

// readLP reads what writeLP writes.
func readLP(t *testing.T, text string) *quadratic {
	t.Helper()
	q := newQuadratic()
	for line := range strings.Lines(text) {
		if len(line) > 560 {
			t.Errorf("a line of %d characters", len(line))
		}
	}
	_, rest, _ := strings.Cut(text, "obj:")
	objective, rest, _ := strings.Cut(rest, "subject to\n")
	rows, bounds, _ := strings.Cut(rest, "bounds\n")
	linear, squares, quadratic := strings.Cut(objective, "+ [")
	if quadratic {
		inside, after, _ := strings.Cut(squares, "] / 2")
		for column, a := range readSum(t, strings.ReplaceAll(inside, " ^ 2", "")) {
			q.square[column] = a / 2
		}
		linear += after
	}
	q.cost = readSum(t, linear)
	q.offset = q.cost[""]
	delete(q.cost, "")
	for row := range strings.SplitSeq(strings.ReplaceAll(rows, "\n  ", "  "), "\n") {
		if name, sum, ok := strings.Cut(row, ":"); ok {
			q.rows[strings.TrimSpace(name)] = readRow(t, sum)
		}
	}
	for line := range strings.Lines(strings.TrimSuffix(bounds, "end\n")) {
		fields := strings.Fields(line)
		if fields[1] == "free" {
			q.lower[fields[0]] = math.Inf(-1)
		} else {
			q.upper[fields[2]], _ = strconv.ParseFloat(fields[4], 64)
		}
	}
	return q
}

func readRow(t *testing.T, text string) *constraint {
	t.Helper()
	for _, sign := range []string{"<=", ">=", "="} {
		if sum, bound, ok := strings.Cut(text, sign); ok {
			c := &constraint{sign: sign, terms: readSum(t, sum)}
			if _, err := fmt.Sscan(bound, &c.bound); err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	t.Fatalf("a row without a sign: %s", text)
	return nil
}

// readSum reads terms of the form + 2 y1; a constant has the name "".
func readSum(t *testing.T, text string) map[string]float64 {
	t.Helper()
	sum := map[string]float64{}
	fields := strings.Fields(text)
	for len(fields) > 0 {
		a, err := strconv.ParseFloat(fields[0]+fields[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		fields = fields[2:]
		name := ""
		if len(fields) > 0 && fields[0] != "+" && fields[0] != "-" {
			name, fields = fields[0], fields[1:]
		}
		if _, twice := sum[name]; twice {
			t.Errorf("%s is twice in a sum", name)
		}
		sum[name] += a
	}
	return sum
}
