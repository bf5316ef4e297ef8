package engine_test

import (
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// What is suspicious of that which networks learn from is in the report, too: whoever reads that alone hears of it.
func TestReportHasLintsOfFeatures(t *testing.T) {
	path := lesson{features: func(int) string { return "1 1" }}.write(t)
	report := run(t, path, project.Options{Seed: 1}, engine.Stages{Learn: true})
	of := func(w source.Plain) bool { return w.ID == "features-constant" }
	if !slices.ContainsFunc(report.Warnings, of) {
		t.Errorf("not told: %+v", report.Warnings)
	}
}
