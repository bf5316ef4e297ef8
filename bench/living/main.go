// Command living changes models of many shapes while they live, one observed value or link after the other, each with
// an inference that is proven to the default gap, and prints the processor time that this takes beside that of the
// first inference with grounding: what a change takes where chains, orders, sums, hubs and weights of all sizes pass it
// on.
//
//	go run ./bench/living
//	go run ./bench/living --shape chain-stiff --changes 300 --json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/internal/report"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("living", flag.ContinueOnError)
	only := flags.String("shape", "", "the shape to change (default: each)")
	changes := flags.Int("changes", 100, "how many changes")
	scale := flags.Float64("scale", 1, "how many times as large")
	seed := flags.Uint64("seed", 1, "seed of what is drawn")
	threads := flags.Int("threads", 1, "goroutines at work")
	lines := flags.Bool("json", false, "one JSON object for each shape")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *changes < 1 || *scale <= 0 {
		return errors.New("at least one change is wanted, of a model with a size")
	}
	names := shapeNames()
	if *only != "" {
		if shapes[*only] == nil {
			return fmt.Errorf("there is no shape %q; there are %v", *only, names)
		}
		names = []string{*only}
	}
	for _, name := range names {
		p := &pad{rng: rand.New(rand.NewPCG(*seed, 7)), scale: *scale, tables: make(map[string]*table)}
		r, err := measure(ctx, shapes[name](p), p, deeppsl.Options{Seed: *seed, Threads: *threads}, *changes)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.Shape = name
		if *lines {
			err = json.NewEncoder(out).Encode(r)
		} else {
			_, err = fmt.Fprintln(out, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// result is what the changes of a shape took, in seconds of processor time.
type result struct {
	Shape    string  `json:"shape"`
	Targets  int     `json:"targets"`
	Cold     float64 `json:"cold_s"` // grounding and the first inference
	Mean     float64 `json:"mean_s"`
	Median   float64 `json:"median_s"`
	P99      float64 `json:"p99_s"`
	Max      float64 `json:"max_s"`
	Gap      float64 `json:"largest_gap"`
	Whole    int     `json:"whole"`    // changes after which all was solved
	Unproven int     `json:"unproven"` // or the gap that was asked for was not proven
	Changes  int     `json:"changes"`
}

func (r *result) String() string {
	const ms = 1e3
	return fmt.Sprintf("%-15s %6d targets  cold %7.1f ms  mean %7.2f  median %7.2f  p99 %7.1f  max %7.1f  whole %d of %d",
		r.Shape, r.Targets, ms*r.Cold, ms*r.Mean, ms*r.Median, ms*r.P99, ms*r.Max, r.Whole, r.Changes) +
		fmt.Sprintf("  unproven %d", r.Unproven)
}

// measure makes changes of a model.
func measure(ctx context.Context, s shape, p *pad, options deeppsl.Options, changes int) (*result, error) {
	program, err := deeppsl.Parse(s.rules)
	if err != nil {
		return nil, err
	}
	data, targets := deeppsl.NewData(program), 0
	for _, name := range p.order {
		if t := p.tables[name]; t.values == nil {
			targets += len(t.rows)
			data.Target(name, t.rows)
		} else {
			data.Observe(name, t.seq())
		}
	}
	start := report.ProcessorSeconds()
	session, err := deeppsl.NewSession(ctx, program, data, options)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	if _, err := session.Infer(ctx); err != nil {
		return nil, err
	}
	r := &result{Targets: targets, Cold: report.ProcessorSeconds() - start, Changes: changes}
	var times []float64
	for range changes {
		change, start := s.draw(p.rng), report.ProcessorSeconds()
		if _, err := session.Apply(ctx, change); err != nil {
			return nil, err
		}
		answer, err := session.Infer(ctx)
		if err != nil {
			return nil, err
		}
		times = append(times, report.ProcessorSeconds()-start)
		r.see(answer)
	}
	for _, t := range times {
		r.Mean += t / float64(len(times))
	}
	slices.Sort(times)
	at := func(q float64) float64 { return times[int(q*float64(len(times)-1))] }
	r.Median, r.P99, r.Max = at(0.5), at(0.99), at(1)
	return r, nil
}

// see counts an answer.
func (r *result) see(a *deeppsl.Answer) {
	r.Gap = max(r.Gap, a.Gap)
	if a.Method != "local" {
		r.Whole++
	}
	if a.Status != deeppsl.Optimal {
		r.Unproven++
	}
}
