package scratch

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve takes so many bytes of a file's disk, unless its file system cannot do that.
func reserve(d disk, bytes int64) error {
	file, ok := d.(*os.File)
	if !ok || bytes <= 0 {
		return nil
	}
	for {
		err := unix.Fallocate(int(file.Fd()), 0, 0, bytes)
		if !errors.Is(err, unix.EINTR) {
			if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
				return nil
			}
			return err
		}
	}
}
