package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/paper/published"
)

const dataVerifyHelp = `Verify compares the checksum of every file of the data sets with the published
one. Without names it checks the sets of which any file is here. The exit code
is 1 if a file is missing or has another content.`

// newDataVerify returns `go run ./paper data verify`.
func newDataVerify(d *dataTool) *cobra.Command {
	return &cobra.Command{
		Use:     "verify [NAME]...",
		Short:   "Check the files of data sets against their checksums",
		Long:    dataVerifyHelp,
		Example: "  go run ./paper data verify\n  go run ./paper data verify mnist --json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			sets, err := d.find(cmd, names)
			if err != nil {
				return err
			}
			return d.verify(sets)
		},
	}
}

// verify checks the sets; none means those that are here.
func (d *dataTool) verify(sets []published.Set) error {
	cache, err := d.cache()
	if err != nil {
		return err
	}
	if len(sets) == 0 {
		if sets = d.present(cache); len(sets) == 0 {
			d.Notef("there are no data sets here; go run ./paper data get NAME fetches one")
		}
	}
	var wrong error
	for _, set := range sets {
		for _, state := range d.checkSet(cache, set) {
			if !state.OK {
				wrong = command.ErrReported
			}
			if err := d.Emit(state); err != nil {
				return err
			}
		}
	}
	return wrong
}

// present returns the sets of which at least one file is here.
func (d *dataTool) present(cache *published.Cache) []published.Set {
	var here []published.Set
	for _, set := range d.sets {
		for _, file := range set.Files {
			if _, err := cache.Find(file.Path); err == nil {
				here = append(here, set)
				break
			}
		}
	}
	return here
}

// checkSet hashes the files of a set, with progress: a set can be as large as a disk is slow.
func (d *dataTool) checkSet(cache *published.Cache, set published.Set) []fileState {
	task := d.Progress().Start("verifying "+set.Name, int64(len(set.Files)), "files")
	defer task.Done()
	var states []fileState
	for _, file := range set.Files {
		one := published.Set{Name: set.Name, Files: []published.File{file}}
		for _, state := range cache.Verify(one) {
			states = append(states, newFileState(set.Name, state))
		}
		task.Add(1)
	}
	return states
}

// fileState is what became known about a file.
type fileState struct {
	Set     string `json:"set"`
	Path    string `json:"path"`
	Where   string `json:"where"` // empty if the file is missing
	OK      bool   `json:"ok"`
	Problem string `json:"problem,omitempty"`
}

func newFileState(set string, state published.State) fileState {
	s := fileState{Set: set, Path: state.File.Path, Where: state.Where, OK: state.Err == nil}
	if state.Err != nil {
		s.Problem = state.Err.Error()
	}
	return s
}

// Text prints one line: ok and the file, or what is wrong with it.
func (s fileState) Text(w io.Writer) error {
	if s.OK {
		_, err := fmt.Fprintln(w, "ok     ", s.Where)
		return err
	}
	_, err := fmt.Fprintln(w, "wrong  ", s.Problem)
	return err
}
