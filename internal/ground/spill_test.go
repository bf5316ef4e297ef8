package ground

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/scratch"
)

// circle is a group of people who may all be friends: a rule with large pieces, rules with small ones, sums, and hard
// rules.
func circle(t testing.TB, people int) *fixture {
	b := newBuilder()
	rng := rand.New(rand.NewPCG(1, 2))
	var alike, friends, person []data
	for i := range people {
		person = append(person, observed(fmt.Sprint("p", i), 1))
		for k := range people {
			if pair := fmt.Sprintf("p%d p%d", i, k); i != k {
				alike = append(alike, observed(pair, rng.Float64()))
				friends = append(friends, target(pair))
			}
		}
	}
	b.add("Person", 1, false, person...)
	b.add("Alike", 2, false, alike...)
	b.add("Friends", 2, true, friends...)
	return b.rules(t, `
		10: Alike(A, B) -> Friends(A, B) ^2
		1: Friends(A, B) & Friends(B, C) & (A != B) & (B != C) & (A != C) -> Friends(A, C) ^2
		2: Friends(A, +B) / |B| <= 0.5 {B: Alike(A, B)}
		Friends(A, B) = Friends(B, A) .
		1: !Friends(A, B) ^2`)
}

// scratchFile creates a file in a folder, which must stay empty.
func scratchFile(t *testing.T) *scratch.File {
	t.Helper()
	if !scratch.Supported {
		t.Skip("not on this system")
	}
	dir := t.TempDir()
	file, err := scratch.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Error("the folder has files")
		}
		file.Close()
	})
	return file
}

func onDisk(t *testing.T, f *fixture, threads int) (*mrf.Model, *Report) {
	t.Helper()
	return f.made(t, Options{Threads: threads, Scratch: scratchFile(t)})
}

// A model in a file must be the one in memory but for how it is cut into blocks, whatever the number of threads.
func TestGroundIntoFile(t *testing.T) {
	f := circle(t, 120)
	plain, plainReport := f.made(t, Options{})
	model, report := onDisk(t, f, 1)
	if err := model.Check(); err != nil {
		t.Fatal(err)
	}
	again, _ := onDisk(t, f, 3)
	if !reflect.DeepEqual(arrays(model), arrays(again)) {
		t.Error("the model depends on the number of threads")
	}
	if len(model.Blocks) <= len(plain.Blocks) {
		t.Errorf("%d blocks: no piece was large enough to be written at once", len(model.Blocks))
	}
	if model.Potentials() != plain.Potentials() || report.Total != plainReport.Total ||
		math.Abs(float64(report.Bytes-plainReport.Bytes)) > 0.2*float64(plainReport.Bytes) {
		t.Errorf("%d ground rules of %d bytes, want %d of %d", model.Potentials(), report.Bytes, plain.Potentials(),
			plainReport.Bytes)
	}
	fields := [2]*mrf.Field{mrf.NewField(plain), mrf.NewField(model)}
	rng := rand.New(rand.NewPCG(3, 4))
	y := make([]float64, plain.Variables)
	for range 3 {
		for i := range y {
			y[i] = rng.Float64()
		}
		var energies [2][]float64
		for k, field := range fields {
			energies[k] = make([]float64, plain.Rules)
			field.GradientWeights(y, energies[k])
			energies[k] = append(energies[k], field.MaxViolation(y))
		}
		for r, want := range energies[0] {
			if math.Abs(energies[1][r]-want) > 1e-9*(1+want) {
				t.Errorf("rule %d has energy %v, want %v", r, energies[1][r], want)
			}
		}
	}
}

// arrays returns copies of the model's blocks without the file.
func arrays(m *mrf.Model) (blocks []mrf.Block) {
	for _, b := range m.Blocks {
		c := *b
		c.Paged = nil
		blocks = append(blocks, c)
	}
	return blocks
}

// A disk that takes nothing more must end grounding with an error, and so must the end of the context.
func TestGroundIntoBrokenFile(t *testing.T) {
	f := circle(t, 80)
	for _, cancelled := range []bool{false, true} {
		file := scratchFile(t)
		ctx, cancel := context.WithCancel(context.Background())
		if cancelled {
			cancel()
		} else {
			file.Close() // no write will succeed
		}
		if model, _, err := Ground(ctx, f.program, f.store, Options{Scratch: file}); err == nil || model != nil {
			t.Errorf("cancelled %v: no error", cancelled)
		}
		cancel()
	}
}
