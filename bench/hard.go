package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/export"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// families are problems of hard structure. Each is small enough for a general solver.
var families = slices.Concat(basic, networks, programs, mixtures, extremes, crossings, everyday, plans, usual, shared,
	coupled, tight)

// trials is what the contenders made of families of hard structure.
type trials struct {
	Gap     float64  `json:"gap"` // that was asked for
	Seed    uint64   `json:"seed"`
	Threads int      `json:"threads"`
	Repeats int      `json:"repeats"`
	Limit   float64  `json:"limit_seconds"` // of a peer's run
	Machine machine  `json:"machine"`
	Trials  []*trial `json:"trials"`
}

// trial is one family's problem of one size.
type trial struct {
	Family      string `json:"family"`
	Rules       string `json:"rules"`
	GroundRules int    `json:"ground_rules"`
	Variables   int    `json:"variables"`
	// Runs are ours, then the peers'.
	Runs []*attempt `json:"runs"`
}

// attempt is a contender's part in a trial: setting up and solving the ground problem in memory.
type attempt struct {
	Name    string  `json:"name"`
	Status  string  `json:"status"`
	Seconds float64 `json:"seconds"` // the median of the repetitions
	// CPU is the processor's time, which a busy machine changes little; 0 if the system does not say.
	CPU       float64 `json:"cpu_seconds"`
	Objective float64 `json:"objective"`
	Violation float64 `json:"max_violation"`
	Note      string  `json:"note,omitempty"`
	all, cpus []float64
}

// find returns those of a list whose names are given, between commas; "all" are all. what says what they are.
func find[T any](what, names string, all []T, name func(*T) string) (found []*T, err error) {
	var known []string
	for k := range all {
		known = append(known, name(&all[k]))
	}
	for one := range strings.SplitSeq(names, ",") {
		at := slices.Index(known, one)
		if at < 0 && one != "all" {
			return nil, fmt.Errorf("there is no %s %q; there are all, %s", what, one, strings.Join(known, ", "))
		}
		for k := range all {
			if k == at || one == "all" {
				found = append(found, &all[k])
			}
		}
	}
	return found, nil
}

// try lets ours and the peers solve problems of all families and sizes, in turns. What fails, or comes too late, loses
// none of the others: they are printed before that is returned.
func (o *options) try(ctx context.Context, w io.Writer, progress report.Progress) error {
	t := &trials{Gap: o.gap, Seed: o.seed, Threads: parallel.Threads(o.threads), Repeats: o.repeat,
		Limit: o.limit.Seconds(), Machine: thisMachine()}
	failed := o.each(ctx, progress, "hard structure", func(m *model, size int) error {
		one, err := o.tryOne(ctx, m, size)
		if ctx.Err() == nil {
			t.Trials = append(t.Trials, one)
		}
		return err
	})
	if o.json {
		return errors.Join(failed, report.JSON(w, t), ctx.Err())
	}
	return errors.Join(failed, tabulate(t.Trials, report.NewTable(columns(t.Trials)...)).Text(w), ctx.Err())
}

// each visits the families in all sizes, until the context ends, and returns what has failed.
func (o *options) each(ctx context.Context, progress report.Progress, what string,
	visit func(m *model, size int) error) error {
	task := progress.Start(what, int64(len(o.sizes)*len(o.families)), "problems")
	defer task.Done()
	var failed []error
	for _, size := range o.sizes {
		for _, m := range o.families {
			err := visit(m, size)
			if ctx.Err() != nil {
				return errors.Join(failed...)
			}
			if err != nil {
				failed = append(failed, fmt.Errorf("%s of %d: %w", m.name, size, err))
			}
			task.Add(1)
		}
	}
	return errors.Join(failed...)
}

// tryOne makes one problem, exports it, and has it solved. The trial says what has failed, too.
func (o *options) tryOne(ctx context.Context, m *model, size int) (*trial, error) {
	t := &trial{Family: m.name, Rules: m.rules, Runs: []*attempt{{Name: "ours"}}}
	for _, p := range o.peers {
		t.Runs = append(t.Runs, &attempt{Name: p.name})
	}
	err := o.contend(ctx, t, m, size)
	if err != nil {
		t.Runs[0].Status, t.Runs[0].Note = "failed", err.Error()
	}
	return t, err
}

