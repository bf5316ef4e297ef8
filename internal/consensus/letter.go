package consensus

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/deeppsl/deeppsl/internal/solve"
)

// Sums are a block's parts of what all blocks add up, to the same decisions.
type Sums struct {
	// Bound is the block's dual bound, Objective what its ground rules cost at the point that was agreed, and Violation
	// the largest violation there.
	Bound, Objective, Violation float64
	// Apart is how far the block's values were from those agreed, in the last round, and Moved how far these had moved:
	// squares weighted by the scales.
	Apart, Moved float64
	// Status is that of the local solve.
	Status solve.Status
	// Work is the time of the local solve in seconds. Nothing depends on it.
	Work float64
}

// A round has two steps. In the first, a block says its sums to all, and its value of a shared variable to the other
// blocks that have it: 4 bytes each. Of a variable that more than mostDirect blocks have, it says it to one of them,
// the variable's hub, which says the sum to the others in the second step, 8 bytes each. So at most 12 bytes are said
// of a variable for each block that has it, however many have. Where no variable has a hub, there is no second step.
const (
	stepsPerRound = 2
	mostDirect    = 4
)

// hub returns the block that adds up a shared variable; -1 if each does so itself. Hubs of different variables differ.
func (b *Block) hub(k int) int {
	v := &b.shared[k]
	if len(v.blocks) <= mostDirect {
		return -1
	}
	return int(v.blocks[int(b.Variables[v.variable])%len(v.blocks)])
}

// gather returns the sums of all blocks, and of each shared variable that of the values which the blocks have told.
func (b *Block) gather(ctx context.Context, x Exchange) (sums []Sums, totals []int64, err error) {
	step := stepsPerRound * b.state.Round
	told, err := x.Gather(ctx, b.Number, step, b.values())
	if err == nil {
		sums, totals, err = b.add(told)
	}
	if err != nil || !b.hubs {
		return sums, totals, err
	}
	if told, err = x.Gather(ctx, b.Number, step+1, b.totals(totals)); err == nil {
		err = b.take(told, totals)
	}
	return sums, totals, err
}

// values are a block's letters of the first step.
func (b *Block) values() [][]byte {
	letters := make([][]byte, b.Blocks)
	for k := range letters {
		if k != b.Number {
			letters[k], _ = binary.Append(nil, binary.LittleEndian, &b.state.Own) // of fixed size
		}
	}
	for k, v := range b.shared {
		hub := b.hub(k)
		for _, other := range v.blocks {
			if int(other) != b.Number && (hub < 0 || hub == int(other)) {
				letters[other] = binary.LittleEndian.AppendUint32(letters[other], uint32(b.state.Told[k]))
			}
		}
	}
	return letters
}

// errLetter is the error of a letter that is not one of this problem.
var errLetter = errors.New("what it has told is of another length")

// add reads the letters of the first step, and adds up the variables that have no hub elsewhere.
func (b *Block) add(told [][]byte) (sums []Sums, totals []int64, err error) {
	if len(told) != b.Blocks {
		return nil, nil, fmt.Errorf("%d blocks have told something, and there are %d", len(told), b.Blocks)
	}
	sums, totals = make([]Sums, b.Blocks), make([]int64, len(b.shared))
	sums[b.Number] = b.state.Own
	for k, letter := range told {
		if k == b.Number {
			continue
		}
		n, err := binary.Decode(letter, binary.LittleEndian, &sums[k])
		if err != nil {
			return nil, nil, fmt.Errorf("block %d: %w", k+1, errLetter)
		}
		told[k] = letter[n:]
	}
	for k, v := range b.shared {
		totals[k] = int64(b.state.Told[k])
		if hub := b.hub(k); hub >= 0 && hub != b.Number {
			continue
		}
		for _, other := range v.blocks {
			if int(other) == b.Number {
				continue
			}
			if len(told[other]) < 4 {
				return nil, nil, fmt.Errorf("block %d: %w", other+1, errLetter)
			}
			totals[k] += int64(int32(binary.LittleEndian.Uint32(told[other])))
			told[other] = told[other][4:]
		}
	}
	return sums, totals, b.ended(told)
}

// totals are a block's letters of the second step.
func (b *Block) totals(totals []int64) [][]byte {
	letters := make([][]byte, b.Blocks)
	for k := range letters {
		letters[k] = []byte{}
	}
	for k, v := range b.shared {
		if b.hub(k) != b.Number {
			continue
		}
		for _, other := range v.blocks {
			if int(other) != b.Number {
				letters[other] = binary.LittleEndian.AppendUint64(letters[other], uint64(totals[k]))
			}
		}
	}
	return letters
}

// take reads the letters of the second step into the totals.
func (b *Block) take(told [][]byte, totals []int64) error {
	if len(told) != b.Blocks {
		return errLetter
	}
	for k := range b.shared {
		hub := b.hub(k)
		if hub < 0 || hub == b.Number {
			continue
		}
		if len(told[hub]) < 8 {
			return fmt.Errorf("block %d: %w", hub+1, errLetter)
		}
		totals[k] = int64(binary.LittleEndian.Uint64(told[hub]))
		told[hub] = told[hub][8:]
	}
	return b.ended(told)
}

// ended sees to it that letters have no more than was read.
func (b *Block) ended(told [][]byte) error {
	for k, rest := range told {
		if k != b.Number && len(rest) > 0 {
			return fmt.Errorf("block %d: %w", k+1, errLetter)
		}
	}
	return nil
}
