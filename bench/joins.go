package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// joins is what grounding, and a database beside it, made of the shapes.
type joins struct {
	Seed    uint64       `json:"seed"`
	Threads int          `json:"threads"`
	Repeats int          `json:"repeats"`
	Machine machine      `json:"machine"`
	Joins   []*joinTrial `json:"joins"`
}

// joinTrial is one shape of one size.
type joinTrial struct {
	Shape       string `json:"shape"`
	Size        int    `json:"size"`
	GroundRules int    `json:"ground_rules"`
	// Seconds to CPU are medians of grounding, plans and indexes included; Peers are those of making the same rows.
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Rows    int     `json:"peer_rows,omitempty"`
	Peer    float64 `json:"peer_seconds,omitempty"`
	PeerCPU float64 `json:"peer_cpu_seconds,omitempty"`
	Version string  `json:"peer_version,omitempty"`
	// Ratio is the median over the repetitions of the peer's time over ours.
	Ratio float64 `json:"ratio,omitempty"`
	Note  string  `json:"note,omitempty"`
}

// joinSettings are what a measurement of joins depends on, beside the shapes.
type joinSettings struct {
	sizes           []int
	threads, repeat int
	seed            uint64
	asks            bool   // the database too
	python          string // the interpreter that has it
	limit           time.Duration
}

// join grounds all shapes of all sizes, beside the database if it is a peer, in turns.
func (o *joinSettings) join(ctx context.Context, chosen []*joinShape) (*joins, error) {
	all := &joins{Seed: o.seed, Threads: parallel.Threads(o.threads), Repeats: o.repeat, Machine: thisMachine()}
	for _, size := range o.sizes {
		for _, s := range chosen {
			one, err := o.joinOne(ctx, s, size)
			if err != nil {
				return nil, fmt.Errorf("%s of %d: %w", s.name, size, err)
			}
			all.Joins = append(all.Joins, one)
		}
	}
	return all, nil
}

// Text prints the joins as a table.
func (all *joins) Text(w io.Writer) error {
	return tabulateJoins(all, report.NewTable(joinColumns...)).Text(w)
}

// taken is what one run took, in seconds.
type taken struct{ seconds, cpu float64 }

func wall(t taken) float64      { return t.seconds }
func processor(t taken) float64 { return t.cpu }

// joinOne grounds one shape.
func (o *joinSettings) joinOne(ctx context.Context, s *joinShape, size int) (*joinTrial, error) {
	t := &joinTrial{Shape: s.name, Size: size}
	var ours, theirs []taken
	var ratios []float64
	for range o.repeat {
		d := s.generate(size, o.seed) // anew, as relations keep their indexes
		one, err := t.ground(ctx, s, d, o.threads)
		if err != nil {
			return nil, err
		}
		ours = append(ours, one)
		if !o.asks || s.query == "" || t.Note != "" {
			continue
		}
		its, err := t.ask(ctx, s, d, o)
		if err != nil {
			t.Note = err.Error()
			continue
		}
		theirs = append(theirs, its)
		ratios = append(ratios, its.seconds/one.seconds)
	}
	t.Seconds, t.CPU = median(ours, wall), median(ours, processor)
	if len(theirs) > 0 {
		t.Peer, t.PeerCPU = median(theirs, wall), median(theirs, processor)
		t.Ratio = median(ratios, func(v float64) float64 { return v })
	}
	return t, ctx.Err()
}

// ground makes the ground rules.
func (t *joinTrial) ground(ctx context.Context, s *joinShape, d *data, threads int) (taken, error) {
	compiled, err := d.compile(s.rules)
	if err != nil {
		return taken{}, err
	}
	runtime.GC() // what generating has left is not for grounding to clear away
	begin, cpu := time.Now(), report.ProcessorSeconds()
	model, _, err := ground.Ground(ctx, compiled, d.store, ground.Options{Threads: threads})
	if err != nil {
		return taken{}, err
	}
	t.GroundRules = model.Potentials()
	return taken{time.Since(begin).Seconds(), report.ProcessorSeconds() - cpu}, nil
}

// ask has the database make the same rows.
func (t *joinTrial) ask(ctx context.Context, s *joinShape, d *data, o *joinSettings) (taken, error) {
	dir, err := os.MkdirTemp("", "deeppsl-bench-")
	if err != nil {
		return taken{}, err
	}
	defer os.RemoveAll(dir)
	var tables strings.Builder
	for _, r := range append(slices.Clone(d.store.Relations), d.ranks()) {
		name := map[string]string{"End": "Stop"}[r.Name] // a keyword of SQL
		if name == "" {
			name = r.Name
		}
		fmt.Fprintln(&tables, name, r.Arity)
		for k, column := range r.Columns {
			write := func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, column) }
			if err := report.WriteFileFunc(filepath.Join(dir, name+"."+strconv.Itoa(k)), write); err != nil {
				return taken{}, err
			}
		}
	}
	p, err := executeWith(ctx, dir, o.limit, strings.NewReader(tables.String()), o.python, "-c", script("duckdb"), dir,
		strconv.Itoa(parallel.Threads(o.threads)), s.query)
	if err != nil {
		return taken{}, err
	}
	var said struct {
		Seconds, CPU float64
		Rows         int
		Version      string
	}
	if err := json.Unmarshal([]byte(lastLine(string(p.stdout))), &said); err != nil {
		return taken{}, err
	}
	t.Rows, t.Version = said.Rows, said.Version
	return taken{said.Seconds, said.CPU}, nil
}

// ranks is the order of all constants as a relation.
func (d *data) ranks() *relation.Relation {
	n := d.store.Symbols.Len()
	order := make([]symbol.ID, n)
	for id := range order {
		order[id] = symbol.ID(id)
	}
	slices.SortFunc(order, func(a, b symbol.ID) int {
		return strings.Compare(d.store.Symbols.Name(a), d.store.Symbols.Name(b))
	})
	rank := make([]symbol.ID, n)
	for k := range rank {
		rank[k] = symbol.ID(k)
	}
	return &relation.Relation{Name: "Rank", Arity: 2, Columns: [][]symbol.ID{order, rank}, Observed: n}
}

var joinColumns = []string{"shape", "size", "ground rules", "s", "CPU s", "M rules/s", "DuckDB s", "DuckDB CPU s",
	"times"}

// tabulateJoins writes a row for each shape.
func tabulateJoins(all *joins, out *report.Table) *report.Table {
	for _, t := range all.Joins {
		note := optional(t.Peer)
		if t.Note != "" {
			note = report.Number(t.Note)
		}
		out.Row(t.Shape, t.Size, t.GroundRules, digits(t.Seconds), digits(t.CPU),
			digits(float64(t.GroundRules)/t.Seconds/1e6), note, optional(t.PeerCPU), optional(t.Ratio))
	}
	return out
}
