package cli

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/fit"
	"github.com/deeppsl/deeppsl/internal/option"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
)

// projectFlags is what the commands that work on a configuration have in common.
type projectFlags struct {
	*command.Env
	set   []string // options as name=value
	force bool
	// memory and scratch are "" if they are not given.
	memory, scratch string
	timeLimit       time.Duration // of commands that give no answer before they end
}

// flags declares the flags of every command that reads a configuration.
func (p *projectFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&p.set, "option", "D", nil,
		"set an option, as `name=value`; may be repeated (see deeppsl options)")
	_ = cmd.Flags().SetAnnotation("option", command.OptionNames, option.Names()) // the flag is there
}

// forceFlag declares the flag of commands that ground.
func (p *projectFlags) forceFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.force, "force", false, "ground even what is not expected to fit in memory")
}

// timeFlag declares the flag of commands that give no answer before they end.
func (p *projectFlags) timeFlag(cmd *cobra.Command) {
	command.TimeVar(cmd.Flags(), &p.timeLimit, "time-limit", "give up after this `time`, such as 90s")
}

// memoryFlags declares the flags of commands that infer.
func (p *projectFlags) memoryFlags(cmd *cobra.Command) {
	command.Var(cmd.Flags(), &p.memory, "memory", "a size, such as 500MB or 1.5GiB",
		"keep to a `size` of memory, such as 2GiB: ground rules that do not fit go to a temporary file",
		func(text string) (string, error) {
			_, err := preflight.ParseSize(text)
			return text, err
		})
	cmd.Flags().StringVar(&p.scratch, "scratch", "", "the `folder` for that file (default: the system's)")
}

// options returns the settings of a library call.
func (p *projectFlags) options() project.Options {
	level, quiet := slog.LevelInfo, p.Quiet
	if quiet {
		level = slog.LevelError
	}
	set := p.set
	set = set[:len(set):len(set)]
	if p.force {
		set = append(set, "ground.force=true")
	}
	if p.memory != "" {
		set = append(set, "ground.memory="+p.memory)
	}
	if p.scratch != "" {
		set = append(set, "ground.scratch="+p.scratch)
	}
	return project.Options{
		Seed: p.Seed, Threads: int(p.Threads), Set: set, Kept: keptFolder(), OnIteration: iterationLine(p.Env),
		Log: slog.New(slog.NewTextHandler(p.Err, &slog.HandlerOptions{Level: level, ReplaceAttr: withoutTime})),
		OnWarning: func(warnings source.Diagnostics) {
			if !quiet {
				warnings.Render(p.Err, command.Color(p.Err), command.MaxDiagnostics)
			}
		},
	}
}

// keptFolder is the user's folder for what can be computed again; "" where there is none.
func keptFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "deeppsl")
}

// loadShown loads a project whose answer is shown; the verb says what is not done with examples. The warnings that it
// gives rise to, then and later, are added to lints, too.
func (p *projectFlags) loadShown(cmd *cobra.Command, from *input, args []string, lints *source.Diagnostics, verb string,
	set ...string) (*project.Project, error) {
	options := p.options()
	options.Set = append(options.Set, set...)
	options.OnEpoch, options.OnFit, options.OnStage = epochLine(p.Env, "learning"), fitting(p.Env), stages(p.Env)
	warn := options.OnWarning
	options.OnWarning = func(warnings source.Diagnostics) {
		*lints = append(*lints, warnings...)
		warn(warnings)
	}
	loaded, err := from.load(args, options)
	if err != nil {
		return nil, err
	}
	p.bound(loaded)
	if loaded.Examples() {
		return nil, command.Usage("flag-value", command.SeeHelp(cmd), "the project is about examples, which are not %s", verb)
	}
	return loaded, nil
}

// bound makes the command keep to the memory that the options give, if they do.
func (p *projectFlags) bound(loaded *project.Project) {
	if memory := loaded.Memory(); memory > 0 || loaded.Forced() {
		p.KeepTo(memory)
	}
}

// withoutTime keeps log lines the same from run to run.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey && len(groups) == 0 {
		return slog.Attr{}
	}
	return a
}

// output writes the file that a flag names, whole or not at all; "-" is the standard output. That may be a pipe, as
// other files that are not regular, and is written as far as somebody reads it.
func (p *projectFlags) output(path string, write func(w io.Writer) error) error {
	if info, err := os.Stat(path); path == command.StdinName || err == nil && !info.Mode().IsRegular() {
		p.Waiting.Store(true)
		defer p.Waiting.Store(false)
	}
	if path == command.StdinName {
		return write(p.Out)
	}
	return report.WriteFileFunc(path, write)
}

// epochLine prints one line of a learning curve.
func epochLine(e *command.Env, name string) func(learn.Epoch) {
	return func(line learn.Epoch) {
		validation := "" // of no evaluation, of an error, which learning sees as a negative score, or of a share
		switch score := line.Validation; {
		case score < 0:
			validation = fmt.Sprintf("validation error %.4f  ", -score)
		case score >= 0:
			validation = fmt.Sprintf("validation %6.2f %%  ", 100*score)
		}
		proof := "" // there is none of all the batches of an epoch
		if line.Iterations > 0 {
			proof = fmt.Sprintf("gap %.0e in %d steps  ", line.Gap, line.Iterations)
		}
		about := name
		if line.Method != "" {
			about += " by " + line.Method
		}
		if line.Fold > 0 {
			about += fmt.Sprintf(", fold %d", line.Fold)
		}
		if about != name {
			about += ","
		}
		e.Statusf("%s epoch %3d  loss %.4f  %s%sinference %.0f ms  gradient %.0f ms", about, line.Number, line.Loss,
			validation, proof, 1e3*line.Inference, 1e3*line.Gradient)
	}
}

// fitting shows how far fitting the networks alone is.
func fitting(e *command.Env) func(fit.Epoch) {
	progress := e.Progress()
	var bar report.Task
	return func(line fit.Epoch) {
		if line.Number == 1 {
			bar = progress.Start("fitting networks", int64(line.Epochs), "epochs")
		}
		bar.Add(1)
		if line.Last {
			bar.Done()
		}
	}
}

// stages shows how far a stage of learning is.
func stages(e *command.Env) func(name string, step, steps int) {
	progress := e.Progress()
	var bar report.Task
	shown, done := "", 0
	return func(name string, step, steps int) {
		if name != shown {
			bar = progress.Start(name, int64(steps), "steps")
			shown, done = name, 0
		}
		bar.Add(int64(step - done))
		if done = step; step == steps {
			bar.Done()
			shown = ""
		}
	}
}

// silence is how long an inference may take without a line about it.
const silence = 2 * time.Second

// iterationLine prints how far a long inference is, now and then. Another one begins where iterations are counted anew.
func iterationLine(e *command.Env) func(solve.Iteration) {
	said, last := time.Now(), 0
	return func(it solve.Iteration) {
		if it.Number < last {
			said = time.Now()
		}
		last = it.Number
		if time.Since(said) < silence {
			return
		}
		said = time.Now()
		if math.IsNaN(it.Objective) {
			e.Statusf("inference step %d by interior points  gap about %.0e  violation %.0e", it.Number, it.Gap, it.Violation)
			return
		}
		e.Statusf("inference iteration %d  objective %.6g  at least %.6g  violation %.0e", it.Number, it.Objective,
			it.DualBound, it.Violation)
	}
}

// seconds prints a duration in seconds with as many digits as matter.
func seconds(s float64) string {
	if s < 1 {
		return fmt.Sprintf("%.0f ms", 1e3*s)
	}
	return fmt.Sprintf("%.1f s", s)
}
