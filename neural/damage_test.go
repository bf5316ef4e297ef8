package neural

import (
	"bytes"
	"testing"

	"github.com/deeppsl/deeppsl/internal/alloctest"
)

// TestCheckpointDamage changes each byte of a checkpoint: no length in it is believed before the bytes are there.
func TestCheckpointDamage(t *testing.T) {
	s := newSmall(t, Tanh, 1)
	var file bytes.Buffer
	if err := s.Save(&file); err != nil {
		t.Fatal(err)
	}
	data := file.Bytes()
	alloctest.Damage(data, func(at int) {
		n := alloctest.Bytes(func() { _ = s.Load(bytes.NewReader(data)) })
		if n > uint64(20*len(data)+1<<16) {
			t.Errorf("with another byte %d: %d bytes for %d", at, n, len(data))
		}
	})
}
