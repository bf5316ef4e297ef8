// Command load drives deeppsl serve as hard as it can be driven: writers change atoms, each when the last change was
// answered, readers ask for values, and the process is killed now and then. It tells how much was answered, how fast
// and how it was refused, and checks that every change that was answered is there: after each kill, and in the end,
// when the answer must be that of a process that begins with the journal.
//
//	go run ./bench/load --duration 15m --writers 8 --readers 8 model.json
//	go run ./bench/load --duration 5m --kills 20 --snapshots 1s model.json
//
// Updates are timed by the clients, and by the server in stages: in the queue, until they are made, flushed and
// inferred. It prints one JSON object, and exits with 1 if a check fails.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/deeppsl/deeppsl/internal/cli"
)

// commandName makes the program deeppsl itself, which it serves with.
const commandName = "deeppsl"

func main() {
	if len(os.Args) > 1 && os.Args[1] == commandName {
		os.Exit(cli.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// plan is what to do.
type plan struct {
	config                 string
	duration               time.Duration
	writers, readers, kill int
	snapshots              time.Duration // from one to the next; 0 for none
	pause                  time.Duration // of a writer after each change
	atoms                  int
	seed                   uint64
	serve                  []string // more arguments of deeppsl serve
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var p plan
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.DurationVar(&p.duration, "duration", time.Minute, "how long")
	flags.IntVar(&p.writers, "writers", 4, "how many change atoms at once")
	flags.IntVar(&p.readers, "readers", 4, "how many ask for values at once")
	flags.IntVar(&p.kill, "kills", 0, "how often the process is killed meanwhile")
	flags.DurationVar(&p.snapshots, "snapshots", 0, "how often a snapshot is asked for (default: never)")
	flags.DurationVar(&p.pause, "pause", 0, "how long a writer waits after each change")
	flags.IntVar(&p.atoms, "atoms", 10_000, "how many atoms are changed and asked for")
	flags.Uint64Var(&p.seed, "seed", 1, "seed of what is drawn")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() < 1 || p.writers < 1 || p.readers < 0 {
		return errors.New("a configuration is wanted, and at least one writer")
	}
	p.config, p.serve = flags.Arg(0), flags.Args()[1:]
	report, err := p.load(ctx)
	if report != nil {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		err = errors.Join(err, encoder.Encode(report))
	}
	return err
}
