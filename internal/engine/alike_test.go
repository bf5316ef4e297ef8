package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// An answer that has one class for nearly all of the things that inference is about is noticed where the labels learned
// from have several, and only there.
func TestAnswersThatAreAlikeAreNoticed(t *testing.T) {
	for _, test := range []struct {
		name    string
		others  string // what inference sees of them
		every   int    // labels change every so many
		labels  int
		noticed bool
	}{
		{"one class", "cat cat cat cat", 1, 30, true},
		{"several", "cat dog dog cat", 1, 30, false},
		{"labels of one class", "cat cat cat cat", 25, 30, false},
		{"few labels", "cat cat cat cat", 1, 6, true},
	} {
		files := map[string]string{
			"model.json": `{
				"rules": ["1: Hint(A, C) -> Is(A, C) ^2", "fixed 9: Is(A, +C) = 1 ^2"],
				"predicates": {
					"Hint/2": {"observations": {"learn": ["hints.tsv"], "infer": ["others.tsv"]}},
					"Is/2": {"targets": {"learn": ["targets.tsv"], "infer": ["more.tsv"]}, "truth": {"learn": ["train.tsv"]}}
				}
			}`,
			"train.tsv": labelled(test.labels, test.every), "hints.tsv": labelled(30, test.every),
		}
		for k := range 40 {
			files["targets.tsv"] += fmt.Sprintf("%d\tcat\n%[1]d\tdog\n", k%30)
			files["more.tsv"] += fmt.Sprintf("b%d\tcat\nb%[1]d\tdog\n", k)
			files["others.tsv"] += fmt.Sprintf("b%d\t%s\n", k, strings.Fields(test.others)[k%4])
		}
		files["targets.tsv"] = strings.Join(strings.SplitAfter(files["targets.tsv"], "\n")[:60], "")
		var b strings.Builder
		report := run(t, writeProject(t, files), project.Options{Seed: 1,
			OnWarning: func(w source.Diagnostics) { w.Render(&b, false, 0) }}, engine.Stages{Learn: true, Infer: true})
		const line = "40 things that Is is inferred for get cat, which 50 % of the labels say [learn-alike]"
		if strings.Contains(b.String(), line) != test.noticed || strings.Contains(b.String(), "learn-alike") != test.noticed {
			t.Errorf("%s: %s", test.name, b.String())
		}
		if listed := len(report.Warnings) > 0; listed != test.noticed {
			t.Errorf("%s: the report warns of %v", test.name, report.Warnings)
		}
	}
}
