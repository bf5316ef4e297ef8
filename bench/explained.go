package main

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// balances is how well answers to families of hard structure are explained.
type balances struct {
	Gap      float64    `json:"gap"` // that was asked for
	Seed     uint64     `json:"seed"`
	Threads  int        `json:"threads"`
	Machine  machine    `json:"machine"`
	Families []*balance `json:"families"`
}

// balance is how well one answer is.
type balance struct {
	Family      string `json:"family"`
	GroundRules int    `json:"ground_rules"`
	Variables   int    `json:"variables"`
	Status      string `json:"status"`
	// Inference is how long the answer took, and All how long it took to explain all atoms.
	Inference float64 `json:"inference_seconds"`
	All       float64 `json:"all_seconds"`
	// Unexplained is the worst part of an atom's pushes that is left, and Left of how many atoms it is more than 1e-6.
	Unexplained float64 `json:"unexplained"`
	Left        int     `json:"atoms_left"`
	// Leaves is by how much the leaves of a unique value are off at worst, of Asked atoms, and Slowest what one took.
	Leaves  float64 `json:"leaves"`
	Asked   int     `json:"asked"`
	Slowest float64 `json:"slowest_seconds"`
	Note    string  `json:"note,omitempty"`
}

// Of each family so many atoms are asked for their leaves; pushes are said to add up to so much.
const (
	asked   = 12
	adding  = 1e-6
	slowest = 5 * time.Minute // explaining a family may take
)

// explained solves all families in all sizes, and explains the answers.
func (o *options) explained(ctx context.Context, w io.Writer, progress report.Progress) error {
	all := &balances{Gap: o.gap, Seed: o.seed, Threads: parallel.Threads(o.threads), Machine: thisMachine()}
	failed := o.each(ctx, progress, "explanations", func(m *model, size int) error {
		b := &balance{Family: m.name}
		err := b.explain(ctx, o, m, size)
		if err != nil {
			b.Note = err.Error()
		}
		if ctx.Err() == nil {
			all.Families = append(all.Families, b)
		}
		return err
	})
	if o.json {
		return errors.Join(failed, report.JSON(w, all), ctx.Err())
	}
	return errors.Join(failed, all.table().Text(w), ctx.Err())
}

// table has a row for each family.
func (b *balances) table() *report.Table {
	out := report.NewTable("family", "ground rules", "status", "inference s", "all atoms s", "unexplained", "atoms left",
		"leaves off", "slowest s", "note")
	for _, f := range b.Families {
		row := []any{f.Family, f.GroundRules, f.Status, digits(f.Inference)}
		if f.Asked == 0 {
			row = append(row, "", "", "", "", "")
		} else {
			row = append(row, digits(f.All), digits(f.Unexplained), f.Left, digits(f.Leaves), digits(f.Slowest))
		}
		out.Row(append(row, f.Note)...)
	}
	return out
}

// explain solves a family's problem, and explains its atoms. There is nothing to explain where there is no answer.
func (b *balance) explain(ctx context.Context, o *options, m *model, size int) error {
	field, err := m.field(ctx, size, o.settings)
	if err != nil {
		return err
	}
	b.GroundRules, b.Variables = field.Model.Potentials(), field.Model.Variables
	begin := time.Now()
	r, err := infer(ctx, field, o.gap, o.limit, o.threads)
	if err != nil {
		return err
	}
	b.Status, b.Inference = r.Status.String(), time.Since(begin).Seconds()
	if r.Status == solve.Infeasible {
		return nil
	}
	limits := solve.Settings{Threads: o.threads, TimeLimit: o.limit}
	state, err := explain.NewState(field, nil, r.Y, r.Multipliers, limits)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	if err := b.all(ctx, state); err != nil {
		return err
	}
	return b.some(ctx, state, field)
}

// all adds up what pushes all atoms.
func (b *balance) all(ctx context.Context, state *explain.State) error {
	begin := time.Now()
	err := state.All(ctx, func(s *explain.Summary) error {
		if s.Unexplained != 0 {
			left := math.Abs(s.Unexplained) / s.Sizes
			b.Unexplained = max(b.Unexplained, left)
			if left > adding {
				b.Left++
			}
		}
		return nil
	})
	b.All = time.Since(begin).Seconds()
	return err
}

// some adds up the leaves of some atoms.
func (b *balance) some(ctx context.Context, state *explain.State, field *mrf.Field) error {
	last := field.Model.Variables - 1
	for k := range asked {
		begin := time.Now()
		e, err := state.Explain(ctx, nameless{}, int32(k*last/(asked-1)), explain.Options{})
		if err != nil {
			return err
		}
		b.Asked++
		b.Slowest = max(b.Slowest, time.Since(begin).Seconds())
		if !e.Unique {
			continue
		}
		sum := 0.0
		for _, leaf := range e.Leaves {
			sum += leaf.Contribution
		}
		b.Leaves = max(b.Leaves, math.Abs(sum-e.Value))
	}
	return nil
}

// nameless calls atoms and rules by their numbers; facts have no names.
type nameless struct{}

func (nameless) Variable(i int32) explain.Atom {
	return explain.Atom{Atom: "y" + strconv.Itoa(int(i)), Role: explain.RoleTarget}
}

func (nameless) Input(i int32) explain.Atom {
	return explain.Atom{Atom: "x" + strconv.Itoa(int(i)), Role: explain.RoleNetwork}
}

func (nameless) Rule(r int) (string, bool) { return "rule " + strconv.Itoa(r+1), false }

func (nameless) Atoms(int) int { return -1 }

func (nameless) Instance(block, j, others int) *explain.Instance { return nil }

func (nameless) Instances(_, rows []int) []*explain.Instance {
	return make([]*explain.Instance, len(rows))
}
