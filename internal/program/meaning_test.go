package program

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
)

const epsilon = 1e-9

// propositions are the atoms of the random rules below, T('a') to T('d'), with a value each.
type propositions [4]float64

func anyPropositions(t *rapid.T) (values propositions) {
	for k := range values {
		values[k] = rapid.Float64Range(0, 1).Draw(t, "value")
	}
	return values
}

func (v propositions) draw(t *rapid.T) (atom string, value float64) {
	k := rapid.IntRange(0, len(v)-1).Draw(t, "atom")
	return fmt.Sprintf("T('%c')", 'a'+k), v[k]
}

// template evaluates a compiled rule's template; sums have no values here.
func (v propositions) template(r *Rule) float64 {
	sum := r.Constant.Eval(nil)
	for _, a := range r.Atoms {
		sum += a.Coef.Eval(nil) * v[a.Args[0].Constant[0]-'a']
	}
	return sum
}

// compileOne compiles a rule that must be right; warnings are welcome.
func compileOne(t rapid.TB, rule string) *Rule {
	program, diags := compileFile(testPredicates(), text(rule))
	if err := diags.Err(); err != nil || len(program.Rules) != 1 {
		t.Fatalf("%s\n%v", rule, err)
	}
	return program.Rules[0]
}

// TestLogicIsLukasiewicz compares the hinge of random clauses with the distance of the head's Łukasiewicz disjunction
// from the body's Łukasiewicz conjunction.
func TestLogicIsLukasiewicz(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := anyPropositions(t)
		clause := make(map[string]bool) // a literal that it has already does not count
		literals := func(least int, sign string) (texts []string, sum float64, n int) {
			for range rapid.IntRange(least, 3).Draw(t, "literals") {
				text, value := values.draw(t)
				literal := sign + text
				if rapid.Bool().Draw(t, "negated") {
					literal = strings.TrimPrefix("!"+literal, "!!")
					text, value = "!"+text, 1-value
				}
				texts = append(texts, text)
				if !clause[literal] {
					clause[literal], sum, n = true, sum+value, n+1
				}
			}
			return texts, sum, n
		}
		body, conjuncts, n := literals(0, "!")
		head, disjuncts, _ := literals(1, "")
		text := strings.Join(head, " | ")
		if len(body) > 0 {
			text = strings.Join(body, " & ") + " -> " + text
		}
		truth := max(0, conjuncts-float64(n-1))
		if n == 0 {
			truth = 1
		}
		want := max(0, truth-min(1, disjuncts))
		got := max(0, values.template(compileOne(t, "1: "+text)))
		if math.Abs(got-want) > epsilon {
			t.Fatalf("%s at %v: distance %g, want %g", text, values, got, want)
		}
	})
}

// side is one side of an arithmetic rule: its text, its value, and whether there are atoms in it.
type side struct {
	text  string
	value float64
	atoms bool
}

// draw draws a linear expression over the propositions, and evaluates it on the way.
func (v propositions) side(t *rapid.T, depth int) side {
	switch rapid.IntRange(0, 1+min(depth, 1)*3).Draw(t, "shape") {
	case 0:
		n := rapid.IntRange(1, 9).Draw(t, "number")
		return side{fmt.Sprint(n), float64(n), false}
	case 1:
		text, value := v.draw(t)
		return side{text, value, true}
	case 2:
		x := v.side(t, depth-1)
		return side{"-(" + x.text + ")", -x.value, x.atoms}
	}
	x, y := v.side(t, depth-1), v.side(t, depth-1)
	group := func(op string) string { return "(" + x.text + ") " + op + " (" + y.text + ")" }
	switch op := rapid.SampledFrom([]string{"+", "-", "*", "/", "@Max"}).Draw(t, "op"); {
	case op == "-":
		return side{group("-"), x.value - y.value, x.atoms || y.atoms}
	case op == "*" && !(x.atoms && y.atoms):
		return side{group("*"), x.value * y.value, x.atoms || y.atoms}
	case op == "/" && !y.atoms && y.value != 0:
		return side{group("/"), x.value / y.value, x.atoms}
	case op == "@Max" && !x.atoms && !y.atoms:
		return side{"@Max[" + x.text + ", " + y.text + "]", max(x.value, y.value), false}
	}
	return side{group("+"), x.value + y.value, x.atoms || y.atoms}
}

