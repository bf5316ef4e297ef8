package neural

import (
	"math"
	"slices"
)

// classes is the head of a classifier: each atom is one element of the matrix of outputs.
type classes struct {
	pass   *pass
	inputs []int32
	cells  []int // of pass.out
}

func newClasses(p *pass, b *Binding) *classes {
	h := &classes{pass: p, inputs: b.Inputs, cells: make([]int, len(b.Inputs))}
	for k, r := range b.Rows {
		h.cells[k] = int(p.group.place[r])*p.network.width + int(b.Classes[k])
	}
	return h
}

func (h *classes) forward(x []float64) {
	for k, input := range h.inputs {
		x[input] = float64(h.pass.out[h.cells[k]])
	}
}

// backward adds, because several atoms may be the same class of the same row.
func (h *classes) backward(upstream []float64) {
	for k, input := range h.inputs {
		h.pass.upstream[h.cells[k]] += float32(upstream[input])
	}
}

// pairs is the head of a siamese network: the distance layer of Koch, Zemel and Salakhutdinov (2015), with the truth
// σ(Σ_j α_j·|h_j − h'_j| + Σ_m α_m·s_m + β) for the outputs h and h' of the twins and similarities s that the pair is
// given, and with a skip what that adds. The twins run once for each row; the distance layer runs once for each pair.
type pairs struct {
	pass          *pass
	inputs        []int32
	first, second []int32 // places of the two rows
	truth         []float64
	gradient      []float64 // ∂L/∂(argument of σ)
	weights       []float32 // α of the twins' nodes, as in the last forward
	given         []float32 // s, [pairs, measures]
	measures      []float32 // α of the measures, as in the last forward
	columns       *columns  // of the skip, as in the last forward; nil without

	start []int // by place: the pairs that a row is in
	meets []meeting
}

// meeting is a row's part in a pair. A row that is compared with itself meets itself twice, at no distance.
type meeting struct{ pair, other int32 }

func newPairs(p *pass, b *Binding) *pairs {
	n := len(b.Inputs)
	h := &pairs{
		pass: p, inputs: b.Inputs, first: make([]int32, n), second: make([]int32, n),
		truth: make([]float64, n), gradient: make([]float64, n), weights: make([]float32, p.network.width),
		given: b.Similarities, measures: make([]float32, len(p.network.spec.Measures)),
	}
	byPlace := make([][]meeting, len(p.group.rows))
	for k := range b.Inputs {
		i, j := p.group.place[b.Rows[k]], p.group.place[b.Others[k]]
		h.first[k], h.second[k] = i, j
		byPlace[i] = append(byPlace[i], meeting{int32(k), j})
		byPlace[j] = append(byPlace[j], meeting{int32(k), i})
	}
	h.start = make([]int, 1, len(byPlace)+1)
	for _, meets := range byPlace {
		h.meets = append(h.meets, meets...)
		h.start = append(h.start, len(h.meets))
	}
	return h
}

// row returns the twins' output for a place.
func (h *pairs) row(place int32) []float32 {
	d := len(h.weights)
	return h.pass.out[int(place)*d : int(place+1)*d]
}

// forward keeps the weights that it used, because an optimiser may write new ones before backward.
func (h *pairs) forward(x []float64) {
	copy(h.measures, h.pass.network.distance.weights.Value[copy(h.weights, h.pass.network.distance.weights.Value):])
	h.columns = h.pass.network.distance.skip.weights()
	bias := float64(h.pass.network.distance.bias.Value[0])
	eachChunk(h.pass.threads, len(h.inputs), func(lo, hi int) {
		for k := lo; k < hi; k++ {
			h.truth[k] = sigmoid(bias + h.distance(k))
		}
	})
	for k, input := range h.inputs {
		x[input] = h.truth[k]
	}
}

// distance returns Σ_j α_j·|h_j − h'_j| + Σ_m α_m·s_m for a pair, and what a skip adds.
func (h *pairs) distance(k int) float64 {
	a, b := h.row(h.first[k]), h.row(h.second[k])
	sum := h.columns.sum(h.pass.group.product, h.first[k], h.second[k])
	for j, w := range h.weights {
		sum += float64(w) * math.Abs(float64(a[j]-b[j]))
	}
	for m, s := range h.similarities(k) {
		sum += float64(h.measures[m]) * float64(s)
	}
	return sum
}

// similarities returns those that a pair is given.
func (h *pairs) similarities(k int) []float32 {
	return h.given[k*len(h.measures) : (k+1)*len(h.measures)]
}

