package mrf

// Constants writes c_j, the slacks at y = 0 with the inputs in them, of the potentials [lo,hi) of a block into d, which
// has their number.
func (f *Field) Constants(block, lo, hi int, d []float64) { f.terms[block].constants(lo, hi, d) }

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
	coef := buffer.coef[:0]
	for _, a := range b.VarCoef[lo:hi] {
		coef = append(coef, float64(a))
	}
	buffer.coef = coef
	return b.Vars[lo:hi], coef
}
