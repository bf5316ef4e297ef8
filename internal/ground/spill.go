package ground

import (
	"sync"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/scratch"
)

// spill writes the arenas of blocks to a file as soon as they are made, and gives them back mapped when all are there.
type spill struct {
	file *scratch.File

	guard sync.Mutex
	later []func() // what is to be done when the file is mapped
}

// smallPart is the size in bytes below which the batches of a piece are not worth a block of their own: they wait in
// memory, and are joined.
const smallPart = 1 << 14

// large tells whether the batches of a piece are to be written at once.
func large(part []*batch) bool {
	total := int64(0)
	for _, b := range part {
		total += size(b.vars) + size(b.inputs) + size(b.bias) + size(b.scale) + size(b.varEnd) + size(b.inputEnd) +
			size(b.varCoef) + size(b.inputValue)
	}
	return total >= smallPart
}

// keep returns the bytes of the blocks' arenas, and writes them to the file if there is one.
func (g *grounder) keep(blocks []*mrf.Block) (total int64) {
	for _, b := range blocks {
		total += bytes(b)
		if g.spill != nil {
			g.spill.block(b)
		}
	}
	if g.spill != nil && g.spill.file.Broken() {
		g.stop.Store(true)
	}
	return total
}

// block writes a block's arenas.
func (s *spill) block(b *mrf.Block) {
	b.Paged = s.file
	for _, column := range []*[]int32{&b.Vars, &b.Inputs, &b.VarStart, &b.InputStart} {
		put(s, column)
	}
	for _, column := range []*[]float32{&b.VarCoef, &b.InputValue, &b.Bias, &b.Scale} {
		put(s, column)
	}
}

// put writes an array, and lets go of it until the file is mapped.
func put[T scratch.Number](s *spill, values *[]T) {
	if len(*values) == 0 {
		return
	}
	place := scratch.Append(s.file, *values)
	*values = nil
	s.guard.Lock()
	defer s.guard.Unlock()
	s.later = append(s.later, func() { *values = scratch.View[T](s.file, place) })
}

// restore maps the file, and gives the blocks their arenas back.
func (s *spill) restore(threads int) error {
	if s == nil {
		return nil
	}
	if err := s.file.Map(threads); err != nil {
		return err
	}
	for _, view := range s.later {
		view()
	}
	s.later = nil
	return nil
}
