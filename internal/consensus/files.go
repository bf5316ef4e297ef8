package consensus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/deeppsl/deeppsl/internal/report"
)

// files is an exchange through a folder that all blocks see: a file for each block and round.
type files struct {
	dir    string
	blocks int
}

// NewFiles returns an exchange through a folder, which is made if it is not there. A block's file of a round goes when
// that block has all of the next round: then all have read it.
func NewFiles(dir string, blocks int) (Exchange, error) {
	return &files{dir, blocks}, os.MkdirAll(dir, 0o777)
}

// How often the files of others are looked for: at first soon, and then ever less often.
const soon, seldom = 2 * time.Millisecond, 500 * time.Millisecond

func (x *files) path(round, block int) string {
	return filepath.Join(x.dir, fmt.Sprintf("round-%06d-block-%02d", round, block+1))
}

// Gather implements Exchange.
func (x *files) Gather(ctx context.Context, block int, m *Message) ([]Sums, [][]int32, error) {
	if err := write(x.path(m.Round, block), m); err != nil {
		return nil, nil, err
	}
	sums, values := make([]Sums, x.blocks), make([][]int32, x.blocks)
	for k := range sums {
		other := m
		if k != block {
			other = new(Message)
			if err := await(ctx, x.path(m.Round, k), other); err != nil {
				return nil, nil, err
			}
		}
		if len(other.Values) != x.blocks || other.Round != m.Round {
			return nil, nil, fmt.Errorf("%s is of other rounds or blocks", x.path(m.Round, k))
		}
		sums[k], values[k] = other.Sums, other.Values[block]
	}
	err := os.Remove(x.path(m.Round-1, block))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return sums, values, err
}

// await reads a value from a file, when it is there. Files come by renaming, and so are whole.
func await(ctx context.Context, path string, value any) error {
	for pause := soon; ; pause = min(2*pause, seldom) {
		err := read(path, value)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// write writes a value with its checksum, beside and renamed.
func write(path string, value any) error {
	return report.WriteFileFunc(path, func(w io.Writer) error {
		sum := sha256.New()
		if err := gob.NewEncoder(io.MultiWriter(w, sum)).Encode(value); err != nil {
			return err
		}
		_, err := w.Write(sum.Sum(nil))
		return err
	})
}

// read reads what write wrote.
func read(path string, value any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	end := len(text) - sha256.Size
	if end < 0 {
		return fmt.Errorf("%s is damaged", path)
	}
	if sum := sha256.Sum256(text[:end]); !bytes.Equal(sum[:], text[end:]) {
		return fmt.Errorf("%s is damaged", path)
	}
	return gob.NewDecoder(bytes.NewReader(text[:end])).Decode(value)
}

// Keep writes the block's state, and Resume goes on from it: false if there is none.
func (b *Block) Keep(path string) error { return write(path, &b.state) }

// Resume is the opposite of Keep.
func (b *Block) Resume(path string) (resumed bool, err error) {
	var s state
	switch err := read(path, &s); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	if len(s.Y) != len(b.Variables) || len(s.Lambda) != len(b.shared) {
		return false, fmt.Errorf("%s is the state of another block", path)
	}
	b.state = s
	return true, nil
}

// Began tells whether a file has the state of a block that has told something already.
func Began(path string) bool {
	var s state
	return read(path, &s) == nil && s.Round > 1
}
