package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/option"
	"github.com/deeppsl/deeppsl/internal/shard"
)

// views are the values of ground --show.
var views = []string{"counts", "program", "plan", "ground", "mrf"}

// completions are the values that shells offer for flags.
func completions(cmd *cobra.Command) {
	for flag, values := range map[string][]string{
		"learn":    option.Find("learn.method").Among(),
		"infer":    option.Find("inference.method").Among(),
		"show":     views,
		"phase":    {"learn", "validation", "infer"},
		"eval":     {"discrete", "continuous", "categorical", "auc"},
		"by":       {shard.ByComponents, shard.ByVertices},
		"exchange": exchanges,
		"format":   option.Find("output.format").Among(),
	} {
		if cmd.Flags().Lookup(flag) != nil {
			mustComplete(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	if cmd.Flags().Lookup("option") != nil {
		mustComplete(cmd, "option", completeOption)
	}
	for _, sub := range cmd.Commands() {
		completions(sub)
	}
}

// mustComplete registers what a shell offers. Cobra refuses only flags that are not there, or twice.
func mustComplete(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

// completeOption offers names of options, with what they are about, and the values of those that have few.
func completeOption(_ *cobra.Command, _ []string, given string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var offered []cobra.Completion
	name, _, assigned := strings.Cut(given, "=")
	if !assigned {
		for k := range option.Table {
			o := &option.Table[k]
			offered = append(offered, cobra.CompletionWithDesc(o.Name+"=", o.Doc))
		}
		return offered, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
	o := option.Find(name)
	switch {
	case o == nil:
	case o.Kind == option.Flag:
		offered = []cobra.Completion{name + "=true", name + "=false"}
	default:
		for _, word := range o.Among() {
			offered = append(offered, name+"="+word)
		}
	}
	return offered, cobra.ShellCompDirectiveNoFileComp
}
