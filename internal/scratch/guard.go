package scratch

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// Guard runs what looks at views. A part of the file that cannot be read any more, because its disk fails or somebody
// cut it, is a fault of memory, and one that is not what was written may be an index out of range. Either would end the
// process: here it ends the run with an error that wraps ErrDamaged, and every later Guard at once, as whoever was
// interrupted may have left anything. Goroutines of package parallel are included, others are not. A nil File, of what
// is in memory, has nothing to guard.
func (f *File) Guard(run func() error) (err error) {
	if f == nil {
		return run()
	}
	if f.lost.Load() {
		return f.damage()
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recovered := recover(); recovered != nil {
			if _, ok := recovered.(runtime.Error); !ok || !f.holds(recovered) && f.Verify(0) == nil {
				panic(recovered)
			}
			f.lost.Store(true)
			err = f.damage()
		}
	}()
	return run()
}

// holds tells whether what was recovered is a fault at an address of the file.
func (f *File) holds(recovered any) bool {
	fault, ok := recovered.(interface{ Addr() uintptr })
	return ok && fault.Addr()-uintptr(unsafe.Pointer(unsafe.SliceData(f.bytes))) < uintptr(len(f.bytes))
}

func (f *File) damage() error { return fmt.Errorf("%w; it was in %s", ErrDamaged, f.folder) }
