package onnx

import "github.com/deeppsl/deeppsl/internal/kernel"

// The products of large matrices go by blocks whose right factor stays in the innermost cache.
const blockInner, blockColumns = 96, 64

// multiply adds A·B to C: A is [rows, inner], with steps from row to row and from column to column, B is
// [inner, columns] and C is [rows, columns], both row by row.
func multiply(c []float32, a kernel.Left, b []float32, rows, inner, columns int) {
	if rows == 0 {
		return // there is no C to begin in
	}
	for left := 0; left < columns; left += blockColumns {
		wide := min(blockColumns, columns-left)
		for p := 0; p < inner; p += blockInner {
			from := kernel.Left{Data: a.Data[min(p*a.Column, len(a.Data)):], Row: a.Row, Column: a.Column}
			kernel.AddProduct(c[left:], columns, from, b[p*columns+left:], columns,
				kernel.Size{Rows: rows, Columns: wide, Inner: min(blockInner, inner-p), Segments: 1})
		}
	}
}

// plain is a matrix row by row as the left factor, and turned is its transpose.
func plain(data []float32, columns int) kernel.Left {
	return kernel.Left{Data: data, Row: columns, Column: 1}
}

func turned(data []float32, columns int) kernel.Left {
	return kernel.Left{Data: data, Row: 1, Column: columns}
}

// transpose returns the transpose of a matrix [rows, columns].
func transpose(data []float32, rows, columns int) []float32 {
	out := make([]float32, rows*columns)
	for i := range rows {
		for j, v := range data[i*columns : (i+1)*columns] {
			out[j*rows+i] = v
		}
	}
	return out
}

// matrices is a product of stacks of matrices: how many there are, where each begins, and their sizes.
type matrices struct {
	first, second        []int // of each product, in elements
	rows, inner, columns int
	shape                []int // of the result
}

// pair finds the products that MatMul means for two shapes.
func pair(memory *memory, a, b []int) matrices {
	if len(a) == 0 || len(b) == 0 {
		fail("shapes %v and %v are no matrices", a, b)
	}
	vectorA, vectorB := len(a) == 1, len(b) == 1
	if vectorA {
		a = []int{1, a[0]}
	}
	if vectorB {
		b = []int{b[0], 1}
	}
	m := matrices{rows: a[len(a)-2], inner: a[len(a)-1], columns: b[len(b)-1]}
	if b[len(b)-2] != m.inner {
		fail("matrices of shapes %v and %v do not fit each other", a, b)
	}
	outerA, outerB := a[:len(a)-2], b[:len(b)-2]
	if len(outerB) == 0 { // one right factor for all: a single product
		m.rows *= product(outerA)
		m.first, m.second, m.shape = []int{0}, []int{0}, append(m.shape, a[:len(a)-1]...)
	} else {
		outer := broadcast(outerA, outerB)
		memory.take(2 * size(outer))
		eachRun(outer, outerA, outerB, func(r run) {
			for k := range r.length {
				m.first = append(m.first, (r.first+k*r.firstStep)*m.rows*m.inner)
				m.second = append(m.second, (r.second+k*r.secondStep)*m.inner*m.columns)
			}
		})
		m.shape = append(append(m.shape, outer...), m.rows)
	}
	if vectorA {
		m.shape = m.shape[:len(m.shape)-1]
	}
	if !vectorB {
		m.shape = append(m.shape, m.columns)
	}
	return m
}

func matMul(*attributes) operator {
	return operator{
		forward: func(m *memory, in []*tensor) []*tensor {
			mustReals(in...)
			p := pair(m, in[0].shape, in[1].shape)
			y := m.newReals(p.shape...)
			for k, at := range p.first {
				out := y.reals[k*p.rows*p.columns:]
				multiply(out, plain(in[0].reals[at:], p.inner), in[1].reals[p.second[k]:], p.rows, p.inner, p.columns)
			}
			return one(y)
		},
		backward: func(in []*tensor, out *tensor) {
			p := pair(nil, in[0].shape, in[1].shape)
			da, db := in[0].ascend(), in[1].ascend()
			for k, at := range p.first {
				g := out.gradient[k*p.rows*p.columns:]
				if da != nil {
					b := in[1].turned(p.second[k], p.inner, p.columns)
					multiply(da[at:], plain(g, p.columns), b, p.rows, p.columns, p.inner)
				}
				if db != nil {
					multiply(db[p.second[k]:], turned(in[0].reals[at:], p.inner), g, p.inner, p.rows, p.columns)
				}
			}
		},
	}
}

