package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/consensus"
	"github.com/deeppsl/deeppsl/internal/place"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/shard"
)

const shardHelp = `Shard cuts inference into parts that processes solve apart, on this machine or
on others: each with deeppsl run --shard k/N DIR. deeppsl merge DIR joins them.

--by components cuts where no rule joins: what lies together is found from the
tables, and nothing is ground. --by 'Lives(2)' cuts by the second argument of
Lives; a rule that joins across its values is refused. --by vertices grounds,
and cuts what is one component into blocks that share few variables: all shards
then have to run at the same time, and agree in rounds.

DIR may be s3://bucket/prefix in a program that reads it (see docs/scaling.md).
The folder gets a manifest with the SHA-256 of each part. What is there already
and whole is left as it is. A part reads its own rows alone, and the answer has
the same bits for any number of shards.`

const shardExamples = `  deeppsl shard model.json --into 8 parts
  seq 8 | xargs -P 4 -I{} deeppsl run --shard {}/8 parts
  deeppsl merge parts -o answers`

// sharder is one run of deeppsl shard.
type sharder struct {
	projectFlags
	from   input
	by     string
	into   int
	cells  int
	limits limits
}

// newShard returns deeppsl shard.
func newShard(e *command.Env) *cobra.Command {
	s := &sharder{projectFlags: projectFlags{Env: e}, limits: limits{seconds: "inference.seconds"}}
	cmd := &cobra.Command{
		Use:     "shard CONFIG [--by components|vertices|PREDICATE(ARG)] --into N DIR",
		Short:   "Cut inference into parts for other processes",
		Long:    shardHelp,
		Example: shardExamples,
		GroupID: groupRules,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usage("missing-argument", "the form is: "+cmd.UseLine(), "%s needs a folder for the parts",
					cmd.CommandPath())
			}
			return s.from.check(cmd, args[:len(args)-1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.run(cmd, args[:len(args)-1], args[len(args)-1])
		},
	}
	s.flags(cmd)
	s.from.flags(cmd.Flags())
	s.limits.flags(cmd.Flags())
	cmd.Flags().StringVar(&s.by, "by", shard.ByComponents,
		"cut by `components`, by vertices, or by an argument as in 'Lives(2)'")
	s.into = 1
	command.CountVar(cmd.Flags(), &s.into, "into", 1, "the `number` of shards, each for a process")
	command.CountVar(cmd.Flags(), &s.cells, "cells", 1,
		"at most so many `parts`, which shards share (default 64, or one a shard)")
	return cmd
}

func (s *sharder) run(cmd *cobra.Command, args []string, dir string) error {
	at, err := place.Open(cmd.Context(), dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return command.Usage("output-path", "name a folder; it is made if it is not there", "%s is a file", dir)
	}
	options := s.options()
	options.Set = append(options.Set, s.limits.options(cmd.Flags())...)
	if cmd.Flags().Changed("seed") {
		options.Set = append(options.Set, fmt.Sprintf("random.seed=%d", s.Seed))
	}
	loaded, err := s.from.load(args, options)
	if err != nil {
		return err
	}
	s.bound(loaded)
	request := shard.Request{Config: s.from.name(args), Rules: s.from.rules, By: s.by, Shards: s.into, Cells: s.cells,
		At: at}
	manifest, fresh, err := shard.Make(cmd.Context(), loaded, request)
	if err != nil {
		return err
	}
	return s.Emit(cut{manifest, dir, fresh})
}

// cut is what deeppsl shard answers.
type cut struct {
	*shard.Manifest
	Dir string `json:"folder"`
	// Written tells whether anything was: the same plan may have been there.
	Written bool `json:"written"`
}

// Text prints what was cut, and by what.
func (c cut) Text(w io.Writer) error {
	if !c.Written {
		fmt.Fprintf(w, "%s has these parts already\n", c.Dir)
	}
	if c.Vertices != nil {
		fmt.Fprintf(w, "%d blocks of %d variables share %d (%.1f %%)\n", len(c.Cells), c.Variables, c.Vertices.Shared,
			100*float64(c.Vertices.Shared)/float64(max(c.Variables, 1)))
		return c.shards(w, "ground rules")
	}
	share := 0.0
	if c.Rows > 0 {
		share = 100 * float64(c.Largest) / float64(c.Rows)
	}
	fmt.Fprintf(w, "%d components, the largest of %d rows (%.1f %%); %d rows are in every part\n", c.Components,
		c.Largest, share, c.EverywhereRows)
	for _, k := range c.Keys {
		fmt.Fprintf(w, "rows of %s lie by %s\n", k.Predicate, positions(k.Arguments))
	}
	fmt.Fprintf(w, "%d parts in %d shards\n", len(c.Cells), c.Shards)
	if c.Components == 1 {
		fmt.Fprintf(w, "all is one component: more shards do not help\n")
	}
	return c.shards(w, "rows")
}

