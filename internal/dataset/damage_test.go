package dataset

import (
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/alloctest"
)

// TestDamage changes each byte of small files: no length in them is believed before the bytes are there.
func TestDamage(t *testing.T) {
	pickled := func(text string) { _, _ = unpickle(strings.NewReader(text)) }
	for name, c := range map[string]struct {
		text string
		read func(string)
	}{
		"matrix": {tinyMatrix(), pickled}, "labels": {tinyLabels(), pickled}, "graph": {tinyGraph, pickled},
	} {
		data := []byte(c.text)
		alloctest.Damage(data, func(at int) {
			if n := alloctest.Bytes(func() { c.read(string(data)) }); n > uint64(20*len(data)+1<<16) {
				t.Errorf("%s with another byte %d: %d bytes for %d", name, at, n, len(data))
			}
		})
	}
}
