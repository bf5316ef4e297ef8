package mrf

import "math"

// spanLen is the largest number of potentials in a span.
const spanLen = 1024

// rows is one side of a block, its variables or its perceived inputs: a sparse matrix with a row per potential. Both
// layouts of a Block are behind it, so that the loops over arities are written once.
type rows struct {
	coef  []float64 // the shared pattern, if uniform
	start []int32   // compressed rows, if ragged
	value Reals     // coefficients of index, if ragged
	index []int32
	run   bool  // there is no index: row j has the column first+j
	first int32 // of a run
	// common is the coefficient of each row all of whose coefficients are equal, if all rows are like that, as means are.
	common []float64
}

// variableRows returns the side of the variables y.
func (b *Block) variableRows() rows {
	return rows{coef: b.Coef, start: b.VarStart, value: b.VarCoef, index: b.Vars, run: b.isRun(), first: b.First}
}

// inputRows returns the side of the inputs x.
func (b *Block) inputRows() rows {
	return rows{coef: b.InputCoef, start: b.InputStart, value: b.InputValue, index: b.Inputs}
}

// compressed returns the rows in the layout that is the fastest to go through: a block is ragged if either of its sides
// is, and many a ragged side has but one pattern, or one coefficient per row.
func (r rows) compressed(n int) rows {
	if r.start == nil || n == 0 {
		return r
	}
	if k := int(r.start[1]); r.repeats(n, k) {
		uniform := rows{coef: make([]float64, k), index: r.index[:n*k]}
		for i := range k {
			uniform.coef[i] = r.value.At(i)
		}
		return uniform
	}
	if r.value.Double != nil {
		r.common = common(r.start, r.value.Double)
	} else {
		r.common = common(r.start, r.value.Single)
	}
	return r
}

// common returns the coefficient of each row, or nil if a row has several.
func common[T float32 | float64](start []int32, value []T) []float64 {
	each := make([]float64, len(start)-1)
	for j := range each {
		for k, a := range value[start[j]:start[j+1]] {
			if k > 0 && float64(a) != each[j] {
				return nil
			}
			each[j] = float64(a)
		}
	}
	return each
}

// repeats tells whether all of n ragged rows have the first one's k coefficients.
func (r *rows) repeats(n, k int) bool {
	for j := range n {
		if int(r.start[j+1]) != (j+1)*k {
			return false
		}
	}
	for e := range n * k {
		if r.value.At(e) != r.value.At(e%k) {
			return false
		}
	}
	return true
}

func (r *rows) empty() bool { return len(r.index) == 0 && !r.run }

// entries returns how many coefficients the rows [lo,hi) have.
func (r *rows) entries(lo, hi int) int {
	if r.start != nil {
		return int(r.start[hi] - r.start[lo])
	}
	return (hi - lo) * len(r.coef)
}

// row returns row j's columns, and the coefficient of the k-th of them as coefficient(j, k).
func (r *rows) row(j int) []int32 {
	switch {
	case r.start != nil:
		return r.index[r.start[j]:r.start[j+1]]
	case r.run:
		return []int32{r.first + int32(j)}
	}
	k := len(r.coef)
	return r.index[j*k : (j+1)*k]
}

func (r *rows) coefficient(j, k int) float64 {
	if r.start != nil {
		return r.value.At(int(r.start[j]) + k)
	}
	return r.coef[k]
}

// addProduct adds row_j·v to d[j-lo] for the rows [lo,hi).
func (r *rows) addProduct(lo, hi int, v, d []float64) {
	switch {
	case r.common != nil:
		r.addCommonProduct(lo, hi, v, d)
		return
	case r.start != nil:
		if r.value.Double != nil {
			addRaggedProduct(r, r.value.Double, lo, hi, v, d)
		} else {
			addRaggedProduct(r, r.value.Single, lo, hi, v, d)
		}
		return
	case r.run:
		r.addRunProduct(lo, hi, v, d)
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
			p := (*[3]int32)(index)
			index = index[3:]
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

func addRaggedProduct[T float32 | float64](r *rows, values []T, lo, hi int, v, d []float64) {
	for j := lo; j < hi; j++ {
		first, last := r.start[j], r.start[j+1]
		value := values[first:last]
		sum := 0.0
		for k, i := range r.index[first:last] {
			sum += float64(value[k]) * v[i]
		}
		d[j-lo] += sum
	}
}

// addCommonProduct is addProduct for rows with one coefficient each, of which only the columns need to be read: where
// rows are long, memory is what they wait for.
func (r *rows) addCommonProduct(lo, hi int, v, d []float64) {
	for j := lo; j < hi; j++ {
		d[j-lo] += r.common[j] * gather(r.index[r.start[j]:r.start[j+1]], v)
	}
}

// gather is the sum of some components, in four sums that do not wait for one another.
func gather(index []int32, v []float64) float64 {
	var a, b, c, d float64
	for ; len(index) >= 4; index = index[4:] {
		a += v[index[0]]
		b += v[index[1]]
		c += v[index[2]]
		d += v[index[3]]
	}
	for _, i := range index {
		a += v[i]
	}
	return (a + b) + (c + d)
}

// addTranspose adds mu[j-lo]·row_j to g for the rows [lo,hi), spanLen at most. Rows with a zero multiplier, in HL-MRFs
// the most of them, touch nothing.
func (r *rows) addTranspose(lo, hi int, mu, g []float64) {
	switch {
	case r.start != nil:
		if r.value.Double != nil {
			addRaggedTranspose(r, r.value.Double, lo, hi, mu, g)
		} else {
			addRaggedTranspose(r, r.value.Single, lo, hi, mu, g)
		}
		return
	case r.run:
		r.addRunTranspose(lo, hi, mu, g)
		return
	}
	k := len(r.coef)
	index := r.index[lo*k : hi*k]
	mu = mu[:hi-lo]
	var places [spanLen]int32
	switch k {
	case 0:
	case 1:
		a := r.coef[0]
		for j, i := range index {
			g[i] += a * mu[j]
		}
	case 2:
		a0, a1 := r.coef[0], r.coef[1]
		for _, j := range nonzero(mu, &places) {
			m, p := mu[j], (*[2]int32)(index[2*j:])
			g[p[0]] += a0 * m
			g[p[1]] += a1 * m
		}
	case 3:
		a0, a1, a2 := r.coef[0], r.coef[1], r.coef[2]
		for _, j := range nonzero(mu, &places) {
			m, p := mu[j], (*[3]int32)(index[3*j:])
			g[p[0]] += a0 * m
			g[p[1]] += a1 * m
			g[p[2]] += a2 * m
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

// nonzero lists the places of what is not 0. Which potentials are active no processor foresees, so there is no branch.
func nonzero(mu []float64, places *[spanLen]int32) []int32 {
	n := uint64(0)
	for j, m := range mu {
		places[n%spanLen] = int32(j)
		bits := math.Float64bits(m) << 1 // without the sign
		n += (bits | -bits) >> 63
	}
	return places[:n]
}

func addRaggedTranspose[T float32 | float64](r *rows, values []T, lo, hi int, mu, g []float64) {
	for j := lo; j < hi; j++ {
		m := mu[j-lo]
		if m == 0 {
			continue
		}
		first, last := r.start[j], r.start[j+1]
		value := values[first:last]
		for k, i := range r.index[first:last] {
			g[i] += float64(value[k]) * m
		}
	}
}
