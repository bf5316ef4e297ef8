package stagestest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// classMeans draws the mean features of classes.
func classMeans(random *rand.Rand, classes, features int, spread float64) [][]float64 {
	means := make([][]float64, classes)
	for class := range means {
		for range features {
			means[class] = append(means[class], spread*random.NormFloat64())
		}
	}
	return means
}

// looksLike is the rest of a row of features around the means of a class.
func looksLike(random *rand.Rand, means []float64, separator string) (row string) {
	for _, mean := range means {
		row += fmt.Sprintf("%s%.3f", separator, mean+random.NormFloat64())
	}
	return row + "\n"
}

// authors is a project of papers by two authors each, one of whose fields is the topic. Networks see pages of the
// authors, whose fields nobody has labelled; the topics of some papers are known. Authors work with others of their
// field, or with anyone.
func authors(t *testing.T, seed uint64, alike float64) string {
	t.Helper()
	const people, papers, known, fields, looks = 110, 220, 40, 4, 6
	random := rand.New(rand.NewPCG(seed, 11))
	means := classMeans(random, fields, looks, 1)
	var pages, asked, topics, wrote strings.Builder
	var truth [2]strings.Builder
	fmt.Fprintln(&pages, "id,a,b,c,d,e,f")
	field := make([]int, people)
	for a := range people {
		field[a] = random.IntN(fields)
		fmt.Fprintf(&pages, "a%d%s", a, looksLike(random, means[field[a]], ","))
		for f := range fields {
			fmt.Fprintf(&asked, "a%d\tf%d\n", a, f)
		}
	}
	for p := range papers {
		first, second := random.IntN(people), random.IntN(people)
		for second == first || random.Float64() < alike && field[second] != field[first] {
			second = random.IntN(people)
		}
		fmt.Fprintf(&wrote, "a%d\tp%d\na%d\tp%d\n", first, p, second, p)
		fmt.Fprintf(&truth[min(p/known, 1)], "p%d\tf%d\n", p, field[first])
		for f := range fields {
			fmt.Fprintf(&topics, "p%d\tf%d\n", p, f)
		}
	}
	return writeProject(t, map[string]string{
		"pages.csv": pages.String(), "fields.tsv": asked.String(), "topics.tsv": topics.String(),
		"wrote.tsv": wrote.String(), "known.tsv": truth[0].String(), "others.tsv": truth[1].String(),
		"model.json": `{"rules": ["1: Page(A, F) -> Field(A, F) ^2", "1: Wrote(A, P) & Field(A, F) -> Topic(P, F) ^2",
			"1: Wrote(A, P) & Topic(P, F) -> Field(A, F) ^2", "Field(A, +F) = 1 .", "Topic(P, +F) = 1 ."],
			"networks": {"reader": {"features": "pages.csv"}},
			"predicates": {
				"Page/2": {"neural": {"network": "reader", "class": 1, "classes": ["f0", "f1", "f2", "f3"]}},
				"Wrote/2": {"observations": ["wrote.tsv"]},
				"Field/2": {"targets": ["fields.tsv"]},
				"Topic/2": {"targets": ["topics.tsv"], "truth": {"learn": ["known.tsv"], "infer": ["others.tsv"]}}
			}}`,
	})
}

// What nobody has labelled is learned from labels that it bears on, though targets lie between that are too many to be
// summed out, and not all that bears on a label says the same.
func TestTwinsBetween(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		seed         uint64
		alike, least float64
	}{{0, 0.7, 0.62}, {2, 0, 0.55}, {3, 0, 0.42}} { // 0.54, 0.35 and 0.35 without
		report := run(t, authors(t, test.seed, test.alike), project.Options{Seed: test.seed}, learnAndInfer)
		if right := lastAccuracy(report); right < test.least {
			t.Errorf("seed %d: %.3f of the topics are right, want at least %v", test.seed, right, test.least)
		}
	}
}

// Beside a network that labels are about, such as one that sees the papers themselves, others learn from what follows
// from several things that they see, and are not worn away by weight decay: then, 0.466 of the topics were right.
func TestTwinsBesideLabels(t *testing.T) {
	path := authors(t, 1, 0.7)
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(path)
	random := rand.New(rand.NewPCG(0, 12))
	means := classMeans(random, 4, 5, 0.5)
	var texts strings.Builder
	for _, table := range []string{"known.tsv", "others.tsv"} {
		topics, err := os.ReadFile(filepath.Join(folder, table))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(topics)) {
			var p, f int
			if _, err := fmt.Sscanf(line, "p%d\tf%d", &p, &f); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&texts, "p%d%s", p, looksLike(random, means[f], "\t"))
		}
	}
	model := strings.NewReplacer(
		`{"rules": ["1: Page(A, F) -> Field(A, F) ^2", `, `{"rules": ["1: Text(P, F) -> Topic(P, F) ^2", `,
		"Field(A, F)", "Page(A, F)", `"Field(A, +F) = 1 .", `, "",
		`{"reader": `, `{"eye": {"features": "texts.tsv"}, "reader": `, `"Field/2": {"targets": ["fields.tsv"]}`,
		`"Text/2": {"neural": {"network": "eye", "class": 1, "classes": ["f0", "f1", "f2", "f3"]}}`,
	).Replace(string(written))
	files := map[string]string{path: model, filepath.Join(folder, "texts.tsv"): texts.String()}
	for name, content := range files {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if right := lastAccuracy(run(t, path, project.Options{Seed: 1}, learnAndInfer)); right < 0.6 {
		t.Errorf("%.3f of the topics are right, want at least 0.6", right)
	}
}
