package partition

import "github.com/deeppsl/deeppsl/internal/mrf"

// Part is a batch of components as a problem of its own.
type Part struct {
	Model *mrf.Model
	// Variables and Potentials are the numbers that the part's variables and potentials have in the whole.
	Variables, Potentials []int32

	inputs []int32
}

// Split makes a problem of each batch of components. Potentials without variables are in the first one.
func Split(m *mrf.Model, c *Components, batchOf []int32, batches int) []*Part {
	s := newSplitter(m, c, batchOf, batches)
	first := 0
	for _, b := range m.Blocks {
		s.deal(b, first)
		first += b.Len
	}
	s.numberInputs(m.Inputs)
	return s.parts
}

// Condition makes the part's field, with the weights and inputs of the whole.
func (p *Part) Condition(whole *mrf.Field) *mrf.Field {
	field := mrf.NewField(p.Model)
	field.SetWeights(whole.Weights())
	x := make([]float64, len(p.inputs))
	for k, i := range p.inputs {
		x[k] = whole.Inputs()[i]
	}
	field.SetInputs(x)
	field.Within(whole)
	return field
}

// splitter deals out the potentials.
type splitter struct {
	parts []*Part
	batch []int32 // of each variable
	row   mrf.RowBuffer
	local []int32 // number of each variable in its part
}

func newSplitter(m *mrf.Model, c *Components, batchOf []int32, batches int) *splitter {
	s := &splitter{parts: make([]*Part, batches), batch: make([]int32, m.Variables), local: make([]int32, m.Variables)}
	for k := range s.parts {
		s.parts[k] = &Part{Model: &mrf.Model{Rules: m.Rules}}
	}
	for i, component := range c.Of {
		if component == None {
			continue
		}
		k := batchOf[component]
		p := s.parts[k]
		s.batch[i], s.local[i] = k, int32(len(p.Variables))
		p.Variables = append(p.Variables, int32(i))
	}
	for _, p := range s.parts {
		p.Model.Variables = len(p.Variables)
	}
	return s
}

// deal gives each batch its potentials of a block, the first of which has the number first.
func (s *splitter) deal(b *mrf.Block, first int) {
	count := make([]int, len(s.parts))
	for j := range b.Len {
		count[s.of(b, j)]++
	}
	shares := make([]*mrf.Block, len(s.parts))
	for k, n := range count {
		if n > 0 {
			shares[k] = share(b, n)
			m := s.parts[k].Model
			m.Blocks = append(m.Blocks, shares[k])
		}
	}
	for j := range b.Len {
		k := s.of(b, j)
		p := s.parts[k]
		p.Potentials = append(p.Potentials, int32(first+j))
		s.move(shares[k], b, j)
	}
}

// of returns the batch of potential j.
func (s *splitter) of(b *mrf.Block, j int) int32 {
	if vars := b.Ids(j, &s.row); len(vars) > 0 {
		return s.batch[vars[0]]
	}
	return 0
}

// share makes a block for n of the block's potentials.
func share(b *mrf.Block, n int) *mrf.Block {
	part := &mrf.Block{Rule: b.Rule, Kind: b.Kind, Exponent: b.Exponent, Coef: b.Coef, InputCoef: b.InputCoef,
		Constant: b.Constant}
	part.Vars = make([]int32, 0, n*len(b.Coef))
	part.Inputs = make([]int32, 0, n*len(b.InputCoef))
	if b.VarStart != nil {
		part.VarStart, part.InputStart = append(make([]int32, 0, n+1), 0), append(make([]int32, 0, n+1), 0)
	}
	if b.Bias != nil {
		part.Bias = make([]float32, 0, n)
	}
	if b.Bias64 != nil {
		part.Bias64 = make([]float64, 0, n)
	}
	if b.Scale != nil {
		part.Scale = make([]float32, 0, n)
	}
	return part
}

// move appends potential j of a block to a share of it. Inputs keep their numbers for now.
func (s *splitter) move(to, b *mrf.Block, j int) {
	for _, i := range b.Ids(j, &s.row) {
		to.Vars = append(to.Vars, s.local[i])
	}
	s.moveRest(to, b, j)
}

// moveRest is move without the variables.
func (s *splitter) moveRest(to, b *mrf.Block, j int) {
	if b.VarStart == nil {
		k := len(b.InputCoef)
		to.Inputs = append(to.Inputs, b.Inputs[j*k:(j+1)*k]...)
	} else {
		to.VarCoef.AppendRange(&b.VarCoef, b.VarStart[j], b.VarStart[j+1])
		to.Inputs = append(to.Inputs, b.Inputs[b.InputStart[j]:b.InputStart[j+1]]...)
		to.InputValue.AppendRange(&b.InputValue, b.InputStart[j], b.InputStart[j+1])
		to.VarStart = append(to.VarStart, int32(len(to.Vars)))
		to.InputStart = append(to.InputStart, int32(len(to.Inputs)))
	}
	if b.Bias != nil {
		to.Bias = append(to.Bias, b.Bias[j])
	}
	if b.Bias64 != nil {
		to.Bias64 = append(to.Bias64, b.Bias64[j])
	}
	if b.Scale != nil {
		to.Scale = append(to.Scale, b.Scale[j])
	}
	to.Len++
}

// numberInputs numbers the inputs of each part anew, in the order in which they occur.
func (s *splitter) numberInputs(inputs int) {
	local := make([]int32, inputs)
	for _, p := range s.parts {
		for _, b := range p.Model.Blocks {
			for at, i := range b.Inputs {
				n := local[i]
				if int(n) >= len(p.inputs) || p.inputs[n] != i {
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
