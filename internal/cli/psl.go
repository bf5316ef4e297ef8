package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/project"
)

// asConfigured is the method of a stage that is asked for without one.
const asConfigured = "config"

// pslFlags are the flags of Java PSL's command line that set an option, in the order of that program's help. Each is an
// option by name=value; a flag without a value takes the one that is given here.
var pslFlags = []struct{ name, shorthand, usage, option, alone string }{
	{"output", "o", "write the inferred atoms to this `folder`, a file per predicate",
		"runtime.inference.output.results.dir", ""},
	{"format", "", "`format` of those files: txt, json or parquet", "output.format", ""},
	{"groundrules", "", "write the ground rules to this `file`, or to stdout",
		"runtime.inference.output.groundrules.path", command.StdinName},
	{"write-model", "", "write the rules with their learned weights to this `file`",
		"runtime.learn.output.model.path", ""},
	{"int-ids", "", "arguments are integers, where nothing says their type", "runtime.db.intids", "true"},
	{"log", "", "least `level` of the notes on stderr: TRACE, DEBUG, INFO, WARN, ERROR, FATAL or OFF",
		"runtime.log.level", ""},
	{"skipAtomCommit", "", "", "runtime.inference.commit", "false"},
	{"satisfaction", "", "", "runtime.inference.output.groundrules.path", command.StdinName},
	{"h2path", "", "", "runtime.db.h2.path", ""},
	{"postgres", "", "", "runtime.db.pg.name", "psl"},
}

// optionFlags declares pslFlags. Those without a description are accepted for their users' sake, and have no effect.
func optionFlags(flags *pflag.FlagSet) {
	for _, f := range pslFlags {
		if f.alone == "true" {
			flags.BoolP(f.name, f.shorthand, false, f.usage)
			continue
		}
		flags.StringP(f.name, f.shorthand, "", f.usage)
		flag := flags.Lookup(f.name)
		flag.NoOptDefVal, flag.Hidden = f.alone, f.usage == ""
	}
}

// optionsOf returns the options that the flags given on the command line set.
func optionsOf(flags *pflag.FlagSet) (set []string) {
	for _, f := range pslFlags {
		if flag := flags.Lookup(f.name); flag != nil && flag.Changed {
			set = append(set, f.option+"="+flag.Value.String())
		}
	}
	return set
}

// fromPSL rewrites the arguments of deeppsl run where Java PSL's parser and this one's differ: a value that may be left
// out follows its flag as a word of its own, long names may have one dash, -int is one flag, and -v is a command.
func fromPSL(args []string) []string {
	if !slices.Contains(args, "run") {
		return args
	}
	var out []string
	for k := 0; k < len(args); k++ {
		arg := args[k]
		if name, dashed := strings.CutPrefix(arg, "-"); dashed && slices.Contains(longNames, name) {
			arg = "-" + arg
		}
		if arg == "-v" || arg == "--version" {
			return []string{"version"}
		}
		next := ""
		if k+1 < len(args) {
			next = args[k+1]
		}
		switch {
		case arg == "-int":
			arg = "--int-ids"
		case slices.Contains(optionalValue, arg) && isValue(next):
			arg += "=" + next
			k++
		case (arg == "-e" || arg == "--eval") && isValue(next):
			arg += "=" + next
			for k++; k+1 < len(args) && isEvaluator(args[k+1]); k++ {
				arg += "," + args[k+1]
			}
		}
		out = append(out, arg)
	}
	return out
}

// longNames are the flags of PSL that its parser takes with one dash, too.
var longNames = []string{"infer", "learn", "model", "data", "output", "eval", "config", "groundrules", "satisfaction",
	"postgres", "h2path", "skipAtomCommit", "int-ids", "properties", "log", "version", "help"}

// optionalValue are the flags of PSL whose value may be left out.
var optionalValue = []string{"-i", "--infer", "-l", "--learn", "--groundrules", "--postgres", "--satisfaction"}

// isValue tells whether a word is the value of the flag before it: no flag, and no configuration.
func isValue(word string) bool {
	return word != "" && !strings.HasPrefix(word, "-") && !slices.Contains(configExtensions, filepath.Ext(word))
}

// isEvaluator tells whether a word is one more value of the flag for evaluators.
func isEvaluator(word string) bool {
	return isValue(word) && strings.HasSuffix(strings.ToLower(word), "evaluator")
}

var configExtensions = []string{".json", ".yaml", ".yml"}

// input is where a command's program is: a configuration, or the pair of files that PSL had before.
type input struct{ config, rules, data string }

func (in *input) flags(flags *pflag.FlagSet) {
	flags.StringVarP(&in.config, "config", "c", "", "the `configuration`, which needs no flag")
	flags.StringVarP(&in.rules, "model", "m", "", "a `file` of rules, with -d, as in PSL up to 2.3")
	flags.StringVarP(&in.data, "data", "d", "", "the `file` that goes with -m: it declares predicates and names tables")
}

// check is the argument check of a command with these flags.
func (in *input) check(cmd *cobra.Command, args []string) error {
	given := len(args)
	for _, path := range []string{in.config, in.rules} {
		if path != "" {
			given++
		}
	}
	switch {
	case (in.rules == "") != (in.data == ""):
		return command.Usage("missing-argument", "the form is: "+cmd.CommandPath()+" -m RULES -d DATA",
			"-m and -d go together")
	case given != 1:
		return command.Usage("missing-argument", "the form is: "+cmd.UseLine(), "%s takes one configuration, not %d",
			cmd.CommandPath(), given)
	}
	return nil
}

// load reads the program, and has the process keep to the memory that its options give.
func (in *input) load(args []string, options project.Options) (loaded *project.Project, err error) {
	if in.rules != "" {
		loaded, err = project.LoadClassic(in.rules, in.data, options)
	} else {
		loaded, err = project.Load(in.name(args), options)
	}
	if err == nil {
		command.LimitMemory(loaded.Memory())
	}
	return loaded, err
}

// name is what the user calls the program.
func (in *input) name(args []string) string {
	switch {
	case in.rules != "":
		return in.data
	case in.config != "":
		return in.config
	}
	return args[0]
}
