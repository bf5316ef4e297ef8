package mrf

import (
	"slices"
	"sync"

	"github.com/deeppsl/deeppsl/internal/scratch"
)

// Spill moves blocks' arenas to a file as they are made, and gives them back mapped when all are there.
type Spill struct {
	file *scratch.File

	guard sync.Mutex
	later []func() // what is to be done when the file is mapped
}

// NewSpill returns a Spill to an empty file.
func NewSpill(file *scratch.File) *Spill { return &Spill{file: file} }

// Broken tells whether the file could not be written: Restore will say why.
func (s *Spill) Broken() bool { return s.file.Broken() }

// Block writes a block's arenas, which are then nil until Restore. It is safe for concurrent use.
func (s *Spill) Block(b *Block) {
	b.Paged = s.file
	for _, column := range []*[]int32{&b.Vars, &b.Inputs, &b.VarStart, &b.InputStart} {
		put(s, column)
	}
	for _, column := range []*[]float32{&b.VarCoef.Single, &b.InputValue.Single, &b.Bias, &b.Scale} {
		put(s, column)
	}
	for _, column := range []*[]float64{&b.VarCoef.Double, &b.InputValue.Double, &b.Bias64} {
		put(s, column)
	}
}

// put writes an array, and lets go of it until the file is mapped.
func put[T scratch.Number](s *Spill, values *[]T) {
	if len(*values) == 0 {
		return
	}
	place := scratch.Append(s.file, *values)
	*values = nil
	s.guard.Lock()
	defer s.guard.Unlock()
	s.later = append(s.later, func() { *values = scratch.View[T](s.file, place) })
}

// Restore maps the file, and gives the blocks their arenas back. The error is the file's.
func (s *Spill) Restore(threads int) error {
	if err := s.file.Map(threads); err != nil {
		return err
	}
	for _, view := range s.later {
		view()
	}
	s.later = nil
	return nil
}

// Resident returns a copy of the model that is in memory.
func (m *Model) Resident() *Model {
	out := *m
	out.Blocks = nil
	for _, b := range m.Blocks {
		c := *b
		c.Paged = nil
		for _, column := range []*[]int32{&c.Vars, &c.Inputs, &c.VarStart, &c.InputStart} {
			*column = slices.Clone(*column)
		}
		for _, column := range []*[]float32{&c.VarCoef.Single, &c.InputValue.Single, &c.Bias, &c.Scale} {
			*column = slices.Clone(*column)
		}
		for _, column := range []*[]float64{&c.VarCoef.Double, &c.InputValue.Double, &c.Bias64} {
			*column = slices.Clone(*column)
		}
		out.Blocks = append(out.Blocks, &c)
	}
	return &out
}
