//go:build linux || darwin || freebsd

package report

import (
	"os"
	"syscall"
)

// Lock locks a file until it is closed or its process ends, however that happens. The error says that somebody else has
// it locked, or that the file system cannot do that.
func Lock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
