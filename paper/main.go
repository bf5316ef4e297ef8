// Command paper repeats the experiments of the DeepPSL paper on the original data, fetches and checks those data, and
// holds the results against the printed ones: `go run ./paper t1`, `go run ./paper data list`.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
)

const paperHelp = `Paper repeats the experiments of the DeepPSL paper on the original data and
holds the results against the printed ones. The command data fetches the data.`

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the program over given streams; it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &command.Env{In: stdin, Out: stdout, Err: stderr}
	return e.Run(newRoot(e), args)
}

// newRoot returns the command with all others below it.
func newRoot(e *command.Env) *cobra.Command {
	root := &cobra.Command{Use: "paper COMMAND", Short: "Repeat the experiments of the paper", Long: paperHelp}
	root.AddCommand(newT1(e), newT2(e), newT3(e), newScaling(e), newHyper(e), newData(e))
	return e.Root(root)
}

func words(numbers []int) []string {
	out := make([]string, len(numbers))
	for k, n := range numbers {
		out[k] = fmt.Sprint(n)
	}
	return out
}

// series runs tasks one after the other, shows what each found once it is done, and writes all of it to the folder out
// at the end, if there is one.
func series[T any, R command.Result](cmd *cobra.Command, e *command.Env, tasks []T,
	one func(context.Context, T) (R, error), out string, write func(folder string, results []R) ([]string, error)) error {
	var results []R
	for _, task := range tasks {
		result, err := one(cmd.Context(), task)
		if err != nil {
			return err
		}
		if err := e.Emit(result); err != nil {
			return err
		}
		results = append(results, result)
	}
	if out == "" {
		return nil
	}
	return e.Wrote(write(out, results))
}

// optionFlag declares the flag that sets options of the projects that are trained. What no option takes is told at
// once: not all that a command runs reads them, and what does may come late.
func optionFlag(cmd *cobra.Command, set *[]string) {
	cmd.Flags().StringArrayVarP(set, "option", "D", nil, "set an option, as `name=value`; may be repeated")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		_, diags := project.ReadSettings(&load.Config{}, load.Infer, *set)
		return diags.Err()
	}
}

// known is an error if a flag has a value that it does not take.
func known(cmd *cobra.Command, flag string, values, allowed []string) error {
	for _, value := range values {
		if !slices.Contains(allowed, value) {
			return command.Usage("flag-value", command.HintFor(cmd, value, allowed), "%s takes %s, not %q", flag,
				strings.Join(allowed, ", "), value)
		}
	}
	return nil
}
