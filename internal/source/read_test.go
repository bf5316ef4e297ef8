package source

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// endless repeats a text for ever.
type endless struct{ text string }

func (e endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], e.text)
	}
	return n, nil
}

// ReadText must read any text as it is, and end with what never does.
func TestReadText(t *testing.T) {
	for _, text := range []string{"", "a\n", strings.Repeat("line\n", readSize), strings.Repeat("x", 3*readSize) + "\ny"} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text)),
			iotest.DataErrReader(strings.NewReader(text))} {
			if got, err := ReadText(r, 0, 4*readSize); got != text || err != nil {
				t.Errorf("%d bytes are read as %d, %v", len(text), len(got), err)
			}
		}
	}
	if _, err := ReadText(endless{"\x00"}, 0, 0); !errors.Is(err, ErrZeroByte) {
		t.Errorf("zero bytes without an end: %v", err)
	}
	if _, err := ReadText(iotest.OneByteReader(strings.NewReader("\xff\xfea\x00")), 0, 0); !errors.Is(err, errUTF16) {
		t.Errorf("a text in UTF-16: %v", err)
	}
	if _, err := ReadText(strings.NewReader("PK\x03\x04\x00"), 0, 0); !errors.Is(err, errZip) {
		t.Errorf("a zip archive: %v", err)
	}
	if _, err := ReadText(endless{"ab"}, 0, LongestLine); !errors.Is(err, errLongLine) {
		t.Errorf("a line without an end: %v", err)
	}
	if _, err := ReadText(iotest.ErrReader(io.ErrClosedPipe), 0, 0); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a broken pipe: %v", err)
	}
}

// FuzzReadText reads any bytes in pieces of any size: the text is theirs, or they have a zero byte.
func FuzzReadText(f *testing.F) {
	f.Add([]byte("a\tb\n"), 1)
	f.Add([]byte("a\x00b"), 2)
	f.Add([]byte("\uFEFFé"), 3)
	f.Fuzz(func(t *testing.T, content []byte, size int) {
		r := io.Reader(strings.NewReader(string(content)))
		if size%2 == 0 {
			r = iotest.OneByteReader(r)
		}
		text, err := ReadText(r, int64(max(0, size%100)), 0)
		if zero := strings.Contains(string(content), "\x00"); zero != (err != nil) || !zero && text != string(content) {
			t.Errorf("%q is read as %q, %v", content, text, err)
		}
	})
}
