package mrf

// RowBuffer is memory for a row. The zero value is ready.
type RowBuffer struct {
	coef []float64
	one  [1]int32
}

// Ids is Variables without allocating: what the block does not have as a slice is written to the buffer.
func (b *Block) Ids(j int, buffer *RowBuffer) []int32 {
	if b.isRun() {
		buffer.one[0] = b.First + int32(j)
		return buffer.one[:]
	}
	return b.Variables(j)
}

// Row returns the variables of potential j and their coefficients. What the block does not have as slices is written to
// the buffer; neither slice may be changed.
func (b *Block) Row(j int, buffer *RowBuffer) ([]int32, []float64) {
	switch {
	case b.isRun():
		return b.Ids(j, buffer), b.Coef
	case b.VarStart == nil:
		k := len(b.Coef)
		return b.Vars[j*k : (j+1)*k], b.Coef
	}
	lo, hi := b.VarStart[j], b.VarStart[j+1]
	if b.VarCoef.Double != nil {
		return b.Vars[lo:hi], b.VarCoef.Double[lo:hi]
	}
	coef := buffer.coef[:0]
	for _, a := range b.VarCoef.Single[lo:hi] {
		coef = append(coef, float64(a))
	}
	buffer.coef = coef
	return b.Vars[lo:hi], coef
}

// Own returns what is added to the constant for potential j.
func (b *Block) Own(j int) float64 {
	switch {
	case b.Bias != nil:
		return float64(b.Bias[j])
	case b.Bias64 != nil:
		return b.Bias64[j]
	}
	return 0
}

// Factor returns s_j, by which the weight of potential j is multiplied.
func (b *Block) Factor(j int) float64 {
	if b.Scale == nil {
		return 1
	}
	return float64(b.Scale[j])
}

// Slacks writes the slacks of potentials [lo,hi), at y with inputs x, into d, which has their number.
func (b *Block) Slacks(lo, hi int, y, x, d []float64) {
	t, vars, inputs := term{Block: b}, b.variableRows(), b.inputRows()
	t.unfolded(lo, hi, d)
	if !inputs.empty() {
		inputs.addProduct(lo, hi, x, d)
	}
	vars.addProduct(lo, hi, y, d)
}

// Varies tells whether potentials have constants of their own.
func (b *Block) Varies() bool { return b.Bias != nil || b.Bias64 != nil }

// narrow keeps the constants in single precision if that does not round them.
func (b *Block) narrow() {
	for _, v := range b.Bias64 {
		if float64(float32(v)) != v {
			return
		}
	}
	if b.Bias64 == nil {
		return
	}
	b.Bias = make([]float32, len(b.Bias64))
	for j, v := range b.Bias64 {
		b.Bias[j] = float32(v)
	}
	b.Bias64 = nil
}

// InputRow returns the ids of potential j's inputs.
func (b *Block) InputRow(j int) []int32 {
	r := b.inputRows()
	return r.row(j)
}

// InputCoefficient returns the coefficient of the k-th input of potential j.
func (b *Block) InputCoefficient(j, k int) float64 {
	r := b.inputRows()
	return r.coefficient(j, k)
}
