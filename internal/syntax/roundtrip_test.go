package syntax

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/goldentest"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/source"
)

// sameRule leaves out places, and the other reading, which TestGreedy is about.
var sameRule = cmp.Options{
	cmpopts.IgnoreTypes(source.Span{}), cmpopts.IgnoreFields(Arithmetic{}, "Greedy"), cmpopts.EquateEmpty(),
}

// TestParseInvertsPrint prints random rules and reads them back.
func TestParseInvertsPrint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := anyRule().Draw(t, "rule")
		checkRoundTrip(t, rule)
	})
}

// checkRoundTrip fails unless the printed rule reads as the same rule, on one line and in several.
func checkRoundTrip(t rapid.TB, rule *Rule) {
	for _, text := range []string{Print(rule), layout(rule)} {
		var diags source.Diagnostics
		again := ParseRule(&source.File{Name: "printed", Text: text}, &diags)
		if err := diags.Err(); err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		if diff := cmp.Diff(rule, again, sameRule); diff != "" {
			t.Fatalf("%s\n(-rule +read again):\n%s", text, diff)
		}
	}
}

func anyRule() *rapid.Generator[*Rule] {
	return rapid.Custom(func(t *rapid.T) *Rule {
		rule := &Rule{Exponent: rapid.IntRange(1, 2).Draw(t, "exponent"), Weight: anyWeight(t)}
		if rapid.Bool().Draw(t, "logical") {
			rule.Logical = &Logical{Body: anyLiterals(t, 0), Head: anyLiterals(t, 1)}
			return rule
		}
		op := rapid.SampledFrom([]Operator{Equal, AtMost, AtLeast}).Draw(t, "comparator")
		rule.Arithmetic = &Arithmetic{Op: op, Left: anyLinear(t, 3), Right: anyLinear(t, 2)}
		for range rapid.IntRange(0, 2).Draw(t, "filters") {
			rule.Filters = append(rule.Filters, Filter{Variable: Term{Text: anyName(t)}, Where: anyFilter(t, 3)})
		}
		return rule
	})
}

func anyWeight(t *rapid.T) Weight {
	if rapid.Bool().Draw(t, "hard") {
		return Weight{Hard: true}
	}
	w := Weight{Fixed: rapid.Bool().Draw(t, "fixed"), Number: Number{Value: 1}}
	if rapid.Bool().Draw(t, "weighted by an atom") {
		w.Atom = anyAtom(t)
	}
	if w.Atom == nil || rapid.Bool().Draw(t, "with a number") {
		w.Number = *anyNumber(t, `-?`)
	}
	return w
}

func anyNumber(t *rapid.T, sign string) *Number {
	text := rapid.StringMatching(sign+`[0-9]{1,3}(\.[0-9]{1,3})?(e[+-]?[0-9]{1,2})?`).Draw(t, "number")
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return &Number{Text: text, Value: value}
}

func anyLiterals(t *rapid.T, least int) []Literal {
	literals := make([]Literal, rapid.IntRange(least, 3).Draw(t, "literals"))
	for k := range literals {
		l := &literals[k]
		if rapid.Bool().Draw(t, "atom") {
			l.Atom, l.Negated = anyAtom(t), rapid.Bool().Draw(t, "negated")
			continue
		}
		l.Comparison = anyComparison(t)
		l.Negated = l.Comparison.Op == Before && rapid.Bool().Draw(t, "negated")
	}
	return literals
}

func anyName(t *rapid.T) string {
	return rapid.StringMatching(`[A-Za-z_é][A-Za-z0-9_é]{0,4}`).Draw(t, "name")
}

func anyAtom(t *rapid.T) *Atom {
	a := &Atom{Name: anyName(t)}
	for range rapid.IntRange(0, 3).Draw(t, "arity") {
		term := anyTerm(t)
		term.Sum = !term.Constant && rapid.Bool().Draw(t, "sum")
		a.Args = append(a.Args, term)
	}
	return a
}

