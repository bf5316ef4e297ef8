package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/live"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

const watchHelp = `Watch runs a project, and again whenever its configuration, rules or tables
change on disk, until it is interrupted; each time it prints which atoms have
changed. Where rows of tables alone have changed, those of features included,
only what they touch is ground and inferred; otherwise, and where anything is
learned, all is run again.

What cannot be read is told, and the last answer stays the one to compare with.`

const watchExamples = `  deeppsl watch model.json
  deeppsl watch model.json --json | jq .atoms`

// watcher is one run of deeppsl watch.
type watcher struct {
	projectFlags
	from  input
	every time.Duration

	config    []byte             // the configuration, as it was
	grounding *session.Grounding // as the tables were; it does not change
	living    *live.Session      // nil where all is run again
	answer    *session.Answer
	answered  *session.Grounding // what the answer is about
	runs      int
}

// newWatch returns deeppsl watch.
func newWatch(e *command.Env) *cobra.Command {
	x := &watcher{projectFlags: projectFlags{Env: e}, every: 500 * time.Millisecond}
	cmd := &cobra.Command{
		Use:     "watch CONFIG [-D name=value]...",
		Short:   "Run again when tables or rules change, and show what changed",
		Long:    watchHelp,
		Example: watchExamples,
		GroupID: groupRules,
		Args:    x.from.check,
		RunE:    x.run,
	}
	x.flags(cmd)
	x.forceFlag(cmd)
	x.from.flags(cmd.Flags())
	command.TimeVar(cmd.Flags(), &x.every, "every", "the `time` between looks at the files")
	return cmd
}

func (x *watcher) run(cmd *cobra.Command, args []string) error {
	seen, files := "", []string(nil)
	for {
		if now := stamp(files); files == nil || now != seen {
			loaded, err := x.from.load(args, x.options())
			if err == nil {
				if loaded.Examples() {
					return command.Usage("flag-value", command.SeeHelp(cmd), "the project is about examples, which are not watched")
				}
				files = loaded.Inputs()
				seen = stamp(files) // before they are read: what changes meanwhile is seen
				err = x.again(cmd.Context(), loaded)
			} else if files != nil {
				seen = now
			}
			switch {
			case cmd.Context().Err() != nil:
				return nil
			case err != nil && x.runs == 0:
				return err
			case err != nil:
				x.Conclude(err) // which tells it as any command does; it may be mended
			}
		}
		select {
		case <-cmd.Context().Done():
			return nil
		case <-time.After(max(x.every, time.Millisecond)):
		}
	}
}

