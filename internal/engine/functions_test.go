package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/similarity"
)

// peopleNames are names as two sources write them.
var peopleNames = []string{"Ann Smith", "Smith, A.", "Anne Smyth", "Bob Miller", "Bob Müller", "B. Miller", "Carl"}

// peopleModel is a configuration in which alike declares a predicate that compares names; more declares others.
func peopleModel(t *testing.T, alike, more string) string {
	var names, pairs strings.Builder
	for i, name := range peopleNames {
		fmt.Fprintf(&names, "%d\t%s\n", i, name)
		for j := range peopleNames {
			fmt.Fprintf(&pairs, "%d\t%d\n", i, j)
		}
	}
	return writeFiles(t, map[string]string{"names.txt": names.String(), "pairs.txt": pairs.String(),
		"model.json": `{
 "rules": [
  "4: Name(A, N) & Name(B, M) & Alike(N, M) -> Same(A, B) ^2",
  "1: Name(A, N) & Name(B, M) & Same(A, B) -> Alike(N, M) ^2",
  "2 * Alike(N, M): Name(A, N) & Name(B, M) & Same(A, B) -> Same(B, A) ^2",
  "1: !Same(A, B) ^2"
 ],
 "predicates": {
  "Name/2": {"observations": ["names.txt"]},
  "Same/2": {"targets": ["pairs.txt"]},
  "Alike/2": ` + alike + more + `
 }
}`})
}

// groundPeople grounds a model and lists its ground rules in alphabetical order.
func groundPeople(t *testing.T, alike, more string) (*session.Grounding, []string) {
	t.Helper()
	g := grounded(t, peopleModel(t, alike, more), project.Options{}, load.Infer)
	var b strings.Builder
	if err := g.Write(&b, session.GroundView, 0); err != nil {
		t.Fatal(err)
	}
	return g, slices.Sorted(strings.Lines(b.String()))
}

// table writes the pairs with a value of at least least as observations.
func table(compare func(a, b string) float64, least float64) string {
	var rows []string
	for _, a := range peopleNames {
		for _, b := range peopleNames {
			if value := compare(a, b); value >= least {
				rows = append(rows, fmt.Sprintf("[%q, %q, %.17g]", a, b, float32(value)))
			}
		}
	}
	return `{"observations": [` + strings.Join(rows, ", ") + `]}`
}

// TestFunctionAsTable compares functions and similar pairs with tables of the same values: the ground rules and the
// answers are the same.
func TestFunctionAsTable(t *testing.T) {
	corpus := similarity.NewCorpus(peopleNames)
	winkler, soft := similarity.Find("JaroWinkler").Bind(nil), similarity.Find("SoftTFIDF").Bind(corpus)
	other := similarity.Find("SoftTFIDF").Bind(similarity.NewCorpus([]string{"Ann Ann", "Smith", "Bob Smith"}))
	titles := `, "Title/1": {"observations": [["Ann Ann"], ["Smith"], ["Bob Smith"]]}`
	for _, test := range []struct{ name, alike, more, table string }{
		{"a function", `{"function": "JaroWinkler"}`, "", table(winkler, 0)},
		{"PSL's class", `{"function": "org.linqs.psl.utils.textsimilarity.JaroWinklerSimilarity"}`, "",
			table(above(winkler, 0.5), 0)},
		{"a corpus from the rules", `{"function": "SoftTFIDF"}`, "", table(soft, 0)},
		{"a corpus by name", `{"function": "SoftTFIDF", "options": {"corpus": "title:0"}}`, titles, table(other, 0)},
		{"similar pairs", `{"similarity": {"measure": "JaroWinkler", "over": "Name:1", "threshold": 0.6}}`, "",
			table(winkler, 0.6)},
		{"weighted pairs", `{"similarity": {"measure": "SoftTFIDF", "over": "Name:1", "threshold": 0.3}}`, "",
			table(soft, 0.3)},
		{"pairs and a corpus",
			`{"similarity": {"measure": "SoftTFIDF", "over": "Name:1", "threshold": 0.3, "corpus": "Title:0"}}`, titles,
			table(other, 0.3)},
	} {
		t.Run(test.name, func(t *testing.T) {
			computed, got := groundPeople(t, test.alike, test.more)
			listed, want := groundPeople(t, test.table, "")
			if diff := cmp.Diff(want, got); diff != "" || len(got) < 50 {
				t.Fatalf("(-table +computed):\n%s", diff)
			}
			a, b := infer(t, computed).Values, infer(t, listed).Values
			for k := range a {
				if math.Abs(a[k]-b[k]) > 1e-3 {
					t.Errorf("target %d is %g, and %g from a table", k, a[k], b[k])
				}
			}
		})
	}
}

// above is compare with 0 for the values up to a threshold.
func above(compare func(a, b string) float64, threshold float64) func(a, b string) float64 {
	return func(a, b string) float64 {
		if value := compare(a, b); value > threshold {
			return value
		}
		return 0
	}
}

// TestDerivedFunctions derives pairs by a function, and similar pairs of derived constants.
func TestDerivedFunctions(t *testing.T) {
	g, _ := groundPeople(t, `{"function": "TFIDF"}`, `,
  "Close/2": {"similarity": {"measure": "Levenshtein", "over": "Smith:0", "threshold": 0.5}},
  "Smith/1": {"derive": "Smith(N) <- Name(A, N) & Alike(N, 'Ann Smith')"}`)
	smith, close := g.Tables.Store.Relations[4], g.Tables.Store.Relations[3]
	if smith.Len() != 2 || close.Len() != 2 {
		t.Errorf("%d names have a token of Ann Smith, %d pairs of these are similar; want 2 and 2", smith.Len(), close.Len())
	}
}

// TestSimilarityPage loads the example of the page about similarities.
func TestSimilarityPage(t *testing.T) {
	_, example, _ := strings.Cut(readText(t, "docs/similarity.md"), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	path := writeFiles(t, map[string]string{"model.json": example, "names.txt": "a\tAnn\nb\tAnne\n",
		"blocks.txt": "a\tA\nb\tA\n", "pairs.txt": "a\tb\nb\ta\n"})
	if n := grounded(t, path, project.Options{}, load.Infer).Potentials(); n != 4 {
		t.Errorf("%d ground rules, want 4", n)
	}
}

func TestFunctionErrors(t *testing.T) {
	for alike, want := range map[string]string{
		`{"function": "JaroWinkle"}`: "did you mean JaroWinkler?",
		`{"similarity": {"measure": "Jaro", "over": "Alike:1", "threshold": 0.5}}`: "derivation-cycle",
	} {
		project, err := project.Load(peopleModel(t, alike, ""), project.Options{})
		if err == nil {
			_, err = Ground(context.Background(), project, load.Infer)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", alike, err, want)
		}
	}
}