func anyTerm(t *rapid.T) Term {
	if rapid.Bool().Draw(t, "constant") {
		return Term{Text: rapid.String().Draw(t, "constant"), Constant: true}
	}
	return Term{Text: anyName(t)}
}

func anyComparison(t *rapid.T) *Comparison {
	op := rapid.SampledFrom([]Operator{Same, Different, Before}).Draw(t, "op")
	return &Comparison{Op: op, Left: anyTerm(t), Right: anyTerm(t)}
}

// anyLinear draws a side of an arithmetic rule of at most the given depth.
func anyLinear(t *rapid.T, depth int) Expr {
	shape := rapid.IntRange(0, 3+min(depth, 1)*2).Draw(t, "shape")
	switch shape {
	case 0:
		return anyNumber(t, ``)
	case 1:
		return anyAtom(t)
	case 2:
		return anyComparison(t)
	case 3:
		return &Cardinality{Variable: Term{Text: anyName(t)}}
	case 4:
		return &Unary{Op: Negate, X: anyLinear(t, depth-1)}
	}
	op := rapid.SampledFrom([]Operator{Add, Subtract, Multiply, Divide, Min, Max}).Draw(t, "op")
	return &Binary{Op: op, X: anyLinear(t, depth-1), Y: anyLinear(t, depth-1)}
}

// anyFilter draws a filter's condition, in which only what has no opposite is negated.
func anyFilter(t *rapid.T, depth int) Expr {
	switch rapid.IntRange(0, 2+min(depth, 1)).Draw(t, "shape") {
	case 0:
		return anyAtom(t)
	case 1:
		return anyComparison(t)
	case 2:
		return &Unary{Op: Not, X: anyAtom(t)}
	}
	op := rapid.SampledFrom([]Operator{And, Or}).Draw(t, "op")
	group := &Binary{Op: op, X: anyFilter(t, depth-1), Y: anyFilter(t, depth-1)}
	if rapid.Bool().Draw(t, "negated") {
		return &Unary{Op: Not, X: group}
	}
	return group
}

// FuzzParse checks that no text makes the parser fail or loop, that spans lie in the text, and that what was read and
// printed reads the same again.
func FuzzParse(f *testing.F) {
	goldentest.Seeds(f, "testdata/*.txt")
	f.Fuzz(func(t *testing.T, text string) {
		var diags source.Diagnostics
		for _, rule := range Parse(&source.File{Name: "fuzz", Text: text}, &diags) {
			if s := rule.Span; s.Start < 0 || s.Start >= s.End || s.End > len(text) {
				t.Errorf("the span %d to %d in a text of %d bytes", s.Start, s.End, len(text))
			}
			checkFixedPoint(t, rule)
		}
		if diags.HasErrors() != (diags.Err() != nil) {
			t.Error("errors without an error")
		}
	})
}

// checkFixedPoint is the quick form of checkRoundTrip: a printed rule prints the same again.
func checkFixedPoint(t *testing.T, rule *Rule) {
	var diags source.Diagnostics
	text := Print(rule)
	again := ParseRule(&source.File{Name: "printed", Text: text}, &diags)
	if err := diags.Err(); err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	if Print(again) != text {
		t.Errorf("printed %s, then %s", text, Print(again))
	}
}

// FuzzFormat checks that formatting is idempotent and changes no rule.
func FuzzFormat(f *testing.F) {
	goldentest.Seeds(f, "testdata/*.txt")
	f.Fuzz(func(t *testing.T, text string) {
		once, diags := Format(&source.File{Name: "fuzz", Text: text})
		if diags != nil {
			return
		}
		twice, diags := Format(&source.File{Name: "once", Text: once})
		if err := diags.Err(); err != nil {
			t.Fatalf("%q\n%v", text, err)
		}
		if once != twice {
			t.Errorf("formatted %q\nagain %q", once, twice)
		}
		if diff := cmp.Diff(parse(text), parse(once), sameRule); diff != "" {
			t.Errorf("(-rules +formatted):\n%s", diff)
		}
	})
}

func parse(text string) []*Rule {
	var diags source.Diagnostics
	return Parse(&source.File{Text: text}, &diags)
}
