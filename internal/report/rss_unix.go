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

// ProcessorSeconds returns the time that processors have worked for this process, for itself and in the system; 0 if
// the system does not say. Unlike the time on the wall it hardly depends on what else runs.
func ProcessorSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
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
