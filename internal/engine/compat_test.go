package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/option"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

// compatPage lists the differences from Java PSL, each with a configuration and what comes of it.
const compatPage = "docs/psl-compatibility.md"

// TestCompatibility checks every example of the page.
func TestCompatibility(t *testing.T) {
	example := regexp.MustCompile("(?s)```json\n([^`]*)```\n\n```text\n([^`]*)```\n")
	checkPage(t, compatPage, example, func(groups []string) string { return outcome(t, groups[1]) })
}

// outcome runs a configuration and prints the atoms, or what is wrong with it.
func outcome(t *testing.T, config string) string {
	t.Helper()
	writeText(t, "model.json", config)
	var b strings.Builder
	options := project.Options{Set: []string{"inference.gap=1e-9"},
		OnWarning: func(w source.Diagnostics) { w.Render(&b, false, 0) }}
	project, err := project.Load("model.json", options)
	var report *Report
	if err == nil {
		report, err = Run(context.Background(), project, Stages{Infer: true})
	}
	if failure := (*source.Failure)(nil); errors.As(err, &failure) {
		failure.Diagnostics.Render(&b, false, 0)
		return b.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range report.Conflict {
		fmt.Fprintln(&b, line)
	}
	if project.Outputs().GroundRules != "" {
		if err := report.Grounding.Write(&b, session.PSLView, 0); err != nil {
			t.Fatal(err)
		}
	}
	if report.Status != "infeasible" {
		report.Grounding.Each(report.Answer, false, func(a session.Atom) {
			fmt.Fprintf(&b, "%s('%s') = %.3f\n", a.Predicate, strings.Join(a.Arguments, "', '"), a.Value)
		})
	}
	for _, e := range report.Evaluations {
		fmt.Fprintf(&b, "%s, %s: %s %.3f (%d scored)\n", e.Predicate, e.Evaluator, e.Primary, e.Values[e.Primary], e.Count)
	}
	return b.String()
}

// TestCompatibilityNamesOptions checks that the page's table has every option of PSL that acts.
func TestCompatibilityNamesOptions(t *testing.T) {
	page := readText(t, compatPage)
	acts := func(name string) {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page does not say what option %s does", name)
		}
	}
	for _, o := range option.Table {
		for _, name := range append(option.Synonyms(o.Name), o.Name) {
			if option.IsPSLName(name) || name != o.Name {
				acts(name)
			}
		}
	}
}
