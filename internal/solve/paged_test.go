package solve_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/scratch"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// paged moves a copy of the model's arenas to a file.
func paged(t *testing.T, m *mrf.Model) *mrf.Model {
	t.Helper()
	if !scratch.Supported {
		t.Skip("not on this system")
	}
	file, err := scratch.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	spill, out := mrf.NewSpill(file), *m
	out.Blocks = nil
	for _, b := range m.Blocks {
		c := *b
		spill.Block(&c)
		out.Blocks = append(out.Blocks, &c)
	}
	if err := spill.Restore(2); err != nil {
		t.Fatal(err)
	}
	return &out
}

// solvedWith solves a model with some room for its curvature.
func solvedWith(t *testing.T, m *mrf.Model, theta []float64, s solve.Settings, room int64) *solve.Result {
	t.Helper()
	field := mrf.NewField(m)
	field.SetWeights(theta)
	field.Room = room
	solver, err := auto.Inference("auto", field, s, auto.Options{Presolve: true, Split: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := solver.Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A model in a file must have the optimum of the one in memory, whatever there is room for, and the same bits for any
// number of threads.
func TestPagedModels(t *testing.T) {
	shape := mrftest.Shape{Variables: 60, Blocks: 8, Potentials: 400, Arity: 4, Scales: true}
	for seed := range uint64(6) {
		shape.Kinds = [][]mrftest.Form{mrftest.Squared, mrftest.Soft, mrftest.All}[seed%3]
		m, theta, _ := mrftest.Random(rand.New(rand.NewPCG(seed, 5)), shape)
		settings := solve.Settings{Gap: 1e-7, Feasibility: 1e-7, Threads: 1}
		want := solvedWith(t, m, theta, settings, 0)
		for _, room := range []int64{0, 1000} {
			var first *solve.Result
			for _, threads := range []int{1, 2, 4} {
				settings.Threads = threads
				got := solvedWith(t, paged(t, m), theta, settings, room)
				if math.Abs(got.Objective-want.Objective) > 3e-7*max(1, math.Abs(want.Objective)) || got.Status != want.Status {
					t.Errorf("seed %d, room %d: %v with objective %v, in memory %v with %v", seed, room, got.Status,
						got.Objective, want.Status, want.Objective)
				}
				if first == nil {
					first = got
				}
				if got.DualBound != first.DualBound || !slices.Equal(got.Y, first.Y) {
					t.Errorf("seed %d, room %d: other bits with %d threads", seed, room, threads)
				}
			}
		}
	}
}

// Contradictory hard constraints must be named in a file as they are in memory.
func TestPagedConflict(t *testing.T) {
	m := mrftest.New(2, 0, 2).Rule(0, mrf.Hinge, 2).Add(-0.5, vars(1, 1), nil).
		Rule(1, mrf.Equal, 0).Add(0, vars(1), nil).Add(-1, vars(1), nil).Model()
	got := solvedWith(t, paged(t, m), []float64{1, 1}, solve.Settings{}, 0)
	if got.Status != solve.Infeasible || !slices.Equal(got.Conflict, []int{1, 2}) {
		t.Errorf("%v, conflict %v", got.Status, got.Conflict)
	}
}

// The end of the context must leave an answer, and no file.
func TestPagedCancel(t *testing.T) {
	m, theta, _ := mrftest.Random(rand.New(rand.NewPCG(1, 1)),
		mrftest.Shape{Variables: 20, Blocks: 4, Potentials: 50, Kinds: mrftest.Soft, Arity: 3})
	field := mrf.NewField(paged(t, m))
	field.SetWeights(theta)
	ctx, cancel := context.WithCancel(context.Background())
	solver, err := auto.Inference("auto", field, solve.Settings{Gap: 1e-12, Trace: func(solve.Iteration) { cancel() }},
		auto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := solver.Solve(ctx)
	if err != nil || r.Status != solve.Cancelled || len(r.Y) != 20 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A file that is damaged or cut while the model is solved must not give an answer.
func TestPagedDamage(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("an unlinked file cannot be opened on this system")
	}
	m, theta, _ := mrftest.Random(rand.New(rand.NewPCG(1, 1)),
		mrftest.Shape{Variables: 20, Blocks: 4, Potentials: 50, Kinds: mrftest.Soft, Arity: 3})
	for _, harm := range []func(*os.File) error{damage, garble, cut} { // each to the files of those before it, too
		field := mrf.NewField(paged(t, m))
		field.SetWeights(theta)
		var once sync.Once
		trace := func(solve.Iteration) { once.Do(func() { eachScratch(t, harm) }) }
		solver, err := auto.Inference("auto", field, solve.Settings{Trace: trace}, auto.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := solver.Solve(context.Background()); !errors.Is(err, scratch.ErrDamaged) || r != nil {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// eachScratch opens all scratch files that this process has.
func eachScratch(t *testing.T, visit func(*os.File) error) {
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Error(err)
	}
	for _, link := range links {
		name, _ := os.Readlink(link)
		named, _ := filepath.Match("*deeppsl-*.scratch*", filepath.Base(name))
		if nameless, _ := filepath.Match("#* (deleted)", filepath.Base(name)); !named && !nameless {
			continue
		}
		file, err := os.OpenFile(link, os.O_RDWR, 0)
		if errors.Is(err, os.ErrNotExist) {
			continue // of a field that nobody has any more, and closed since
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if err := errors.Join(visit(file), file.Close()); err != nil {
			t.Error(err)
		}
	}
}

// damage changes the first variable to its neighbour.
func damage(file *os.File) error {
	var id [1]byte
	if _, err := file.ReadAt(id[:], 0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte{id[0] ^ 1}, 0)
	return err
}

// garble makes the first variables ones that do not exist.
func garble(file *os.File) error {
	_, err := file.WriteAt(slices.Repeat([]byte{0x7f}, 64), 0)
	return err
}

// cut takes everything.
func cut(file *os.File) error { return file.Truncate(0) }
