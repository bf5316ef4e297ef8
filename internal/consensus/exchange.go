package consensus

import "context"

// Exchange carries letters between blocks, step by step. Gather hands over what a block has to say to each block, waits
// for what all others say in that step, and returns what each of them says to this one; a block's own place is nil in
// both. A block that asks again for a step that it has had gets the same.
type Exchange interface {
	Gather(ctx context.Context, block, step int, letters [][]byte) (told [][]byte, err error)
}
