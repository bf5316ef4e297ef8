package repro

import (
	"math"
	"math/rand/v2"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// gcn is the graph convolutional network of Kipf and Welling (2017), the strongest baseline of the paper's second task:
//
//	x = softmax(Â · relu(Â · X · W0) · W1),  Â = D^-½ (A + I) D^-½
//
// with dropout on X and on the hidden layer. It perceives one input per document and class, document by document, and
// so can be fitted like any network.
type gcn struct {
	links    csr // Â
	features csr // X, rows of unit sum
	hidden   int
	classes  int
	rate     float64 // dropout
	w0, w1   *perception.Parameter

	// What the last Forward left for Backward.
	words      csr       // X after dropout
	mixed      []float32 // Â·relu(…) after dropout, [documents, hidden]
	layer, out []float32 // relu's output before dropout; the softmax's output
	keep       []float32 // the hidden layer's dropout factors
}

// csr is a sparse matrix by rows.
type csr struct {
	start []int32
	index []int32
	value []float32
	width int
}

func (m *csr) rows() int { return len(m.start) - 1 }

// newGCN draws the weights as Glorot and Bengio (2010) do, uniformly. Weight decay is for the first layer only.
func newGCN(features, links csr, classes, hidden int, rate float64, seed uint64) *gcn {
	random := rand.New(rand.NewPCG(seed, 0x67636e))
	return &gcn{
		features: features, links: links, hidden: hidden, classes: classes, rate: rate, words: features.clone(),
		w0: glorot("gcn.first", features.width, hidden, true, random),
		w1: glorot("gcn.second", hidden, classes, false, random),
	}
}

func glorot(name string, in, out int, decay bool, random *rand.Rand) *perception.Parameter {
	p := &perception.Parameter{Name: name, Shape: []int{in, out}, Decay: decay,
		Value: make([]float32, in*out), Gradient: make([]float32, in*out)}
	limit := math.Sqrt(6 / float64(in+out))
	for k := range p.Value {
		p.Value[k] = float32(limit * (2*random.Float64() - 1))
	}
	return p
}

func (m *csr) clone() csr {
	copied := *m
	copied.value = append([]float32(nil), m.value...)
	return copied
}

// Parameters returns both layers' weights.
func (g *gcn) Parameters() []*perception.Parameter { return []*perception.Parameter{g.w0, g.w1} }

// Forward writes the class probabilities of every document.
func (g *gcn) Forward(x []float64, train bool, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 0x64726f70))
	for k, value := range g.features.value {
		g.words.value[k] = value * g.factor(train, random)
	}
	n := g.features.rows()
	g.layer = g.links.times(g.words.times(g.w0.Value, g.hidden), g.hidden)
	g.keep = make([]float32, n*g.hidden)
	dropped := make([]float32, n*g.hidden)
	for k, value := range g.layer {
		g.layer[k] = max(0, value)
		g.keep[k] = g.factor(train, random)
		dropped[k] = g.layer[k] * g.keep[k]
	}
	g.mixed = g.links.times(dropped, g.hidden)
	g.out = dense(g.mixed, g.w1.Value, g.hidden, g.classes)
	for row := range n {
		softmax(g.out[row*g.classes : (row+1)*g.classes])
	}
	for k, value := range g.out {
		x[k] = float64(value)
	}
	return nil
}

// factor is what dropout multiplies an element with: 0, or what keeps the mean.
func (g *gcn) factor(train bool, random *rand.Rand) float32 {
	if !train {
		return 1
	}
	if random.Float64() < g.rate {
		return 0
	}
	return float32(1 / (1 - g.rate))
}

