// Command bench measures the pipeline on generated problems of any size: generate relations in memory, ground, solve to
// a proven gap. See docs/benchmarks.md.
//
//	go run ./bench --model friendship --size 1e6 --json
//	go run ./bench --model entity --sizes 1e4,1e5,1e6 --repeat 5 --plot out/entity
//	go run ./bench --model citation --size 1e5 --repeat 3 --peers java,osqp,clarabel,highs
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/cli"
	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/report"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == commandName {
		os.Exit(cli.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	command.SaveMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// errUsage is wrapped by what is wrong with the arguments.
var errUsage = errors.New("see go run ./bench --help")

// run is the command: it returns 0 for success, 1 for failure, 2 for arguments that have no meaning.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if err == nil {
		err = o.run(ctx, stdout, report.NewProgress(stderr, false))
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

// options are the command's arguments.
type options struct {
	settings
	rivalry
	model    *model
	families []*model     // of hard structure, or random ones, instead of a model
	shapes   []*joinShape // of joins, instead of a model
	sizes    []int        // ascending
	config   string       // instead of a model: rules and tables
	plot     string
	balances bool // of families, in place of comparing
	json     bool
}

// jarVariable is the environment variable that names Java PSL's jar.
const jarVariable = "DEEPPSL_PSL_JAR"

// parse reads the arguments.
func parse(args []string, stderr io.Writer) (*options, error) {
	var o options
	var name, size, sizes, rivals, hard, join string
	var random uint
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&name, "model", models[0].name, "the `model`: "+strings.Join(modelNames(), ", "))
	flags.StringVar(&hard, "hard", "", "solve these `families` of hard structure, beside --peers, or \"all\"")
	flags.UintVar(&random, "random", 0, "solve so many random `programs`, beside --peers")
	flags.BoolVar(&o.balances, "explained", false, "say how well answers to --hard or --random are explained")
	flags.StringVar(&join, "join", "", "ground these `shapes` of joins, beside --peers duckdb, or \"all\"")
	flags.StringVar(&size, "size", "1e6", "about how many `ground rules`")
	flags.StringVar(&sizes, "sizes", "", "several sizes instead, such as 1e4,1e5,1e6, for how the cost grows")
	flags.Float64Var(&o.gap, "gap", 1e-4, "relative duality gap to prove")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the data")
	flags.IntVar(&o.threads, "threads", 0, "threads (default: one per core)")
	flags.IntVar(&o.repeat, "repeat", 1, "repetitions; the times are their medians")
	flags.Func("memory", "keep to a `size` of memory, such as 1GiB: ground rules that do not fit go to a file",
		func(text string) (err error) {
			o.memory, err = preflight.ParseSize(text)
			return err
		})
	flags.StringVar(&o.scratch, "scratch", "", "the `folder` for that file (default: the system's)")
	flags.StringVar(&o.plot, "plot", "", "draw time and memory against the sizes, into this `folder`")
	flags.StringVar(&rivals, "peers", "", "compare with these `programs`: "+strings.Join(peerNames(), ", "))
	flags.StringVar(&o.config, "config", "", "compare on this `configuration` instead of a model")
	flags.StringVar(&o.jar, "psl-jar", os.Getenv(jarVariable), "Java PSL's command, a jar `file`; default: $"+jarVariable)
	flags.StringVar(&o.python, "python", "python3", "`interpreter` that has the peers' packages")
	flags.DurationVar(&o.limit, "limit", 5*time.Minute, "limit of `time` for one run of a peer")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", err, errUsage)
	}
	if sizes == "" {
		sizes = size
	}
	err := o.complete(name, sizes, flags.Args())
	if err == nil && hard != "" {
		o.families, err = find("family", hard, families, func(m *model) string { return m.name })
	}
	if err == nil && random > 0 {
		o.families = append(o.families, randomModels(int(random), o.seed)...)
	}
	if err == nil && join != "" {
		o.shapes, err = find("shape", join, joinShapes, func(s *joinShape) string { return s.name })
	}
	if err == nil && o.balances && o.families == nil {
		err = errors.New("--explained needs --hard or --random")
	}
	if err == nil {
		err = o.meet(rivals)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, errUsage)
	}
	return &o, nil
}

