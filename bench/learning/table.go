package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/report"
)

// A row is what became of a task over all seeds.
type row struct {
	Task    string  `json:"task"`
	Metric  string  `json:"metric"`
	DeepPSL float64 `json:"deeppsl"`
	CI95    float64 `json:"ci95"` // half the width; null for one seed
	// Plain is the better network alone of ours and of the peers. It and Fixed are null where there is none.
	Plain     *float64 `json:"plain"`
	PlainBy   string   `json:"plain_by,omitempty"`
	Fixed     *float64 `json:"fixed"`
	Reference float64  `json:"reference"`
	Seconds   float64  `json:"seconds"`
	// Below is by how much the result is below the better rival, 0 if it is not.
	Below   float64   `json:"below"`
	Worse   bool      `json:"worse"`
	Results []*result `json:"results"`
}

// margin is how far a result may be below its rivals, in points.
const margin = 1

// summarise makes a row of a task's results.
func summarise(t *task, results []*result, recorded peerResults) *row {
	s := &row{Task: t.name, Metric: t.metric, Results: results}
	var ours, plain, fixed, seconds, reference []float64
	for _, r := range results {
		ours, seconds, reference = append(ours, r.DeepPSL), append(seconds, r.Seconds), append(reference, r.Reference)
		if r.Plain != nil {
			plain = append(plain, *r.Plain)
		}
		if r.Fixed != nil {
			fixed = append(fixed, *r.Fixed)
		}
	}
	s.DeepPSL, s.CI95 = eval.Interval(ours)
	s.Seconds, _ = eval.Interval(seconds)
	s.Reference, _ = eval.Interval(reference)
	s.Plain, s.Fixed = mean(plain), mean(fixed)
	if s.Plain != nil {
		s.PlainBy = "deeppsl"
	}
	for _, peer := range peerNames {
		points := recorded.mean(peer, results)
		if points != nil && (s.Plain == nil || *points > *s.Plain) {
			s.Plain, s.PlainBy = points, peer
		}
	}
	for _, rival := range []*float64{s.Plain, s.Fixed} {
		if rival != nil {
			s.Below = max(s.Below, *rival-s.DeepPSL)
		}
	}
	failed := slices.ContainsFunc(results, func(r *result) bool { return r.Error != "" })
	s.Worse = s.Below > margin || failed
	return s
}

func mean(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	m, _ := eval.Interval(values)
	return &m
}

const (
	sign   = "✗" // of what is worse
	red    = "\x1b[31m"
	normal = "\x1b[0m"
)

// write prints the rows as one table. Those that are worse than their rivals have a sign, and are red on a terminal.
func write(w io.Writer, rows []*row) error {
	table := report.NewTable("", "task", "metric", "DeepPSL", "plain network", "by", "fixed rules", "reference", "seconds")
	worse := 0
	for _, s := range rows {
		mark := ""
		if s.Worse {
			worse++
			mark = sign
		}
		table.Row(mark, s.Task, s.Metric, interval(s.DeepPSL, s.CI95), points(s.Plain), s.PlainBy, points(s.Fixed),
			points(&s.Reference), report.Number(fmt.Sprintf("%.1f", s.Seconds)))
	}
	var b strings.Builder
	if err := table.Text(&b); err != nil {
		return err
	}
	for _, s := range rows {
		for _, r := range s.Results {
			if r.Error != "" {
				fmt.Fprintf(&b, "%s %s, seed %d: %s\n", sign, r.Task, r.Seed, r.Error)
			}
		}
	}
	fmt.Fprintf(&b, "%d of %d tasks are more than %d point below a rival, or failed (%s).\n",
		worse, len(rows), margin, sign)
	text := b.String()
	if report.IsTerminal(w) {
		text = coloured(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

func interval(mean, ci95 float64) report.Number {
	if math.IsNaN(ci95) || math.IsInf(ci95, 0) {
		return report.Number(fmt.Sprintf("%.1f", mean))
	}
	return report.Number(fmt.Sprintf("%.1f ± %.1f", mean, ci95))
}

func points(p *float64) report.Number {
	if p == nil || math.IsNaN(*p) {
		return "–"
	}
	return report.Number(fmt.Sprintf("%.1f", *p))
}

// coloured makes the lines with the sign red.
func coloured(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for k, line := range lines {
		if strings.HasPrefix(line, sign) {
			lines[k] = red + strings.TrimSuffix(line, "\n") + normal + "\n"
		}
	}
	return strings.Join(lines, "")
}
