//go:build linux || darwin || freebsd

package scratch

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Supported tells whether this system can map files.
const Supported = true

// mapFile maps the first bytes of a file, to read.
func mapFile(d disk, size int64) ([]byte, error) {
	file, ok := d.(*os.File)
	if !ok {
		panic(fmt.Sprintf("scratch: a %T cannot be mapped", d))
	}
	if err := file.Truncate(size); err != nil { // the last array's padding, or what was reserved
		return nil, err
	}
	return unix.Mmap(int(file.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
}

// forget lets go of whole pages. That it may be refused costs memory, and nothing else.
func forget(pages []byte) { _ = unix.Madvise(pages, unix.MADV_DONTNEED) }

func unmap(mapped []byte) error {
	if mapped == nil {
		return nil
	}
	return unix.Munmap(mapped)
}

// Free returns how many bytes a folder's disk has left for this user, if the system says so; "" is the folder for
// temporary files.
func Free(folder string) (bytes int64, ok bool) {
	if folder == "" {
		folder = os.TempDir()
	}
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
