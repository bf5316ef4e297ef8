package mrf

import "slices"

// alikeRows are compactRows whose coefficients are kept once for rows that follow one another and have the same:
// products wait for memory, and most of a rule's potentials are alike.
type alikeRows struct {
	h      []float64
	index  []int32
	values []float64
	runs   []alike
}

// alike is a run of rows with the coefficients values[lo:hi].
type alike struct {
	rows   int32
	lo, hi int32
}

func (r *alikeRows) reset() {
	r.h, r.index, r.values, r.runs = r.h[:0], r.index[:0], r.values[:0], r.runs[:0]
}

func (r *alikeRows) add(h float64, index []int32, value []float64) {
	r.h = append(r.h, h)
	r.index = append(r.index, index...)
	if n := len(r.runs); n > 0 {
		if last := &r.runs[n-1]; slices.Equal(r.values[last.lo:last.hi], value) {
			last.rows++
			return
		}
	}
	lo := int32(len(r.values))
	r.values = append(r.values, value...)
	r.runs = append(r.runs, alike{1, lo, lo + int32(len(value))})
}

// addProduct adds the product with v.
func (r *alikeRows) addProduct(v, out []float64) {
	h, index := r.h, r.index
	for _, run := range r.runs {
		value := r.values[run.lo:run.hi]
		own, columns := h[:run.rows], index[:int(run.rows)*len(value)]
		h, index = h[len(own):], index[len(columns):]
		if len(value) == 3 {
			addTriples(own, columns, value, v, out)
			continue
		}
		for _, curvature := range own {
			row := columns[:len(value)]
			columns = columns[len(value):]
			addOuter(curvature, row, value, v, out)
		}
	}
}

// addTriples adds the product of rows of three variables.
func addTriples(h []float64, index []int32, value, v, out []float64) {
	a0, a1, a2 := value[0], value[1], value[2]
	for _, curvature := range h {
		p := (*[3]int32)(index)
		index = index[3:]
		v0, v1, v2 := a0*v[p[0]], a1*v[p[1]], a2*v[p[2]]
		t := v0 + v1 + v2
		out[p[0]] += curvature * a0 * (t - v0)
		out[p[1]] += curvature * a1 * (t - v1)
		out[p[2]] += curvature * a2 * (t - v2)
	}
}

// addOuter adds the product of one row h·a aᵀ, off the diagonal.
func addOuter(h float64, index []int32, value, v, out []float64) {
	t := 0.0
	for k, i := range index {
		t += value[k] * v[i]
	}
	for k, i := range index {
		a := value[k]
		out[i] += h * a * (t - a*v[i])
	}
}
