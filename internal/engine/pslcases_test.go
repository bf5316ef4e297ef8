package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

// town is a configuration about five people, of whom everybody may know everybody else; kind is how kind each is, and
// selves whether they may know themselves. What Java PSL makes of such models, its own tests say.
func town(rules []string, kind [5]float64, selves bool) string {
	var people, kinds, knows [][]any
	for a := range 5 {
		people = append(people, []any{fmt.Sprint("p", a)})
		kinds = append(kinds, []any{fmt.Sprint("p", a), kind[a]})
		for b := range 5 {
			if a != b || selves {
				knows = append(knows, []any{fmt.Sprint("p", a), fmt.Sprint("p", b)})
			}
		}
	}
	text, err := json.Marshal(map[string]any{"rules": rules, "predicates": map[string]any{
		"Person/1": map[string]any{"observations": people},
		"Kind/1":   map[string]any{"observations": kinds},
		"Knows/2":  map[string]any{"targets": knows},
		"Led/2":    map[string]any{"targets": [][]any{{"p0", "p1"}, {"p1", "p0"}}},
		"Good/1":   map[string]any{"targets": [][]any{{"p0"}, {"p1"}}},
	}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

var (
	allKind   = [5]float64{1, 1, 1, 1, 1}
	otherwise = [5]float64{0.9, 0.8, 0.7, 0.6, 0}
)

// groundCases are rules, with how many ground rules they have in Java PSL, and the first of them.
var groundCases = []struct {
	rule   string
	kind   [5]float64
	selves bool
	count  int
	first  string
}{
	{"1: Kind(A) & Kind(B) -> Knows(A, B) ^2", allKind, true, 25, "-1.0 * Knows('p0', 'p0') <= -1.0 ^2"},
	{"1: Kind(A) & Kind(B) & (A == B) -> Knows(A, B) ^2", allKind, true, 5, "-1.0 * Knows('p0', 'p0') <= -1.0 ^2"},
	{"1: Kind(A) & Kind(B) & (A != B) -> Knows(A, B) ^2", allKind, true, 20, "-1.0 * Knows('p0', 'p1') <= -1.0 ^2"},
	{"1: Kind(A) & Kind(B) & A - B -> Knows(A, B) ^2", allKind, true, 20, "-1.0 * Knows('p0', 'p1') <= -1.0 ^2"},
	{"1: Kind(A) & Kind(B) & (A % B) -> Knows(A, B) ^2", allKind, true, 10, "-1.0 * Knows('p0', 'p1') <= -1.0 ^2"},
	{"1: Kind(A) & Kind(B) & (A ^ B) -> Knows(A, B) ^2", allKind, true, 10, "-1.0 * Knows('p0', 'p1') <= -1.0 ^2"},
	{"1: Kind(A) -> !Knows(A, B) ^2", allKind, false, 20, "1.0 * Knows('p0', 'p1') <= 0.0 ^2"},
	// What compares terms adds nothing to a sum.
	{"1: Kind(A) + Kind(B) + (A == B) - Knows(A, B) <= 0 ^2", allKind, true, 5, "-1.0 * Knows('p0', 'p0') <= -2.0 ^2"},
	{"1: Kind(A) + Kind(B) + (A != B) - Knows(A, B) <= 0 ^2", allKind, true, 20, "-1.0 * Knows('p0', 'p1') <= -2.0 ^2"},
	{"1: Kind(A) + Kind(B) + (A % B) - Knows(A, B) <= 0 ^2", allKind, true, 10, "-1.0 * Knows('p0', 'p1') <= -2.0 ^2"},
	{"1: Kind(A) + Kind(B) + Knows(A, B) <= 1 ^2", allKind, false, 20, "1.0 * Knows('p0', 'p1') <= -1.0 ^2"},
	{"1: Kind(A) - Kind(B) + Knows(A, B) = 1 ^2", allKind, false, 20, "1.0 * Knows('p0', 'p1') = 1.0 ^2"},
	{"1: Knows(A, B) = 0 ^2", allKind, false, 20, "1.0 * Knows('p0', 'p1') = 0.0 ^2"},
	// A single atom between 0 and 1 says nothing.
	{"1: Knows(A, B) >= 0 ^2", allKind, false, 0, ""},
	{"1: Knows(A, B) <= 1 ^2", allKind, false, 0, ""},
	{"1: -1 * Knows(A, B) >= -1 ^2", allKind, false, 0, ""},
	{"1: -1 * Knows(A, B) <= 0 ^2", allKind, false, 0, ""},
	{"1: Knows(A, B) -> Knows(A, B)", allKind, false, 0, ""},
	{"1: Kind(A) & Kind(B) -> Person(A)", allKind, false, 0, ""},
	{"1: Kind(A) + Kind(B) >= 1", allKind, false, 0, ""},
	// Sums, their filters and their sizes.
	{"1: |B| * Knows(A, +B) >= 1 ^2 {B: Kind(B)}", allKind, false, 5,
		"-4.0 * Knows('p0', 'p1') - 4.0 * Knows('p0', 'p2') - 4.0 * Knows('p0', 'p3') - 4.0 * Knows('p0', 'p4') <= -1.0 ^2"},
	{"1: |B| * Knows(A, +B) >= 1 ^2 {B: Kind(B)}", otherwise, false, 5,
		"-3.0 * Knows('p0', 'p1') - 3.0 * Knows('p0', 'p2') - 3.0 * Knows('p0', 'p3') <= -1.0 ^2"},
	{"1: |B| * Knows(A, +B) >= 1 ^2 {B: !Kind(B)}", allKind, false, 0, ""},
	{"1: |B| * Knows(A, +B) >= 1 ^2 {B: !Kind(B)}", otherwise, false, 4, "-1.0 * Knows('p0', 'p4') <= -1.0 ^2"},
	{"1: Knows(A, +B) >= 1 ^2 {B: B == 'p0'}", allKind, false, 4, "-1.0 * Knows('p1', 'p0') <= -1.0 ^2"},
	{"1: Knows(A, +B) >= 1 ^2 {B: B != 'p0'}", allKind, false, 5,
		"-1.0 * Knows('p0', 'p1') - 1.0 * Knows('p0', 'p2') - 1.0 * Knows('p0', 'p3') - 1.0 * Knows('p0', 'p4') <= -1.0 ^2"},
	{"1: Knows(A, +B) >= 1 ^2 {B: A == 'p0'}", allKind, false, 1,
		"-1.0 * Knows('p0', 'p1') - 1.0 * Knows('p0', 'p2') - 1.0 * Knows('p0', 'p3') - 1.0 * Knows('p0', 'p4') <= -1.0 ^2"},
	{"1: Led(+A, +B) >= 1 ^2", allKind, false, 1, "-1.0 * Led('p0', 'p1') - 1.0 * Led('p1', 'p0') <= -1.0 ^2"},
	{"1: |A| * Led(+A, +B) >= 1 ^2", allKind, false, 1, "-2.0 * Led('p0', 'p1') - 2.0 * Led('p1', 'p0') <= -1.0 ^2"},
	{"1: (|A| + |B|) * Led(+A, +B) >= 1 ^2", allKind, false, 1,
		"-4.0 * Led('p0', 'p1') - 4.0 * Led('p1', 'p0') <= -1.0 ^2"},
	{"1: (|A| / |B|) * Led(+A, +B) >= 1 ^2", allKind, false, 1,
		"-1.0 * Led('p0', 'p1') - 1.0 * Led('p1', 'p0') <= -1.0 ^2"},
	{"1: @Max[|A|, 3] * Good(+A) = 1", allKind, false, 1, "3.0 * Good('p0') + 3.0 * Good('p1') = 1.0"},
	{"1: @Min(|A|, 3) Good(+A) = |A|", allKind, false, 1, "2.0 * Good('p0') + 2.0 * Good('p1') = 2.0"},
	// Signs, parentheses, arrows and numbers.
	{"1: ~Good(A) & ~~Led(A, B) >> ~~~Good(B) ^2", allKind, false, 2,
		"-1.0 * Good('p0') + 1.0 * Led('p0', 'p1') + 1.0 * Good('p1') <= 1.0 ^2"},
	{"1: ((Good(M)) & (Good(N))) && (M ~= N) >> (Led(M, N))", allKind, false, 2,
		"1.0 * Good('p0') + 1.0 * Good('p1') - 1.0 * Led('p0', 'p1') <= 1.0"},
	{"1: Good(S) || Good(T) << Led(S, T)", allKind, false, 2,
		"1.0 * Led('p0', 'p1') - 1.0 * Good('p0') - 1.0 * Good('p1') <= 0.0"},
	{"0000000002: -1.5e0 Good(A) = -1 ^2", allKind, false, 2, "-1.5 * Good('p0') = -1.0 ^2"},
	{"1: 'a' == 'b' & Led(A, B) >> Good(B)", allKind, false, 0, ""},
	{"1: Good(A) & Led(A, ' Z ') & Good('') -> Good('p0')", allKind, false, 0, ""},
}

// Every rule must have as many ground rules as in Java PSL.
func TestGroundRulesOfJava(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range groundCases {
		writeText(t, "model.json", town([]string{c.rule}, c.kind, c.selves))
		project, err := project.Load("model.json", project.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		g, err := Ground(context.Background(), project, load.Infer)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		var view strings.Builder
		if err := g.Write(&view, session.GroundView, 1); err != nil {
			t.Fatal(err)
		}
		_, first, _ := strings.Cut(strings.SplitN(view.String(), "\n", 2)[0], ": ")
		if g.Potentials() != c.count || first != c.first {
			t.Errorf("%s: %d ground rules, the first of them\n%s, want %d and\n%s", c.rule, g.Potentials(), first, c.count,
				c.first)
		}
	}
}

// What Java PSL refuses must be refused, but for what the page on compatibility says.
func TestRefusalsOfJava(t *testing.T) {
	t.Chdir(t.TempDir())
	for rule, id := range map[string]string{
		"1: Good(A) / 0 + Good(B) = 0":               "division-by-zero",
		"1: 2 / (2 - 2) * Good(A) = 0":               "division-by-zero",
		"1: Good(A) / @Min[0, 1] = 0":                "division-by-zero",
		"1: Knows(A, +B) + Kind(A) / (|B| - 4) >= 1": "coefficient-not-finite",
		"1: ~(Good(A) & Good(B)) >> Led(A, B)":       "not-a-clause",
		"1: Led(A, B) >> ~(Good(A) | Good(B))":       "not-a-clause",
		"1: Good(A) & Led(A B) >> Good(B)":           "syntax",
		"1: Nobody(A) & Led(A, B) >> Good(B)":        "unknown-predicate",
		"1: Good(A) & Led(\"p0', B) >> Good(B)":      "unclosed",
		"1: (Good(A) & Led(A, B) >> Good(B)":         "syntax",
		"1: Good(A) & Led(A, B)) >> Good(B)":         "syntax",
		"1: Good(A) >> Good(A) ^3":                   "bad-exponent",
		"1: Good(A) >> Good(A) ^-1":                  "bad-exponent",
		"1: Good(A) >> Good(A) ^2.5":                 "bad-exponent",
		"Good(A) & Led(A, B) >> Good(B)":             "missing-weight",
		"Good(A) . ^2":                               "syntax",
		"// no rule":                                 "syntax",
		"Good(+A) + Good(+A) = 1 .":                  "bad-summation",
		"Good(+A) + Good(A) = 1 .":                   "bad-summation",
		"Good(+A) = 1 . {B: Kind(B)}":                "bad-filter",
		"Good(+A) = 1 . {A: Kind(B)}":                "unsafe-variable",
		"Good(+A) = 1 . {A: Good(A)}":                "not-closed",
		"|A| * Good(B) = 1 .":                        "bad-cardinality",
		"Led(+A) = 1 .":                              "wrong-arity",
		"Good(+A, +B) = 1 .":                         "wrong-arity",
		"1: @Min[1, 0, 2] Good(A) = 1":               "syntax",
		"1: Person(A) & !Knows(A, B) -> Good(B)":     "unsafe-variable",
		"1: Kind(A) & Kind(B) -> Knows('x', 'y')":    "missing-target",
	} {
		writeText(t, "model.json", town([]string{rule}, allKind, false))
		project, err := project.Load("model.json", project.Options{})
		if err == nil {
			_, err = Ground(context.Background(), project, load.Infer)
		}
		if err == nil || !strings.Contains(err.Error(), "["+id+"]") {
			t.Errorf("%s: %v, want %s", rule, err, id)
		}
	}
}

// Configurations that Java PSL refuses must be refused, and those that it reads be read.
func TestConfigurationsOfJava(t *testing.T) {
	t.Chdir(t.TempDir())
	const p = `'P/2': {'targets': [['a', 'b']]}`
	for text, id := range map[string]string{
		`{'predicates': {'Q/2': {'arity': 3}}}`:                             "config-arity",
		`{'predicates': {'Q': {}}}`:                                         "config-arity",
		`{'predicates': {'Q/2': {'types': ['UniqueIntID']}}}`:               "config-arity",
		`{'predicates': {'Q/2': {'type': 'org.some.type'}}}`:                "config-choice",
		`{'predicates': {'Q/1': {'types': ['Text']}}}`:                      "config-type",
		`{'predicates': {'Q/2': {'observations': ['no/such/data.txt']}}}`:   "file-missing",
		`{'predicates': {'Q/2': {'observations': [['1']]}}}`:                "data-columns",
		`{'predicates': {'Q/2': {'observations': [['1', '2', '3', '4']]}}}`: "data-columns",
		`{'predicates': {'Q/2': {'function': 'org.some.function'}}}`:        "unknown-function",
		`{'predicates': {'Q/2': {'evaluations': ['SomeEvaluator']}}}`:       "config-evaluator",
		`{'predicates': {'Q/2': {'evaluations': [{'evaluator': 'AUCEvaluator', 'primary': true},
			{'evaluator': 'AUCEvaluator', 'primary': true}]}}}`: "config-evaluator",
		`{'rules': ['Rule']}`:                      "syntax",
		`{'rules': ['1: Q(A, B) = 0']}`:            "unknown-predicate",
		`{'learn': {'rules': ['1: Q(A, B) = 0']}}`: "unknown-predicate",
		`{'infer': {'rules': ['1: Q(A, B) = 0']}}`: "unknown-predicate",
		`{}`: "",
		`{'rules': /* all */ ['1: P(A, B) = 0',], 'predicates': {` + p + `,},}`:                                     "",
		"{'rules': ['1: P(A, B) = 0'], // one\n 'predicates': {" + p + `}}`:                                         "",
		"{\"rules\": ['1: P(A, B) = 0'], # one\n 'predicates': {" + p + `}}`:                                        "",
		`{'options': {'inference.iterations': 0100, 'inference.gap': +01.5e-3}}`:                                    "",
		`{'infer': {'rules': ['2: P(A, B) = 1'], 'options': {'inference.gap': '1e-3'}}, 'predicates': {` + p + `}}`: "",
		`{'predicates': {` + p + `, 'D/2': {'observations': {'all': [['x', 'y']], 'learn': [['l', 'd']],
			'infer': [['i', 'd']]}, 'targets': [['e', 'd']], 'truth': [['e', 'd', '0.5']]}}}`: "",
		`{'predicates': {'Q/2': {}, 'R': {'arity': 2}, 'S': {'types': ['Integer', 'UniqueStringID']}}}`: "",
		`{'predicates': {'Q/2': {'type': 'StandardPredicate', 'options': {'integer': 'false'}}}}`:       "",
		`{'predicates': {'Q/2': {'targets': [['a', 'b']], 'evaluations': ['ContinuousEvaluator', {'evaluator':
			'DiscreteEvaluator', 'options': {'discreteevaluator.threshold': '0.75'}, 'primary': false}]}}}`: "",
	} {
		writeText(t, "model.json", text)
		project, err := project.Load("model.json", project.Options{})
		if err == nil {
			_, err = Check(context.Background(), project)
		}
		if (id == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), "["+id+"]") {
			t.Errorf("%s: %v, want %q", text, err, id)
		}
	}
}

// Rules that are the same for Java PSL must count once, and others apart.
func TestEqualRulesOfJava(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		rules []string
		count int
	}{
		{[]string{"1: 1 Good(A) = 1 ^2", "3: 1.0 * Good(A) = 1 ^2", "1: Good(A) = 1.0 ^2"}, 1},
		{[]string{"1: 5e6 Good(A) = 1", "1: 5E6 * Good(A) = 1", "1: -5e6 Good(A) = 1"}, 2},
		{[]string{"1: Good(A) - 1 = Good(B)", "1: -1 + Good(A) = Good(B)", "1: 0 - 1 + Good(A) = Good(B)",
			"1: Good(A) = Good(B) + 1", "1: Good(A) = 0 - -1 + Good(B)"}, 1},
		{[]string{"1: 2 + Good(A) = 3 + Good(B)", "1: Good(A) + 2 = Good(B) + 3", "1: Good(A) - 2 = Good(B) - 1"}, 1},
		{[]string{"1: Good(A) + Good(B) = 0.5", "1: (Good(A) + Good(B)) = 0.5"}, 1},
		{[]string{"1: Led(A, B) - Led(B, A) = 0", "1: 0 = Led(A, B) - Led(B, A)"}, 2},
		{[]string{"1: Good(A) + Good(B) + (A != B) = 0", "1: Good(A) + Good(B) + (A ~= B) = 0",
			"1: Good(A) + Good(B) + (A - B) = 0", "1: Good(A) + Good(B) + (A % B) = 0"}, 2},
		{[]string{"1: Good(A) & Led(A, B) -> Good(B)", "5: Led(A, B) & Good(A) -> Good(B)",
			"1: Good(B) << Good(A) & Led(A, B)"}, 1},
		{[]string{"1: Good(A) & Led(A, B) -> Good(B)", "1: Good(A) & Led(A, B) -> Good(B) ^2",
			"Good(A) & Led(A, B) -> Good(B) ."}, 3},
		{[]string{"1: Good(A) -> Led(A, A)", "1: !Led(A, A) -> !Good(A)", "1: Led(A, A) -> Good(A)"}, 2},
	} {
		writeText(t, "model.json", town(c.rules, allKind, false))
		project, err := project.Load("model.json", project.Options{Set: []string{"pam.throw=false"}})
		if err != nil {
			t.Fatal(err)
		}
		g, err := Ground(context.Background(), project, load.Infer)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(g.Counts()); got != c.count {
			t.Errorf("%q are %d rules, want %d", c.rules, got, c.count)
		}
	}
}

// Small models must have the values that they have in Java PSL.
func TestValuesOfJava(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		rules []string
		sum   float64 // of Knows
	}{
		{[]string{"1: !Knows(A, B) ^2"}, 0},
		{[]string{"1: Knows(A, B) = 0 ^2"}, 0},
		{[]string{"1: Knows(A, B) = 1 ^2"}, 20},
		{[]string{"1: Kind(A) & Kind(B) & (A != B) -> Knows(A, B)", "1: Knows(A, B) = Knows(B, A) ^2"}, 20},
		{[]string{"Knows(+A, +B) = 1 .", "1: Knows(A, B) = 1 ^2"}, 1},
		{[]string{"10: Kind(A) & Kind(B) & (A != B) -> Knows(A, B) ^2", "10: !Knows(A, B) ^2"}, 10},
	} {
		writeText(t, "model.json", town(c.rules, allKind, false))
		project, err := project.Load("model.json", project.Options{Set: []string{"inference.gap=1e-9"}})
		if err != nil {
			t.Fatal(err)
		}
		report := run(t, project, Stages{Infer: true})
		sum := 0.0
		report.Grounding.Each(report.Answer, false, func(a session.Atom) {
			if a.Predicate == "Knows" {
				sum += a.Value
			}
		})
		if math.Abs(sum-c.sum) > 1e-3 {
			t.Errorf("%q: the values add up to %v, want %v", c.rules, sum, c.sum)
		}
	}
}

// Where the optimum is not unique, nothing is said of how far an atom may be from it, whatever the gap.
func TestAtomErrorWithoutConvexity(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "model.json", town([]string{"1: Good(A) & Good(B) & (A != B) -> Led(A, B)"}, allKind, false))
	project, err := project.Load("model.json", project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := run(t, project, Stages{Infer: true}); !math.IsInf(report.AtomError, 1) {
		t.Errorf("no atom is further than %v from the optimum, with a gap of %v", report.AtomError, report.Gap)
	}
}
