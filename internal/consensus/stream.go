package consensus

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
)

// stream is an exchange through whoever has started this process.
type stream struct {
	in     *bufio.Reader
	out    io.Writer
	blocks int
}

// NewStream returns an exchange that writes letters to out and reads those of others from in, for a process that
// carries them. Both are a line of JSON, {"step": 4, "letters": [0, 80, 96]}, and the letters behind it, which have
// these lengths.
func NewStream(in io.Reader, out io.Writer, blocks int) Exchange {
	return &stream{bufio.NewReader(in), out, blocks}
}

// heading is the line before letters.
type heading struct {
	Step    int   `json:"step"`
	Letters []int `json:"letters"`
}

// mostLine bounds a heading, mostLetter a letter: what claims to be longer is none.
const mostLine, mostLetter = 1 << 12, 1 << 34

// Gather implements Exchange. It does not end with the context, but with the stream.
func (x *stream) Gather(_ context.Context, _, step int, letters [][]byte) ([][]byte, error) {
	head := heading{Step: step}
	for _, letter := range letters {
		head.Letters = append(head.Letters, len(letter))
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	message := append(text, '\n')
	for _, letter := range letters {
		message = append(message, letter...)
	}
	if _, err := x.out.Write(message); err != nil {
		return nil, err
	}
	told, err := x.read(step)
	if err != nil {
		return nil, fmt.Errorf("the letters of step %d from standard input: %w", step, err)
	}
	return told, nil
}

// read reads the letters of a step.
func (x *stream) read(step int) ([][]byte, error) {
	line, err := x.line()
	if err != nil {
		return nil, err
	}
	var head heading
	if err := json.Unmarshal(line, &head, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	if head.Step != step || len(head.Letters) != x.blocks {
		return nil, fmt.Errorf("they are %d of step %d, and should be %d", len(head.Letters), head.Step, x.blocks)
	}
	told := make([][]byte, x.blocks)
	for k, length := range head.Letters {
		if length < 0 || length > mostLetter {
			return nil, fmt.Errorf("%d is no length of a letter", length)
		}
		if told[k], err = io.ReadAll(io.LimitReader(x.in, int64(length))); err != nil {
			return nil, err
		}
		if len(told[k]) < length {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return told, nil
}

// line reads one.
func (x *stream) line() (line []byte, err error) {
	for len(line) < mostLine {
		c, err := x.in.ReadByte()
		switch {
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case c == '\n':
			return line, nil
		}
		line = append(line, c)
	}
	return nil, errors.New("a line is too long")
}
