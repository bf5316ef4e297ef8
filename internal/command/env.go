package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/report"
)

// Env is what every command works with: the streams and the flags that all commands have.
type Env struct {
	In       io.Reader
	Out, Err io.Writer

	JSON    bool
	Seed    uint64
	Threads uint
	Quiet   bool

	// Answering says that an answer is on its way, which an interrupt does not keep from being given.
	Answering atomic.Bool
	// Waiting says that it is written to what may have no reader, which an interrupt does not wait for.
	Waiting atomic.Bool

	bounds bounds
	help   kept // what the help is written to
}

// kept is a writer that keeps its first error, for what writes without looking at one.
type kept struct {
	io.Writer
	err error
}

func (k *kept) Write(p []byte) (int, error) {
	n, err := k.Writer.Write(p)
	if k.err == nil {
		k.err = err
	}
	return n, err
}

// globalFlags declares the flags that every command has.
func (e *Env) globalFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&e.JSON, "json", false,
		"print one JSON object per result, or {\"errors\": …}, and nothing else, on stdout")
	flags.Uint64Var(&e.Seed, "seed", 1, "seed of everything random; the same seed gives the same bits")
	flags.UintVar(&e.Threads, "threads", 0, "threads to use, which changes no result (default: one per core)")
	flags.BoolVarP(&e.Quiet, "quiet", "q", false, "no progress and no notes on stderr, only errors")
}

// Progress returns what shows long work to the user.
func (e *Env) Progress() report.Progress { return report.NewProgress(e.Err, e.Quiet) }

// Notef tells the user something that is no result.
func (e *Env) Notef(format string, args ...any) {
	if !e.Quiet {
		fmt.Fprintf(e.Err, format+"\n", args...)
	}
}

// Statusf tells how far work is: on a terminal in one line, which the next one takes the place of.
func (e *Env) Statusf(format string, args ...any) {
	screen, ok := e.Err.(*report.Screen)
	if !ok {
		e.Notef(format, args...)
	} else if !e.Quiet {
		screen.Show(fmt.Sprintf(format, args...))
	}
}

// A Result is what a command answers. Its exported fields are its JSON.
type Result interface {
	// Text prints the result for people.
	Text(w io.Writer) error
}

// answer collects what a result prints, for as many columns as the terminal has that it goes to.
type answer struct {
	bytes.Buffer
	columns int
}

func (a *answer) Columns() int { return a.columns }

// Emit prints a result in the form that was asked for, in one write.
func (e *Env) Emit(r Result) error {
	b := answer{columns: report.Columns(e.Out)}
	write := r.Text
	if e.JSON {
		write = func(w io.Writer) error { return report.JSON(w, r) }
	}
	if err := write(&b); err != nil {
		return err
	}
	if screen, ok := e.Err.(*report.Screen); ok {
		screen.Clear()
	}
	_, err := e.Out.Write(b.Bytes())
	return err
}

// Color tells whether w shows colours: a terminal whose user has not asked for none (see no-color.org).
func Color(w io.Writer) bool { return report.IsTerminal(w) && os.Getenv("NO_COLOR") == "" }

// Wrote names the files that were written, also those before an error.
func (e *Env) Wrote(paths []string, err error) error {
	for _, path := range paths {
		e.Notef("wrote %s", path)
	}
	return err
}

// Batches returns what shows an epoch's progress, for examples that count as so many units each.
func (e *Env) Batches(each int64, unit string) func(learn.Batch) {
	progress := e.Progress()
	var bar report.Task
	return func(b learn.Batch) {
		if b.Done == 1 {
			bar = progress.Start(fmt.Sprintf("epoch %d", b.Epoch), each*int64(b.Batches*b.Size), unit)
		}
		bar.Add(each * int64(b.Size))
		if b.Done == b.Batches {
			bar.Done()
		}
	}
}