// shards prints what the shards have, behind what is to be said before.
func (c cut) shards(w io.Writer, unit string) error {
	table := report.NewTable("shard", "parts", unit, "variables")
	for k := range c.Shards {
		var parts, variables int
		var rows int64
		for _, cell := range c.Cells {
			if cell.Shard == k+1 {
				parts, rows, variables = parts+1, rows+cell.Rows, variables+cell.Variables
			}
		}
		table.Row(k+1, parts, rows, variables)
	}
	fmt.Fprintln(w)
	return table.Text(w)
}

// positions lists arguments.
func positions(arguments []int) string {
	parts := make([]string, len(arguments))
	for k, a := range arguments {
		parts[k] = fmt.Sprint(a)
	}
	if len(parts) == 1 {
		return "argument " + parts[0]
	}
	return "arguments " + strings.Join(parts, " and ")
}

// wholeFlags are those of deeppsl run that a shard does not take.
var wholeFlags = []string{"learn", "infer", "eval", "time-limit", "properties", "save-networks", "atoms", "curve",
	"checkpoint", "output", "format", "groundrules", "write-model"}

// runShard is deeppsl run --shard.
func (r *runner) runShard(cmd *cobra.Command, dir string, set []string) error {
	at, err := place.Open(cmd.Context(), dir)
	if err != nil {
		return err
	}
	manifest, err := shard.ReadManifest(cmd.Context(), at)
	if err != nil {
		return err
	}
	number, of := 0, 0
	if n, _ := fmt.Sscanf(r.shard, "%d/%d", &number, &of); n != 2 || r.shard != fmt.Sprintf("%d/%d", number, of) ||
		of != manifest.Shards || number < 1 || number > of {
		return command.Usage("shard-number", fmt.Sprintf("as in --shard 1/%d", manifest.Shards),
			"%q is no shard of %s, which has %d", r.shard, dir, manifest.Shards)
	}
	for _, name := range wholeFlags {
		if cmd.Flags().Changed(name) {
			return command.Usage("flag-value", "deeppsl merge writes what shards answer; -D sets options of each part",
				"--%s is for a run of the whole, and not for a shard", name)
		}
	}
	options := r.options()
	options.Set = set
	if manifest.Vertices != nil && len(set) > 0 {
		return command.Usage("flag-value", "set it for deeppsl shard",
			"options of one block of %s, which all have to share", dir)
	}
	told, err := r.told(cmd)
	if err != nil {
		return err
	}
	if manifest.Vertices != nil {
		command.CollectOften() // a block is a few arrays without pointers, some of which each round makes anew
	}
	done, err := shard.Run(cmd.Context(), at, manifest, number, options, told)
	if err != nil {
		return err
	}
	return r.Emit(shardRun{done})
}

// How blocks can tell each other what they have to: by files where the parts are, or by whoever has started them.
const byFiles, byStreams = "files", "stdio"

var exchanges = []string{byFiles, byStreams}

// told shows how a shard gets on: to the user, or to the program that carries its letters.
func (r *runner) told(cmd *cobra.Command) (shard.Told, error) {
	told := shard.Told{
		Before: func(c *shard.Cell) { r.Statusf("part %s of %d rows", c.Name, c.Rows) },
		Round: func(p consensus.Progress) {
			reached := fmt.Sprintf("objective %.6g", p.Objective)
			if math.IsInf(p.Objective, 1) {
				reached = "no feasible point yet"
			}
			r.Statusf("round %d  %s  at least %.6g  violation %.0e", p.Round+1, reached, p.Bound, p.Violation)
		},
	}
	switch {
	case r.exchange == byFiles:
		return told, nil
	case r.exchange != byStreams:
		return told, command.Usage("flag-value", command.SeeHelp(cmd), "--exchange takes files or stdio, not %q", r.exchange)
	case !r.JSON:
		return told, command.Usage("flag-value", "add --json", "--exchange stdio speaks JSON")
	}
	told.Exchange = func(blocks int) consensus.Exchange { return consensus.NewStream(r.In, r.Out, blocks) }
	told.Round = func(p consensus.Progress) {
		if err := r.Emit(roundOf{p}); err != nil {
			r.Notef("round %d could not be told: %v", p.Round+1, err)
		}
	}
	return told, nil
}

