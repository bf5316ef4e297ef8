package deeppsl

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/source"
)

var update = flag.Bool("update", false, "rewrite the outputs in docs")

// lintsPage is where each lint has a section with an example and its output.
const lintsPage = "docs/lints.md"

// TestLints checks every example of the lints' page: what is printed for it, and that it is about the section's lint.
func TestLints(t *testing.T) {
	page, err := os.ReadFile(lintsPage)
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)## ([a-z-]+)\n[^#]*?```json\n(.*?)```\n\n```text\n(.*?)```\n")
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	checked := 0
	updated := example.ReplaceAllStringFunc(string(page), func(section string) string {
		parts := example.FindStringSubmatch(section)
		id, config, want := parts[1], parts[2], parts[3]
		got := lintsOf(t, config)
		checked++
		if !strings.Contains(got, " ["+id+"]\n") {
			t.Errorf("the example of %s is about something else:\n%s", id, got)
		}
		if diff := cmp.Diff(want, got); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
		return strings.Replace(section, "```text\n"+want, "```text\n"+got, 1)
	})
	if sections := strings.Count(string(page), "\n```json\n"); checked != sections || checked < 10 {
		t.Errorf("%d examples of %d were checked", checked, sections)
	}
	if *update {
		if err := os.WriteFile(filepath.Join(folder, lintsPage), []byte(updated), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// lintsOf renders what a check of a configuration finds.
func lintsOf(t *testing.T, config string) string {
	t.Helper()
	if err := os.WriteFile("model.json", []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	var found Warnings
	project, err := Load("model.json", Options{})
	if err == nil {
		var summary *Summary
		if summary, err = project.Check(context.Background()); summary != nil {
			found = summary.Diagnostics
		}
	}
	if failure := (*source.Failure)(nil); errors.As(err, &failure) {
		found = failure.Diagnostics
	} else if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	found.Render(&b, false, 0)
	return b.String()
}
