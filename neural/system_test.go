package neural

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// newSmall returns the networks of task T2 in small: 9 rows of 6 features, a hidden layer of 4 with dropout, 3
// classes, and twins with a second layer of 5 after the shared one.
func newSmall(tb testing.TB, activation Activation, seed uint64) *System {
	tb.Helper()
	return mustNew(tb, smallSpecs(activation), sparseTable(tb, 9, 6, 27, 5), seed)
}

func smallSpecs(activation Activation) []Spec {
	return []Spec{
		{Name: "similar", Kind: "siamese", Encoder: "neural", Hidden: []int{5}, Distance: 5, Dropout: 0.25},
		{Name: "neural", Features: "words", Hidden: []int{4}, Activation: activation, Dropout: 0.25, InputDropout: 0.2,
			Outputs: 3, Normalize: RowsToUnitL2},
	}
}

func mustNew(tb testing.TB, specs []Spec, table *features.Table, seed uint64) *System {
	tb.Helper()
	s, err := New(specs, map[string]*features.Table{"words": table}, seed)
	if err != nil {
		tb.Fatal(err)
	}
	for _, p := range s.Parameters() { // biases begin at 0; tests want them to matter
		if strings.HasSuffix(p.Name, "biases") {
			newStream(seed, p.Name).initialize(p.Value, []int{1, len(p.Value)}, Glorot)
		}
	}
	return s
}

// upstreamOf returns fixed weights of a sum of inputs, which stands for a loss.
func upstreamOf(inputs int) []float64 {
	upstream := make([]float64, inputs)
	for i := range upstream {
		upstream[i] = math.Sin(float64(3*i + 1))
	}
	return upstream
}

// both runs Forward and Backward, and returns x and all gradients.
func both(tb testing.TB, p *Perception, train bool, seed uint64) (x []float64, gradients []float32) {
	tb.Helper()
	x = make([]float64, p.inputs)
	if err := p.Forward(x, train, seed); err != nil {
		tb.Fatal(err)
	}
	for _, w := range p.Parameters() {
		clear(w.Gradient)
	}
	if err := p.Backward(upstreamOf(p.inputs)); err != nil {
		tb.Fatal(err)
	}
	for _, w := range p.Parameters() {
		gradients = append(gradients, w.Gradient...)
	}
	return x, gradients
}

// checkSame compares x and the gradients with those of another way to compute them.
func checkSame(t *testing.T, name string, x, wantX []float64, gradients, want []float32) {
	t.Helper()
	for i := range wantX {
		if math.Abs(x[i]-wantX[i]) > 1e-6 {
			t.Errorf("%s: x[%d] = %v, want %v", name, i, x[i], wantX[i])
		}
	}
	for i := range want {
		if math.Abs(float64(gradients[i]-want[i])) > 1e-5 {
			t.Errorf("%s: gradient %d is %v, want %v", name, i, gradients[i], want[i])
		}
	}
}

func TestForwardGivesTruthValues(t *testing.T) {
	p := bindT2(t, newSmall(t, ReLU, 1), 9, 3, 20)
	x, _ := both(t, p, false, 0)
	for r := range 9 {
		if sum := x[3*r] + x[3*r+1] + x[3*r+2]; math.Abs(sum-1) > 1e-6 {
			t.Errorf("the classes of row %d sum to %v", r, sum)
		}
	}
	for i, v := range x {
		if !(v >= 0 && v <= 1) {
			t.Errorf("x[%d] = %v is no truth value", i, v)
		}
	}
}

func TestSameBitsForAnyThreads(t *testing.T) {
	table := sparseTable(t, 700, 300, 9000, 5)
	dense := make([]float32, 700*300)
	table.Gather(allRows(700), dense)
	denseTable, err := features.NewDense(names(700), 300, dense)
	if err != nil {
		t.Fatal(err)
	}
	for _, features := range []*features.Table{table, denseTable} {
		var wantX []float64
		var wantGradients []float32
		for _, threads := range []int{1, 2, 4} {
			previous := runtime.GOMAXPROCS(threads)
			p := bindT2(t, mustNew(t, smallSpecs(ELU), features, 1), 700, 3, 2000)
			x, gradients := both(t, p, true, 9)
			runtime.GOMAXPROCS(previous)
			if wantX == nil {
				wantX, wantGradients = x, gradients
			}
			if !slices.Equal(x, wantX) || !slices.Equal(gradients, wantGradients) {
				t.Errorf("sparse %v, %d threads: other bits than one thread", features.Sparse(), threads)
			}
		}
	}
}

