package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// losing is a project whose network tells well of which class things are, or whether it is true of them, and whose
// inference is about other things, of which those of the last class are tied to many of the first.
func losing(classes []string, tied bool) map[string]string {
	files := map[string]string{"near.tsv": ""}
	for k := range 60 {
		c := max(0, k%4-1)
		for side, name := range []string{"a", "b"} {
			files["features.tsv"] += fmt.Sprintf("%s%d\t%d\t%d\n", name, k, 7*c-c*c, k%5)
			targets, truth := fmt.Sprintf("targets-%d.tsv", side), fmt.Sprintf("truth-%d.tsv", side)
			if classes == nil {
				files[targets] += fmt.Sprintf("%s%d\n", name, k)
				files[truth] += fmt.Sprintf("%s%d\t%d\n", name, k, c/2)
				continue
			}
			for _, class := range classes {
				files[targets] += fmt.Sprintf("%s%d\t%s\n", name, k, class)
			}
			files[truth] += fmt.Sprintf("%s%d\t%s\n", name, k, classes[c])
		}
		for other := range 6 {
			if tied && c == 2 {
				files["near.tsv"] += fmt.Sprintf("b%d\tb%d\n", (k+1+other/2*4+other%2)%60, k)
			}
		}
	}
	seen, is, arity := "Seen(A, C)", "Is(%s, C)", 2
	rules, declared := `, "Is(A, +C) = 1 ."`, `"class": 1, "classes": ["`+strings.Join(classes, `", "`)+`"]`
	if classes == nil {
		seen, is, arity = "Seen(A)", "Is(%s)", 1
		rules, declared = `, "1: !Seen(A) -> !Is(A) ^2"`, `"entity": 0`
	}
	a, b := fmt.Sprintf(is, "A"), fmt.Sprintf(is, "B")
	files["model.json"] = fmt.Sprintf(`{
		"rules": ["1: %s -> %s ^2", "fixed 3: Near(A, B) & %[2]s -> %[3]s ^2",
			"fixed 3: Near(A, B) & %[3]s -> %[2]s ^2"%[4]s],
		"networks": {"eye": {"features": "features.tsv"}},
		"predicates": {
			"Near/2": {"observations": {"learn": [], "infer": ["near.tsv"]}},
			"Seen/%[5]d": {"neural": {"network": "eye", %[6]s},
				"targets": {"learn": ["targets-0.tsv"], "infer": ["targets-1.tsv"]}},
			"Is/%[5]d": {"targets": {"learn": ["targets-0.tsv"], "infer": ["targets-1.tsv"]},
				"truth": {"learn": ["truth-0.tsv"], "infer": ["truth-1.tsv"]}}
		}
	}`, seen, a, b, rules, arity, declared)
	return files
}

// A class that rules leave next to nothing of is named, with what networks alone would say, and so where weights and
// networks are those of another run.
func TestLostClassesAreNamed(t *testing.T) {
	for _, test := range []struct {
		name    string
		classes []string
		tied    bool
		line    string
	}{
		{"tied", []string{"x", "y", "z"}, true,
			"0 of the 60 things that Is is inferred for get z, and 15 would by what networks see alone; 25 % of the labels " +
				"say so [learn-lost]"},
		{"apart", []string{"x", "y", "z"}, false, ""},
		{"tied, one argument", nil, true,
			"0 of the 60 things that Is is inferred for are true, which is from 0.5 on, and 15 would by what networks see " +
				"alone; 25 % of the labels say so [learn-lost]"},
		{"apart, one argument", nil, false, ""},
	} {
		files := losing(test.classes, test.tied)
		path := writeProject(t, files)
		for _, stages := range []engine.Stages{learnAndInfer, {Infer: true}} {
			var b strings.Builder
			report := run(t, path, project.Options{Seed: 1,
				OnWarning: func(w source.Diagnostics) { w.Render(&b, false, 0) }}, stages)
			if !strings.Contains(b.String(), test.line) || strings.Contains(b.String(), "learn-lost") != (test.line != "") {
				t.Errorf("%s, %+v: %q", test.name, stages, b.String())
			}
			if err := report.Grounding.SaveNetworks(filepath.Join(filepath.Dir(path), "saved")); err != nil {
				t.Fatal(err)
			}
			again := strings.Replace(files["model.json"], `"eye": {`, `"eye": {"checkpoint": "saved", `, 1)
			if err := os.WriteFile(path, []byte(again), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}
