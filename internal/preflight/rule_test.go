package preflight

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// compile compiles rules over predicates whose names end in their arity; those that begin with T are open.
func compile(t *testing.T, rules string) []*program.Rule {
	t.Helper()
	var predicates []*program.Predicate
	for _, name := range []string{"A1", "B1", "C2", "D2", "E3", "T1", "T2"} {
		arity := int(name[1] - '0')
		predicates = append(predicates, &program.Predicate{Name: name, Types: make([]program.Type, arity),
			Closed: name[0] != 'T'})
	}
	var diags source.Diagnostics
	parsed := syntax.Parse(&source.File{Name: "r.psl", Text: rules}, &diags)
	compiled := program.Compile(predicates, parsed, &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	return compiled.Rules
}

func TestVariablesUsedOnce(t *testing.T) {
	for rule, want := range map[string]string{
		"1: A1(X) -> T1(X)":                            "",
		"1: !T2(X, Y)":                                 "",
		"1: C2(X, Y) -> T1(X)":                         "r.psl:1:10 Y",
		"1: C2(X, _Y) -> T1(X)":                        "",
		"1: C2(X, X) & D2(Y, Z) -> T1(Y)":              "r.psl:1:21 Z",
		"1: C2(X, Y) & Y != 'x' -> T1(X)":              "",
		"1 * A1(Y): C2(X, Y) -> T1(X)":                 "",
		"1: T2(X, +Y) <= A1(X)":                        "",
		"1: T2(X, +Y) + D2(X, Z) <= 1 {Y: C2(X, Y)}":   "",
		"1: T2(X, y) <= T1(X)":                         "r.psl:1:10 y",
		"1: T1(X) = 0.5 * T1('a')":                     "",
		"1: T1(X) = T2(+Y, +Z) / |Y|":                  "",
		"1: T2(X, Y) = T2(Y, Z)":                       "",
		"1: T1(X) | T1(Y)":                             "r.psl:1:7 X, r.psl:1:15 Y",
		"1: E3(X, XX, X) & A1('XX') -> T1(X)":          "r.psl:1:10 XX",
		"1: C2(X, Y) & D2(Z, Z) & A1(W) -> T2(X, Z)":   "r.psl:1:10 Y, r.psl:1:29 W",
		"1: C2(X, Y) & D2(Y, Z) & X % Z -> T2(X, 'z')": "",
	} {
		t.Run(rule, func(t *testing.T) {
			var diags source.Diagnostics
			lintVariables(compile(t, rule)[0], &diags)
			var got []string
			for _, d := range diags {
				got = append(got, d.Span.String()+" "+d.Span.Text())
			}
			if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJoined(t *testing.T) {
	for rule, want := range map[string]string{
		"1: A1(X) & B1(X) -> T1(X)":                               "A1(X) B1(X)",
		"1: A1(X) & B1(Y) -> T2(X, Y)":                            "A1(X) | B1(Y)",
		"1: A1(X) & B1(Y) & X == Y -> T2(X, Y)":                   "A1(X) B1(Y)",
		"1: A1(X) & B1(Y) & X != Y -> T2(X, Y)":                   "A1(X) | B1(Y)",
		"1: C2(X, Y) & A1(Z) & D2(Y, W) & E3(W, Z, 'c') -> T1(X)": "C2(X, Y) A1(Z) D2(Y, W) E3(W, Z, 'c')",
		"1: A1('a') & B1(X) -> T1(X)":                             "B1(X)",
		"1: T2(X, +Y) <= A1(X)":                                   "T2(X, +Y) A1(X)",
		"1: T2(X, +Y) + A1(Z) <= 1":                               "T2(X, +Y) | A1(Z)",
		"1: T2(+X, +Y) + A1(Z) <= 1":                              "A1(Z)",
		"1: A1(X) & !C2(X, 'c') -> T1(X)":                         "A1(X)",
	} {
		t.Run(rule, func(t *testing.T) {
			var groups []string
			for _, group := range joined(compile(t, rule)[0]) {
				var texts []string
				for _, a := range group {
					texts = append(texts, a.Span.Text())
				}
				groups = append(groups, strings.Join(texts, " "))
			}
			if diff := cmp.Diff(want, strings.Join(groups, " | ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestShapes(t *testing.T) {
	for _, test := range []struct {
		first, second string
		same          bool
	}{
		{"1: A1(X) -> T1(X)", "2: A1(Y) -> T1(Y) ", true},
		{"1: A1(X) -> T1(X)", "1: A1(Y) -> T1(Y) ^2", false},
		{"1: A1(X) -> T1(X)", "A1(X) -> T1(X) .", false},
		{"1: C2(X, Y) -> T2(X, Y)", "1: C2(Y, X) -> T2(Y, X)", true},
		{"1: C2(X, Y) -> T2(X, Y)", "1: C2(X, Y) -> T2(Y, X)", false},
		{"1: C2(X, 'Y') -> T1(X)", "1: C2(Y, 'X') -> T1(Y)", false},
		{"1: C2(X, Y) & X != Y -> T1(X)", "1: C2(A, B) & A != B -> T1(A)", true},
		{"1: C2(X, Y) & X != Y -> T1(X)", "1: C2(X, Y) & X == Y -> T1(X)", false},
		{"1: 2 * T1(X) <= A1(X)", "1: T1(X) <= A1(X)", false},
		{"1: T2(X, +Y) <= A1(X) {Y: C2(X, Y)}", "1: T2(A, +B) <= A1(A) {B: C2(A, B)}", true},
		{"1: T2(X, +Y) <= A1(X) {Y: C2(X, Y)}", "1: T2(X, +Y) <= A1(X) {Y: !C2(X, Y)}", false},
		{"1: T2(X, +Y) <= A1(X) {Y: C2(X, Y)}", "1: T2(X, +Y) <= A1(X)", false},
		{"1 * A1(X): T1(X)", "1 * B1(X): T1(X)", false},
	} {
		rules := compile(t, test.first+"\n"+test.second)
		if same := shapeOf(rules[0]) == shapeOf(rules[1]); same != test.same {
			t.Errorf("%s and %s: the same shape is %t", test.first, test.second, same)
		}
	}
}

// A join that takes long for few ground rules must be named, one that is short or makes many must not.
func TestSlowJoin(t *testing.T) {
	rule := compile(t, "1: C2(X, Y) & C2(Y, Z) & C2(Z, X) -> T1(X)")[0]
	for _, c := range []struct {
		rows, potentials float64
		want             string
	}{
		{4.5e9, 40_000,
			"finding about 40,000 ground rules goes through about 4,500,000,000 rows, for about 3 minutes on one thread"},
		{1e9, 0, "finding 0 ground rules goes through about 1,000,000,000 rows, for about 40 seconds on one thread"},
		{1e12, 1,
			"finding about 1 ground rules goes through about 1,000,000,000,000 rows, for about 11 hours on one thread"},
		{1e8, 0, ""},
		{4.5e9, 1e9, ""},
	} {
		var diags source.Diagnostics
		lintSlow(rule, &ground.Estimate{Plan: &plan.Plan{Rule: rule}, Rows: c.rows, Potentials: c.potentials}, &diags)
		got := ""
		for _, d := range diags {
			got = d.Message + " [" + d.ID + "]"
		}
		if c.want != "" {
			c.want += " [slow-join]"
		}
		if got != c.want {
			t.Errorf("%v rows for %v: %q, want %q", c.rows, c.potentials, got, c.want)
		}
	}
}
