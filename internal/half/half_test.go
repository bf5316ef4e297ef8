package half

import (
	"math"
	"testing"
)

func TestFloat32(t *testing.T) {
	for bits, want := range map[uint16]float32{
		0: 0, 0x3c00: 1, 0xc000: -2, 0x3555: 0.333251953125, 0x7bff: 65504, 1: 0x1p-24, 0xfc00: float32(math.Inf(-1)),
	} {
		if got := Float32(bits); got != want {
			t.Errorf("%#x is %v, want %v", bits, got, want)
		}
	}
	if !math.IsNaN(float64(Float32(0x7e00))) {
		t.Error("not a number is one")
	}
}
