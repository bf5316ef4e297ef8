package neural

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/neural/features"
)

// reference computes the networks of smallSpecs in float64, one row at a time and with none of the package's kernels,
// so that finite differences of it are exact enough to check float32 gradients.
type reference struct {
	values  map[string][]float64
	table   *features.Table
	spec    Spec // of the classifier
	train   bool
	seed    uint64
	outputs int
}

func newReference(s *System, train bool, seed uint64) *reference {
	n := s.network("neural")
	r := &reference{values: map[string][]float64{}, table: n.features, spec: n.spec, train: train, seed: seed,
		outputs: n.spec.Outputs}
	for _, p := range s.parameters {
		for _, v := range p.Value {
			r.values[p.Name] = append(r.values[p.Name], float64(v))
		}
	}
	return r
}

func (r *reference) affine(x []float64, layer string) []float64 {
	w, b := r.values[layer+".weights"], r.values[layer+".biases"]
	out := make([]float64, len(b))
	for j := range out {
		out[j] = b[j]
		for i := range x {
			out[j] += x[i] * w[i*len(b)+j]
		}
	}
	return out
}

// drop applies the mask of a dropout layer for a row of the table.
func (r *reference) drop(x []float64, name string, row int, rate float64) []float64 {
	for i := range x {
		if r.train {
			x[i] *= float64(newDropout(r.seed, name, rate).keep(uint64(row*len(x) + i)))
		}
	}
	return x
}

func (r *reference) activate(x []float64) []float64 {
	for i, v := range x {
		switch r.spec.Activation {
		case ReLU:
			x[i] = math.Max(0, v)
		case ELU:
			if v < 0 {
				x[i] = math.Expm1(v)
			}
		case Tanh:
			x[i] = math.Tanh(v)
		case Sigmoid:
			x[i] = 1 / (1 + math.Exp(-v))
		}
	}
	return x
}

// hidden returns the output of the shared layer after the activation, before each network's own dropout.
func (r *reference) hidden(row int) []float64 {
	values := make([]float32, r.table.Width())
	r.table.Gather([]int32{int32(row)}, values)
	x := make([]float64, len(values))
	for i, v := range values {
		x[i] = float64(v)
	}
	return r.activate(r.affine(r.drop(x, "neural.hidden1.input", row, r.spec.InputDropout), "neural.hidden1"))
}

func (r *reference) class(row, class int) float64 {
	z := r.affine(r.drop(r.hidden(row), "neural.dropout1", row, r.spec.Dropout), "neural.output")
	sum := 0.0
	for _, v := range z {
		sum += math.Exp(v)
	}
	return math.Exp(z[class]) / sum
}

func (r *reference) twin(row int) []float64 {
	x := r.drop(r.hidden(row), "similar.dropout1", row, r.spec.Dropout)
	return r.drop(r.activate(r.affine(x, "similar.hidden2")), "similar.dropout2", row, r.spec.Dropout)
}

func (r *reference) similar(a, b int) float64 {
	x, y, t := r.twin(a), r.twin(b), r.values["similar.distance.biases"][0]
	for j, w := range r.values["similar.distance.weights"] {
		t += w * math.Abs(x[j]-y[j])
	}
	return 1 / (1 + math.Exp(-t))
}

// truths returns x for the bindings that bindT2 makes.
func (r *reference) truths(p *Perception) []float64 {
	x := make([]float64, p.inputs)
	for k, input := range p.heads[0].(*classes).inputs {
		x[input] = r.class(k/r.outputs, k%r.outputs)
	}
	h := p.heads[1].(*pairs)
	for k, input := range h.inputs {
		rows := h.pass.group.rows
		x[input] = r.similar(int(rows[h.first[k]]), int(rows[h.second[k]]))
	}
	return x
}

// The whole of T2's networks, outputs and gradients, against the reference: every activation, with and without
// dropout.
func TestAgainstReference(t *testing.T) {
	for _, activation := range activations {
		for _, train := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/train=%v", activation, train), func(t *testing.T) {
				s := newSmall(t, activation, 7)
				p := bindT2(t, s, 9, 3, 20)
				x, gradients := both(t, p, train, 11)
				r := newReference(s, train, 11)
				for i, want := range r.truths(p) {
					if math.Abs(x[i]-want) > 1e-6 {
						t.Errorf("x[%d] = %v, want %v", i, x[i], want)
					}
				}
				checkReference(t, s, p, r, gradients)
			})
		}
	}
}

func checkReference(t *testing.T, s *System, p *Perception, r *reference, gradients []float32) {
	t.Helper()
	const eps = 1e-6
	upstream := upstreamOf(p.inputs)
	for _, w := range s.Parameters() {
		values := r.values[w.Name]
		for i, old := range values {
			values[i] = old + eps
			above := dot(r.truths(p), upstream)
			values[i] = old - eps
			below := dot(r.truths(p), upstream)
			values[i] = old
			want, got := (above-below)/(2*eps), float64(gradients[0])
			if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("∂L/∂%s[%d] = %v, want %v", w.Name, i, got, want)
			}
			gradients = gradients[1:]
		}
	}
}

