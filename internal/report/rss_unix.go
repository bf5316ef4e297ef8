//go:build unix

package report

import (
	"os"
	"runtime"
	"syscall"
)

// PeakRSS returns the largest resident set of this process so far, in bytes; 0 if the system does not say.
func PeakRSS() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return maxRSS(&usage)
}

// ChildRSS returns the largest resident set of a process that ended, in bytes; 0 if the system does not say.
func ChildRSS(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return maxRSS(usage)
	}
	return 0
}

func maxRSS(usage *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return usage.Maxrss
	}
	return usage.Maxrss * 1024
}
