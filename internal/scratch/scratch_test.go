package scratch

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/parallel"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
)

// create makes a file in a folder that must be empty all the time: the file has no name.
func create(t *testing.T) *File {
	t.Helper()
	if !Supported {
		t.Skip("not on this system")
	}
	dir := t.TempDir()
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Close()
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%d files are left, %v", len(left), err)
		}
	})
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Error("the file has a name")
	}
	return f
}

// What is appended by several goroutines must be there, before and after its memory has been let go.
func TestArraysComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := create(t)
		ints := rapid.SliceOfN(rapid.SliceOfN(rapid.Int32(), 0, 5000), 1, 8).Draw(r, "ints")
		floats := rapid.SliceOf(rapid.Float32()).Draw(r, "floats")
		places := make([]Array, len(ints))
		var all sync.WaitGroup
		for k, values := range ints {
			all.Go(func() { places[k] = Append(f, values) })
		}
		last := Append(f, floats)
		all.Wait()
		if err := f.Map(2); err != nil {
			r.Fatal(err)
		}
		for range 2 {
			for k, values := range ints {
				view := View[int32](f, places[k])
				if !slices.Equal(view, values) {
					r.Fatalf("array %d is %v, not %v", k, view, values)
				}
				Release(f, view)
			}
		}
		if view := View[float32](f, last); !slices.Equal(view, floats) {
			r.Fatalf("%v, not %v", view, floats)
		}
	})
}

// Memory that is not the file's must never be let go: it would come back as zeros.
func TestReleaseOfOthers(t *testing.T) {
	f := create(t)
	Append(f, make([]int32, 10000))
	if err := f.Map(1); err != nil {
		t.Fatal(err)
	}
	own := slices.Repeat([]int32{7}, 100000)
	Release(f, own)
	if slices.Contains(own, 0) {
		t.Error("an array in memory was let go")
	}
}

func TestDamage(t *testing.T) {
	f := create(t)
	first := Append(f, slices.Repeat([]int32{1}, 3000))
	second := Append(f, slices.Repeat([]float64{2}, 3000))
	if err := f.Map(2); err != nil {
		t.Fatal(err)
	}
	if _, err := f.disk.WriteAt([]byte{1}, second.at+second.size/2); err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(2); !errors.Is(err, ErrDamaged) {
		t.Errorf("%v, want damage", err)
	}
	if view := View[int32](f, first); view[2999] != 1 {
		t.Error("the other array is not what it was")
	}
}

// fullDisk takes so many bytes.
type fullDisk struct {
	disk
	left int
}

func (d *fullDisk) WriteAt(p []byte, at int64) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, syscall.ENOSPC
	}
	return d.disk.WriteAt(p, at)
}

func TestFullDisk(t *testing.T) {
	f := create(t)
	f.disk = &fullDisk{f.disk, 10000}
	Append(f, make([]int32, 2000))
	if f.Broken() {
		t.Error("broken too early")
	}
	Append(f, make([]int32, 2000))
	Append(f, make([]int32, 1))
	if err := f.Map(1); !f.Broken() || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v, want a full disk", err)
	}
}

func TestFolders(t *testing.T) {
	if !Supported {
		t.Skip("not on this system")
	}
	if _, err := Create("testdata/none"); err == nil {
		t.Error("a file in a folder that is not there")
	}
	if bytes, ok := Free(t.TempDir()); !ok || bytes <= 0 {
		t.Errorf("%d bytes free, %v", bytes, ok)
	}
	if _, ok := Free("testdata/none"); ok {
		t.Error("a folder that is not there has space")
	}
	f := create(t)
	if err := f.Map(1); err != nil || f.Size() != 0 || len(View[int32](f, Append(f, []int32{}))) != 0 {
		t.Errorf("an empty file: %v", err)
	}
}

// A file that is cut while it is mapped must be an error of what looks at it then, in any goroutine, and of what does
// so later.
func TestCut(t *testing.T) {
	for _, threads := range []int{1, 4} {
		f := create(t)
		all := Append(f, make([]int32, 1<<20))
		if err := f.Map(threads); err != nil {
			t.Fatal(err)
		}
		view := View[int32](f, all)
		Release(f, view)
		if err := f.disk.(*os.File).Truncate(8192); err != nil {
			t.Fatal(err)
		}
		sum := func() error {
			parallel.For(threads, 64, func(task int) {
				if slices.Max(view[task<<14:(task+1)<<14]) != 0 {
					t.Error("not what was written")
				}
			})
			return nil
		}
		if err := f.Guard(sum); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d threads: %v, want damage", threads, err)
		}
		if err := f.Guard(func() error { panic("not run") }); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d threads: %v, want damage for good", threads, err)
		}
		if err := f.Verify(threads); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d threads: %v, want damage", threads, err)
		}
	}
}

func TestGuardOfOthers(t *testing.T) {
	f := create(t)
	Append(f, make([]int32, 100))
	if err := f.Map(1); err != nil {
		t.Fatal(err)
	}
	own := errors.New("its own")
	for _, file := range []*File{f, nil} {
		if err := file.Guard(func() error { return own }); err != own {
			t.Errorf("%v, want its own error", err)
		}
		func() {
			defer func() {
				if recover() != own {
					t.Error("another panic was kept")
				}
			}()
			_ = file.Guard(func() error { panic(own) })
		}()
	}
}

// Space that is not there must be missed before anything is written.
func TestReserve(t *testing.T) {
	f := create(t)
	if err := f.Reserve(1 << 16); err != nil {
		t.Fatal(err)
	}
	at := Append(f, []int32{1, 2, 3})
	if err := f.Map(1); err != nil || !slices.Equal(View[int32](f, at), []int32{1, 2, 3}) {
		t.Errorf("%v, %v", View[int32](f, at), err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	if info, err := f.disk.(*os.File).Stat(); err != nil || info.Size() != f.Size() {
		t.Errorf("the file has %d bytes for %d, %v", info.Size(), f.Size(), err)
	}
	if err := create(t).Reserve(1 << 60); err == nil {
		t.Error("an exabyte was reserved")
	}
}

// BenchmarkFile measures writing arrays of 64 KiB to a file, mapping it, which reads them, and going through it.
func BenchmarkFile(b *testing.B) {
	if !Supported {
		b.Skip("not on this system")
	}
	const arrays, size = 512, 1 << 14
	values := make([]int32, size)
	b.SetBytes(arrays * size * 4)
	for b.Loop() {
		f, err := Create(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		places := make([]Array, arrays)
		for k := range places {
			places[k] = Append(f, values)
		}
		if err := f.Map(1); err != nil {
			b.Fatal(err)
		}
		for _, at := range places {
			view := View[int32](f, at)
			if slices.Max(view) != 0 {
				b.Fatal("not what was written")
			}
			Release(f, view)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
