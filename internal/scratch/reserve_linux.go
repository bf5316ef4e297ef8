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

// nameless makes a file that never has a name, so that nothing is left of it whenever the process is killed.
func nameless(folder string) (*os.File, error) {
	fd, err := unix.Open(folder, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil { // not every file system can do that
		return unlinked(folder)
	}
	return os.NewFile(uintptr(fd), folder), nil
}
