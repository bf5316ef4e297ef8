package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/paper/published"
)

const dataGetHelp = `Get downloads the files of data sets that are not here yet into the cache of
downloads. A file appears only when it is whole and has the published checksum;
a download that was interrupted goes on where it stopped.

With --from files are copied from a folder instead, for machines without a
network: a folder laid out as the cache is, or one with the files side by side.`

const dataGetExamples = `  go run ./paper data get mnist
  go run ./paper data get --from ~/downloads cora citeseer`

// newDataGet returns `go run ./paper data get`.
func newDataGet(d *dataTool) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:     "get [--from DIR] NAME...",
		Short:   "Download data sets, or copy them from a folder",
		Long:    dataGetHelp,
		Example: dataGetExamples,
		Args:    command.AtLeastOne("data set"),
		RunE: func(cmd *cobra.Command, names []string) error {
			sets, err := d.find(cmd, names)
			if err != nil {
				return err
			}
			return d.get(cmd.Context(), sets, from)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "copy the files from this folder instead of downloading them")
	return cmd
}

// get brings the sets into the cache, one after the other.
func (d *dataTool) get(ctx context.Context, sets []published.Set, from string) error {
	if info, err := os.Stat(from); from != "" && (err != nil || !info.IsDir()) {
		return command.Usage("no-folder", "--from takes a folder that holds the files", "%s is no folder", from)
	}
	cache, err := d.cache()
	if err != nil {
		return err
	}
	for _, set := range sets {
		d.Notef("%s: %s", set.Name, set.License)
		if from != "" {
			err = cache.Install(set, from)
		} else {
			err = d.download(ctx, cache, set)
		}
		if err != nil {
			return err
		}
		if err := d.Emit(fetched(cache, set)); err != nil {
			return err
		}
	}
	return nil
}

// download gets a set with each of its files as a task of its own.
func (d *dataTool) download(ctx context.Context, cache *published.Cache, set published.Set) error {
	files := fileTasks{progress: d.Progress()}
	defer files.end()
	cache.Progress = files.show
	return cache.Get(ctx, set)
}

// fileTasks turns the bytes that a download has into the steps of a task.
type fileTasks struct {
	progress report.Progress
	task     report.Task
	path     string
	done     int64
}

func (f *fileTasks) show(file published.File, done, total int64) {
	if file.Path != f.path || done < f.done {
		f.end()
		f.task = f.progress.Start(filepath.Base(file.Path), total, report.Bytes)
		f.path, f.done = file.Path, 0
	}
	f.task.Add(done - f.done)
	f.done = done
}

func (f *fileTasks) end() {
	if f.task != nil {
		f.task.Done()
	}
}

// gotSet says where the files of a set are.
type gotSet struct {
	Name  string    `json:"name"`
	Files []gotFile `json:"files"`
}

type gotFile struct {
	Path  string `json:"path"`
	Where string `json:"where"`
}

// fetched describes a set all of whose files are here.
func fetched(cache *published.Cache, set published.Set) gotSet {
	got := gotSet{Name: set.Name}
	for _, file := range set.Files {
		if where, err := cache.Find(file.Path); err == nil {
			got.Files = append(got.Files, gotFile{Path: file.Path, Where: where})
		}
	}
	return got
}

// Text prints a line per file.
func (g gotSet) Text(w io.Writer) error {
	for _, file := range g.Files {
		if _, err := fmt.Fprintln(w, file.Where); err != nil {
			return err
		}
	}
	return nil
}
