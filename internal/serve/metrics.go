package serve

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/deeppsl/deeppsl/internal/report"
)

// Metrics are written by hand: these few lines are the whole of the text format that is needed, and the library for it
// (client_golang v1.25.0) makes deeppsl 0.83 MB larger, of 27.6 MB without, for its registry, its protocol buffers and
// what it reads of processes.

// counts are what a service has done.
type counts struct {
	updates, refused, reads, inferences atomic.Int64
	inferring                           atomic.Int64 // nanoseconds
}

// writeMetrics writes the counts in the text format of Prometheus.
func (s *Service) writeMetrics(w io.Writer) error {
	v := s.Current()
	var err error
	write := func(name, kind, help string, value float64) {
		if err == nil {
			_, err = fmt.Fprintf(w, "# HELP deeppsl_%s %s\n# TYPE deeppsl_%[1]s %[3]s\ndeeppsl_%[1]s %[4]v\n", name, help,
				kind, value)
		}
	}
	write("updates_total", "counter", "Updates made.", float64(s.counts.updates.Load()))
	write("updates_refused_total", "counter", "Updates refused.", float64(s.counts.refused.Load()))
	write("reads_total", "counter", "Requests for atoms.", float64(s.counts.reads.Load()))
	write("inferences_total", "counter", "Inferences after updates.", float64(s.counts.inferences.Load()))
	write("inference_seconds_total", "counter", "Time of inferences.",
		time.Duration(s.counts.inferring.Load()).Seconds())
	write("version", "gauge", "The number of the last version.", float64(v.Number))
	write("objective", "gauge", "The objective of the last version.", v.Answer.Objective)
	write("gap", "gauge", "The proven gap of the last version.", v.Answer.Gap)
	write("updates_waiting", "gauge", "Updates that wait.", float64(len(s.waiting)))
	write("peak_memory_bytes", "gauge", "The most memory the process had.", float64(report.PeakRSS()))
	return err
}
