package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

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

The result is CSV: each item and the number of its group. An item that no pair
names is not known here: --items names a table of all items, or a column of one,
as in customers.csv:id, and every one of them comes back, those alone too.
--truth names a table of items and their true groups, to score by; other items
are left out of that.`

const clusterExamples = `  deeppsl run model.json -o answers
  deeppsl cluster answers/SAME.txt > groups.csv
  deeppsl cluster answers/SAME.txt --items customers.csv:id > groups.csv`

// clusterer is one run of deeppsl cluster.
type clusterer struct {
	*command.Env
	threshold float64
	truth     string
	items     string
}

// newCluster returns deeppsl cluster.
func newCluster(e *command.Env) *cobra.Command {
	c := &clusterer{Env: e}
	cmd := &cobra.Command{
		Use:     "cluster FILE [--threshold X] [--items FILE] [--truth FILE]",
		Short:   "Make groups of pairwise answers",
		Long:    clusterHelp,
		Example: clusterExamples,
		GroupID: groupRules,
		Args:    oneProblem,
		RunE:    func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	cmd.Flags().Float64Var(&c.threshold, "threshold", 0.5, "least mean value for two groups to join, in (0, 1]")
	cmd.Flags().StringVar(&c.truth, "truth", "", "a `table` of items and their true groups")
	cmd.Flags().StringVar(&c.items, "items", "", "a `table` of all items; FILE:COLUMN if it has more columns")
	return cmd
}

// clustered are the groups of items. They implement result.
type clustered struct {
	Items     int                `json:"items"`
	Groups    int                `json:"groups"`
	Threshold float64            `json:"threshold"`
	Members   []member           `json:"members"`
	Score     *eval.ClusterScore `json:"score,omitempty"`
	Scored    int                `json:"scored"` // items whose true group is known
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
	tables, err := c.readTables(map[string]string{pairTable: path, itemTable: c.items, truthTable: c.truth})
	if err != nil {
		return err
	}
	if tables.single() {
		return command.Usage("data-columns", "groups are made of pairs: answers of a predicate with two arguments",
			"%s has items with a value each, and no pairs", path)
	}
	n := newNumbering(tables.of[itemTable])
	pairs := n.pairs(tables.of[pairTable])
	items := n.items
	groups := eval.Cluster(len(items), pairs, c.threshold)
	result := &clustered{Items: len(items), Threshold: c.threshold, Members: make([]member, len(items))}
	for k, item := range items {
		result.Members[k] = member{tables.symbols.Name(item), groups[k]}
		result.Groups = max(result.Groups, int(groups[k])+1)
	}
	if c.truth != "" {
		result.Score, result.Scored = scoreGroups(items, groups, tables.of[truthTable])
		c.Notef("%d items in %d groups; B-cubed F1 %.4f, pairwise F1 %.4f (%d scored)", result.Items, result.Groups,
			result.Score.BCubed.F1, result.Score.Pairwise.F1, result.Scored)
	}
	return c.Emit(result)
}

// argumentsName is the name of the configuration that stands for the arguments.
const argumentsName = "arguments.json"

// The predicates whose observations the tables are, by which messages call them, with the number of their arguments.
const (
	pairTable  = "Pairs/2"
	itemTable  = "Items/1"
	truthTable = "Truth/2"
)

// clusterTables are the tables that were given, by predicate.
type clusterTables struct {
	symbols *symbol.Table
	of      map[string]*relation.Relation
}

// readTables reads files as tables of the predicates' arguments and perhaps a value, in any format that a configuration
// may name, and tells what is suspicious about them.
func (c *clusterer) readTables(files map[string]string) (*clusterTables, error) {
	predicates := map[string]any{}
	for name, path := range files {
		if path == "" {
			continue
		}
		file, column := path, ""
		if name == itemTable {
			file, column = columnOf(path)
		}
		if _, err := os.Stat(file); err != nil {
			return nil, command.Usage("file-missing", "check the path; it is relative to the current folder",
				"%s cannot be read", file)
		}
		table := map[string]any{"file": file}
		if column != "" {
			table["columns"] = []string{column}
		}
		predicates[name] = map[string]any{"observations": table}
	}
	config, err := json.Marshal(map[string]any{"rules": []string{}, "predicates": predicates})
	if err != nil {
		return nil, err
	}
	project, err := load.ReadWith(argumentsName, opening(argumentsName, config))
	if err != nil {
		return nil, err
	}
	read, err := project.Tables(load.Infer)
	if failure := (*source.Failure)(nil); errors.As(err, &failure) {
		return nil, c.hinted(withoutArguments(failure.Diagnostics)).Err()
	}
	if !c.Quiet {
		withoutArguments(read.Warnings).Render(c.Err, command.Color(c.Err), command.MaxDiagnostics)
	}
	tables := &clusterTables{read.Store.Symbols, make(map[string]*relation.Relation)}
	for k, r := range read.Store.Relations {
		tables.of[fmt.Sprintf("%s/%d", project.Predicates[k].Name, r.Arity)] = r
	}
	return tables, nil
}

// single tells whether what should be pairs are items and values, as the answers of a predicate with one argument are.
func (t *clusterTables) single() bool {
	pairs := t.of[pairTable]
	for row := range int32(pairs.Len()) {
		value, err := strconv.ParseFloat(t.symbols.Name(pairs.Columns[1][row]), 64)
		if err != nil || !(value >= 0 && value <= 1) || pairs.Value(row) != 1 {
			return false
		}
	}
	return pairs.Len() > 0
}

// hinted says how to choose the column of the items, where a table has too many for them.
func (c *clusterer) hinted(diags source.Diagnostics) source.Diagnostics {
	for k := range diags {
		d := &diags[k]
		if file := d.Span.File; file != nil && file.Name == c.items && (d.ID == "data-columns" || d.ID == "data-truth") {
			d.Hint = "name the column of the items: --items " + c.items + ":COLUMN"
		}
	}
	return diags
}

// columnOf parts FILE:COLUMN, unless there is a file of the whole name.
func columnOf(path string) (file, column string) {
	at := strings.LastIndexByte(path, ':')
	if _, err := os.Stat(path); err == nil || at < 0 {
		return path, ""
	}
	return path[:at], path[at+1:]
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

// numbering numbers items from 0: all that a table has, in order, and then others by first appearance.
type numbering struct {
	items []symbol.ID
	of    map[symbol.ID]int32
}

// newNumbering begins with the items of a table, which may be nil.
func newNumbering(all *relation.Relation) *numbering {
	n := &numbering{of: map[symbol.ID]int32{}}
	if all != nil {
		for _, item := range all.Columns[0] {
			n.number(item)
		}
	}
	return n
}

// number returns an item's number, a new one for a new item.
func (n *numbering) number(item symbol.ID) int32 {
	at, known := n.of[item]
	if !known {
		at = int32(len(n.items))
		n.of[item], n.items = at, append(n.items, item)
	}
	return at
}

// pairs returns the pairs of a relation with the mean of both directions. An item's pair with itself only names the
// item.
func (n *numbering) pairs(atoms *relation.Relation) (pairs []eval.Pair) {
	place := map[[2]int32]int{}
	for row := range int32(atoms.Len()) {
		a, b := n.number(atoms.Columns[0][row]), n.number(atoms.Columns[1][row])
		if a == b {
			continue
		}
		p := eval.Pair{A: min(a, b), B: max(a, b), Value: atoms.Value(row)}
		if at, known := place[[2]int32{p.A, p.B}]; known {
			pairs[at].Value = (pairs[at].Value + p.Value) / 2 // a table lists no atom twice
			continue
		}
		place[[2]int32{p.A, p.B}] = len(pairs)
		pairs = append(pairs, p)
	}
	return pairs
}

// scoreGroups compares the groups of items with the true ones, where those are known, which is so of so many.
func scoreGroups(items []symbol.ID, groups []int32, truth *relation.Relation) (*eval.ClusterScore, int) {
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
	return &score, len(found)
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
