package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

const clusterHelp = `Cluster makes groups of pairwise answers, such as which records are of the same
customer. FILE has two items and a value per line, as deeppsl run -o writes the
atoms of a predicate. Answers need not be transitive, groups are: from the
surest pair down, two groups join if the mean over all pairs between them is at
least the threshold; a pair that is not listed counts as 0. Of both directions
of a pair the mean is taken.

The result is CSV: each item and the number of its group. --truth names a table
of items and their true groups, to score by; other items are left out of that.`

const clusterExamples = `  deeppsl run model.json -o answers
  deeppsl cluster answers/SAME.txt > groups.csv`

// clusterer is one run of deeppsl cluster.
type clusterer struct {
	*command.Env
	threshold float64
	truth     string
}

// newCluster returns deeppsl cluster.
func newCluster(e *command.Env) *cobra.Command {
	c := &clusterer{Env: e}
	cmd := &cobra.Command{
		Use:     "cluster FILE [--threshold X] [--truth FILE]",
		Short:   "Make groups of pairwise answers",
		Long:    clusterHelp,
		Example: clusterExamples,
		GroupID: groupRules,
		Args:    oneProblem,
		RunE:    func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	cmd.Flags().Float64Var(&c.threshold, "threshold", 0.5, "least mean value for two groups to join, in (0, 1]")
	cmd.Flags().StringVar(&c.truth, "truth", "", "a `table` of items and their true groups")
	return cmd
}

// clustered are the groups of items. They implement result.
type clustered struct {
	Items     int                `json:"items"`
	Groups    int                `json:"groups"`
	Threshold float64            `json:"threshold"`
	Members   []member           `json:"members"`
	Score     *eval.ClusterScore `json:"score,omitempty"`
}

// member is an item with its group.
type member struct {
	Item  string `json:"item"`
	Group int32  `json:"group"`
}

func (c *clusterer) run(cmd *cobra.Command, path string) error {
	if !(c.threshold > 0 && c.threshold <= 1) {
		return command.Usage("flag-value", command.SeeHelp(cmd), "--threshold takes a number above 0 and at most 1, not %g",
			c.threshold)
	}
	files := []string{path}
	if c.truth != "" {
		files = append(files, c.truth)
	}
	store, err := c.readTables(files)
	if err != nil {
		return err
	}
	items, pairs := pairsOf(store.Relations[0])
	groups := eval.Cluster(len(items), pairs, c.threshold)
	result := &clustered{Items: len(items), Threshold: c.threshold, Members: make([]member, len(items))}
	for k, item := range items {
		result.Members[k] = member{store.Symbols.Name(item), groups[k]}
		result.Groups = max(result.Groups, int(groups[k])+1)
	}
	if c.truth != "" {
		result.Score = scoreGroups(items, groups, store.Relations[1])
		c.Notef("%d items in %d groups; B-cubed F1 %.4f, pairwise F1 %.4f", result.Items, result.Groups,
			result.Score.BCubed.F1, result.Score.Pairwise.F1)
	}
	return c.Emit(result)
}

// argumentsName is the name of the configuration that stands for the arguments.
const argumentsName = "arguments.json"

// tableNames are the predicates whose observations the files are, in the order of JSON's keys.
var tableNames = [...]string{"Pairs", "Truth"}

// readTables reads files as tables of two columns and perhaps a value, in any format that a configuration may name, and
// tells what is suspicious about them.
func (c *clusterer) readTables(files []string) (*relation.Store, error) {
	predicates := map[string]any{}
	for k, file := range files {
		if _, err := os.Stat(file); err != nil {
			return nil, command.Usage("file-missing", "check the path; it is relative to the current folder",
				"%s cannot be read", file)
		}
		predicates[tableNames[k]+"/2"] = map[string]any{"observations": []string{file}}
	}
	config, err := json.Marshal(map[string]any{"rules": []string{}, "predicates": predicates})
	if err != nil {
		return nil, err
	}
	project, err := load.ReadWith(argumentsName, opening(argumentsName, config))
	if err != nil {
		return nil, err
	}
	tables, err := project.Tables(load.Infer)
	if failure := (*source.Failure)(nil); errors.As(err, &failure) {
		return nil, withoutArguments(failure.Diagnostics).Err()
	}
	if !c.Quiet {
		withoutArguments(tables.Warnings).Render(c.Err, command.Color(c.Err), command.MaxDiagnostics)
	}
	return tables.Store, nil
}

// withoutArguments takes the places in a configuration that nobody wrote from messages.
func withoutArguments(diags source.Diagnostics) source.Diagnostics {
	for k := range diags {
		if file := diags[k].Span.File; file != nil && file.Name == argumentsName {
			diags[k].Span = source.Span{}
		}
	}
	return diags
}

// opening opens files, and a text under a name of its own.
func opening(name string, text []byte) func(path string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) {
		if path == name {
			return io.NopCloser(bytes.NewReader(text)), nil
		}
		return os.Open(path)
	}
}

// pairsOf numbers the items of a relation by first appearance, and returns their pairs with the mean of both
// directions. An item's pair with itself only names the item.
func pairsOf(atoms *relation.Relation) (items []symbol.ID, pairs []eval.Pair) {
	number := map[symbol.ID]int32{}
	place := map[[2]int32]int{}
	for row := range int32(atoms.Len()) {
		var ends [2]int32
		for k := range ends {
			item := atoms.Columns[k][row]
			at, known := number[item]
			if !known {
				at = int32(len(items))
				number[item], items = at, append(items, item)
			}
			ends[k] = at
		}
		if ends[0] == ends[1] {
			continue
		}
		p := eval.Pair{A: min(ends[0], ends[1]), B: max(ends[0], ends[1]), Value: atoms.Value(row)}
		if at, known := place[[2]int32{p.A, p.B}]; known {
			pairs[at].Value = (pairs[at].Value + p.Value) / 2 // a table lists no atom twice
			continue
		}
		place[[2]int32{p.A, p.B}] = len(pairs)
		pairs = append(pairs, p)
	}
	return items, pairs
}

// scoreGroups compares the groups of items with the true ones, where those are known.
func scoreGroups(items []symbol.ID, groups []int32, truth *relation.Relation) *eval.ClusterScore {
	known := map[symbol.ID]int32{}
	for row := range int32(truth.Len()) {
		known[truth.Columns[0][row]] = int32(truth.Columns[1][row])
	}
	var found, real []int32
	for k, item := range items {
		if group, ok := known[item]; ok {
			found, real = append(found, groups[k]), append(real, group)
		}
	}
	score := eval.ScoreClusters(found, real)
	return &score
}

// Text prints CSV.
func (c *clustered) Text(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"item", "group"}); err != nil {
		return err
	}
	for _, m := range c.Members {
		if err := out.Write([]string{m.Item, strconv.Itoa(int(m.Group))}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
