//go:build !unix

package report

import "os"

// PeakRSS returns 0: this system does not say what the largest resident set was.
func PeakRSS() int64 { return 0 }

// ProcessorSeconds returns 0, for the same reason.
func ProcessorSeconds() float64 { return 0 }

// ChildRSS returns 0, for the same reason.
func ChildRSS(*os.ProcessState) int64 { return 0 }
