package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// LongestLine bounds the bytes of a line of a table: what has no ends of lines is no table, and may never end.
const LongestLine = 16 << 20

// ErrZeroByte is the error of what cannot be a text.
var ErrZeroByte = errors.New("it has a zero byte, so that it is no text in UTF-8")

var errUTF16 = errors.New("it is in UTF-16: save it in UTF-8")

var errZip = errors.New("it is a zip archive, as sheets of .xlsx and .ods are: save it as .csv")

var errCarriage = errors.New("its lines end in carriage returns alone: save it with line feeds")

var errLongLine = fmt.Errorf("it has a line of more than %d MiB", LongestLine>>20)

// readSize is how many bytes ReadText reads at once, and how often it looks at what it has read.
const readSize = 1 << 16

// ReadText reads a text to its end. A zero byte ends it with ErrZeroByte, and so does a line of more than longest bytes
// with an error, as soon as it is read: a device, or an archive of nothing, has no end. 0 means that a line may have
// any length, and end as it likes. Size is a guess at the text's, or 0.
func ReadText(r io.Reader, size int64, longest int) (string, error) {
	var text pieces
	text.last.Grow(int(size))
	piece, line := make([]byte, readSize), 0
	for {
		n, err := r.Read(piece)
		text.write(piece[:n])
		if bytes.IndexByte(piece[:n], 0) >= 0 {
			return "", zeroByte(text.join())
		}
		if at := bytes.LastIndexByte(piece[:n], '\n'); at >= 0 {
			line = n - at - 1
		} else {
			line += n
		}
		switch {
		case longest > 0 && line > longest:
			return "", errLongLine
		case errors.Is(err, io.EOF):
			return lines(text.join(), longest)
		case err != nil:
			return "", err
		}
	}
}

// lines returns a text, unless it should have lines and they end as on old Macintoshes.
func lines(text string, longest int) (string, error) {
	if longest > 0 && !strings.Contains(text, "\n") && strings.Contains(strings.TrimRight(text, "\r"), "\r") {
		return "", errCarriage
	}
	return text, nil
}

// zeroByte says why a text has a zero byte: it may begin as those in UTF-16 do, which spreadsheets write, or be one.
func zeroByte(text string) error {
	switch {
	case strings.HasPrefix(text, "\xff\xfe"), strings.HasPrefix(text, "\xfe\xff"):
		return errUTF16
	case strings.HasPrefix(text, "PK\x03\x04"):
		return errZip
	}
	return ErrZeroByte
}

// pieces is a text of unknown size: it never takes more than twice its size.
type pieces struct {
	full []string
	last strings.Builder
}

// largest bounds the pieces.
const largest = 8 << 20

// write appends to the text.
func (p *pieces) write(text []byte) {
	if room := p.last.Cap() - p.last.Len(); room < len(text) {
		p.last.Write(text[:room])
		text = text[room:]
		next := min(largest, max(readSize, 2*p.last.Cap()))
		if p.last.Len() > 0 {
			p.full = append(p.full, p.last.String())
		}
		p.last = strings.Builder{}
		p.last.Grow(next)
	}
	p.last.Write(text)
}

// join returns the text.
func (p *pieces) join() string { return strings.Join(append(p.full, p.last.String()), "") }
