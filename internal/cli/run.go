package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

const runHelp = `Run learns, infers and evaluates, as the configuration asks for.

The configuration is one of PSL's, in JSON or YAML, with its rules and tables,
and may have neural predicates. -l and -i choose the stages: -l alone infers
nothing, for --save-networks or learned weights; with both, what is learned is
then inferred with. Options set with -D win over the configuration's.

The answer comes with a proof: no assignment can cost less than the dual bound.
If --time-limit comes first, the answer is the best so far, with its proven gap,
and the exit code 0. Ctrl-C does the same, with exit code 1: learning ends after
its step, the best epoch's parameters infer for at most 5 seconds, and all that
was asked for is written. A second one ends the program at once.`

const runExamples = `  deeppsl run model.json                       as the configuration says
  deeppsl run model.json -l -i -o answers      learn, infer, write the atoms
  deeppsl run model.json --gap 1e-6 --time-limit 5m
  deeppsl run model.json --memory 2GiB          more ground rules than memory
  deeppsl run --shard 3/8 parts                 of what deeppsl shard made
  deeppsl run model.json --json | jq .objective`

// runner is one run of deeppsl run.
type runner struct {
	projectFlags
	from         input
	limits       limits // of the run
	learn, infer string // methods; "" if the stage is not asked for, asConfigured if it is without a method
	evaluators   []string
	checkpoint   string
	networks     string // file to save them to
	properties   string // file of options
	curve        string // file for the learning curve
	atoms        bool   // the result has them all
	shard        string // as in "3/8"; "" for all
	exchange     string // of exchanges
	epochs       []learn.Epoch
}

// newRun returns deeppsl run.
func newRun(e *command.Env) *cobra.Command {
	r := &runner{projectFlags: projectFlags{Env: e}, limits: limits{seconds: "run.seconds"}}
	cmd := &cobra.Command{
		Use:     "run CONFIG [-l] [-i] [-o DIR] [-D name=value]...",
		Short:   "Learn, infer and evaluate",
		Long:    runHelp,
		Example: runExamples,
		GroupID: groupRules,
		Args:    r.from.check,
		RunE:    r.run,
		// What else people call it, and a configuration without a command.
		SuggestFor: []string{"train", "learn", "fit", "infer", "predict", "eval", "evaluate", "test",
			".json", ".yaml", ".yml"},
	}
	r.flags(cmd)
	r.forceFlag(cmd)
	r.memoryFlags(cmd)
	cmd.Flags().StringVar(&r.shard, "shard", "", "solve `k/N`, a shard of a folder that deeppsl shard made")
	cmd.Flags().StringVar(&r.exchange, "exchange", byFiles,
		"what a shard's block tells others goes by `files` beside the parts, or stdio")
	f := cmd.Flags()
	f.StringVarP(&r.learn, "learn", "l", "", "learn, with a `method` if given as --learn=METHOD")
	f.StringVarP(&r.infer, "infer", "i", "", "infer, with a `method` if given as --infer=METHOD")
	f.StringSliceVarP(&r.evaluators, "eval", "e", nil, "the `evaluator`s of predicates with truth that name none")
	f.Lookup("learn").NoOptDefVal = asConfigured
	f.Lookup("infer").NoOptDefVal = asConfigured
	r.limits.flags(f)
	r.from.flags(f)
	optionFlags(f)
	f.StringVarP(&r.properties, "properties", "p", "", "a `file` of options, name = value on each line, as in PSL 2")
	f.StringVar(&r.networks, "save-networks", "",
		"write the networks to this `file`, which the key checkpoint of a network reads")
	f.BoolVar(&r.atoms, "atoms", false, "print all inferred atoms, with --json as the key atoms")
	f.StringVar(&r.curve, "curve", "", "draw the learning curve in this `file`, as SVG")
	f.StringVar(&r.checkpoint, "checkpoint", "", "write learning's state to this `file`, and go on from it if it exists")
	return cmd
}

func (r *runner) run(cmd *cobra.Command, args []string) error {
	options, err := r.settings(cmd)
	if err != nil {
		return err
	}
	if r.shard != "" {
		return r.runShard(cmd, r.from.name(args), options.Set)
	}
	if cmd.Flags().Changed("exchange") {
		return command.Usage("flag-value", "--shard k/N solves a shard of a folder that deeppsl shard made",
			"--exchange is how shards tell each other, and there is no --shard")
	}
	r.EndAfter(r.limits.grounding())
	loaded, err := r.from.load(args, options)
	if err != nil {
		return err
	}
	r.bound(loaded)
	if err := r.checkNetworks(cmd, loaded); err != nil {
		return err
	}
	if r.atoms && loaded.Examples() {
		return command.Usage("flag-value", "--json has what is predicted of each, and so has -o DIR",
			"--atoms: the project is about examples")
	}
	outputs := loaded.Outputs()
	r.Quiet = r.Quiet || outputs.Quiet
	if outputs.Model == "" && r.from.rules != "" && r.learn != "" { // as PSL 2 did
		outputs.Model = strings.TrimSuffix(r.from.rules, filepath.Ext(r.from.rules)) + "-learned.psl"
	}
	if err := r.checkOutputs(outputs, loaded); err != nil {
		return err
	}
	ending := context.AfterFunc(cmd.Context(), func() { r.Notef("ending in order; another interrupt ends at once") })
	result, err := engine.Run(cmd.Context(), loaded, engine.Stages{Learn: r.learn != "", Infer: r.infer != ""})
	ending()
	if err != nil {
		return err
	}
	if err := r.write(result, outputs); err != nil {
		return err
	}
	return r.answer(result, outputs.Atoms == "" && !outputs.Hidden)
}

