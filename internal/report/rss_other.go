//go:build !unix

package report

// PeakRSS returns 0: this system does not say what the largest resident set was.
func PeakRSS() int64 { return 0 }