// Other shapes, by finite differences of the networks themselves: sigmoid outputs, no hidden layer, three hidden
// layers, and twins of their own.
func TestShapesByDifferences(t *testing.T) {
	twins := Binding{Network: "n", Inputs: []int32{0, 1, 2}, Rows: []int32{0, 1, 8}, Others: []int32{2, 1, 3}}
	classes := Binding{Network: "n", Inputs: []int32{0, 1, 2}, Rows: []int32{0, 4, 4}, Classes: []int32{1, 0, 1}}
	measured := twins
	measured.Similarities = []float32{0.5, 0, 1, 0.25, -2, 0.75}
	for name, test := range map[string]struct {
		spec    Spec
		binding Binding
	}{
		"logistic":   {Spec{Outputs: 2, Output: SigmoidOutput, InputDropout: 0.3}, classes},
		"softmax":    {Spec{Outputs: 2, Normalize: RowsToUnitSum}, classes},
		"deep":       {Spec{Outputs: 2, Hidden: []int{3, 4, 5}, Activation: Tanh, Dropout: 0.1}, classes},
		"no skip":    {Spec{Outputs: 2, Hidden: []int{3}, Activation: Tanh, Skip: new(false)}, classes},
		"dropping":   {Spec{Outputs: 2, Hidden: []int{3}, Activation: Tanh, InputDropout: 0.3}, classes},
		"twins":      {Spec{Kind: "siamese", Hidden: []int{5}, Activation: Sigmoid, InputDropout: 0.3}, twins},
		"deep twins": {Spec{Kind: "siamese", Hidden: []int{5, 3}, Activation: ELU}, twins},
		"measures":   {Spec{Kind: "siamese", Hidden: []int{5}, Measures: []string{"Jaro", "Jaccard"}}, measured},
	} {
		t.Run(name, func(t *testing.T) {
			test.spec.Name, test.spec.Features = "n", "words"
			s := mustNew(t, []Spec{test.spec}, sparseTable(t, 9, 6, 27, 5), 3)
			p, err := s.Bind(3, test.binding)
			if err != nil {
				t.Fatal(err)
			}
			checkDifferences(t, p, 5, 4e-3, 2e-3)
		})
	}
}

// Both products, and their gradients, against the definition.
func TestProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, width := rapid.IntRange(1, 8).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "width")
		outputs := rapid.IntRange(1, 5).Draw(t, "outputs")
		numbers := rapid.SliceOfN(rapid.Float32Range(-2, 2), rows*width, rows*width)
		f, err := features.NewDense(names(rows), width, numbers.Draw(t, "values"))
		if err != nil {
			t.Fatal(err)
		}
		weights := rapid.SliceOfN(rapid.Float32Range(-2, 2), width*outputs, width*outputs).Draw(t, "weights")
		biases := rapid.SliceOfN(rapid.Float32Range(-2, 2), outputs, outputs).Draw(t, "biases")
		chosen := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(rows-1)), 1, rows, rapid.ID).Draw(t, "chosen")
		for _, table := range []*features.Table{f, toSparse(f)} {
			p := newProduct(table, chosen, 2)
			z := make([]float32, len(chosen)*outputs)
			p.forward(weights, biases, z)
			gradient := make([]float32, len(weights))
			p.backward(z, gradient, outputs)
			for i, r := range chosen {
				for j := range outputs {
					want := float64(biases[j])
					for c := range width {
						want += float64(f.Values()[int(r)*width+c]) * float64(weights[c*outputs+j])
					}
					near(t, "z", z[i*outputs+j], want)
				}
			}
			for c := range width {
				for j := range outputs {
					want := 0.0
					for i, r := range chosen {
						want += float64(f.Values()[int(r)*width+c]) * float64(z[i*outputs+j])
					}
					near(t, "gradient", gradient[c*outputs+j], want)
				}
			}
		}
	})
}

func near(t *rapid.T, what string, got float32, want float64) {
	if math.Abs(float64(got)-want) > 1e-4*(1+math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// toSparse returns a dense table as a sparse one, without its zeros.
func toSparse(f *features.Table) *features.Table {
	var columns []int32
	var values []float32
	start := []int{0}
	for r := range f.Len() {
		for c, v := range f.Values()[r*f.Width() : (r+1)*f.Width()] {
			if v != 0 {
				columns, values = append(columns, int32(c)), append(values, v)
			}
		}
		start = append(start, len(columns))
	}
	s, err := features.NewSparse(f.IDs(), f.Width(), start, columns, values)
	if err != nil {
		panic(err) // it is no table
	}
	return s
}
