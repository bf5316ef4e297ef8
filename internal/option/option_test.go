package option

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/report"
)

// TestTable holds the rows, and Java PSL's names, against each other.
func TestTable(t *testing.T) {
	if names := PSLNames(); len(names) != 177 || !slices.Contains(names, "runtime.inference.output.groundrules.path") {
		t.Errorf("%d options of PSL", len(names))
	}
	seen := make(map[string]bool)
	for k := range Table {
		o := &Table[k]
		if seen[o.Name] || o.Doc == "" || aliases[o.Name] != "" || o.Phases == 0 {
			t.Errorf("option %s is there twice, a synonym too, acts nowhere, or is not described", o.Name)
		}
		if (o.Default == "") == (o.Unset == "") && !strings.HasPrefix(o.Name, "learn.loss") {
			t.Errorf("option %s: either a default or words for there being none", o.Name)
		}
		if o.Default != "" {
			if _, err := o.Parse(o.Default); err != nil {
				t.Errorf("the default %s of %s: %v", o.Default, o.Name, err)
			}
		}
		seen[o.Name] = true
	}
	for psl, ours := range aliases {
		if !IsPSLName(psl) && psl != "log4j.threshold" || !seen[ours] {
			t.Errorf("%s stands for %s", psl, ours)
		}
	}
}

// Each kind reads its values, and refuses others and those out of range.
func TestParse(t *testing.T) {
	for _, test := range []struct{ name, value, err string }{
		{"inference.presolve", "true", ""},
		{"inference.presolve", "maybe", "want true or false"},
		{"inference.iterations", "3", ""},
		{"inference.iterations", "0", "want a whole number of at least 1"},
		{"learn.epochs", "0", ""},
		{"learn.epochs", "-1", "want a whole number of at least 0"},
		{"learn.batch", "0", "want a whole number of at least 1"},
		{"learn.folds", "1", "want a whole number of at least 2"},
		{"learn.survival", "1", "want a whole number of at least 2"},
		{"sgd.rate", "0", "want a number above 0"},
		{"sgd.start", "1.5", "want a number of at least 0 and at most 1"},
		{"learn.floor", "0.7", "want a number above 0 and at most 0.5"},
		{"learn.mu", "0", ""},
		{"learn.mu", "NaN", "want a number of at least 0"},
		{"learn.mu", "1e400", "want a number of at least 0"},
		{"learn.mu", "1e308", "want a number of no more than 1e+300"},
		{"inference.gap", "0", "want a number above 0: arithmetic rounds, so that 0 cannot be shown, but 1e-9 can"},
		{"run.seconds", "0", ""},
		{"output.format", "xml", "want one of txt, json, parquet"},
		{"hyperband.survival", "1", "want a whole number of at least 2"},
	} {
		_, err := Find(test.name).Parse(test.value)
		if got := errorText(err); got != test.err {
			t.Errorf("%s=%s: %q, want %q", test.name, test.value, got, test.err)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// pageHead is what docs/options.md says before its tables.
const pageHead = "# Options\n\n" +
	"What a configuration's `\"options\"`, or `-D name=value` on the command line, can set. This page is made from\n" +
	"the table that the program reads them by; `deeppsl options` prints the same. An option stands at the top of a\n" +
	"configuration, or under `\"learn\"` or `\"infer\"` for one phase; `-D` wins over both. A value out of its range\n" +
	"is an error.\n"

// groups are the sections of the page: options by what their names begin with.
var groups = []struct{ title, prefixes string }{
	{"Inference", "inference. run. sgd."},
	{"Learning", "learn. network. search. gradientdescent. weightlearning."},
	{"Grounding", "ground. pam. rules."},
	{"Evaluation", "eval. evaluation. aucevaluator. categoricalevaluator. continuousevaluator. discreteevaluator."},
	{"Everything else", "random. parallel. runtime. output."},
}

// docs/options.md is the table.
func TestPageOfOptions(t *testing.T) {
	var page bytes.Buffer
	page.WriteString(pageHead)
	shown := 0
	for _, group := range groups {
		table := report.NewTable("option", "type", "default", "acts in", "meaning")
		for k := range Table {
			o := &Table[k]
			prefix := o.Name[:strings.IndexByte(o.Name, '.')+1]
			if !slices.Contains(strings.Fields(group.prefixes), prefix) {
				continue
			}
			about := o.About()
			if synonyms := Synonyms(o.Name); len(synonyms) > 0 {
				about += "; PSL: `" + strings.Join(synonyms, "`, `") + "`"
			}
			table.Row("`"+o.Name+"`", o.Type(), o.Defaults(), o.Phases, about)
			shown++
		}
		page.WriteString("\n## " + group.title + "\n\n")
		if err := table.Markdown(&page); err != nil {
			t.Fatal(err)
		}
	}
	if shown != len(Table) {
		t.Errorf("%d of %d options are in a group", shown, len(Table))
	}
	goldentest.File(t, "../../docs/options.md", page.Bytes())
}