// stamp tells whether files have changed: by their sizes and times.
func stamp(files []string) string {
	var b strings.Builder
	for _, path := range files {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// again makes the answer that of the files as they are, and prints what is different.
func (x *watcher) again(ctx context.Context, loaded *project.Project) error {
	start := time.Now()
	out := watched{Run: x.runs + 1}
	before, beforeOf := x.answer, x.answered
	config, err := os.ReadFile(loaded.Config.Name)
	if err != nil || !bytes.Equal(config, x.config) {
		x.living, x.config = nil, config // whatever is different means something else
	}
	done, err := x.incrementally(ctx, loaded, &out)
	if err == nil && !done {
		err = x.whole(ctx, loaded, &out)
	}
	if err = cmp.Or(err, ctx.Err()); err != nil { // what an interrupt has cut short is no run
		return err
	}
	x.runs++
	out.Status, out.Objective, out.Gap = x.answer.Status, x.answer.Objective, x.answer.Gap
	out.Seconds = time.Since(start).Seconds()
	out.compare(before, beforeOf, x.answer, x.answered)
	return x.Emit(&out)
}

// incrementally makes the changes of tables in what lives, and tells whether that could be.
func (x *watcher) incrementally(ctx context.Context, loaded *project.Project, out *watched) (bool, error) {
	if x.living == nil {
		return false, nil
	}
	networks, err := perceive.Load(loaded)
	if err != nil {
		return false, err
	}
	var warnings source.Diagnostics
	now, err := session.Prepare(ctx, loaded, load.Infer, networks, &warnings)
	if err != nil {
		return false, err
	}
	changes, same := live.Changes(x.grounding, now)
	if !same {
		return false, nil
	}
	applied, err := x.living.Apply(ctx, changes)
	if err != nil {
		return false, nil // a whole run says what is wrong, or does what a living model cannot
	}
	answer, err := x.living.Infer(ctx)
	if err != nil {
		return false, nil
	}
	out.Changes, out.Come, out.Gone, out.Incremental = len(changes), applied.Come, applied.Gone, true
	x.grounding, x.answer, x.answered = now, answer, x.living.Grounding()
	return true, nil
}

// whole runs all, and begins a life where nothing is learned: what is, depends on all tables.
func (x *watcher) whole(ctx context.Context, loaded *project.Project, out *watched) error {
	x.living = nil
	result, err := engine.Run(ctx, loaded, engine.Stages{})
	if err != nil {
		return err
	}
	if result.Answer == nil || infeasible(result) {
		return fmt.Errorf("%s: there is no answer; deeppsl run says why", result.Status)
	}
	out.GroundRules = result.GroundRules
	x.grounding, x.answered, x.answer = result.Grounding, result.Grounding, result.Answer
	if result.Learned != nil {
		return nil
	}
	living, err := live.New(result.Grounding, x.answer)
	if err != nil {
		return nil // what is in a file does not live, and is run again
	}
	x.living, x.answered = living, living.Grounding()
	x.answer, err = living.Infer(ctx)
	return err
}

// watched is one run of what is watched.
type watched struct {
	Run       int     `json:"run"`
	Status    string  `json:"status"`
	Objective float64 `json:"objective"`
	Gap       float64 `json:"gap"`
	Seconds   float64 `json:"seconds"`
	// Incremental says that only what rows touch was ground and inferred: Changes of rows, with so many ground rules that
	// came and went. Otherwise GroundRules counts all.
	Incremental bool `json:"incremental"`
	Changes     int  `json:"changes"`
	Come        int  `json:"ground_rules_come"`
	Gone        int  `json:"ground_rules_gone"`
	GroundRules int  `json:"ground_rules,omitzero"`
	// Changed counts the atoms whose values are others than before, or that are new; Atoms are those that changed most.
	Changed int           `json:"changed"`
	Atoms   []changedAtom `json:"atoms"`
}

// changedAtom is an atom with its value, and that before; null if it was not there.
type changedAtom struct {
	session.Atom
	Before *float64 `json:"before"`
}

// The atoms that are shown, and what is no change.
const changedShown, changedLeast = 20, 1e-3

// compare lists the atoms of an answer that are not as they were in another; all are new without one.
func (w *watched) compare(before *session.Answer, beforeOf *session.Grounding, now *session.Answer,
	nowOf *session.Grounding) {
	w.Atoms = []changedAtom{}
	if before == nil {
		return
	}
	was := make(map[string]float64)
	key := func(a session.Atom) string { return a.Predicate + "\x00" + strings.Join(a.Arguments, "\x00") }
	for a := range beforeOf.Atoms(before, nil) {
		was[key(a)] = a.Value
	}
	for a := range nowOf.Atoms(now, nil) {
		value, known := was[key(a)]
		switch {
		case !known:
			w.Atoms = append(w.Atoms, changedAtom{a, nil})
		case math.Abs(value-a.Value) > changedLeast:
			w.Atoms = append(w.Atoms, changedAtom{a, &value})
		}
	}
	w.Changed = len(w.Atoms)
	by := func(a changedAtom) float64 {
		if a.Before == nil {
			return 2
		}
		return math.Abs(*a.Before - a.Value)
	}
	slices.SortStableFunc(w.Atoms, func(a, b changedAtom) int { return -cmp.Compare(by(a), by(b)) })
	w.Atoms = w.Atoms[:min(len(w.Atoms), changedShown)]
}

// Text prints a line about the run and one per changed atom.
func (w *watched) Text(out io.Writer) error {
	fmt.Fprintf(out, "run %d: %s, objective %.6g, gap %.1e, %s", w.Run, w.Status, w.Objective, w.Gap, seconds(w.Seconds))
	if w.Incremental {
		fmt.Fprintf(out, ", %d rows changed, %d ground rules came and %d went", w.Changes, w.Come, w.Gone)
	} else {
		fmt.Fprintf(out, ", %d ground rules", w.GroundRules)
	}
	fmt.Fprintln(out)
	for _, a := range w.Atoms {
		before := "new"
		if a.Before != nil {
			before = fmt.Sprintf("%.4f", *a.Before)
		}
		fmt.Fprintf(out, "  %s('%s')  %s -> %.4f\n", a.Predicate, strings.Join(a.Arguments, "', '"), before, a.Value)
	}
	if more := w.Changed - len(w.Atoms); more > 0 {
		fmt.Fprintf(out, "  and %d more atoms changed\n", more)
	}
	return nil
}
