package syntax

import (
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/source"
)

// What other languages write must be answered with what is written here.
func TestHintsForNewcomers(t *testing.T) {
	for text, want := range map[string]string{
		"1: A(X) => T(X)":             "write -> for implies",
		"1: A(X) implies T(X)":        "write -> for implies",
		"1: A(X) then T(X)":           "write -> for implies",
		"1: A(X) <-> T(X)":            "write two rules, one for each direction",
		"1: A(X) <=> T(X)":            "write two rules, one for each direction",
		"1: B(X, Y) & X < Y -> T(X)":  orderHint,
		"1: B(X, Y) & X > Y -> T(X)":  orderHint,
		"1: B(X, Y) & X <= Y -> T(X)": orderHint,
		"1: B(X, Y) & X >= Y -> T(X)": orderHint,
		"1: A(X), B(X, Y) -> T(X)":    "write & between the literals of a body, and | between those of a head",
		"1: NOT A(X) -> T(X)":         "write ! for not",
		"1: A(X) AND B(X, Y) -> T(X)": "write & for and",
		"1: A(X) OR T(X)":             "write | for or",
		"1: T(X) :- A(X)":             "write Head(X) <- Body(X), with a weight before it",
		"T(X) :- A(X).":               prologHint,
		"T(X) :- A(X), B(X, Y).":      prologHint,
		"T(X) :- A(X)\n1: T(X) = 1":   prologHint,
		"1: A(X) iff T(X)":            "write two rules, one for each direction",
		"1: A(X) == T(X)":             "write = between the sides of an arithmetic rule; == is for terms",
		"1: forall X: A(X) -> T(X)":   "write Body(X) -> Head(X); a rule holds for all values of its variables",
		"1: A(X) → T(X)":              "write -> for implies",
		"1: ¬A(X)":                    "write ! for not",
		"0,5: T(X)":                   "write 0.5",
		"1: A(X) - > T(X)":            "write -> without a space",
		"1: A(X) > > T(X)":            "write >> without a space",
		"1: A(X) < = T(X)":            "write <= without a space",
		"1: A(X) > = T(X)":            "write >= without a space",
		"1: A(X) > 0.5":               "strict comparisons make no convex problem",
		"1: A(X) =< T(X)":             "write <=",
		"1: A(X) –> T(X)":             "write -> for implies",
		"1: A(X) — T(X) = 0":          "write -",
		"1: A(X) -> T(X) ²":           "write ^2",
		"1: ∀X A(X) -> T(X)":          quantifierHint,
		"∞: A(X) -> T(X)":             "a rule that must hold has no weight, and ends with a full stop",
		"1: A(X) ↔ T(X)":              "write two rules, one for each direction",
		"1: A(X) -> FALSE":            "write what cannot all be true as in !A(X) | !B(X)",
		"1: TRUE -> T(X)":             "write the head alone, which is a rule by itself",
		"1: A(X) & X = 'a' -> T(X)":   "write == for terms that are equal",
		"1: A[X] -> T[X]":             "write P(X, Y): arguments are variables and constants",
		"1: max(A(X), T(X)) = 1":      "write P(X, Y): arguments are variables and constants",
		"1: A(X) != T(X)":             "between the sides of an arithmetic rule stands =, <= or >=",
		"1: A(X) -> -T(X)":            "write ! for not",
		"1: 1 - T(X)":                 "write !P(X) for 1 - P(X)",
		"1: T(X) -> T(Y) & (X != Y)":  "comparisons of terms choose ground rules: write them before the arrow",
	} {
		var diags source.Diagnostics
		Parse(&source.File{Name: "a.psl", Text: text}, &diags)
		if err := diags.Err(); err == nil || !strings.Contains(err.Error(), "\n    hint: "+want) {
			t.Errorf("%s: want the hint %q in\n%v", text, want, err)
		}
	}
}
