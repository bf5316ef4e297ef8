package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/source"
)

const solveHelp = `Solve reads a ground problem that deeppsl ground --export wrote as JSON, and
finds its best assignment, as deeppsl run would: with the same options, to the
same bit.

A dump has no names of atoms, and no data but the numbers of the ground rules,
so that a problem can be shown to others. It has a checksum.`

const solveExamples = `  deeppsl ground model.json --export problem.json
  deeppsl solve problem.json
  deeppsl solve problem.json --gap 1e-8 --json`

// solver is one run of deeppsl solve.
type solver struct {
	projectFlags
	limits limits
}

// newSolve returns deeppsl solve.
func newSolve(e *command.Env) *cobra.Command {
	s := &solver{projectFlags: projectFlags{Env: e}, limits: limits{seconds: "inference.seconds"}}
	cmd := &cobra.Command{
		Use:     "solve FILE [-D name=value]...",
		Short:   "Solve a ground problem that was exported",
		Long:    solveHelp,
		Example: solveExamples,
		GroupID: groupRules,
		Args:    oneProblem,
		RunE:    func(cmd *cobra.Command, args []string) error { return s.solve(cmd, args[0]) },
	}
	s.flags(cmd)
	s.limits.flags(cmd.Flags())
	return cmd
}

func oneProblem(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return command.Usage("missing-argument", "the form is: "+cmd.UseLine(), "%s takes one file, not %d",
			cmd.CommandPath(), len(args))
	}
	return nil
}

func (p *solver) solve(cmd *cobra.Command, path string) error {
	p.set = append(p.set, p.limits.options(cmd.Flags())...)
	problem, err := p.readProblem(path)
	if err != nil {
		return err
	}
	p.Answering.Store(true)
	result, err := problem.Solve(cmd.Context())
	if err != nil {
		return err
	}
	if err := p.Emit(ran{Report: result}); err != nil {
		return err
	}
	return verdict(result)
}

// readProblem reads a dump from a file, or from the standard input. What is wrong with it is an error of the input.
func (p *projectFlags) readProblem(path string) (_ *engine.Problem, err error) {
	file := &source.File{Name: path}
	from := p.In
	if path != command.StdinName {
		opened, err := os.Open(path)
		if err != nil {
			return nil, brokenProblem(file, fmt.Errorf("cannot be read: %w", errors.Unwrap(err)),
				"check the path; it is relative to the current folder")
		}
		defer func() { err = errors.Join(err, opened.Close()) }()
		from = opened
	}
	problem, err := engine.ReadProblem(from, p.options())
	if failure := (*source.Failure)(nil); err != nil && !errors.As(err, &failure) {
		return nil, brokenProblem(file, err, "write it again with deeppsl ground CONFIG --export FILE.json")
	}
	return problem, err
}

// brokenProblem is the error of a dump that cannot be used.
func brokenProblem(file *source.File, err error, hint string) error {
	var diags source.Diagnostics
	diags.Errorf("broken-problem", file.Whole(), hint, "%v", err)
	return diags.Err()
}
