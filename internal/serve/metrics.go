package serve

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/deeppsl/deeppsl/internal/report"
)

// Metrics are written by hand: these few lines are the whole of the text format that is needed, and the library for it
// (client_golang v1.25.0) makes deeppsl 0.83 MB larger, of 27.6 MB without, for its registry, its protocol buffers and
// what it reads of processes.

// counts are what a service has done.
type counts struct {
	updates, refused, reads, inferences, snapshots, unshortened, wholes atomic.Int64

	copying atomic.Int64 // nanoseconds that updates waited for snapshots
	stages  [len(stageNames)]histogram
}

// stageNames are the ways of an update: until the writer takes it, until the changes of its group are made, until they
// are on the disk, until they are inferred, and all.
var stageNames = [...]string{"queue", "apply", "flush", "infer", "all"}

// time counts the stages of an update.
func (c *counts) time(asked, begun, applied, flushed, inferred time.Time) {
	for k, took := range []time.Duration{begun.Sub(asked), applied.Sub(begun), flushed.Sub(applied),
		inferred.Sub(flushed), inferred.Sub(asked)} {
		c.stages[k].add(took)
	}
}

// bounds are those of the buckets of times, in seconds; there is one more for what took longer.
var bounds = [...]float64{1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50}

// histogram counts times.
type histogram struct {
	buckets [len(bounds) + 1]atomic.Int64
	sum     atomic.Int64 // nanoseconds
}

func (h *histogram) add(took time.Duration) {
	at, _ := slices.BinarySearch(bounds[:], took.Seconds())
	h.buckets[at].Add(1)
	h.sum.Add(int64(took))
}

// write writes the buckets, each with all below it.
func (h *histogram) write(w io.Writer, name, labels string) error {
	total := int64(0)
	for k := range h.buckets {
		bound := "+Inf"
		if k < len(bounds) {
			bound = strconv.FormatFloat(bounds[k], 'g', -1, 64)
		}
		total += h.buckets[k].Load()
		if _, err := fmt.Fprintf(w, "%s_bucket{%s,le=%q} %d\n", name, labels, bound, total); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s_sum{%s} %v\n%[1]s_count{%[2]s} %[4]d\n", name, labels,
		time.Duration(h.sum.Load()).Seconds(), total)
	return err
}

// gauge is a number of what is now.
type gauge struct {
	name, help string
	value      float64
}

// writeMetrics writes the counts, and what is now, in the text format of Prometheus.
func (c *counts) writeMetrics(w io.Writer, now ...gauge) error {
	var err error
	write := func(name, kind, help string, value float64) {
		if err == nil {
			_, err = fmt.Fprintf(w, "# HELP deeppsl_%s %s\n# TYPE deeppsl_%[1]s %[3]s\ndeeppsl_%[1]s %[4]v\n", name, help,
				kind, value)
		}
	}
	write("updates_total", "counter", "Updates made.", float64(c.updates.Load()))
	write("updates_refused_total", "counter", "Updates refused.", float64(c.refused.Load()))
	write("reads_total", "counter", "Requests for atoms.", float64(c.reads.Load()))
	write("inferences_total", "counter", "Inferences after updates.", float64(c.inferences.Load()))
	write("wholes_total", "counter", "Times that everything was solved beside updates.", float64(c.wholes.Load()))
	write("snapshots_total", "counter", "Snapshots taken.", float64(c.snapshots.Load()))
	write("snapshots_failed_total", "counter", "Snapshots that could not be written.", float64(c.unshortened.Load()))
	write("snapshot_copy_seconds_total", "counter", "Time that updates waited for snapshots to be begun.",
		time.Duration(c.copying.Load()).Seconds())
	for _, g := range now {
		write(g.name, "gauge", g.help, g.value)
	}
	write("peak_memory_bytes", "gauge", "The most memory the process had.", float64(report.PeakRSS()))
	const name = "deeppsl_update_seconds"
	if err == nil {
		_, err = fmt.Fprintf(w, "# HELP %s Time of updates, by stage.\n# TYPE %[1]s histogram\n", name)
	}
	for k := range c.stages {
		if err == nil {
			err = c.stages[k].write(w, name, fmt.Sprintf("stage=%q", stageNames[k]))
		}
	}
	return err
}
