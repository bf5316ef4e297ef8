package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/deeppsl/deeppsl/internal/source"
)

// maxDiagnostics bounds how many diagnostics are printed: the first ones explain most of the others.
const maxDiagnostics = 10

// errReported ends a command with exitFailure when its results have said why.
var errReported = errors.New("reported")

// errWrongInput ends a command with exitUsage when its results have said why.
var errWrongInput = errors.New("wrong input")

// conclude tells the user why a command failed, if it did, and returns the exit code.
func (e *env) conclude(err error) int {
	var failure *source.Failure
	switch {
	case err == nil:
		return exitSuccess
	case errors.Is(err, errReported):
		return exitFailure
	case errors.Is(err, errWrongInput):
		return exitUsage
	case errors.As(err, &failure):
		failure.Diagnostics.Render(e.err, color(e.err), maxDiagnostics)
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(e.err, "interrupted")
		return exitFailure
	}
	fmt.Fprintln(e.err, "error:", err)
	return exitFailure
}

// usage returns an error of the arguments: what is wrong with them, and what to do.
func usage(id, hint, format string, args ...any) error {
	var diags source.Diagnostics
	diags.Errorf(id, source.Span{}, hint, format, args...)
	return diags.Err()
}

// seeHelp is the hint for when there is none better.
func seeHelp(cmd *cobra.Command) string {
	return fmt.Sprintf("see %s --help", cmd.CommandPath())
}

// hintFor returns a guess at what was meant by name, or the way to the help.
func hintFor(cmd *cobra.Command, name string, candidates []string) string {
	if guess := source.Suggest(name, candidates); guess != "" {
		return guess
	}
	return seeHelp(cmd)
}

// flagError says in the user's words what pflag says in the programmer's.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			name = "-" + unknown.GetSpecifiedName()
		}
		return usage("unknown-flag", hintFor(cmd, name, flagNames(cmd)), "there is no flag %s", name)
	case errors.As(err, &missing):
		flag := missing.GetFlag()
		return usage("flag-value", seeHelp(cmd), "--%s needs a value: %s", flag.Name, valueOf(flag))
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		return usage("flag-value", seeHelp(cmd), "--%s takes %s, not %q", flag.Name, valueOf(flag), invalid.GetValue())
	}
	return usage("flag-value", seeHelp(cmd), "%v", err)
}

// flagNames lists the long flags of a command.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, "--"+flag.Name) })
	return names
}

// valueOf describes the values of a flag.
func valueOf(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "bool":
		return "true or false"
	case "uint", "uint64":
		return "a whole number from 0"
	case "int", "int64":
		return "a whole number"
	case "float64":
		return "a number"
	case "duration":
		return "a duration such as 90s or 5m"
	}
	return "a " + flag.Value.Type()
}

// atLeastOne is the argument check of commands that work through a list of what.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("missing-argument", "the form is: "+cmd.UseLine(), "%s needs a %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

// noArguments is the argument check of commands that take none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("extra-argument", "the form is: "+cmd.UseLine(), "%s takes no %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// onlyCommands is the argument check of commands that are there for the commands below them.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return usage("unknown-command", hintFor(cmd, args[0], names), "there is no command %s %s", cmd.CommandPath(), args[0])
}

// stdinName is the argument that means the standard input.
const stdinName = "-"

// readSource reads a text that the user named; stdinName is the standard input. What is wrong with the name or the
// text is an error of the input.
func (e *env) readSource(name string) (*source.File, error) {
	if name == stdinName {
		text, err := io.ReadAll(e.in)
		return &source.File{Name: "stdin", Text: string(text)}, err
	}
	file := &source.File{Name: name}
	text, err := os.ReadFile(name)
	if err == nil {
		file.Text = string(text)
		return file, nil
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	var diags source.Diagnostics
	diags.Errorf("unreadable-file", file.Whole(), "check the path; it is relative to the current folder",
		"cannot be read: %v", err)
	return nil, diags.Err()
}
