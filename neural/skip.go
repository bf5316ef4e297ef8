package neural

import (
	"math"
	"slices"
)

// skip is what a siamese network's last unit sees beside its twins, of the features u and u' of two rows themselves:
// Σ_c δ_c·|u_c − u'_c| + π_c·u_c·u'_c. It is the linear part of a wide and deep network (Cheng et al., 2016): that what
// is near is alike needs no layer to be learned first. A column's weight is one of its own and the share of one that is
// common to all of them, δ_c = δ'_c + δ₀/√n for n columns, so that few labels settle at least how much the distance
// counts as a whole.
type skip struct {
	differences, products *parameter // [n+1], the common weight last
}

// The tensors of a skip, as checkpoints name them.
const (
	differencesTensor = "differences"
	productsTensor    = "products"
)

// addSkip makes the weights of the columns. All begin with none of their own, and distance with a little.
func (s *System) addSkip(n *network) {
	if n.spec.Skip == nil || !*n.spec.Skip {
		return
	}
	columns := n.table().width
	n.distance.skip = &skip{s.add(n, distanceLayer, differencesTensor, Zeros, columns+1),
		s.add(n, distanceLayer, productsTensor, Zeros, columns+1)}
	n.distance.skip.differences.Value[columns] = -apartness
}

// optional tells whether files may lack a tensor, which is then 0: networks of before there was a skip, and those of
// other programs, compute the same without.
func (p *parameter) optional() bool {
	skip := p.owner.distance.skip
	return skip != nil && (p == skip.differences || p == skip.products)
}

// columnWeights returns the weight of each column.
func columnWeights(p *parameter) []float64 {
	own := p.Value[:len(p.Value)-1]
	common := float64(p.Value[len(own)]) / math.Sqrt(float64(len(own)))
	all := make([]float64, len(own))
	for c, w := range own {
		all[c] = float64(w) + common
	}
	return all
}

// addColumnGradients adds the gradients by columnWeights' result to those of the parameter.
func addColumnGradients(p *parameter, gradients []float64) {
	sum := 0.0
	for c, g := range gradients {
		p.Gradient[c] += float32(g)
		sum += g
	}
	p.Gradient[len(gradients)] += float32(sum / math.Sqrt(float64(len(gradients))))
}

// columns are the weights of a skip by columns, as in the last forward.
type columns struct{ differences, products []float64 }

// weights returns those of now; nil without a skip.
func (s *skip) weights() *columns {
	if s == nil {
		return nil
	}
	return &columns{columnWeights(s.differences), columnWeights(s.products)}
}

// sum returns what a skip adds for two rows of a product.
func (w *columns) sum(p product, i, j int32) (sum float64) {
	if w == nil {
		return 0
	}
	eachColumn(p, i, j, 0, len(w.products), func(c int, x, y float64) {
		sum += w.differences[c]*math.Abs(x-y) + w.products[c]*x*y
	})
	return sum
}

// eachColumn goes through what two rows have in columns from lo to hi, in their order; of a sparse table, through those
// where one of them is not 0.
func eachColumn(p product, i, j int32, lo, hi int, see func(c int, x, y float64)) {
	at, x := p.row(int(i))
	to, y := p.row(int(j))
	if at == nil && to == nil {
		for c := lo; c < hi; c++ {
			see(c, float64(x[c]), float64(y[c]))
		}
		return
	}
	k, _ := slices.BinarySearch(at, int32(lo))
	l, _ := slices.BinarySearch(to, int32(lo))
	for {
		c, left, right := hi, 0.0, 0.0
		if k < len(at) {
			c = min(c, int(at[k]))
		}
		if l < len(to) {
			c = min(c, int(to[l]))
		}
		if c == hi {
			return
		}
		if k < len(at) && int(at[k]) == c {
			left, k = float64(x[k]), k+1
		}
		if l < len(to) && int(to[l]) == c {
			right, l = float64(y[l]), l+1
		}
		see(c, left, right)
	}
}

// backward adds the gradients of a skip's weights, column by column, each summed over the pairs in their order.
func (s *skip) backward(h *pairs) {
	n := len(s.products.Value) - 1
	differences, products := make([]float64, n), make([]float64, n)
	eachChunk(h.pass.threads, n, func(lo, hi int) {
		for k, g := range h.gradient {
			if g == 0 {
				continue
			}
			eachColumn(h.pass.group.product, h.first[k], h.second[k], lo, hi, func(c int, x, y float64) {
				differences[c] += g * math.Abs(x-y)
				products[c] += g * x * y
			})
		}
	})
	addColumnGradients(s.differences, differences)
	addColumnGradients(s.products, products)
}
