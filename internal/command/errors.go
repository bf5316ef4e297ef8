package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/source"
)

// MaxDiagnostics bounds how many diagnostics are printed: the first ones explain most of the others.
const MaxDiagnostics = 10

// ErrReported ends a command with ExitFailure when its results have said why.
var ErrReported = errors.New("reported")

// ErrWrongInput ends a command with ExitUsage when its results have said why.
var ErrWrongInput = errors.New("wrong input")

// Conclude tells the user why a command failed, if it did, and returns the exit code.
func (e *Env) Conclude(err error) int {
	var failure *source.Failure
	switch {
	case err == nil:
		return ExitSuccess
	case errors.Is(err, ErrReported):
		return ExitFailure
	case errors.Is(err, ErrWrongInput):
		return ExitUsage
	case errors.As(err, &failure):
		failure.Diagnostics.Render(e.Err, Color(e.Err), MaxDiagnostics)
		e.emitErrors(failure.Diagnostics.Plain()...)
		return ExitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(e.Err, "interrupted")
		return ExitFailure
	}
	fmt.Fprintln(e.Err, "error:", err)
	e.emitErrors(source.Plain{Severity: source.Error.String(), Message: err.Error()})
	return ExitFailure
}

// mistake is a diagnostic as JSON. What it has not is left out.
type mistake struct {
	ID       string `json:"id,omitempty"`
	Severity string `json:"severity"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitzero"`
	Column   int    `json:"column,omitzero"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
}

// emitErrors prints what went wrong as one JSON object, if JSON is asked for.
func (e *Env) emitErrors(all ...source.Plain) {
	if !e.JSON {
		return
	}
	var object struct {
		Errors []mistake `json:"errors"`
	}
	for _, one := range all {
		object.Errors = append(object.Errors, mistake(one))
	}
	_ = report.JSON(e.Out, object) // there is nobody left to tell
}

// Usage returns an error of the arguments: what is wrong with them, and what to do.
func Usage(id, hint, format string, args ...any) error {
	var diags source.Diagnostics
	diags.Errorf(id, source.Span{}, hint, format, args...)
	return diags.Err()
}

// SeeHelp is the hint for when there is none better.
func SeeHelp(cmd *cobra.Command) string {
	return fmt.Sprintf("see %s --help", cmd.CommandPath())
}

// HintFor returns a guess at what was meant by name, or the way to the help.
func HintFor(cmd *cobra.Command, name string, candidates []string) string {
	if guess := source.Suggest(name, candidates); guess != "" {
		return guess
	}
	return SeeHelp(cmd)
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
		hint := cmp.Or(optionHint(cmd, unknown.GetSpecifiedName()), source.Suggest(name, flagNames(cmd)), SeeHelp(cmd))
		if other := commandWith(cmd, unknown); other != nil {
			hint = other.CommandPath() + " has it: put the command first"
		}
		return Usage("unknown-flag", hint, "there is no flag %s", name)
	case errors.As(err, &missing):
		return needsValue(cmd, missing.GetFlag())
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		if strings.TrimSpace(invalid.GetValue()) == "" {
			return needsValue(cmd, flag)
		}
		return Usage("flag-value", SeeHelp(cmd), "--%s takes %s, not %q", flag.Name, valueOf(flag), invalid.GetValue())
	}
	return Usage("flag-value", SeeHelp(cmd), "%v", err)
}

// needsValue refuses a flag without a value, or with one of nothing.
func needsValue(cmd *cobra.Command, flag *pflag.Flag) error {
	return Usage("flag-value", SeeHelp(cmd), "--%s needs a value: %s", flag.Name, valueOf(flag))
}

// OptionNames annotates a flag that takes name=value with the names.
const OptionNames = "names"

// called has how the names of options begin that are called something else elsewhere.
var called = map[string]string{"lr": "learn.rate.", "learning-rate": "learn.rate."}

// optionHint says how something is set that is no flag, but what a flag with names has; "" if none is called so.
func optionHint(cmd *cobra.Command, name string) (hint string) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		var found []string
		for _, option := range flag.Annotations[OptionNames] {
			own := called[name]
			if strings.HasSuffix(option, "."+name) || own != "" && strings.HasPrefix(option, own) {
				found = append(found, fmt.Sprintf("-%s %s=VALUE", flag.Shorthand, option))
			}
		}
		if len(found) > 0 {
			hint = "it is an option: " + strings.Join(found, ", or ")
		}
	})
	return hint
}

// commandWith returns a command below one that has a flag which that has not, as other programs have no commands: of
// several the one with the most flags, which does the most.
func commandWith(cmd *cobra.Command, unknown *pflag.NotExistError) (found *cobra.Command) {
	name, most := unknown.GetSpecifiedName(), 0
	for _, sub := range cmd.Commands() {
		flag := sub.Flags().Lookup(name)
		if unknown.GetSpecifiedShortnames() != "" {
			flag = sub.Flags().ShorthandLookup(name)
		}
		if n := len(flagNames(sub)); flag != nil && n > most {
			found, most = sub, n
		}
	}
	return found
}

// noEmptyArguments refuses arguments that are nothing, for the same reason as noEmptyFlags.
func noEmptyArguments(cmd *cobra.Command, args []string) error {
	for k, arg := range args {
		if strings.TrimSpace(arg) == "" {
			return Usage("missing-argument", "the form is: "+cmd.UseLine(), "argument %d is empty", k+1)
		}
	}
	return nil
}

// noEmptyFlags refuses a flag with a value of nothing, which is mostly that of a script's variable that is not set.
func noEmptyFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if err == nil && strings.TrimSpace(flag.Value.String()) == "" {
			err = needsValue(cmd, flag)
		}
	})
	return err
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
	case parsedType:
		return flag.Value.(interface{ takes() string }).takes()
	}
	name, _ := pflag.UnquoteUsage(flag)
	return "a " + name
}

// AtLeastOne is the argument check of commands that work through a list of what.
func AtLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usage("missing-argument", "the form is: "+cmd.UseLine(), "%s needs a %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

// NoArguments is the argument check of commands that take none.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usage("extra-argument", "the form is: "+cmd.UseLine(), "%s takes no %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// OnlyCommands is the argument check of commands that are there for the commands below them.
func OnlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	called, hint := strings.ToLower(args[0]), ""
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
		if others := sub.SuggestFor; slices.Contains(others, called) || slices.Contains(others, filepath.Ext(called)) {
			hint = "that is for " + sub.UseLine()
		}
	}
	return Usage("unknown-command", cmp.Or(hint, HintFor(cmd, args[0], names)),
		"there is no command %s %s", cmd.CommandPath(), args[0])
}

// StdinName is the argument that means the standard input.
const StdinName = "-"

// ReadSource reads a text that the user named; StdinName is the standard input. What is wrong with the name or the
// text is an error of the input.
func (e *Env) ReadSource(name string) (*source.File, error) {
	file := &source.File{Name: name}
	var err error
	if name == StdinName {
		file.Name = "stdin"
		file.Text, err = source.ReadText(e.In, 0, 0)
	} else {
		file.Text, err = readNamed(name)
	}
	if err == nil {
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

// readNamed reads the text of a file.
func readNamed(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return source.ReadText(file, 0, 0)
}