// TestArithmeticIsItsDifference compares the template of random comparisons with the difference of their sides.
func TestArithmeticIsItsDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := anyPropositions(t)
		left, right := values.side(t, 3), values.side(t, 3)
		if !left.atoms && !right.atoms {
			left = side{left.text + " + T('a')", left.value + values[0], true}
		}
		op := rapid.SampledFrom([]string{"=", "<=", ">="}).Draw(t, "comparator")
		want := left.value - right.value
		if op == ">=" {
			want = -want
		}
		text := left.text + " " + op + " " + right.text
		got := values.template(compileOne(t, "1: "+text))
		if math.Abs(got-want) > epsilon*(1+math.Abs(left.value)+math.Abs(right.value)) {
			t.Fatalf("%s at %v: %g, want %g", text, values, got, want)
		}
	})
}

// TestFilterIsItsNormalForm compares random conditions with the disjunctive normal forms they compile to.
func TestFilterIsItsNormalForm(t *testing.T) {
	names := []string{"A", "B", "S", "LongName"}
	rapid.Check(t, func(t *rapid.T) {
		values := make(map[int]bool)
		for _, name := range names {
			values[slices.IndexFunc(testPredicates(), func(p *Predicate) bool { return p.Name == name })] =
				rapid.Bool().Draw(t, name)
		}
		text, want := anyCondition(t, values, 3)
		rule := compileOne(t, "1: R(X, +Y) <= 1 {Y: "+text+"}")
		got := slices.ContainsFunc(rule.Sums[0].Filter, func(conjunction []Literal) bool {
			return !slices.ContainsFunc(conjunction, func(l Literal) bool { return values[l.Atom.Predicate] == l.Negated })
		})
		if got != want {
			t.Fatalf("%s is %t, its normal form %t", text, want, got)
		}
	})
}

// anyCondition draws a filter over atoms with the given truth, by predicate, and its truth.
func anyCondition(t *rapid.T, truth map[int]bool, depth int) (text string, value bool) {
	if depth == 0 || rapid.Bool().Draw(t, "atom") {
		k := rapid.IntRange(0, len(truth)-1).Draw(t, "predicate")
		numbers := make([]int, 0, len(truth))
		for number := range truth {
			numbers = append(numbers, number)
		}
		slices.Sort(numbers)
		return testPredicates()[numbers[k]].Name + "(Y)", truth[numbers[k]]
	}
	x, p := anyCondition(t, truth, depth-1)
	if rapid.Bool().Draw(t, "negated") {
		return "!(" + x + ")", !p
	}
	y, q := anyCondition(t, truth, depth-1)
	if rapid.Bool().Draw(t, "conjunction") {
		return "(" + x + " & " + y + ")", p && q
	}
	return "(" + x + " | " + y + ")", p || q
}

func TestHugeFilter(t *testing.T) {
	filter := strings.Repeat("(A(Y) | B(Y)) & ", 30) + "A(Y)"
	_, diags := compileFile(testPredicates(), text("1: R(X, +Y) <= 1 {Y: "+filter+"}"))
	if len(diags) != 1 || diags[0].ID != "bad-filter" {
		t.Errorf("got %v, want one bad-filter", diags)
	}
}

// What rounding alone leaves of a sum holds for all values; what is written does not, however little it is.
func TestOnlyRoundingIsVacuous(t *testing.T) {
	for rule, vacuous := range map[string]bool{
		"1: T('a') <= 0.9999999999":                          false,
		"1: 1e-12 * T('a') <= 0":                             false,
		"1: T('a') <= 1":                                     true,
		"0.1 * T('a') + 0.2 * T('a') - 0.3 * T('a') <= 0 .":  true,
		"1: 0.1 * T('a') + 0.2 * T('b') <= 0.3":              true,
		"1: 0.1 * T('a') + 0.2 * T('b') + 1e-11 <= 0.3":      false,
		"1e6: 1000000 * T('a') <= 999999.99999":              false,
		"1: 0.1 * T('a') + 0.2 * T('a') = 0.3 * T('a') + 0":  true,
		"1: 0.1 * T('a') + 0.2 * T('a') = 0.30001 * T('a')":  false,
		"1: 0.1 * T('a') + 0.2 * T('a') <= 0.3 * T('a') + 1": true,
	} {
		_, diags := compileFile(testPredicates(), text(rule))
		if got := strings.Contains(fmt.Sprint(diags), "this rule holds for all values"); got != vacuous {
			t.Errorf("%s: %v, want a warning that it always holds: %v", rule, diags, vacuous)
		}
	}
}
