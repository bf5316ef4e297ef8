package consensus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/deeppsl/deeppsl/internal/pack"
	"github.com/deeppsl/deeppsl/internal/place"
)

// files is an exchange through a place that all blocks see: a file for each block and step.
type files struct {
	at     place.Files
	dir    string
	blocks int
}

// NewFiles returns an exchange through a folder of a place. A block's file of a step goes two steps later: then all
// have read it, and have kept a state that needs it no more.
func NewFiles(at place.Files, dir string, blocks int) Exchange { return &files{at, dir, blocks} }

// How often the files of others are looked for: at first soon, and then ever less often.
const soon, seldom = 2 * time.Millisecond, 500 * time.Millisecond

func (x *files) name(step, block int) string {
	return path.Join(x.dir, fmt.Sprintf("step-%06d-block-%02d", step, block+1))
}

// Gather implements Exchange.
func (x *files) Gather(ctx context.Context, block, step int, letters [][]byte) ([][]byte, error) {
	err := x.at.Write(ctx, x.name(step, block), func(w io.Writer) error { return pack.Write(w, letters) })
	if err != nil {
		return nil, err
	}
	told := make([][]byte, x.blocks)
	for k := range told {
		if k == block {
			continue
		}
		all, err := x.await(ctx, x.name(step, k))
		if err != nil {
			return nil, err
		}
		if len(all) != x.blocks {
			return nil, fmt.Errorf("%s is of other blocks", x.at.Address(x.name(step, k)))
		}
		told[k] = all[block]
	}
	if step < stepsPerRound {
		return told, nil
	}
	return told, x.at.Remove(ctx, x.name(step-stepsPerRound, block))
}

// await reads all letters of a block, when they are there.
func (x *files) await(ctx context.Context, name string) (letters [][]byte, _ error) {
	for pause := soon; ; pause = min(2*pause, seldom) {
		text, err := place.Read(ctx, x.at, name)
		if err == nil {
			if err = pack.Read(bytes.NewReader(text), &letters); err != nil {
				err = fmt.Errorf("%s %w", x.at.Address(name), err)
			}
			return letters, err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// Keep writes the block's state.
func (b *Block) Keep(w io.Writer) error { return pack.Write(w, &b.state) }

// Resume goes on from a state that Keep wrote.
func (b *Block) Resume(text []byte) error {
	var s state
	if err := pack.Read(bytes.NewReader(text), &s); err != nil {
		return err
	}
	if len(s.Y) != len(b.Variables) || len(s.Lambda) != len(b.shared) || len(s.Told) != len(b.shared) {
		return errors.New("it is the state of another block")
	}
	b.state = s
	return nil
}

// Began tells whether a state is that of a block that has gone beyond what one without a state could still be told.
func Began(text []byte) bool {
	var s state
	return pack.Read(bytes.NewReader(text), &s) == nil && s.Round > 1
}
