// Command learning judges the defaults of learning on many small tasks of different shape: it generates each as a
// stranger's project, learns, infers and scores it with every default, and prints the results beside those of a network
// alone and of rules that are not learned. See docs/learning-suite.md.
//
//	go run ./bench/learning
//	go run ./bench/learning --task 'sum|xor' --seeds 2 --set learn.method=implicit
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"time"

	"github.com/deeppsl/deeppsl/internal/report"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// errUsage is wrapped by what is wrong with the arguments.
var errUsage = errors.New("see go run ./bench/learning --help")

// run is the command: it returns 0 for success, 1 for failure, 2 for arguments that have no meaning.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if err == nil {
		err = o.main(ctx, stdout, stderr)
	}
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintln(stderr, "error:", err)
		return 2
	}
	fmt.Fprintln(stderr, "error:", err)
	return 1
}

// parse reads the arguments.
func parse(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	var pattern string
	flags := flag.NewFlagSet("learning", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&pattern, "task", "", "only the tasks whose name matches a `pattern`")
	flags.Uint64Var(&o.seeds, "seeds", 5, "how many `seeds`, from 1: each is other data and another initialisation")
	flags.IntVar(&o.threads, "threads", 1, "threads of each run")
	flags.IntVar(&o.parallel, "parallel", 1, "runs at a time; 0: one per core")
	flags.DurationVar(&o.limit, "limit", 2*time.Minute, "limit of `time` for one run, after which it has failed")
	flags.Func("set", "change a default, as `option=value`, of all contestants; may be repeated", func(text string) error {
		o.set = append(o.set, text)
		return nil
	})
	flags.StringVar(&o.out, "out", "", "write all results as JSON into a `file` too")
	flags.StringVar(&o.peers, "peers", "", "the `file` of other programs' results (default: those that are recorded)")
	flags.StringVar(&o.write, "write", "", "write what other programs learn from into a `folder`, and run nothing")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.BoolVar(&o.quick, "quick", false, "leave out our own rivals; the recorded peers stay")
	flags.BoolVar(&o.list, "list", false, "list the tasks, and run nothing")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", err, errUsage)
	}
	if err := o.complete(pattern, flags.Args()); err != nil {
		return nil, fmt.Errorf("%w: %w", err, errUsage)
	}
	return o, nil
}

// complete chooses the tasks, and checks what the flags say.
func (o *options) complete(pattern string, rest []string) error {
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	for k := range tasks {
		if wanted.MatchString(tasks[k].name) {
			o.tasks = append(o.tasks, &tasks[k])
		}
	}
	if o.parallel == 0 {
		o.parallel = runtime.GOMAXPROCS(0)
	}
	switch {
	case len(rest) > 0:
		return fmt.Errorf("there is no argument %q", rest[0])
	case len(o.tasks) == 0:
		return fmt.Errorf("no task matches %q; --list names them", pattern)
	case o.seeds < 1:
		return errors.New("--seeds takes a number from 1")
	case o.parallel < 0 || o.threads < 0:
		return errors.New("--parallel and --threads take numbers from 0")
	case o.limit <= 0:
		return fmt.Errorf("--limit takes a time above 0, not %v", o.limit)
	}
	return nil
}

// main does what the arguments ask for.
func (o *options) main(ctx context.Context, stdout, stderr io.Writer) error {
	if o.list {
		return list(stdout, o.tasks)
	}
	o.available(stderr)
	if o.write != "" {
		return o.writeSamples(o.write)
	}
	recorded, err := readPeers(o.peers)
	if err != nil {
		return err
	}
	results := o.runAll(ctx, stderr)
	suite := &suite{Seeds: o.seeds, Set: o.set}
	for k, t := range o.tasks {
		if len(results[k]) > 0 {
			recorded.miss(stderr, results[k])
			suite.Tasks = append(suite.Tasks, summarise(t, results[k], recorded))
		}
	}
	if o.out != "" {
		if err := report.WriteFileFunc(o.out, func(w io.Writer) error { return report.JSON(w, suite) }); err != nil {
			return err
		}
	}
	if o.json {
		err = report.JSON(stdout, suite)
	} else {
		err = write(stdout, suite.Tasks)
	}
	return errors.Join(err, ctx.Err())
}

// A suite is the result of the command.
type suite struct {
	Seeds uint64   `json:"seeds"`
	Set   []string `json:"set"`
	Tasks []*row   `json:"tasks"`
}

// list prints the tasks.
func list(w io.Writer, tasks []*task) error {
	table := report.NewTable("task", "metric", "what is learned")
	for _, t := range tasks {
		table.Row(t.name, t.metric, t.about)
	}
	return table.Text(w)
}
