package mrf

// rows is one side of a block, its variables or its perceived inputs: a sparse matrix with a row per potential. Both
// layouts of a Block are behind it, so that the loops over arities are written once.
type rows struct {
	coef  []float64 // the shared pattern, if uniform
	start []int32   // compressed rows, if ragged
	value []float32 // coefficients of index, if ragged
	index []int32
}

// variableRows returns the side of the variables y.
func (b *Block) variableRows() rows {
	return rows{coef: b.Coef, start: b.VarStart, value: b.VarCoef, index: b.Vars}
}

// inputRows returns the side of the inputs x.
func (b *Block) inputRows() rows {
	return rows{coef: b.InputCoef, start: b.InputStart, value: b.InputValue, index: b.Inputs}
}

func (r *rows) empty() bool { return len(r.index) == 0 }

// entries returns how many coefficients the rows [lo,hi) have.
func (r *rows) entries(lo, hi int) int {
	if r.start != nil {
		return int(r.start[hi] - r.start[lo])
	}
	return (hi - lo) * len(r.coef)
}

// row returns row j's columns, and the coefficient of the k-th of them as coefficient(j, k).
func (r *rows) row(j int) []int32 {
	if r.start != nil {
		return r.index[r.start[j]:r.start[j+1]]
	}
	k := len(r.coef)
	return r.index[j*k : (j+1)*k]
}

func (r *rows) coefficient(j, k int) float64 {
	if r.start != nil {
		return float64(r.value[int(r.start[j])+k])
	}
	return r.coef[k]
}

// addProduct adds row_j·v to d[j-lo] for the rows [lo,hi).
func (r *rows) addProduct(lo, hi int, v, d []float64) {
	if r.start != nil {
		r.addRaggedProduct(lo, hi, v, d)
		return
	}
	k := len(r.coef)
	index := r.index[lo*k : hi*k]
	d = d[:hi-lo]
	switch k {
	case 0:
	case 1:
		a := r.coef[0]
		for j, i := range index {
			d[j] += a * v[i]
		}
	case 2:
		a0, a1 := r.coef[0], r.coef[1]
		for j := range d {
			p := index[2*j : 2*j+2 : 2*j+2]
			d[j] += a0*v[p[0]] + a1*v[p[1]]
		}
	case 3:
		a0, a1, a2 := r.coef[0], r.coef[1], r.coef[2]
		for j := range d {
			p := index[3*j : 3*j+3 : 3*j+3]
			d[j] += a0*v[p[0]] + a1*v[p[1]] + a2*v[p[2]]
		}
	default:
		for j := range d {
			sum := 0.0
			for k, i := range index[j*k : (j+1)*k] {
				sum += r.coef[k] * v[i]
			}
			d[j] += sum
		}
	}
}

func (r *rows) addRaggedProduct(lo, hi int, v, d []float64) {
	for j := lo; j < hi; j++ {
		first, last := r.start[j], r.start[j+1]
		value := r.value[first:last]
		sum := 0.0
		for k, i := range r.index[first:last] {
			sum += float64(value[k]) * v[i]
		}
		d[j-lo] += sum
	}
}

// addTranspose adds mu[j-lo]·row_j to g for the rows [lo,hi). Rows with a zero multiplier, in HL-MRFs the most of them,
// touch nothing.
func (r *rows) addTranspose(lo, hi int, mu, g []float64) {
	if r.start != nil {
		r.addRaggedTranspose(lo, hi, mu, g)
		return
	}
	k := len(r.coef)
	index := r.index[lo*k : hi*k]
	mu = mu[:hi-lo]
	switch k {
	case 0:
	case 1:
		a := r.coef[0]
		for j, i := range index {
			g[i] += a * mu[j]
		}
	case 2:
		a0, a1 := r.coef[0], r.coef[1]
		for j, m := range mu {
			if m != 0 {
				p := index[2*j : 2*j+2 : 2*j+2]
				g[p[0]] += a0 * m
				g[p[1]] += a1 * m
			}
		}
	case 3:
		a0, a1, a2 := r.coef[0], r.coef[1], r.coef[2]
		for j, m := range mu {
			if m != 0 {
				p := index[3*j : 3*j+3 : 3*j+3]
				g[p[0]] += a0 * m
				g[p[1]] += a1 * m
				g[p[2]] += a2 * m
			}
		}
	default:
		for j, m := range mu {
			if m == 0 {
				continue
			}
			for k, i := range index[j*k : (j+1)*k] {
				g[i] += r.coef[k] * m
			}
		}
	}
}

func (r *rows) addRaggedTranspose(lo, hi int, mu, g []float64) {
	for j := lo; j < hi; j++ {
		m := mu[j-lo]
		if m == 0 {
			continue
		}
		first, last := r.start[j], r.start[j+1]
		value := r.value[first:last]
		for k, i := range r.index[first:last] {
			g[i] += float64(value[k]) * m
		}
	}
}
