package mrf

// Constants writes c_j, the slacks at y = 0 with the inputs in them, of the potentials [lo,hi) of a block into d, which
// has their number.
func (f *Field) Constants(block, lo, hi int, d []float64) { f.terms[block].constants(lo, hi, d) }

// Row returns the variables of potential j and their coefficients. The coefficients of a ragged block are written to
// scratch, which is grown if need be; neither slice may be changed.
func (b *Block) Row(j int, scratch *[]float64) ([]int32, []float64) {
	if b.VarStart == nil {
		k := len(b.Coef)
		return b.Vars[j*k : (j+1)*k], b.Coef
	}
	lo, hi := b.VarStart[j], b.VarStart[j+1]
	coef := (*scratch)[:0]
	for _, a := range b.VarCoef[lo:hi] {
		coef = append(coef, float64(a))
	}
	*scratch = coef
	return b.Vars[lo:hi], coef
}
