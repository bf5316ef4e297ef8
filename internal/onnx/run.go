package onnx

import (
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// run computes a step from the values.
func (s *step) run(m *memory, values []*tensor) (out []*tensor, err error) {
	in := s.inputs(values)
	err = attempt(func() {
		for k, t := range in {
			if t == nil && s.in[k] >= 0 {
				fail("it reads an output that is not supported")
			}
		}
		out = s.compute.forward(m, in)
	})
	if err != nil {
		name := s.name
		if name == "" {
			name = s.operator
		}
		return nil, fmt.Errorf("node %q (%s): %w", name, s.operator, err)
	}
	return out, nil
}

// inputs returns the tensors that a step reads.
func (s *step) inputs(values []*tensor) []*tensor {
	in := make([]*tensor, len(s.in))
	for k, id := range s.in {
		if id >= 0 {
			in[k] = values[id]
		}
	}
	return in
}

// setting is what all pieces of some rows have in common.
type setting struct {
	constants  []*tensor
	parameters [][]float32
	shared     *turnings
}

// setting returns that of values for the parameters.
func (m *Model) setting(parameters [][]float32) *setting {
	s := &setting{make([]*tensor, len(m.constants)), parameters, &turnings{known: make(map[*float32][]float32)}}
	for id, t := range m.constants {
		if t != nil {
			own := *t
			own.shared = s.shared
			s.constants[id] = &own
		}
	}
	return s
}

// execute computes all values for some rows. To learn, all are kept, and those that depend on parameters are marked;
// else only the output is.
func (m *Model) execute(memory *memory, fixed *setting, features []float32, rows int, learn bool) (
	values, leaves []*tensor, err error,
) {
	values = slices.Clone(fixed.constants)
	for k, id := range m.places {
		t := &tensor{shape: m.parameters[k].Shape, reals: fixed.parameters[k], shared: fixed.shared, active: learn}
		values[id], leaves = t, append(leaves, t)
	}
	values[m.input] = m.rows(features, rows)
	for k := range m.steps {
		s := &m.steps[k]
		out, err := s.run(memory, values)
		if err != nil {
			return nil, nil, err
		}
		for j, t := range out {
			if j < len(s.out) && s.out[j] >= 0 {
				values[s.out[j]] = t
			}
		}
		if !learn {
			for _, id := range s.free {
				values[id] = nil
			}
			continue
		}
		for _, t := range s.inputs(values) {
			if t != nil && t.active && s.compute.backward != nil && !out[0].isInt() {
				out[0].active = true
			}
		}
	}
	return values, leaves, nil
}

// rows makes a tensor of features.
func (m *Model) rows(features []float32, rows int) *tensor {
	t := &tensor{shape: append([]int{rows}, m.row...), reals: features}
	if m.whole {
		t.ints = make([]int64, len(features))
		for k, v := range features {
			t.ints[k] = int64(v)
		}
		t.reals = nil
	}
	return t
}

// part is a piece of the rows, filled up with copies of the last one where the file wants so many at once.
func (m *Model) part(features []float32, lo, hi int) (part []float32, rows int) {
	n := m.Features()
	part = features[lo*n : hi*n]
	if rows = hi - lo; m.batch > rows {
		part = append(make([]float32, 0, m.batch*n), part...)
		for ; rows < m.batch; rows++ {
			part = append(part, features[(hi-1)*n:hi*n]...)
		}
	}
	return part, rows
}

// work is the memory that a piece may take.
func (m *Model) work() *memory { return &memory{left: m.piece * maxWork} }

// Forward writes the outputs, a matrix [rows, Outputs], of features, [rows, Features], with values for the parameters.
func (m *Model) Forward(parameters [][]float32, features, outputs []float32, threads int) error {
	_, err := m.forward(parameters, features, outputs, threads, false)
	return err
}

// A Tape is all that was computed on the way to some outputs.
type Tape struct{ values, leaves [][]*tensor }

// tapeElements bounds the numbers of a tape.
const tapeElements = 1 << 24

// Record is Forward, and keeps what Backward would compute once more; nothing if that were too much.
func (m *Model) Record(parameters [][]float32, features, outputs []float32, threads int) (*Tape, error) {
	return m.forward(parameters, features, outputs, threads, len(outputs)/m.outputs <= tapeElements/m.perRow)
}

func (m *Model) forward(parameters [][]float32, features, outputs []float32, threads int, keep bool) (*Tape, error) {
	rows := len(outputs) / m.outputs
	pieces := (rows + m.piece - 1) / m.piece
	fixed := m.setting(parameters)
	tape, errs := &Tape{make([][]*tensor, pieces), make([][]*tensor, pieces)}, make([]error, pieces)
	parallel.For(threads, pieces, func(p int) {
		lo, hi := p*m.piece, min(rows, (p+1)*m.piece)
		part, n := m.part(features, lo, hi)
		if keep {
			part = slices.Clone(part) // which the caller may lay out anew
		}
		values, leaves, err := m.execute(m.work(), fixed, part, n, keep)
		if errs[p] = err; err != nil {
			return
		}
		errs[p] = m.copyOut(values[m.output], outputs[lo*m.outputs:hi*m.outputs], n)
		if keep {
			tape.values[p], tape.leaves[p] = values, leaves
		}
	})
	if !keep {
		tape = nil
	}
	return tape, first(errs)
}

// copyOut copies the outputs of a piece.
func (m *Model) copyOut(t *tensor, outputs []float32, rows int) error {
	if len(t.reals) != rows*m.outputs {
		return fmt.Errorf("its output has the shape %v for %d rows, and had %d numbers for one", t.shape, rows, m.outputs)
	}
	copy(outputs, t.reals)
	return nil
}

// first returns the first error there is.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Backward adds to gradients those by the parameters of the outputs times upstream, a matrix [rows, Outputs]. What a
// tape of the same rows and parameters has is taken from it, once; without one, which may be nil, it is computed again.
func (m *Model) Backward(tape *Tape, parameters [][]float32, features, upstream []float32,
	gradients [][]float32, threads int) error {
	rows := len(upstream) / m.outputs
	pieces := (rows + m.piece - 1) / m.piece
	fixed := m.setting(parameters)
	wave := max(1, threads) // as many pieces at once, whose gradients are then added in order
	errs, leaves := make([]error, wave), make([][]*tensor, wave)
	for from := 0; from < pieces; from += wave {
		n := min(wave, pieces-from)
		parallel.For(threads, n, func(k int) {
			lo, hi := (from+k)*m.piece, min(rows, (from+k+1)*m.piece)
			up := upstream[lo*m.outputs : hi*m.outputs]
			if tape == nil {
				part, n := m.part(features, lo, hi)
				var values []*tensor
				if values, leaves[k], errs[k] = m.execute(m.work(), fixed, part, n, true); errs[k] == nil {
					m.descend(values, up)
				}
				return
			}
			leaves[k] = tape.leaves[from+k]
			m.descend(tape.values[from+k], up)
			tape.values[from+k], tape.leaves[from+k] = nil, nil
		})
		if err := first(errs[:n]); err != nil {
			return err
		}
		for _, list := range leaves[:n] {
			for k, t := range list {
				for i, g := range t.gradient {
					gradients[k][i] += g
				}
			}
		}
	}
	return nil
}

// descend computes the gradients of a piece, whose values are not needed any more after it.
func (m *Model) descend(values []*tensor, upstream []float32) {
	out := values[m.output]
	if down := out.ascend(); down != nil {
		copy(down, upstream)
	}
	for k := len(m.steps) - 1; k >= 0; k-- {
		s := &m.steps[k]
		out := values[s.out[0]]
		if out == nil || out.gradient == nil || s.compute.backward == nil {
			continue
		}
		s.compute.backward(s.inputs(values), out)
		out.gradient, values[s.out[0]] = nil, nil
	}
}