func allRows(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

func TestSparseAndDenseFeaturesAgree(t *testing.T) {
	table := sparseTable(t, 9, 6, 27, 5)
	values := make([]float32, 9*6)
	table.Gather(allRows(9), values)
	dense, err := features.NewDense(names(9), 6, values)
	if err != nil {
		t.Fatal(err)
	}
	for _, train := range []bool{false, true} {
		x, g := both(t, bindT2(t, mustNew(t, smallSpecs(Tanh), table, 1), 9, 3, 20), train, 4)
		y, h := both(t, bindT2(t, mustNew(t, smallSpecs(Tanh), dense, 1), 9, 3, 20), train, 4)
		checkSame(t, fmt.Sprintf("dense features, train %v", train), x, y, g, h)
	}
}

func TestTwinsAreSymmetric(t *testing.T) {
	s := newSmall(t, Tanh, 1)
	p, err := s.Bind(3, Binding{Network: "similar", Inputs: []int32{2, 0, 1}, Rows: []int32{1, 7, 4},
		Others: []int32{7, 1, 4}})
	if err != nil {
		t.Fatal(err)
	}
	x, _ := both(t, p, true, 3)
	if x[2] != x[0] {
		t.Errorf("similar(1,7) = %v, similar(7,1) = %v", x[2], x[0])
	}
	bias := float64(s.byName["similar.distance.biases"].Value[0])
	if want := sigmoid(bias); x[1] != want {
		t.Errorf("similar(4,4) = %v, σ(β) = %v is wanted", x[1], want)
	}
}

// Pairs that are presumed to be alike are so whatever they look like, and can be learned from.
func TestPresume(t *testing.T) {
	s := newSmall(t, Tanh, 1)
	s.Presume("similar", 0.9)
	s.Presume("neural", 0.9) // which compares nothing
	p, err := s.Bind(2, Binding{Network: "similar", Inputs: []int32{0, 1}, Rows: []int32{1, 4}, Others: []int32{7, 2}})
	if err != nil {
		t.Fatal(err)
	}
	x, _ := both(t, p, true, 3)
	if math.Abs(x[0]-0.9) > 1e-6 || math.Abs(x[1]-0.9) > 1e-6 {
		t.Errorf("truth %v of all, want 0.9", x)
	}
	if isZero(s.byName["similar.distance.weights"].Gradient) {
		t.Error("distances have no gradient")
	}
}

// Leaning moves the logits of a classifier, of all rows alike, and nothing else.
func TestLean(t *testing.T) {
	s := newSmall(t, Tanh, 1)
	for _, other := range []string{"similar", "nobody"} {
		if s.Lean(other, []float64{1, 2, 3}) {
			t.Errorf("%s leans", other)
		}
	}
	classes := len(s.byName["neural.output.biases"].Value)
	by := make([]float64, classes)
	by[1] = math.Log(3)
	if s.Lean("neural", by[1:]) {
		t.Error("a network leans by too few numbers")
	}
	p := bindT2(t, s, 9, 3, 20)
	before, _ := both(t, p, false, 0)
	before = slices.Clone(before)
	if !s.Lean("neural", by) {
		t.Fatal("the network does not lean")
	}
	after, _ := both(t, p, false, 0)
	for thing := 0; thing < 9*classes; thing += classes {
		was, is := before[thing]/before[thing+1], after[thing]/after[thing+1]
		if math.Abs(was/is-3) > 1e-4 {
			t.Errorf("thing %d: the odds were %v, and are %v", thing/classes, was, is)
		}
	}
}

// The gradient of the shared layer is the sum of those of the two networks alone.
func TestSharedLayerAccumulates(t *testing.T) {
	s := newSmall(t, Tanh, 1)
	p := bindT2(t, s, 9, 3, 20)
	if names := parameterNames(s); slices.Contains(names, "similar.hidden1.weights") {
		t.Fatalf("the siamese network has a first layer of its own: %v", names)
	}
	shared := s.byName["neural.hidden1.weights"]
	gradientOf := func(lo, hi int) []float32 {
		upstream := make([]float64, p.inputs)
		copy(upstream[lo:hi], upstreamOf(p.inputs)[lo:hi])
		clear(shared.Gradient)
		if err := p.Backward(upstream); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(shared.Gradient)
	}
	both(t, p, true, 1)
	classifier, siamese, together := gradientOf(0, 27), gradientOf(27, 47), gradientOf(0, 47)
	for i, g := range together {
		if classifier[i] == 0 && siamese[i] == 0 && g == 0 {
			continue
		}
		if math.Abs(float64(g-classifier[i]-siamese[i])) > 1e-6 {
			t.Errorf("element %d: %v together, %v and %v alone", i, g, classifier[i], siamese[i])
		}
	}
	if isZero(classifier) || isZero(siamese) {
		t.Error("one of the networks does not reach the shared layer")
	}
}

func isZero(values []float32) bool {
	return !slices.ContainsFunc(values, func(v float32) bool { return v != 0 })
}

func parameterNames(s *System) (names []string) {
	for _, p := range s.Parameters() {
		names = append(names, p.Name)
	}
	return names
}

// An optimiser may write new values between Forward and Backward; the gradient stays that of the last Forward.
func TestBackwardIsOfTheLastForward(t *testing.T) {
	checkBackwardIsOfTheLastForward(t, bindT2(t, newSmall(t, Tanh, 1), 9, 3, 20))
}

func checkBackwardIsOfTheLastForward(t *testing.T, p *Perception) {
	t.Helper()
	_, want := both(t, p, true, 1)
	for _, w := range p.Parameters() {
		clear(w.Gradient)
		for i := range w.Value {
			w.Value[i] += 1
		}
	}
	if err := p.Backward(upstreamOf(p.inputs)); err != nil {
		t.Fatal(err)
	}
	var got []float32
	for _, w := range p.Parameters() {
		got = append(got, w.Gradient...)
	}
	if !slices.Equal(got, want) {
		t.Error("new parameter values changed the gradient of the old forward pass")
	}
}

// What a row gives does not depend on which others are computed with it, dropout included.
func TestRowsAreIndependentOfTheBatch(t *testing.T) {
	s := newSmall(t, Tanh, 1)
	whole := bindT2(t, s, 9, 3, 20)
	x, _ := both(t, whole, true, 8)
	part, err := s.Bind(2, Binding{Network: "neural", Inputs: []int32{1, 0}, Rows: []int32{6, 2},
		Classes: []int32{0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(part.groups[0].rows); n != 2 {
		t.Errorf("%d rows are computed, 2 are needed", n)
	}
	y, _ := both(t, part, true, 8)
	if x[3*6] != y[1] || x[3*2+2] != y[0] {
		t.Errorf("alone %v, in the batch %v and %v", y, x[3*2+2], x[3*6])
	}
}

// What is steady gives the same in training as out of it, and the same gradients; what is random is not steady.
func TestSteady(t *testing.T) {
	classifier := func(change func(*Spec)) []Spec {
		s := Spec{Name: "n", Features: "words", Hidden: []int{4}, Outputs: 3}
		change(&s)
		return []Spec{s}
	}
	image := func(change func(*Spec)) []Spec {
		s := cnnSpec("n", ReLU)
		change(&s)
		return []Spec{s}
	}
	for name, c := range map[string]struct {
		specs  []Spec
		steady bool
	}{
		"mlp":                 {classifier(func(*Spec) {}), true},
		"mlp, dropout":        {classifier(func(s *Spec) { s.Dropout = 0.2 }), false},
		"mlp, input dropout":  {classifier(func(s *Spec) { s.InputDropout = 0.2 }), false},
		"cnn":                 {image(func(*Spec) {}), true},
		"cnn, dropout":        {image(func(s *Spec) { s.Dropout = 0.2 }), false},
		"cnn, input dropout":  {image(func(s *Spec) { s.InputDropout = 0.2 }), false},
		"cnn, shift":          {image(func(s *Spec) { s.Shift = 1 }), false},
		"the network of file": {[]Spec{mlpSpec()}, false},
	} {
		t.Run(name, func(t *testing.T) {
			size := 6
			if c.specs[0].Kind == "cnn" {
				size = 7 * 6 * 2
			}
			p := allClasses(t, mustNew(t, c.specs, images(t, 7, size, 2), 2), 7)
			if p.Steady() != c.steady {
				t.Fatalf("steady: %v", p.Steady())
			}
			x, gradients := both(t, p, true, 3)
			y, others := both(t, p, false, 0)
			same := slices.Equal(x, y) && slices.Equal(gradients, others)
			if c.steady && !same {
				t.Error("training computes something else")
			}
		})
	}
}

// A network's own decay is that of its own parameters, and not of the layers that it shares.
func TestOwnDecay(t *testing.T) {
	specs, decay := smallSpecs(Tanh), 0.1
	specs[0].Decay = &decay
	for _, p := range mustNew(t, specs, sparseTable(t, 9, 6, 27, 5), 1).parameters {
		if own := strings.HasPrefix(p.Name, specs[0].Name+"."); !p.Decay || own != (p.OwnDecay == &decay) {
			t.Errorf("%s: %v", p.Name, p.OwnDecay)
		}
	}
}

func TestFrozenNetworks(t *testing.T) {
	specs := smallSpecs(Tanh)
	specs[1].Frozen = true
	s := mustNew(t, specs, sparseTable(t, 9, 6, 27, 5), 1)
	want := []string{"similar.hidden2.weights", "similar.hidden2.biases", "similar.distance.weights",
		"similar.distance.biases"}
	if got := parameterNames(s); !slices.Equal(got, want) {
		t.Errorf("the parameters are %v, want %v", got, want)
	}
	if _, gradients := both(t, bindT2(t, s, 9, 3, 20), true, 1); isZero(gradients) {
		t.Error("the siamese network has no gradient")
	}
	for _, p := range s.parameters {
		if p.frozen && !isZero(p.Gradient) {
			t.Errorf("%s is frozen and has a gradient", p.Name)
		}
	}
}

func TestDropoutKeepsTheMean(t *testing.T) {
	const n, rate = 200000, 0.2
	d, sum, zeros := newDropout(1, "dropout", rate), 0.0, 0
	for i := range uint64(n) {
		k := d.keep(i)
		sum += float64(k)
		if k == 0 {
			zeros++
		}
	}
	if mean := sum / n; math.Abs(mean-1) > 0.005 {
		t.Errorf("the mean factor is %v", mean)
	}
	if share := float64(zeros) / n; math.Abs(share-rate) > 0.004 {
		t.Errorf("%v of the values are dropped, %v is wanted", share, rate)
	}
	if newStream(1, "dropout") == newStream(2, "dropout") || newStream(1, "dropout") == newStream(1, "input") {
		t.Error("streams of different seeds or names are the same")
	}
}

func TestDropoutIsForTraining(t *testing.T) {
	p := bindT2(t, newSmall(t, Tanh, 1), 9, 3, 20)
	test1, _ := both(t, p, false, 1)
	test2, _ := both(t, p, false, 2)
	train1, _ := both(t, p, true, 1)
	train2, _ := both(t, p, true, 2)
	again, _ := both(t, p, true, 1)
	if !slices.Equal(test1, test2) {
		t.Error("without training, the seed matters")
	}
	if slices.Equal(train1, train2) || slices.Equal(train1, test1) {
		t.Error("training does not drop by the seed")
	}
	if !slices.Equal(train1, again) {
		t.Error("the same seed gave another mask")
	}
}

func TestBindErrors(t *testing.T) {
	s := newSmall(t, Tanh, 1)
	ok := Binding{Network: "neural", Inputs: []int32{0}, Rows: []int32{0}, Classes: []int32{0}}
	for name, test := range map[string]struct {
		change func(b *Binding)
		want   string
	}{
		"network":  {func(b *Binding) { b.Network = "n" }, "no such network"},
		"lengths":  {func(b *Binding) { b.Rows = nil }, "1 atoms, 0 rows"},
		"number":   {func(b *Binding) { b.Inputs = []int32{1} }, "atom number 1 is not below 1"},
		"row":      {func(b *Binding) { b.Rows = []int32{9} }, "row 9 is not among the 9"},
		"class":    {func(b *Binding) { b.Classes = []int32{3} }, "class 3 is not below 3"},
		"other":    {func(b *Binding) { b.Network, b.Others = "similar", []int32{-1} }, "row -1 is not below 9"},
		"no other": {func(b *Binding) { b.Network = "similar" }, "0 of each atom's other row"},
		"nothing":  {func(b *Binding) { *b = Binding{Network: "neural"} }, "perceived atom number 0"},
	} {
		binding := ok
		test.change(&binding)
		if _, err := s.Bind(1, binding); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
	if _, err := s.Bind(1, ok, ok); err == nil || !strings.Contains(err.Error(), "bound twice") {
		t.Errorf("twice: error %v", err)
	}
	p, err := s.Bind(1, ok)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Backward(make([]float64, 1)); err == nil {
		t.Error("Backward without a Forward is no error")
	}
	if err := p.Forward(make([]float64, 2), false, 0); err == nil {
		t.Error("an x of the wrong length is no error")
	}
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// checkDifferences compares the gradients of a training pass with central differences of passes with the same seed.
func checkDifferences(t *testing.T, p *Perception, seed uint64, eps, tolerance float64) {
	t.Helper()
	x, gradients := both(t, p, true, seed)
	loss := func() float64 {
		if err := p.Forward(x, true, seed); err != nil {
			t.Fatal(err)
		}
		return dot(x, upstreamOf(len(x)))
	}
	for _, w := range p.Parameters() {
		for i, old := range w.Value {
			w.Value[i] = old + float32(eps)
			above := loss()
			w.Value[i] = old - float32(eps)
			below := loss()
			w.Value[i] = old
			want, got := (above-below)/(2*eps), float64(gradients[0])
			if math.Abs(got-want) > tolerance*(1+math.Abs(want)) {
				t.Errorf("∂L/∂%s[%d] = %v, differences give %v", w.Name, i, got, want)
			}
			gradients = gradients[1:]
		}
	}
}

// exp overflows long before a network's values do, and must not spoil what does not need it.
func TestLargeValuesStayFinite(t *testing.T) {
	for _, activation := range activations {
		s := newSmall(t, activation, 1)
		for i := range s.byName["neural.hidden1.weights"].Value {
			s.byName["neural.hidden1.weights"].Value[i] = 1e4
		}
		x, gradients := both(t, bindT2(t, s, 9, 3, 20), true, 1)
		for _, v := range x {
			if !(v >= 0 && v <= 1) {
				t.Errorf("%s: %v is no truth value", activation, v)
			}
		}
		for _, g := range gradients {
			if v := float64(g); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: a gradient is %v", activation, g)
			}
		}
	}
}

// Twins begin with rows that are far apart less alike than near ones, and all about half so, whatever the seed.
func TestTwinsBeginApart(t *testing.T) {
	for seed := range uint64(20) {
		s, err := New(smallSpecs(ReLU), map[string]*features.Table{"words": sparseTable(t, 9, 6, 27, 5)}, seed)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Bind(2, Binding{Network: "similar", Inputs: []int32{0, 1}, Rows: []int32{0, 0}, Others: []int32{0, 5}})
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, 2)
		if err := p.Forward(x, false, 0); err != nil {
			t.Fatal(err)
		}
		if x[0] != 0.5 || !(x[1] <= x[0]) || x[1] < 0.3 {
			t.Errorf("seed %d: a row is %.3f like itself and %.3f like another one", seed, x[0], x[1])
		}
	}
}
