package partition

import "github.com/deeppsl/deeppsl/internal/mrf"

// Extract makes a problem of some variables and of all potentials that they are in, by their numbers, both ascending:
// of one component, without going through the others.
func Extract(m *mrf.Model, variables, potentials []int32) *Part {
	p := &Part{Model: &mrf.Model{Rules: m.Rules, Variables: len(variables)}, Variables: variables, Potentials: potentials}
	local := make(map[int32]int32, len(variables))
	for k, i := range variables {
		local[i] = int32(k)
	}
	s := &splitter{parts: []*Part{p}}
	first := 0
	for _, b := range m.Blocks {
		n := 0
		for n < len(potentials) && int(potentials[n]) < first+b.Len {
			n++
		}
		if n > 0 {
			part := share(b, n)
			for _, place := range potentials[:n] {
				s.copy(part, b, int(place)-first, local)
			}
			p.Model.Blocks = append(p.Model.Blocks, part)
		}
		potentials, first = potentials[n:], first+b.Len
	}
	s.numberFew()
	return p
}

// copy is move by a map of numbers.
func (s *splitter) copy(to, b *mrf.Block, j int, local map[int32]int32) {
	for _, i := range b.Ids(j, &s.row) {
		to.Vars = append(to.Vars, local[i])
	}
	s.moveRest(to, b, j)
}

// numberFew is numberInputs for a part of few inputs among many.
func (s *splitter) numberFew() {
	for _, p := range s.parts {
		local := make(map[int32]int32)
		for _, b := range p.Model.Blocks {
			for at, i := range b.Inputs {
				n, known := local[i]
				if !known {
					n = int32(len(p.inputs))
					local[i] = n
					p.inputs = append(p.inputs, i)
				}
				b.Inputs[at] = n
			}
		}
		p.Model.Inputs = len(p.inputs)
	}
}
