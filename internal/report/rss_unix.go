//go:build unix

package report

import (
	"runtime"
	"syscall"
)

// PeakRSS returns the largest resident set of this process so far, in bytes; 0 if the system does not say.
func PeakRSS() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss
	}
	return usage.Maxrss * 1024
}
