package kernel

import "golang.org/x/sys/cpu"

// level is what this machine can do. The products of all levels but portable give the same bits: they add in the same
// order, and round once for each product and sum.
var level = best()

type instructions int

const (
	portable instructions = iota
	avx2
	avx512
)

// best returns the highest level that processor and operating system have.
func best() instructions {
	switch {
	case cpu.X86.HasAVX512F:
		return avx512
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return avx2
	}
	return portable
}