// complete reads what the flags do not, and checks what they say.
func (o *options) complete(name, sizes string, rest []string) error {
	at := slices.Index(modelNames(), name)
	switch {
	case len(rest) > 0:
		return fmt.Errorf("there is no argument %q", rest[0])
	case at < 0:
		return fmt.Errorf("there is no model %q; there are %s", name, strings.Join(modelNames(), ", "))
	case o.repeat < 1:
		return fmt.Errorf("--repeat takes a number from 1, not %d", o.repeat)
	case !(o.gap > 0):
		return fmt.Errorf("--gap takes a number above 0, not %v", o.gap)
	}
	o.model = &models[at]
	for text := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 1) || n > 1e10 || n != math.Trunc(n) {
			return fmt.Errorf("%q is not a size: want a whole number from 1 to 1e10", text)
		}
		o.sizes = append(o.sizes, int(n))
	}
	slices.Sort(o.sizes) // so that the peak of memory so far is that of the last size
	if o.plot != "" && len(o.sizes) == 1 {
		return errors.New("--plot needs several --sizes")
	}
	return nil
}

// meet finds the peers that are named, between commas.
func (o *options) meet(names string) error {
	if names == "" {
		if o.config != "" {
			return errors.New("--config needs --peers")
		}
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		at := slices.Index(peerNames(), name)
		if at < 0 {
			return fmt.Errorf("there is no peer %q; there are %s", name, strings.Join(peerNames(), ", "))
		}
		o.peers = append(o.peers, peers[at])
	}
	switch {
	case o.balances:
		return errors.New("--explained is not for comparisons with --peers")
	case o.shapes != nil && (len(o.peers) != 1 || o.peers[0].name != database):
		return fmt.Errorf("--join takes --peers %s alone", database)
	case o.shapes == nil && slices.ContainsFunc(o.peers, func(p contender) bool { return p.name == database }):
		return fmt.Errorf("the peer %s is for --join", database)
	case len(o.sizes) > 1 && o.families == nil && o.shapes == nil:
		return errors.New("--peers takes one --size")
	case o.memory > 0:
		return errors.New("--memory is not for comparisons with --peers")
	case o.limit <= 0:
		return fmt.Errorf("--limit takes a time above 0, not %v", o.limit)
	}
	return nil
}

// run compares, or measures all sizes, and prints the results.
func (o *options) run(ctx context.Context, w io.Writer, progress report.Progress) error {
	if o.families != nil && o.balances {
		return o.explained(ctx, w, progress)
	}
	if o.families != nil {
		return o.try(ctx, w, progress)
	}
	if o.shapes != nil {
		return o.join(ctx, w)
	}
	if len(o.peers) == 0 {
		return o.measureAll(ctx, w)
	}
	c, err := compare(ctx, o)
	if err != nil {
		return err
	}
	if o.json {
		return report.JSON(w, c)
	}
	return c.Text(w)
}

// join grounds shapes of joins, beside the database if it is a peer.
func (o *options) join(ctx context.Context, w io.Writer) error {
	s := &joinSettings{sizes: o.sizes, threads: o.threads, repeat: o.repeat, seed: o.seed, asks: len(o.peers) > 0,
		python: o.python, limit: o.limit}
	all, err := s.join(ctx, o.shapes)
	if err != nil {
		return err
	}
	if o.json {
		return report.JSON(w, all)
	}
	return all.Text(w)
}

// measureAll measures all sizes and prints the results: a single one for one size, and how they scale for several.
func (o *options) measureAll(ctx context.Context, w io.Writer) error {
	var results []*result
	machine := thisMachine()
	for _, size := range o.sizes {
		r, err := measure(ctx, o.model, size, o.settings)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	s := newScaling(results)
	s.Machine = machine
	if o.plot != "" {
		if err := s.plot(o.plot); err != nil {
			return err
		}
	}
	switch {
	case !o.json:
		return s.Text(w)
	case len(results) == 1:
		return report.JSON(w, results[0])
	}
	return report.JSON(w, s)
}
