package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// dataVariable names the folder of published data sets.
const dataVariable = "DEEPPSL_DATA"

// available leaves out the tasks whose data are not there, and says so.
func (o *options) available(stderr io.Writer) {
	o.tasks = slices.DeleteFunc(o.tasks, func(t *task) bool {
		missing := t.data != "" && os.Getenv(dataVariable) == ""
		if missing {
			fmt.Fprintf(stderr, "%s is left out: it reads %s from the folder that %s names\n", t.name, t.data, dataVariable)
		}
		return missing
	})
}

// runAll runs every task with every seed, several at a time, and returns the results by task. Once the context has
// ended they are those that there are until then.
func (o *options) runAll(ctx context.Context, stderr io.Writer) [][]*result {
	type job struct {
		task int
		seed uint64
	}
	results := make([][]*result, len(o.tasks))
	jobs := make(chan job)
	var workers sync.WaitGroup
	var writing sync.Mutex
	for range o.parallel {
		workers.Go(func() {
			for j := range jobs {
				r := o.compete(ctx, o.tasks[j.task], j.seed)
				if ctx.Err() != nil {
					return
				}
				writing.Lock()
				results[j.task] = append(results[j.task], r)
				fmt.Fprintln(stderr, r)
				writing.Unlock()
			}
		})
	}
	for k := range o.tasks {
		for seed := range o.seeds {
			select {
			case jobs <- job{k, seed + 1}:
			case <-ctx.Done():
			}
		}
	}
	close(jobs)
	workers.Wait()
	for _, list := range results {
		slices.SortFunc(list, func(a, b *result) int { return cmp.Compare(a.Seed, b.Seed) })
	}
	return results
}

// String is a line of progress.
func (r *result) String() string {
	if r.Error != "" {
		return fmt.Sprintf("%s, seed %d: %.1f, but %s", r.Task, r.Seed, r.DeepPSL, r.Error)
	}
	return fmt.Sprintf("%s, seed %d: %.1f, network %s, fixed %s, %.1f s", r.Task, r.Seed, r.DeepPSL, points(r.Plain),
		points(r.Fixed), r.Seconds)
}
