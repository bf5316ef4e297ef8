// Package scratch keeps arrays that do not fit in memory in a temporary file. A File has two lives: first arrays are
// appended to it, then it is mapped, and the arrays are slices again, to read. Their pages come into memory as they are
// looked at, and Release lets go of them, so that what a sweep has in memory at once is up to the sweep.
//
// The file has no name from the moment it is made: the system takes it back when the process ends, however that
// happens. Every array has a checksum, which Map and Verify compare with what is on the disk.
package scratch

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// ErrDamaged is wrapped by the error for an array that is not what was written.
var ErrDamaged = errors.New("a temporary file was damaged; its disk may be failing")

// Number is what arrays are made of.
type Number interface {
	~int32 | ~float32 | ~float64
}

// File is a temporary file of arrays. Appending is safe for concurrent use, and so are View and Release once the file
// is mapped.
type File struct {
	disk   disk
	folder string
	end    atomic.Int64 // where the next array goes
	broken atomic.Bool  // an array could not be written
	lost   atomic.Bool  // a page could not be read; see Guard

	guard  sync.Mutex
	err    error
	arrays []Array
	bytes  []byte // mapped
	unmap  runtime.Cleanup
}

// disk is what a File writes to.
type disk interface {
	WriteAt(p []byte, at int64) (int, error)
	Close() error
}

// Array is the place of an array in its File.
type Array struct {
	at, size int64
	sum      uint32
}

// alignment of the arrays, so that numbers of any size can be read where they lie.
const alignment = 8

var polynomial = crc32.MakeTable(crc32.Castagnoli)

// Create makes an empty file in a folder, or in the system's folder for temporary files if that is "".
func Create(folder string) (*File, error) {
	if folder == "" {
		folder = os.TempDir()
	}
	if !Supported {
		return nil, fmt.Errorf("temporary files for models beyond memory: %w on this system", errors.ErrUnsupported)
	}
	file, err := nameless(folder)
	if err != nil {
		return nil, err
	}
	return &File{disk: file, folder: folder}, nil
}

// unlinked makes a file and takes its name away.
func unlinked(folder string) (*os.File, error) {
	file, err := os.CreateTemp(folder, "deeppsl-*.scratch")
	if err != nil {
		return nil, fmt.Errorf("cannot make a temporary file: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		file.Close()
		return nil, fmt.Errorf("cannot unlink a temporary file: %w", err)
	}
	return file, nil
}

// Reserve takes so many bytes of the disk for the arrays to come, where the system can: a disk that is too small says
// so before anything is written, and nobody else can fill it meanwhile. What is not needed, Map gives back.
func (f *File) Reserve(bytes int64) error {
	if err := reserve(f.disk, bytes); err != nil {
		return fmt.Errorf("cannot reserve %d bytes for a temporary file in %s; another folder can be chosen: %w", bytes,
			f.folder, err)
	}
	return nil
}

// Append writes an array. An error is kept, and is that of Map; what follows it is not written.
func Append[T Number](f *File, values []T) Array {
	raw := rawBytes(values)
	size := int64(len(raw))
	padded := (size + alignment - 1) / alignment * alignment
	a := Array{at: f.end.Add(padded) - padded, size: size, sum: crc32.Checksum(raw, polynomial)}
	if f.broken.Load() {
		return a
	}
	_, err := f.disk.WriteAt(raw, a.at)
	f.guard.Lock()
	defer f.guard.Unlock()
	f.arrays = append(f.arrays, a)
	if err != nil && f.err == nil {
		f.broken.Store(true)
		f.err = fmt.Errorf("cannot write a temporary file of %d bytes in %s; another folder can be chosen: %w", a.at+size,
			f.folder, err)
	}
	return a
}

// Broken tells whether an array could not be written, so that there is no use in going on.
func (f *File) Broken() bool { return f.broken.Load() }

// Size returns how many bytes have been written.
func (f *File) Size() int64 { return f.end.Load() }

// Map ends the writing and makes the arrays readable. The error is that of an Append, that of the system, or wraps
// ErrDamaged.
func (f *File) Map(threads int) error {
	if f.err != nil {
		return f.err
	}
	if f.Size() == 0 {
		return nil
	}
	var err error
	if f.bytes, err = mapFile(f.disk, f.Size()); err != nil {
		return fmt.Errorf("cannot map a temporary file of %d bytes: %w", f.Size(), err)
	}
	f.unmap = runtime.AddCleanup(f, func(mapped []byte) { _ = unmap(mapped) }, f.bytes)
	slices.SortFunc(f.arrays, func(a, b Array) int { return int(min(max(a.at-b.at, -1), 1)) })
	return f.Verify(threads)
}

// Verify reads all arrays again. An error wraps ErrDamaged.
func (f *File) Verify(threads int) error {
	return f.Guard(func() error {
		var differ atomic.Bool
		parallel.For(parallel.Threads(threads), len(f.arrays), func(k int) {
			a := f.arrays[k]
			if crc32.Checksum(f.bytes[a.at:a.at+a.size], polynomial) != a.sum {
				differ.Store(true)
			}
			f.release(a.at, a.at+a.size)
		})
		if differ.Load() {
			return f.damage()
		}
		return nil
	})
}

// View returns an array of a mapped file, to read. It is valid as long as the File.
func View[T Number](f *File, a Array) []T {
	if a.size == 0 {
		return []T{}
	}
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(&f.bytes[a.at])), a.size/int64(unsafe.Sizeof(zero)))
}

// Release lets go of the memory that a part of a view has taken; reading it again brings it back from the file. Slices
// that are not views of the file are left alone.
func Release[T Number](f *File, values []T) {
	if len(values) == 0 || len(f.bytes) == 0 {
		return
	}
	at := int64(uintptr(unsafe.Pointer(unsafe.SliceData(values))) - uintptr(unsafe.Pointer(unsafe.SliceData(f.bytes))))
	if size := int64(len(rawBytes(values))); at >= 0 && at+size <= int64(len(f.bytes)) {
		f.release(at, at+size)
	}
}

// window is what a system brings into memory at once where one page is looked at: a huge page at most.
const window = 2 << 20

// release lets go of all windows that have any of the bytes [lo,hi), since what is looked at brings its neighbours with
// it; others may have to bring them back.
func (f *File) release(lo, hi int64) {
	if hi = min((hi+window-1)/window*window, int64(len(f.bytes))); hi > lo {
		forget(f.bytes[lo/window*window : hi])
	}
}

// Close gives the disk space back; no view may be used any more. Without it, that happens when the File is garbage: who
// keeps a view must keep the File.
func (f *File) Close() error {
	f.unmap.Stop()
	err := unmap(f.bytes)
	f.bytes, f.arrays = nil, nil
	return errors.Join(err, f.disk.Close())
}

// rawBytes returns an array's memory.
func rawBytes[T Number](values []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(zero)))
}