// settings are the options that files and flags set, flags last, and what is to be told of learning as it goes on.
func (r *runner) settings(cmd *cobra.Command) (project.Options, error) {
	options := r.options()
	if err := r.readProperties(&options); err != nil {
		return options, err
	}
	options.Set = append(options.Set, optionsOf(cmd.Flags())...)
	options.Set = append(options.Set, r.limits.options(cmd.Flags())...)
	if r.shard != "" { // its folder says the rest
		return options, nil
	}
	for _, name := range r.evaluators {
		options.Set = append(options.Set, "evaluation.default="+name)
	}
	if r.learn != "" && r.learn != asConfigured {
		options.Set = append(options.Set, "learn.method="+r.learn)
	}
	if r.infer != "" && r.infer != asConfigured {
		options.Set = append(options.Set, "inference.method="+r.infer)
	}
	if cmd.Flags().Changed("seed") {
		options.Set = append(options.Set, fmt.Sprintf("random.seed=%d", r.Seed))
	}
	options.Checkpoint = r.checkpoint
	options.OnGround = func() { r.Answering.Store(true) }
	options.OnFit, options.OnStage, options.OnBatch = fitting(r.Env), stages(r.Env), r.Batches(1, "examples")
	line := epochLine(r.Env, "learning")
	options.OnEpoch = func(e learn.Epoch) {
		line(e)
		r.epochs = append(r.epochs, e)
	}
	return options, nil
}

// answer prints what a run came to; showAtoms adds the first atoms.
func (r *runner) answer(result *engine.Report, showAtoms bool) (err error) {
	answer := ran{Report: result, showAtoms: showAtoms}
	if answer.summary, err = summarize(result); err != nil {
		return err
	}
	if r.atoms && result.Answer != nil && !result.Failed() {
		answer.Atoms = slices.Collect(result.Grounding.Atoms(result.Answer, nil))
	}
	if err := r.Emit(answer); err != nil {
		return err
	}
	return verdict(result)
}

// readProperties puts the options of a file before those of the command line, which win.
func (r *runner) readProperties(options *project.Options) error {
	if r.properties == "" {
		return nil
	}
	file, err := r.ReadSource(r.properties)
	if err != nil {
		return err
	}
	var set []string
	for line := range strings.Lines(file.Text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		name, value := line, ""
		if at := strings.IndexAny(line, "=: \t"); at >= 0 {
			name, value = line[:at], strings.TrimLeft(line[at:], "=: \t")
		}
		set = append(set, name+"="+value)
	}
	options.Set = append(set, options.Set...)
	return nil
}

// verdict is the error of a command whose results have been written.
func verdict(result *engine.Report) error {
	switch {
	case result.Interrupted():
		return context.Canceled
	case result.Failed(), result.Answer != nil && result.Answer.Violated:
		return command.ErrReported
	}
	return nil
}

// infeasible tells whether the hard rules contradict each other, so that there is no answer.
func infeasible(result *engine.Report) bool { return len(result.Conflict) > 0 }

// write writes the files that were asked for.
func (r *runner) write(result *engine.Report, outputs project.Outputs) error {
	if outputs.GroundRules != "" {
		err := r.output(outputs.GroundRules, func(w io.Writer) error {
			if filepath.Ext(outputs.GroundRules) == ".jsonl" {
				return result.Grounding.WriteGroundRules(w, result.Answer)
			}
			return result.Grounding.Write(w, session.PSLView, 0)
		})
		if err != nil {
			return err
		}
	}
	if outputs.Model != "" && result.Learned == nil {
		r.Notef("wrote no model to %s: nothing was learned", outputs.Model)
	}
	if outputs.Model != "" && result.Learned != nil {
		if err := r.output(outputs.Model, result.Learned.WriteModel); err != nil {
			return err
		}
		if outputs.Model != command.StdinName {
			r.Notef("wrote %s", outputs.Model)
		}
	}
	if r.curve != "" {
		if err := drawCurve(r.curve, r.epochs); err != nil {
			return err
		}
		r.Notef("wrote %s", r.curve)
	}
	if r.networks != "" {
		if err := result.Grounding.SaveNetworks(r.networks); err != nil {
			return err
		}
		r.Notef("wrote %s", r.networks)
	}
	if outputs.Atoms == "" || outputs.Hidden || result.Failed() || result.Answer == nil {
		return nil
	}
	paths, err := result.WriteAnswer(outputs.Atoms)
	return r.Wrote(paths, err)
}

// checkNetworks refuses to save networks that could not be, before they learn.
func (r *runner) checkNetworks(cmd *cobra.Command, loaded *project.Project) error {
	exchanged := loaded.Exchanged()
	switch {
	case r.networks == "":
	case !loaded.Networks():
		return command.Usage("flag-value", command.SeeHelp(cmd), "--save-networks: the project has no network")
	case !strings.EqualFold(filepath.Ext(r.networks), ".onnx"):
	case len(exchanged) == 0:
		return command.Usage("flag-value", "a name that does not end in .onnx is for a checkpoint of any networks",
			"--save-networks: none of the networks is of kind onnx")
	case len(exchanged) > 1:
		return command.Usage("flag-value", "a name that does not end in .onnx is for a checkpoint of all networks",
			"--save-networks: one file has one network, and %s are of kind onnx", strings.Join(exchanged, ", "))
	}
	return nil
}