// contend has the problem of a trial solved by all.
func (o *options) contend(ctx context.Context, t *trial, m *model, size int) error {
	dir, err := os.MkdirTemp("", "deeppsl-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	field, err := m.field(ctx, size, o.settings)
	if err != nil {
		return err
	}
	t.GroundRules, t.Variables = field.Model.Potentials(), field.Model.Variables
	c := &contest{rivalry: o.rivalry, gap: o.gap, dir: dir, exported: filepath.Join(dir, "problem.mps"), field: field}
	if len(o.peers) > 0 {
		write := func(w io.Writer) error { return export.Write(w, export.QPS, field, nil) }
		if err := report.WriteFileFunc(c.exported, write); err != nil {
			return err
		}
	}
	for range o.repeat {
		if err := t.Runs[0].ours(ctx, c, o.settings); err != nil {
			return err
		}
		for k, p := range o.peers {
			t.Runs[k+1].peer(ctx, c, p)
		}
	}
	return nil
}

// field grounds a problem of the model.
func (m *model) field(ctx context.Context, size int, s settings) (*mrf.Field, error) {
	d := m.generate(size, s.seed)
	compiled, err := d.compile(m.rules)
	if err != nil {
		return nil, err
	}
	problem, _, err := ground.Ground(ctx, compiled, d.store, ground.Options{Threads: s.threads, DiscardViolated: true})
	if err != nil {
		return nil, err
	}
	field := mrf.NewField(problem)
	theta := make([]float64, len(compiled.Rules))
	for k, rule := range compiled.Rules {
		theta[k] = rule.Weight.Value
	}
	field.SetWeights(theta)
	return field, nil
}

// ours solves the problem as inference does.
func (a *attempt) ours(ctx context.Context, c *contest, s settings) error {
	begin, cpu := time.Now(), report.ProcessorSeconds()
	r, err := infer(ctx, c.field, c.gap, c.limit, s.threads)
	if err != nil {
		return err
	}
	a.note(r.Status.String(), time.Since(begin).Seconds(), report.ProcessorSeconds()-cpu)
	a.Objective, a.Violation, a.Note = r.Objective, r.MaxViolation, r.Method
	return nil
}

// infer solves a field as inference does.
func infer(ctx context.Context, field *mrf.Field, gap float64, limit time.Duration, threads int) (
	*solve.Result, error) {
	solver, err := auto.Inference("auto", field, solve.Settings{Gap: gap, Threads: threads, TimeLimit: limit},
		auto.Options{Presolve: true, Split: true, Polish: true})
	if err != nil {
		return nil, err
	}
	return solver.Solve(ctx)
}

// peer runs a peer, whose answer may be that there is none.
func (a *attempt) peer(ctx context.Context, c *contest, p contender) {
	if a.Note != "" {
		return
	}
	out, err := p.run(ctx, c)
	if out == nil {
		a.Note = err.Error()
		return
	}
	a.note(strings.ToLower(out.status), out.solve, out.cpuOfSolve)
	if err == nil {
		a.Objective, _, a.Violation = c.judge(out.y)
	}
}

func (a *attempt) note(status string, seconds, cpu float64) {
	itself := func(v float64) float64 { return v }
	a.Status, a.all, a.cpus = status, append(a.all, seconds), append(a.cpus, cpu)
	a.Seconds, a.CPU = median(a.all, itself), median(a.cpus, itself)
}

// took is what attempts are compared by.
func (a *attempt) took() float64 {
	if a.CPU > 0 {
		return a.CPU
	}
	return a.Seconds
}

// solved tells whether the contender has an answer or a proof that there is none.
func (a *attempt) solved() bool {
	return slices.Contains([]string{"optimal", "solved", "infeasible", "primalinfeasible"}, a.Status)
}

// fastest returns the least time of a peer that has solved the problem, infinity if there is none.
func (t *trial) fastest() float64 {
	least := math.Inf(1)
	for _, a := range t.Runs[1:] {
		if a.solved() {
			least = min(least, a.took())
		}
	}
	return least
}

// A trial is lost that is not solved, or that takes longer than a moment and so many times as long as the fastest peer.
const (
	moment   = 0.2
	slowness = 1.5
)

func (t *trial) lost() bool {
	ours := t.Runs[0]
	return !ours.solved() || ours.took() > moment && ours.took() > slowness*t.fastest()
}

// columns names those of a table of trials.
func columns(all []*trial) []string {
	names := []string{"family", "ground rules", "ours", "ours s", "by"}
	if len(all) > 0 {
		for _, a := range all[0].Runs[1:] {
			names = append(names, a.Name, a.Name+" s")
		}
	}
	return append(names, "fastest / ours", "lost")
}

// tabulate writes a row for each trial.
func tabulate(all []*trial, out *report.Table) *report.Table {
	for _, t := range all {
		ours := t.Runs[0]
		by := ours.Note
		if by == "" {
			by = "newton"
		}
		row := []any{t.Family, t.GroundRules, ours.Status, digits(ours.took()), by}
		for _, a := range t.Runs[1:] {
			status := a.Status
			if status == "" {
				status = a.Note
			}
			row = append(row, status, optional(a.took()))
		}
		ratio, lost := report.Number(""), ""
		if fastest := t.fastest(); !math.IsInf(fastest, 1) {
			ratio = digits(fastest / ours.took())
		}
		if t.lost() {
			lost = "yes"
		}
		out.Row(append(row, ratio, lost)...)
	}
	return out
}
