package report

import (
	"runtime"
	"testing"
)

// A process that computes has processors at work, where the system says so.
func TestProcessorSeconds(t *testing.T) {
	before, sum := ProcessorSeconds(), 0.0
	for k := range 20_000_000 {
		sum += float64(k)
	}
	if after := ProcessorSeconds(); PeakRSS() > 0 && !(after > before) || sum == 0 {
		t.Errorf("%v s before the work, %v after", before, after)
	}
}

// The high water must rise with what is touched, and by about as much.
func TestPeakRSS(t *testing.T) {
	before := PeakRSS()
	if before == 0 {
		t.Skip("the system does not say")
	}
	const size = 256 << 20
	block := make([]byte, size)
	for k := 0; k < size; k += 4096 {
		block[k] = 1
	}
	if rise := PeakRSS() - before; rise < size/2 || rise > 2*size {
		t.Errorf("rose by %d bytes, for %d", rise, size)
	}
	runtime.KeepAlive(block)
}
