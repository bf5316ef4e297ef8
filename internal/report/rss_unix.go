//go:build unix

package report

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// PeakRSS returns the largest resident set of this process so far, in bytes; 0 if the system does not say. Linux
// counts the memory of the program that started this one as its usage; what it says of its high water does not.
func PeakRSS() int64 {
	if peak := highWater(); peak > 0 {
		return peak
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return maxRSS(&usage)
}

// highWater reads the largest resident set from Linux's file of the process; 0 if there is none.
func highWater() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	if _, err := fmt.Sscan(after, &kilobytes); err != nil {
		return 0
	}
	return kilobytes * 1024
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

// ChildRSS returns the largest resident set of a process that ended, in bytes; 0 if the system does not say. On Linux
// it is at least that of this process when the other one began.
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
