package idx

import (
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/alloctest"
)

func TestRead(t *testing.T) {
	good := "\x00\x00\x08\x02\x00\x00\x00\x02\x00\x00\x00\x03abcdef"
	x, err := Read(strings.NewReader(good))
	if err != nil || !slices.Equal(x.Shape, []int{2, 3}) || string(x.Data) != "abcdef" {
		t.Errorf("%v, %v", x, err)
	}
	for _, test := range []struct{ data, want string }{
		{"", "no header"},
		{"\x00\x00\x0d\x01\x00\x00\x00\x01abcd", "not the header"},
		{good[:10], "cut short"},
		{good[:15], "the file holds 3"},
		{good + "x", "the file holds more"},
		{"\x00\x00\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff", "asks for more than"},
	} {
		if _, err := Read(strings.NewReader(test.data)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.data, err, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("\x00\x00\x08\x02\x00\x00\x00\x02\x00\x00\x00\x03abcdef"))
	f.Add([]byte("\x00\x00\x08\x03\xff\xff\xff\xff\x00\x00\x00\x03"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := Read(strings.NewReader(string(data)))
		if err != nil {
			return
		}
		size := 1
		for _, n := range x.Shape {
			size *= n
		}
		if size != len(x.Data) {
			t.Fatalf("shape %v of %d bytes", x.Shape, len(x.Data))
		}
	})
}

// TestDamage changes each byte of a small file: no length in it is believed before the bytes are there.
func TestDamage(t *testing.T) {
	data := []byte("\x00\x00\x08\x02\x00\x00\x00\x02\x00\x00\x00\x03abcdef")
	alloctest.Damage(data, func(at int) {
		read := func() { _, _ = Read(strings.NewReader(string(data))) }
		if n := alloctest.Bytes(read); n > uint64(20*len(data)+1<<16) {
			t.Errorf("with another byte %d: %d bytes for %d", at, n, len(data))
		}
	})
}

func TestWriteIsReadsInverse(t *testing.T) {
	want := &Array{Shape: []int{2, 1, 3}, Data: []byte("abcdef")}
	var b strings.Builder
	if err := want.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Read(strings.NewReader(b.String()))
	if err != nil || !slices.Equal(got.Shape, want.Shape) || string(got.Data) != "abcdef" {
		t.Errorf("%v, %v", got, err)
	}
}
