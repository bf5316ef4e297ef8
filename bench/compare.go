package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/report"
)

// comparison is what the contenders made of one problem.
type comparison struct {
	Model       string  `json:"model"`
	GroundRules int     `json:"ground_rules"`
	Variables   int     `json:"variables"`
	Gap         float64 `json:"gap"` // that was asked for
	Bound       float64 `json:"dual_bound"`
	Seed        uint64  `json:"seed"`
	Threads     int     `json:"threads"`
	Repeats     int     `json:"repeats"`
	Machine     machine `json:"machine"`
	// Seconds to PeakRSS are what a result has, of ours; to generate takes none if it is a configuration's problem.
	Seconds   seconds `json:"seconds"`
	PerSecond float64 `json:"ground_rules_per_second"`
	Objective float64 `json:"objective"`
	Bytes     float64 `json:"bytes_per_ground_rule"`
	PeakRSS   int64   `json:"peak_rss_bytes"`
	// Entries are ours, then the peers in the order that they were named.
	Entries []*entry `json:"peers"`
}

// entry is one contender's part: medians of the repetitions, and the last one's answer.
type entry struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Status  string `json:"status,omitempty"`
	// Compared says what Ratio is about: "process", from rules and tables to the answer's files, or "solve", from the
	// ground problem in memory to the answer.
	Compared string `json:"compared"`
	// Process, Solve and CPU are seconds: wall time of the process and, if the contender says it, of solving, and the
	// processor time of the process, which a busy machine changes less.
	Process float64 `json:"process_seconds"`
	CPU     float64 `json:"cpu_seconds,omitempty"`
	Solve   float64 `json:"solve_seconds,omitempty"`
	// Ratio is the median over the repetitions of its time over ours in the same repetition; Ratios are all.
	Ratio  float64   `json:"ratio,omitempty"`
	Ratios []float64 `json:"ratios,omitempty"`
	// Objective is of its answer by our formula, Excess what of it is above the dual bound, relative to the bound, and
	// Violation that of the worst hard rule.
	Objective float64 `json:"objective"`
	Excess    float64 `json:"excess"`
	Violation float64 `json:"max_violation"`
	PeakRSS   int64   `json:"peak_rss_bytes"`
	// Note says why there are no figures.
	Note string `json:"note,omitempty"`

	outcomes []*outcome
}

// compare lets the contenders solve one problem in turns: first ours, then each peer, and again, so that a machine that
// grows slower does so for all. A peer that fails is left out from then on, with a note.
func compare(ctx context.Context, o *options) (*comparison, error) {
	dir, err := os.MkdirTemp("", "deeppsl-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	result := &comparison{Gap: o.gap, Seed: o.seed, Repeats: o.repeat, Machine: thisMachine()}
	config, name := o.config, o.model.name
	if config == "" {
		config, err = o.generated(dir, &result.Seconds)
	} else {
		name = strings.TrimSuffix(filepath.Base(config), filepath.Ext(config))
		config, err = filepath.Abs(config)
	}
	if err != nil {
		return nil, err
	}
	result.Model = name
	c, err := newContest(ctx, config, dir, o.settings, o.rivalry)
	if err != nil {
		return nil, err
	}
	result.Threads, result.Bound = c.threads, c.bound
	result.GroundRules, result.Variables = c.field.Model.Potentials(), c.field.Model.Variables
	if result.Entries, err = c.runAll(ctx, o.repeat); err != nil {
		return nil, err
	}
	result.adopt(result.Entries[0])
	arenas := int64(0)
	for _, b := range c.field.Model.Blocks {
		arenas += b.Bytes()
	}
	result.Bytes = float64(arenas) / float64(result.GroundRules)
	return result, nil
}

// adopt takes over what our own entry says.
func (c *comparison) adopt(ours *entry) {
	c.Seconds.Ground = median(ours.outcomes, func(o *outcome) float64 { return o.ground })
	c.Seconds.Solve, c.Objective, c.PeakRSS = ours.Solve, ours.Objective, ours.PeakRSS
	c.PerSecond = float64(c.GroundRules) / c.Seconds.Ground
}

// generated writes a generated problem into the folder and returns its configuration's path.
func (o *options) generated(dir string, spent *seconds) (string, error) {
	watch := time.Now()
	d := o.model.generate(o.sizes[0], o.seed)
	spent.Generate = lap(&watch)
	compiled, err := d.compile(o.model.rules)
	if err != nil {
		return "", err
	}
	return d.write(dir, compiled)
}

// runAll runs every contender as often as asked for.
func (c *contest) runAll(ctx context.Context, repeat int) ([]*entry, error) {
	all := append([]contender{ours}, c.peers...)
	entries := make([]*entry, len(all))
	for k, each := range all {
		entries[k] = &entry{Name: each.name, Compared: "solve"}
		if each.whole {
			entries[k].Compared = "process"
		}
	}
	for range repeat {
		for k, each := range all {
			e := entries[k]
			if e.Note != "" {
				continue
			}
			o, err := each.run(ctx, c)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil && k == 0:
				return nil, err
			case errors.As(err, new(absent)):
				e.Note = "skipped: " + err.Error()
			case err != nil:
				e.Note = "failed: " + err.Error()
			default:
				e.outcomes = append(e.outcomes, o)
			}
		}
	}
	for _, e := range entries {
		e.sumUp(c, entries[0].outcomes)
	}
	return entries, nil
}

// sumUp takes medians, judges the last answer, and lets go of the outcomes' answers.
func (e *entry) sumUp(c *contest, ours []*outcome) {
	if e.Note != "" || len(e.outcomes) == 0 {
		return
	}
	last := e.outcomes[len(e.outcomes)-1]
	e.Version, e.Status = last.version, last.status
	e.Process = median(e.outcomes, func(o *outcome) float64 { return o.seconds })
	e.CPU = median(e.outcomes, func(o *outcome) float64 { return o.cpu })
	e.Solve = median(e.outcomes, func(o *outcome) float64 { return o.solve })
	e.Objective, e.Excess, e.Violation = c.judge(last.y)
	for k, o := range e.outcomes {
		e.PeakRSS = max(e.PeakRSS, o.rss)
		e.Ratios = append(e.Ratios, e.time(o)/e.time(ours[k]))
	}
	e.Ratio = median(e.Ratios, func(v float64) float64 { return v })
}

// time is what is compared.
func (e *entry) time(o *outcome) float64 {
	if e.Compared == "solve" {
		return o.solve
	}
	return o.seconds
}

// Text prints the comparison as a table.
func (c *comparison) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d ground rules, %d variables, gap %g, %d threads, medians of %d\n%s\n\n", c.Model,
		c.GroundRules, c.Variables, c.Gap, c.Threads, c.Repeats, c.Machine)
	t := report.NewTable("", "process s", "CPU s", "solve s", "times ours", "of", "objective", "above bound", "violation",
		"peak RSS")
	for _, e := range c.Entries {
		if e.Note != "" {
			t.Row(e.Name, "", "", "", "", "", "", "", "", "")
			continue
		}
		t.Row(e.Name, digits(e.Process), digits(e.CPU), optional(e.Solve), digits(e.Ratio), e.Compared,
			report.Number(fmt.Sprintf("%.8g", e.Objective)), digits(math.Max(0, e.Excess)), digits(e.Violation),
			report.FormatBytes(float64(e.PeakRSS)))
	}
	err := t.Text(w)
	for _, e := range c.Entries {
		if e.Note != "" && err == nil {
			_, err = fmt.Fprintf(w, "\n%s: %s\n", e.Name, e.Note)
		}
	}
	return err
}