// Backward adds the weights' gradients for ∂L/∂x = upstream. Â is symmetric, so it is its own transpose.
func (g *gcn) Backward(upstream []float64) error {
	n := g.features.rows()
	logits := make([]float32, n*g.classes)
	for row := range n {
		p, d := g.out[row*g.classes:(row+1)*g.classes], upstream[row*g.classes:(row+1)*g.classes]
		mean := 0.0
		for k, v := range p {
			mean += float64(v) * d[k]
		}
		for k, v := range p {
			logits[row*g.classes+k] = float32(float64(v) * (d[k] - mean))
		}
	}
	addTransposed(g.w1.Gradient, g.mixed, logits, g.hidden, g.classes)
	back := g.links.times(denseTransposed(logits, g.w1.Value, g.hidden, g.classes), g.hidden)
	for k := range back {
		back[k] *= g.keep[k]
		if g.layer[k] == 0 {
			back[k] = 0
		}
	}
	g.words.addTransposedTimes(g.links.times(back, g.hidden), g.hidden, g.w0.Gradient)
	return nil
}

// times returns the product with a dense matrix of the given width.
func (m *csr) times(b []float32, width int) []float32 {
	out := make([]float32, m.rows()*width)
	for row := range m.rows() {
		sum := out[row*width : (row+1)*width]
		for e := m.start[row]; e < m.start[row+1]; e++ {
			v, other := m.value[e], b[int(m.index[e])*width:][:width]
			for k := range sum {
				sum[k] += v * other[k]
			}
		}
	}
	return out
}

// addTransposedTimes adds the product of the transpose with a dense matrix to out.
func (m *csr) addTransposedTimes(b []float32, width int, out []float32) {
	for row := range m.rows() {
		from := b[row*width : (row+1)*width]
		for e := m.start[row]; e < m.start[row+1]; e++ {
			v, to := m.value[e], out[int(m.index[e])*width:][:width]
			for k := range to {
				to[k] += v * from[k]
			}
		}
	}
}

// dense returns a·w for a of n rows and in columns.
func dense(a, w []float32, in, out int) []float32 {
	n := len(a) / in
	c := make([]float32, n*out)
	for row := range n {
		for k, v := range a[row*in : (row+1)*in] {
			for j := range out {
				c[row*out+j] += v * w[k*out+j]
			}
		}
	}
	return c
}

// denseTransposed returns d·wᵀ.
func denseTransposed(d, w []float32, in, out int) []float32 {
	n := len(d) / out
	c := make([]float32, n*in)
	for row := range n {
		for k := range in {
			sum := float32(0)
			for j, v := range d[row*out : (row+1)*out] {
				sum += v * w[k*out+j]
			}
			c[row*in+k] = sum
		}
	}
	return c
}

// addTransposed adds aᵀ·d to w.
func addTransposed(w, a, d []float32, in, out int) {
	for row := range len(a) / in {
		for k, v := range a[row*in : (row+1)*in] {
			for j, u := range d[row*out : (row+1)*out] {
				w[k*out+j] += v * u
			}
		}
	}
}

// softmax replaces logits by probabilities.
func softmax(v []float32) {
	top, sum := v[0], 0.0
	for _, t := range v {
		top = max(top, t)
	}
	for k, t := range v {
		e := math.Exp(float64(t - top))
		v[k], sum = float32(e), sum+e
	}
	for k := range v {
		v[k] = float32(float64(v[k]) / sum)
	}
}

// normalizedLinks returns Â = D^-½ (A + I) D^-½ of undirected links.
func normalizedLinks(documents int, links [][2]int32) csr {
	neighbours := make([][]int32, documents)
	for d := range neighbours {
		neighbours[d] = []int32{int32(d)}
	}
	for _, link := range links {
		neighbours[link[0]] = append(neighbours[link[0]], link[1])
		neighbours[link[1]] = append(neighbours[link[1]], link[0])
	}
	m := csr{start: make([]int32, 1, documents+1), width: documents}
	for _, others := range neighbours {
		for _, other := range others {
			m.index = append(m.index, other)
			m.value = append(m.value, float32(1/math.Sqrt(float64(len(others))*float64(len(neighbours[other])))))
		}
		m.start = append(m.start, int32(len(m.index)))
	}
	return m
}
