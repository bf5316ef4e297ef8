package neural

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// listener is a folder with the messages of networks that keep their outputs there.
type listener struct {
	*testing.T
	folder string
	told   []string
}

// says are the outputs of a frozen network that keeps them, read anew; change changes the network, or how it is kept.
func (k *listener) says(table *features.Table, rows int, change func(*Spec, *kept)) []float64 {
	k.Helper()
	spec := mlpSpec()
	spec.Frozen = true
	change(&spec, &kept{})
	var err error
	if spec.Graph, err = ReadGraph(&spec, table.Width()); err != nil {
		k.Fatal(err)
	}
	spec.Graph.Keep(k.folder, func(message string, about ...any) {
		k.told = append(k.told, message+" "+fmt.Sprintln(about...))
	})
	spec.Graph.kept.worth = 0
	change(&spec, spec.Graph.kept)
	x, _ := both(k.T, allClasses(k.T, mustNew(k.T, []Spec{spec}, table, 1), rows), false, 1)
	return x
}

// heard returns the one thing that has been told since.
func (k *listener) heard(want string) {
	k.Helper()
	if len(k.told) != 1 || !strings.Contains(k.told[0], want) {
		k.Errorf("told %q, and not %q", k.told, want)
	}
	k.told = nil
}

// files are those of the folder.
func (k *listener) files() (files []string) {
	k.Helper()
	entries, err := os.ReadDir(k.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.Fatal(err)
	}
	for _, entry := range entries {
		files = append(files, filepath.Join(k.folder, entry.Name()))
	}
	return files
}

func asItIs(*Spec, *kept) {}

// What a frozen network has said is found by a later run, and computed for other rows, features, files and programs.
func TestKeptOutputs(t *testing.T) {
	k := &listener{T: t, folder: filepath.Join(t.TempDir(), "made", "[here]")}
	table := images(t, 300, 6, 2)
	want := k.says(table, 300, func(_ *Spec, k *kept) { k.worth = worthKeeping })
	if len(k.told) > 0 || len(k.files()) > 0 {
		t.Errorf("what took no time is kept: %q", k.told)
	}
	if got := k.says(table, 20, asItIs); !slices.Equal(got, want[:60]) {
		t.Errorf("keeping changes outputs: %v, and not %v", got, want[:60])
	}
	k.heard("are kept for later runs")
	if got := k.says(table, 300, asItIs); !slices.Equal(got, want) {
		t.Error("outputs of two runs are not those of one")
	}
	if len(k.told) != 2 || !strings.Contains(k.told[0], "an earlier run rows 20") {
		t.Errorf("told %q", k.told)
	}
	k.told = nil
	if got := k.says(table, 300, asItIs); !slices.Equal(got, want) {
		t.Error("outputs of an earlier run are others")
	}
	k.heard("an earlier run rows 300")
	k.says(images(t, 300, 6, 3), 300, asItIs)
	k.heard("are kept") // and not those of other features
	if got := k.says(images(t, 299, 6, 2), 299, asItIs); !slices.Equal(got, want[:len(want)-3]) {
		t.Error("of fewer rows, outputs are others")
	}
	k.heard("are kept")

	data, err := os.ReadFile(mlpSpec().File)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.onnx")
	if err := os.WriteFile(other, append(data, 0x0a, 0), 0o600); err != nil { // one more field that says nothing
		t.Fatal(err)
	}
	k.says(table, 300, func(s *Spec, _ *kept) { s.File = other })
	k.heard("are kept")
	if n := len(k.files()); n != 4 {
		t.Errorf("%d files, and not one for each network and table", n)
	}
	newer := func(_ *Spec, k *kept) { k.program = func() (hash, error) { return hash{1}, nil } }
	if got := k.says(table, 300, newer); !slices.Equal(got, want) || len(k.told) != 2 ||
		!strings.Contains(k.told[0], "another program") {
		t.Errorf("told %q", k.told)
	}
}

// A file that is not as it was written is not used, whatever is wrong with it, and another one takes its place.
func TestKeptOutputsDamaged(t *testing.T) {
	k := &listener{T: t, folder: t.TempDir()}
	table := images(t, 4, 6, 2)
	want := k.says(table, 4, asItIs)
	path := k.files()[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := [][]byte{nil, whole[:len(whole)-1], append(bytes.Clone(whole), 0)}
	for at := range whole {
		one := bytes.Clone(whole)
		one[at] ^= 1 << (at % 8)
		damaged = append(damaged, one)
	}
	for n, data := range damaged {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		k.told = nil
		got := k.says(table, 4, func(_ *Spec, k *kept) {
			if n > 10 {
				k.worth = worthKeeping // what is written is the same each time, and takes a while
			}
		})
		if !slices.Equal(got, want) || len(k.told) == 0 || !strings.Contains(k.told[0], "is not used") {
			t.Fatalf("damage %d: %v, told %q", n, got, k.told)
		}
		if again, err := os.ReadFile(path); n <= 10 && (err != nil || !bytes.Equal(again, whole)) {
			t.Errorf("damage %d: the file is not written anew; %v", n, err)
		}
	}
}

// A folder has a bound: those files go that were not wanted for the longest time, and nothing else. One that cannot be
// is told, and changes nothing.
func TestKeptOutputsAreBounded(t *testing.T) {
	k := &listener{T: t, folder: t.TempDir()}
	foreign := filepath.Join(k.folder, "notes.outputs")
	if err := os.WriteFile(foreign, make([]byte, 1<<12), 0o600); err != nil {
		t.Fatal(err)
	}
	small := func(_ *Spec, k *kept) { k.bytes = 3 << 10 } // three files and a half
	var want []float64
	for seed := range uint64(6) {
		want = k.says(images(t, 50, 6, seed), 50, small)
	}
	if n := len(k.files()); n != 4 {
		t.Errorf("%d files", n)
	}
	k.told = nil
	k.says(images(t, 50, 6, 5), 50, small)
	k.heard("an earlier run")
	k.says(images(t, 50, 6, 5), 50, func(_ *Spec, k *kept) { k.bytes = 100 })
	k.heard("an earlier run")

	k.folder = filepath.Join(foreign, "beneath")
	k.told = nil
	if got := k.says(images(t, 50, 6, 5), 50, asItIs); !slices.Equal(got, want) {
		t.Error("without a folder, outputs are others")
	}
	if len(k.told) != 2 || !strings.Contains(k.told[1], "cannot be kept") {
		t.Errorf("told %q", k.told)
	}
}
