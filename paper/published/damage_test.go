package published

import (
	"strings"
	"testing"

	"github.com/nlpodyssey/gopickle/types"

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

// TestPeakOfPickles repeats what leaves the most in memory for its size: what would be more than 20 times is refused.
func TestPeakOfPickles(t *testing.T) {
	const size = 1 << 18
	for _, part := range []string{
		"N", "2", "K\x07", "M\x01\x02", ")", "]", "}", "(", "(t", "(l", "(d", "K\x07\x85", "K\x07K\x07\x86",
		"]q\x01", "U\x00",
		"](K\x01K\x02e", "}K\x01Ns", "]r\x01\x02\x03\x04", "G\x01\x02\x03\x04\x05\x06\x07\x08", "U\x10abcdefghijklmnop",
		"M\x01\x02]r\x01\x02\x03\x04(M\x01\x02M\x01\x02M\x01\x02e",
	} {
		text := "\x80\x02N(" + strings.Repeat(part, size/len(part)) + "."
		var err error
		peak := alloctest.Peak(func() { _, err = unpickle(strings.NewReader(text)) })
		if peak > uint64(20*len(text)+4<<20) {
			t.Errorf("%q: %d bytes for %d", part, peak, len(text))
		}
		t.Logf("%q: %.1f times, %v", part, float64(peak)/float64(len(text)), err)
	}
}

// TestSharedArrays refuses arrays that name the same bytes.
func TestSharedArrays(t *testing.T) {
	array := tinyVector("K\x08\x85", "u1", "12345678")
	shared := strings.Replace(array, "U\x0812345678", "U\x0812345678q\x01", 1)
	text := "\x80\x02(" + shared + strings.Repeat(strings.Replace(array, "U\x0812345678", "h\x01", 1), 3) + "t."
	if _, err := unpickle(strings.NewReader(text)); err != nil {
		t.Error("arrays that are smaller than their pickle:", err)
	}
	c := &classes{left: 12}
	for k := range 2 {
		made, err := c.find("numpy.core.multiarray", "_reconstruct")
		if err != nil {
			t.Fatal(err)
		}
		state := types.NewTupleFromSlice([]any{3, types.NewTupleFromSlice([]any{8}), &dtype{code: "u1"}, false, "12345678"})
		if err := made.(maker)(nil).(interface{ PySetState(any) error }).PySetState(state); (err != nil) != (k == 1) {
			t.Errorf("array %d: %v", k, err)
		}
	}
}
