package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/report"
)

// The page shows the measurements of the folder results, between these lines.
const (
	page      = "../docs/benchmarks.md"
	pageStart = "<!-- measured: go test ./bench -run TestPage -update -->\n"
	pageEnd   = "<!-- end -->\n"
)

// The figures of the documentation must be those of the data.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), pageStart)
	_, after, ended := strings.Cut(rest, pageEnd)
	if !ok || !ended {
		t.Fatalf("%s has no place for figures", page)
	}
	var figures bytes.Buffer
	writeResults(t, &figures)
	goldentest.File(t, page, []byte(before+pageStart+figures.String()+pageEnd+after))
}

// writeResults writes the tables.
func writeResults(t *testing.T, w *bytes.Buffer) {
	java := report.NewTable("model", "ground rules", "ours s", "Java s", "times", "ours above bound",
		"Java above bound", "ours peak RSS", "Java peak RSS", "load")
	solvers := report.NewTable("model", "ground rules", "solver", "status", "solve s", "ours s", "times", "above bound",
		"ours above bound", "peak RSS", "load")
	for _, c := range readAll[comparison](t, "peers-*.json") {
		mine := c.Entries[0]
		for _, e := range c.Entries[1:] {
			if e.Compared == "process" {
				java.Row(c.Model, c.GroundRules, digits(mine.Process), timeOf(e, e.Process), times(e, e.Ratio),
					above(mine), above(e), megabytes(mine), megabytes(e), c.Machine.Load)
			} else {
				solvers.Row(c.Model, c.GroundRules, strings.TrimSpace(e.Name+" "+e.Version), strings.ToLower(e.Status),
					timeOf(e, e.Solve), digits(mine.Solve), times(e, e.Ratio), above(e), above(mine),
					megabytes(e), c.Machine.Load)
			}
		}
	}
	growth := report.NewTable("model", "ground rules", "variables", "ground s", "M rules/s", "solve s", "gap",
		"bytes/rule", "peak RSS", "load")
	var exponents strings.Builder
	for _, s := range readAll[scaling](t, "scaling-*.json") {
		fmt.Fprintf(&exponents, "\nExponents of %s: ground %.2f, solve %.2f, both %.2f, peak RSS %.2f.\n", s.Model,
			s.Exponents.Ground, s.Exponents.Solve, s.Exponents.Total, s.Exponents.RSS)
		for _, r := range s.Results {
			growth.Row(r.Model, r.GroundRules, r.Variables, digits(r.Seconds.Ground), digits(r.PerSecond/1e6),
				digits(r.Seconds.Solve), digits(r.Gap), digits(r.Bytes), report.FormatBytes(float64(r.PeakRSS)),
				s.Machine.Load)
		}
	}
	for _, section := range []struct {
		title string
		table *report.Table
	}{{"Java PSL, whole processes", java}, {"Solvers, on the exported problem", solvers}, {"Growth", growth}} {
		fmt.Fprintf(w, "\n### %s\n\n", section.title)
		if err := section.table.Markdown(w); err != nil {
			t.Fatal(err)
		}
	}
	w.WriteString(exponents.String() + "\n")
	writeJoins(t, w)
	writeTrials(t, w)
}

// writeJoins writes the tables of joins beside a database.
func writeJoins(t *testing.T, w *bytes.Buffer) {
	for _, all := range readAll[joins](t, "joins-*.json") {
		version := ""
		for _, one := range all.Joins {
			version = max(version, one.Version)
		}
		fmt.Fprintf(w, "### Joins\n\nDuckDB %s, %d threads, medians of %d; the load was %s.\n\n", version, all.Threads,
			all.Repeats, all.Machine.Load)
		if err := tabulateJoins(all, report.NewTable(joinColumns...)).Markdown(w); err != nil {
			t.Fatal(err)
		}
		w.WriteString("\n")
	}
}

// writeTrials writes the tables of hard structure: what is slower than a general solver, and all.
func writeTrials(t *testing.T, w *bytes.Buffer) {
	var all, lost []*trial
	load := 0.0
	for _, one := range readAll[trials](t, "hard-*.json") {
		measured, err := strconv.ParseFloat(one.Machine.Load, 64)
		if err != nil {
			t.Fatal(err)
		}
		all, load = append(all, one.Trials...), max(load, measured)
		for _, each := range one.Trials {
			if each.lost() {
				lost = append(lost, each)
			}
		}
	}
	fmt.Fprintf(w, "### Slower than a general solver\n\n"+
		"%d of %d problems of hard structure; the load was %.3g at most.\n\n", len(lost), len(all), load)
	for _, some := range [][]*trial{lost, all} {
		if len(some) == 0 {
			continue
		}
		if err := tabulate(some, report.NewTable(columns(some)...)).Markdown(w); err != nil {
			t.Fatal(err)
		}
		w.WriteString("\n")
	}
}

// readAll reads the results whose files match, in the order of their names.
func readAll[T any](t *testing.T, pattern string) (all []*T) {
	paths, err := filepath.Glob(filepath.Join("results", pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results %s: %v", pattern, err)
	}
	for _, path := range paths {
		one := new(T)
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, one)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, one)
	}
	return all
}

// timeOf prints an entry's time, or why there is none.
func timeOf(e *entry, v float64) report.Number {
	if e.Note != "" {
		return report.Number(e.Note)
	}
	return digits(v)
}

// times prints a ratio of times that are both known.
func times(e *entry, ratio float64) report.Number {
	if e.Note != "" || math.IsNaN(ratio) || math.IsInf(ratio, 0) || ratio == 0 {
		return ""
	}
	return digits(ratio)
}

// above prints what of an objective is above the bound; one below it violates hard rules.
func above(e *entry) report.Number {
	if e.Note != "" {
		return ""
	}
	return report.Number(fmt.Sprintf("%.1e", e.Excess))
}

func megabytes(e *entry) report.Number {
	if e.PeakRSS == 0 {
		return ""
	}
	return report.Number(report.FormatBytes(float64(e.PeakRSS)))
}