// sigmoid returns 1/(1+e^-t), for large negative t too.
func sigmoid(t float64) float64 {
	if t >= 0 {
		return 1 / (1 + math.Exp(-t))
	}
	e := math.Exp(t) // the other form would overflow
	return e / (1 + e)
}

// backward begins with the derivative of the sigmoid, σ' = σ(1−σ).
func (h *pairs) backward(upstream []float64) {
	for k, input := range h.inputs {
		h.gradient[k] = upstream[input] * h.truth[k] * (1 - h.truth[k])
	}
	if !h.pass.network.distance.weights.frozen {
		h.backwardParameters()
	}
	h.backwardTwins()
}

// backwardParameters adds the gradients of α and β, summed over chunks of pairs in order, and of a skip.
func (h *pairs) backwardParameters() {
	twins := len(h.weights)
	d := twins + len(h.measures)
	partial := make([]float64, (len(h.inputs)+chunk-1)/chunk*(d+1))
	eachChunk(h.pass.threads, len(h.inputs), func(lo, hi int) {
		sums := partial[lo/chunk*(d+1):][:d+1]
		for k := lo; k < hi; k++ {
			a, b := h.row(h.first[k]), h.row(h.second[k])
			for j := range twins {
				sums[j] += h.gradient[k] * math.Abs(float64(a[j]-b[j]))
			}
			for m, s := range h.similarities(k) {
				sums[twins+m] += h.gradient[k] * float64(s)
			}
			sums[d] += h.gradient[k]
		}
	})
	total := make([]float64, d+1)
	for i, v := range partial {
		total[i%(d+1)] += v
	}
	for j, v := range total[:d] {
		h.pass.network.distance.weights.Gradient[j] += float32(v)
	}
	h.pass.network.distance.bias.Gradient[0] += float32(total[d])
	if skip := h.pass.network.distance.skip; skip != nil {
		skip.backward(h)
	}
}

// backwardTwins adds ∂L/∂h for each row: the derivative of |h − h'| is the same for both twins, each seen from its own
// side, and 0 where they are equal. Going by rows and not by pairs, no two threads write to the same place.
func (h *pairs) backwardTwins() {
	d := len(h.weights)
	eachChunk(h.pass.threads, len(h.start)-1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			into, own := h.pass.upstream[i*d:(i+1)*d], h.row(int32(i))
			for _, m := range h.meets[h.start[i]:h.start[i+1]] {
				addSigned(into, float32(h.gradient[m.pair]), h.weights, own, h.row(m.other))
			}
		}
	})
}

// addSigned adds g·α·sign(own − other) to into. It works on bits, because a branch on the sign is a coin toss: the
// sign of the difference moves to the product, and where the difference is 0 the mask clears it.
func addSigned(into []float32, g float32, weights, own, other []float32) {
	const sign = 1 << 31
	into, own, other = into[:len(weights)], own[:len(weights)], other[:len(weights)]
	for j, w := range weights {
		d := math.Float32bits(own[j] - other[j])
		mask := uint32(-int32(d&^sign) >> 31)
		into[j] += math.Float32frombits((math.Float32bits(g*w) ^ d&sign) & mask)
	}
}

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

// fewColumns is up to how many columns the differences in each of them have weights that are as free as others.
const fewColumns = 16

// addSkip makes the weights of the columns. All begin with none of their own, and distance with a little. Their own
// are held back the more, the more there are: what all columns say together leads, and single products say the least.
func (s *System) addSkip(n *network) {
	if !n.spec.skips() {
		return
	}
	columns := n.table().Width()
	n.distance.skip = &skip{s.add(n, distanceLayer, differencesTensor, Zeros, columns+1),
		s.add(n, distanceLayer, productsTensor, Zeros, columns+1)}
	differences, products := n.distance.skip.differences, n.distance.skip.products
	differences.Value[columns] = -apartness
	differences.Share, differences.ButLast = max(1, float64(columns)/fewColumns), true
	products.Share, products.ButLast = float64(columns), true
	if n.encoder == nil {
		n.layered.share(n, twinShare)
	}
}

// optional tells whether files may lack a tensor, which is then 0: networks of before there was a skip, and those of
// other programs, compute the same without, as do those of which no column is bent.
func (p *parameter) optional() bool {
	if c := p.owner.scaling; c != nil && c.knots == p {
		return true
	}
	if net := p.owner.layered; net != nil && net.skip == p {
		return true
	}
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
