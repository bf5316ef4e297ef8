package main

import (
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

// runAll runs every task with every seed, several at a time, and returns the results by task and seed.
func (o *options) runAll(ctx context.Context, stderr io.Writer) ([][]*result, error) {
	type job struct{ task, seed int }
	results := make([][]*result, len(o.tasks))
	jobs := make(chan job)
	var workers sync.WaitGroup
	var printing sync.Mutex
	for range o.parallel {
		workers.Go(func() {
			for j := range jobs {
				r := o.compete(ctx, o.tasks[j.task], uint64(j.seed)+1)
				results[j.task][j.seed] = r
				printing.Lock()
				fmt.Fprintln(stderr, r)
				printing.Unlock()
			}
		})
	}
	for k := range o.tasks {
		results[k] = make([]*result, o.seeds)
	}
	for k := range o.tasks {
		for seed := range int(o.seeds) {
			if ctx.Err() == nil {
				jobs <- job{k, seed}
			}
		}
	}
	close(jobs)
	workers.Wait()
	return results, ctx.Err()
}

// String is a line of progress.
func (r *result) String() string {
	if r.Error != "" {
		return fmt.Sprintf("%s, seed %d: %s", r.Task, r.Seed, r.Error)
	}
	return fmt.Sprintf("%s, seed %d: %.1f, network %s, fixed %s, %.1f s", r.Task, r.Seed, r.DeepPSL, points(r.Plain),
		points(r.Fixed), r.Seconds)
}
