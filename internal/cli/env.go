package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/deeppsl/deeppsl/internal/report"
)

// env is what every command works with: the streams and the global flags.
type env struct {
	in       io.Reader
	out, err io.Writer

	json    bool
	seed    uint64
	threads uint
	quiet   bool

	// answering says that an answer is on its way, which an interrupt does not keep from being given.
	answering atomic.Bool
}

// globalFlags declares the flags that every command has.
func (e *env) globalFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&e.json, "json", false, "print one JSON object per result, and nothing else, on stdout")
	flags.Uint64Var(&e.seed, "seed", 1, "seed of everything random; the same seed gives the same bits")
	flags.UintVar(&e.threads, "threads", 0, "threads to use, which changes no result (default: one per core)")
	flags.BoolVarP(&e.quiet, "quiet", "q", false, "no progress and no notes on stderr, only errors")
}

// progress returns what shows long work to the user.
func (e *env) progress() report.Progress { return report.NewProgress(e.err, e.quiet) }

// notef tells the user something that is no result.
func (e *env) notef(format string, args ...any) {
	if !e.quiet {
		fmt.Fprintf(e.err, format+"\n", args...)
	}
}

// A result is what a command answers. Its exported fields are its JSON.
type result interface {
	// Text prints the result for people.
	Text(w io.Writer) error
}

// emit prints a result in the form that was asked for, in one write.
func (e *env) emit(r result) error {
	var b bytes.Buffer
	write := r.Text
	if e.json {
		write = func(w io.Writer) error { return report.JSON(w, r) }
	}
	if err := write(&b); err != nil {
		return err
	}
	_, err := e.out.Write(b.Bytes())
	return err
}

// color tells whether w shows colours: a terminal whose user has not asked for none (see no-color.org).
func color(w io.Writer) bool { return report.IsTerminal(w) && os.Getenv("NO_COLOR") == "" }
