package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/paper/published"
)

const dataHelp = `Data fetches and checks the published data sets that the experiments use.

Files are looked for in the folder that the environment variable DEEPPSL_DATA
names, which is only read, and then in the cache of downloads in the user's
cache folder. Every file has a pinned checksum.`

// dataTool is what the commands below `go run ./paper data` work with.
type dataTool struct {
	*command.Env
	sets  []published.Set
	cache func() (*published.Cache, error)
}

// newData returns `go run ./paper data`.
func newData(e *command.Env) *cobra.Command {
	d := &dataTool{Env: e, sets: published.Sets(), cache: published.NewCache}
	cmd := &cobra.Command{
		Use:   "data COMMAND",
		Short: "Fetch and check published data sets",
		Long:  dataHelp,
		Args:  command.OnlyCommands,
		RunE:  command.ShowHelp,
	}
	cmd.AddCommand(newDataList(d), newDataGet(d), newDataVerify(d))
	return cmd
}

// find returns the data sets of these names, or an error that lists those there are.
func (d *dataTool) find(cmd *cobra.Command, names []string) ([]published.Set, error) {
	byName := make(map[string]published.Set)
	var known []string
	for _, set := range d.sets {
		byName[set.Name] = set
		known = append(known, set.Name)
	}
	var found []published.Set
	for _, name := range names {
		set, ok := byName[name]
		if !ok {
			return nil, command.Usage("unknown-data-set", command.HintFor(cmd, name, known),
				"there is no data set %q; there are %s", name, strings.Join(known, ", "))
		}
		found = append(found, set)
	}
	return found, nil
}

// newDataList returns `go run ./paper data list`.
func newDataList(d *dataTool) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the data sets, and which of their files are here",
		Long:    "List names the data sets, counts which files are here, and tells the licence.",
		Example: "  go run ./paper data list\n  go run ./paper data list --json",
		Args:    command.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return d.list() },
	}
}

// list prints all sets: as one table, or as one JSON object for each.
func (d *dataTool) list() error {
	cache, err := d.cache()
	if err != nil {
		return err
	}
	var all setList
	for _, set := range d.sets {
		row := setRow{Name: set.Name, About: set.About, License: set.License, Files: len(set.Files)}
		for _, file := range set.Files {
			if _, err := cache.Find(file.Path); err == nil {
				row.Here++
			}
		}
		all = append(all, row)
	}
	if !d.JSON {
		return all.Text(d.Out)
	}
	for _, row := range all {
		if err := report.JSON(d.Out, row); err != nil {
			return err
		}
	}
	return nil
}

// setRow is a data set in a list.
type setRow struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	License string `json:"license"`
	Files   int    `json:"files"`
	Here    int    `json:"here"` // how many of them are in the folders; their content is not checked
}

type setList []setRow

// Text prints the list as a table.
func (l setList) Text(w io.Writer) error {
	table := report.NewTable("name", "files", "here", "about", "licence")
	for _, row := range l {
		table.Row(row.Name, row.Files, row.Here, row.About, row.License)
	}
	return table.Text(w)
}
