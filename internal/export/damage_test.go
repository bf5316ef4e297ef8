package export

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/deeppsl/deeppsl/internal/alloctest"
)

// TestReadLies reads dumps, with the right checksum, of more than is in them.
func TestReadLies(t *testing.T) {
	const many = 2_000_000_000
	for want, d := range map[string]dump{
		"but potentials have 0 at most": {Variables: many},
		"2000000000 potentials": {Variables: 1, Rules: []string{"a"}, Weights: []float64{1},
			Blocks: []block{{Kind: "hinge", Exponent: 1, Potentials: many, Constant: 1}}},
	} {
		d.Format, d.Version = dumpFormat, dumpVersion
		var err error
		if d.Checksum, err = d.sum(); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := json.MarshalWrite(&b, &d); err != nil {
			t.Fatal(err)
		}
		n := alloctest.Bytes(func() { _, _, err = Read(&b) })
		if err == nil || !strings.Contains(err.Error(), want) || n > 1<<20 {
			t.Errorf("%d bytes for %s, error %v", n, want, err)
		}
	}
}