// roundOf is a round as programs are told of it.
type roundOf struct{ consensus.Progress }

// Text implements command.Result; rounds are told in JSON alone.
func (roundOf) Text(io.Writer) error { return nil }

// shardRun is what deeppsl run --shard answers.
type shardRun struct{ *shard.Done }

// Text prints it in a line.
func (s shardRun) Text(w io.Writer) error {
	_, err := fmt.Fprintf(w,
		"%s: shard %d/%d, %d parts (%d solved now), %d ground rules, objective %.6g, at least %.6g\n",
		s.Status, s.Shard, s.Shards, s.Cells, s.Done.Solved, s.GroundRules, s.Objective, s.DualBound)
	return err
}

const mergeHelp = `Merge joins the answers to the parts of a folder that deeppsl shard made, and
prints what deeppsl run would: objectives and bounds add up, and so proofs do.

The project is read again, for the names of atoms and the truth to score by;
--config says where it is if it has moved. What was cut must not have changed. A
part that has no answer yet, or a damaged one, is named with what makes it.`

const mergeExamples = `  deeppsl merge parts -o answers
  deeppsl merge parts --json | jq .objective`

// merger is one run of deeppsl merge.
type merger struct {
	projectFlags
	config string
	atoms  bool
}

// newMerge returns deeppsl merge.
func newMerge(e *command.Env) *cobra.Command {
	m := &merger{projectFlags: projectFlags{Env: e}}
	cmd := &cobra.Command{
		Use:     "merge DIR [-o DIR]",
		Short:   "Join the answers of shards",
		Long:    mergeHelp,
		Example: mergeExamples,
		GroupID: groupRules,
		Args:    oneProblem,
		RunE:    func(cmd *cobra.Command, args []string) error { return m.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVarP(&m.config, "config", "c", "", "the `configuration`, if it is elsewhere now")
	f.BoolVar(&m.atoms, "atoms", false, "print all inferred atoms, with --json as the key atoms")
	f.StringP("output", "o", "", "write the inferred atoms to this `folder`, a file per predicate")
	f.String("format", "", "`format` of those files: txt, json or parquet")
	return cmd
}

func (m *merger) run(cmd *cobra.Command, dir string) error {
	at, err := place.Open(cmd.Context(), dir)
	if err != nil {
		return err
	}
	manifest, err := shard.ReadManifest(cmd.Context(), at)
	if err != nil {
		return err
	}
	from := input{config: manifest.Config}
	if m.config != "" {
		from.config = m.config
	}
	if manifest.Rules != "" {
		from = input{rules: manifest.Rules, data: from.config}
	}
	options := m.options()
	options.Set = append(append([]string(nil), manifest.Options...), optionsOf(cmd.Flags())...)
	options.Seed = manifest.Seed
	loaded, err := from.load(nil, options)
	if err != nil {
		return err
	}
	outputs := loaded.Outputs()
	check := runner{projectFlags: m.projectFlags}
	if err := check.checkOutputs(project.Outputs{Atoms: outputs.Atoms}, loaded); err != nil {
		return err
	}
	merged, err := shard.Merge(cmd.Context(), at, manifest, loaded)
	if err != nil {
		return err
	}
	if err := m.emit(merged, outputs); err != nil {
		return err
	}
	return verdict(merged.Report)
}

// joined is what deeppsl merge answers.
type joined struct {
	ran
	Parts int `json:"parts"`
	// Iterations are the most that any part took.
	Iterations int `json:"iterations"`
}

// emit writes and prints a merged answer as deeppsl run does.
func (m *merger) emit(merged *shard.Merged, outputs project.Outputs) error {
	answer := joined{ran{Report: merged.Report, showAtoms: outputs.Atoms == "" && !outputs.Hidden}, merged.Parts,
		merged.Answer.Iterations}
	if !merged.Failed() {
		answer.summary = summary{merged.Grounding.ByPredicate(merged.Answer), merged.Costs}
		if m.atoms {
			for a := range merged.Grounding.Atoms(merged.Answer, nil) {
				answer.Atoms = append(answer.Atoms, a)
			}
		}
		if outputs.Atoms != "" && !outputs.Hidden {
			if err := m.Wrote(merged.WriteAnswer(outputs.Atoms)); err != nil {
				return err
			}
		}
	}
	return m.Emit(answer)
}