// gemm is α·A·B + β·C, where A and B may be transposed, and C stretches.
func gemm(a *attributes) operator {
	g := general{a.real("alpha", 1), a.real("beta", 1), a.integer("transA", 0) != 0, a.integer("transB", 0) != 0}
	return operator{forward: g.forward, backward: g.backward}
}

type general struct {
	alpha, beta float32
	turnA       bool
	turnB       bool
}

// sizes returns the dimensions of the product.
func (g general) sizes(a, b *tensor) (rows, inner, columns int) {
	if len(a.shape) != 2 || len(b.shape) != 2 {
		fail("shapes %v and %v are no matrices", a.shape, b.shape)
	}
	rows, inner = a.shape[0], a.shape[1]
	if g.turnA {
		rows, inner = inner, rows
	}
	height, columns := b.shape[0], b.shape[1]
	if g.turnB {
		height, columns = columns, height
	}
	if height != inner {
		fail("matrices of shapes %v and %v do not fit each other", a.shape, b.shape)
	}
	return rows, inner, columns
}

// left returns A as the left factor.
func (g general) left(a *tensor) kernel.Left {
	if g.turnA {
		return turned(a.reals, a.shape[1])
	}
	return plain(a.reals, a.shape[1])
}

// right returns B as the right factor.
func (g general) right(b *tensor) []float32 {
	if g.turnB {
		return b.turned(0, b.shape[0], b.shape[1])
	}
	return b.reals
}

// across returns the transpose of B as the right factor.
func (g general) across(b *tensor) []float32 {
	if g.turnB {
		return b.reals
	}
	return b.turned(0, b.shape[0], b.shape[1])
}

func (g general) forward(m *memory, in []*tensor) []*tensor {
	mustReals(in...)
	rows, inner, columns := g.sizes(in[0], in[1])
	y := m.newReals(rows, columns)
	multiply(y.reals, g.left(in[0]), g.right(in[1]), rows, inner, columns)
	if g.alpha != 1 {
		for i := range y.reals {
			y.reals[i] *= g.alpha
		}
	}
	if c := given(in, 2); c != nil {
		eachRun(y.shape, c.shape, c.shape, func(r run) {
			for k := range r.length {
				y.reals[r.at+k] += g.beta * c.reals[r.first+k*r.firstStep]
			}
		})
	}
	return one(y)
}

func (g general) backward(in []*tensor, out *tensor) {
	if c := given(in, 2); c.ascend() != nil {
		down := c.ascend()
		eachRun(out.shape, c.shape, c.shape, func(r run) {
			for k := range r.length {
				down[r.first+k*r.firstStep] += g.beta * out.gradient[r.at+k]
			}
		})
	}
	rows, inner, columns := g.sizes(in[0], in[1])
	up := out.gradient
	if g.alpha != 1 {
		up = make([]float32, len(out.gradient))
		for i, v := range out.gradient {
			up[i] = g.alpha * v
		}
	}
	if da := in[0].ascend(); da != nil {
		if g.turnA { // ∂L/∂A = B·upᵀ
			multiply(da, plain(g.right(in[1]), columns), transpose(up, rows, columns), inner, columns, rows)
		} else {
			multiply(da, plain(up, columns), g.across(in[1]), rows, columns, inner)
		}
	}
	if db := in[1].ascend(); db != nil {
		a := g.left(in[0])
		if g.turnB { // ∂L/∂B = upᵀ·A
			right := in[0].reals
			if g.turnA {
				right = transpose(in[0].reals, inner, rows)
			}
			multiply(db, turned(up, columns), right, columns, rows, inner)
		} else {
			multiply(db, kernel.Left{Data: a.Data, Row: a.Column, Column: a.Row}, up, inner, rows, columns)
		}
	}
}
