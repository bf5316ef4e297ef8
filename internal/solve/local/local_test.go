package local

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// living is a random model whose potentials come and go, with what a cold solver says about it.
type living struct {
	*State
	t     *testing.T
	rng   *rand.Rand
	pool  []mrf.Potential // of which some are there
	there []bool
	theta []float64
	x     []float64
}

func start(t *testing.T, seed uint64, kinds []mrftest.Form) *living {
	rng := rand.New(rand.NewPCG(seed, 1))
	shape := mrftest.Shape{Variables: 30, Inputs: 3, Blocks: 12, Potentials: 20, Kinds: kinds, Arity: 3, Scales: true}
	m, theta, x := mrftest.Random(rng, shape)
	l := &living{t: t, rng: rng, theta: theta, x: x}
	for _, b := range m.Blocks {
		for j := range b.Len {
			l.pool = append(l.pool, b.At(j))
			l.there = append(l.there, rng.IntN(4) > 0)
		}
	}
	first := &mrf.Model{Variables: m.Variables, Inputs: m.Inputs, Rules: m.Rules}
	for k := range l.pool {
		if l.there[k] {
			first.AppendPotential(&l.pool[k])
		}
	}
	cold := l.cold(first)
	field := mrf.NewFieldOn(first, 1)
	field.SetWeights(theta)
	field.SetInputs(x)
	var err error
	if l.State, err = New(field, cold.Y, cold.Multipliers, solve.Settings{Gap: 1e-4}); err != nil {
		t.Fatal(err)
	}
	if seed%2 == 1 {
		l.many, l.least = 1, 1 // parts are solved apart wherever they can be
	}
	if seed%4 > 1 {
		l.crossing = math.MaxInt32 // all is looked at whenever something has strayed
	}
	return l
}

// alive is a model that may change, from its solution on, with one thread.
func alive(t *testing.T, m *mrf.Model, theta []float64) *living {
	t.Helper()
	l := &living{t: t, theta: theta}
	cold := l.cold(m)
	field := mrf.NewFieldOn(m, 1)
	field.SetWeights(theta)
	var err error
	if l.State, err = New(field, cold.Y, cold.Multipliers, solve.Settings{Gap: 1e-4, Threads: 1}); err != nil {
		t.Fatal(err)
	}
	return l
}

// cold solves a model without anything to start from.
func (l *living) cold(m *mrf.Model) *solve.Result {
	l.t.Helper()
	field := mrf.NewFieldOn(m, 1)
	field.SetWeights(l.theta)
	field.SetInputs(l.x)
	solver, err := auto.New("", field, solve.Settings{Gap: Spare(1e-4), Threads: 1})
	if err != nil {
		l.t.Fatal(err)
	}
	result, err := solver.Solve(context.Background())
	if err != nil {
		l.t.Fatal(err)
	}
	return result
}

// change lets a few potentials come and go.
func (l *living) change() {
	if l.rng.IntN(4) == 0 {
		k := l.rng.IntN(len(l.theta))
		l.theta = slices.Clone(l.theta)
		l.theta[k] = []float64{0, 0.1, 1, 3}[l.rng.IntN(4)]
		l.SetWeight(k, l.theta[k])
	}
	for range 1 + l.rng.IntN(3) {
		k := l.rng.IntN(len(l.pool))
		if l.there[k] = !l.there[k]; l.there[k] {
			l.Add(&l.pool[k])
			continue
		}
		place := l.Find(&l.pool[k])
		if place < 0 {
			l.t.Fatalf("potential %d is not found", k)
		}
		l.Remove(place)
	}
}

// check compares the totals with a certificate of all, and the objective with a cold solver's.
func (l *living) check(out Outcome) {
	l.t.Helper()
	w := l.Gather()
	m, mu := w.Model, w.Multipliers
	field := mrf.NewFieldOn(m, 1)
	field.SetWeights(l.theta)
	field.SetInputs(l.x)
	want, got := solve.Certify(field, l.Values(), slices.Clone(mu)), l.Certificate()
	scale := 1e-9 * (1 + math.Abs(want.Objective))
	if math.Abs(want.Objective-got.Objective) > scale || math.Abs(want.DualBound-got.DualBound) > scale ||
		got.MaxViolation < want.MaxViolation-1e-12 || math.Abs(field.Unit()-l.Unit()) > 1e-9*l.Unit() ||
		math.Abs(field.Grain()-l.Grain()) > 1e-9*l.Grain() {
		l.t.Fatalf("the totals say %+v (unit %v), and all together %+v (unit %v)", got, l.Unit(), want, field.Unit())
	}
	l.checkStill()
	if out.Status != solve.Optimal {
		return
	}
	if math.Abs(got.Gap) > 1e-4 || want.MaxViolation > 1e-6 {
		l.t.Fatalf("optimal with %+v", want)
	}
	if cold := l.cold(m); cold.Status == solve.Optimal && math.Abs(cold.Objective-got.Objective) >
		1.3e-4*max(l.Grain(), math.Abs(cold.Objective))+want.Excess {
		l.t.Fatalf("objective %v, cold %v", got.Objective, cold.Objective)
	}
}

// checkStill finds out whether what is taken for still has no part in the totals, and is all that parts do not look at.
func (l *living) checkStill() {
	l.t.Helper()
	for place := range l.mu {
		levels := 0
		for k := range tethers {
			levels += int(l.still[place/64][k] >> (place % 64) & 1)
		}
		if v, k := l.view(place), l.still[place/64].of(place%64); k >= 0 && !l.holds(&v, k) {
			l.t.Fatalf("potential %d could matter without any variable leaving level %d", place, k)
		}
		quiet := l.quiet[place/64]>>(place%64)&1 == 1
		if v := l.view(place); levels > 1 || quiet != (l.isGone(place) || levels == 1) ||
			levels == 1 && (l.isGone(place) || l.mu[place] != 0 || v.slack(l.y) > 0) {
			l.t.Fatalf("potential %d is still on %d levels, quiet %v, with multiplier %v", place, levels, quiet, l.mu[place])
		}
	}
	for k, tether := range tethers {
		for i, y := range l.y {
			if math.Abs(y-float64(l.anchors[i][k])) > tether {
				l.t.Fatalf("variable %d is at %v, and anchored at %v", i, y, l.anchors[i])
			}
		}
	}
}

// holds tells whether a potential is 0 wherever variables are no further from the anchors of a level than its tether.
func (l *living) holds(v *view, level int) bool {
	d := v.c
	for e, i := range v.ids {
		d += v.coef[e]*float64(l.anchors[i][level]) + tethers[level]*math.Abs(v.coef[e])
	}
	return d <= 0
}

// A part has potentials that are near to mattering alone, and others as soon as their variables have moved.
func TestStill(t *testing.T) {
	first := &mrf.Model{Variables: 3, Rules: 1}
	for range 100 { // they keep the sum of the first two variables below 1.5
		first.AppendPotential(&mrf.Potential{Kind: mrf.Hinge, Exponent: 2, Vars: []int32{0, 1}, Coef: []float64{1, 1},
			Constant: -1.5, Scale: 1})
	}
	for i := range int32(3) {
		first.AppendPotential(&mrf.Potential{Kind: mrf.Hinge, Exponent: 2, Vars: []int32{i}, Coef: []float64{1}, Scale: 1})
	}
	l := &living{t: t, theta: []float64{1}}
	s, err := New(mrf.NewFieldOn(first, 1), make([]float64, 3), nil, solve.Settings{Gap: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	l.State = s
	for i, rows := range []int{5, 105} { // with all variables, as some are cheap
		l.Add(&mrf.Potential{Kind: mrf.Hinge, Exponent: 2, Vars: []int32{int32(i)}, Coef: []float64{-1}, Constant: 1,
			Scale: 1e3})
		out, err := l.Solve(t.Context())
		if err != nil || out.Status != solve.Optimal || len(l.part.rows) > rows {
			t.Fatalf("%v with %d ground rules, want at most %d: %v", out.Status, len(l.part.rows), rows, err)
		}
		l.check(out)
	}
	if len(l.part.rows) < 100 {
		t.Errorf("%d ground rules matter, want 100 and more", len(l.part.rows))
	}
}

func TestWhatComesAndGoesIsProven(t *testing.T) {
	families := map[string][]mrftest.Form{"squared": mrftest.Squared, "soft": mrftest.Soft, "all": mrftest.All}
	for name, kinds := range families {
		t.Run(name, func(t *testing.T) {
			optimal := 0
			for seed := range uint64(12) {
				l := start(t, seed, kinds)
				for range 20 {
					l.change()
					out, err := l.Solve(context.Background())
					if err != nil {
						t.Fatal(err)
					}
					l.check(out)
					if out.Status == solve.Optimal {
						optimal++
					}
				}
			}
			if optimal < 200 {
				t.Errorf("only %d of 240 solves end with a proof", optimal)
			}
		})
	}
}

// TestPages compares pages with the values that they were taken from, also when these have changed since, or changes
// were taken back.
func TestPages(t *testing.T) {
	l := start(t, 7, mrftest.All)
	type taken struct {
		pages  Pages
		values []float64
	}
	var all []taken
	solve := func() {
		if _, err := l.Solve(context.Background()); err != nil {
			t.Fatal(err)
		}
		all = append(all, taken{l.Pages(), slices.Clone(l.y)})
	}
	for range 30 {
		l.Begin()
		there, theta := slices.Clone(l.there), l.theta
		l.Grow(len(l.y) + l.rng.IntN(400))
		l.SetValue(int32(l.rng.IntN(len(l.y))), l.rng.Float64())
		l.change()
		solve()
		if l.rng.IntN(2) == 0 {
			l.Rollback()
			l.there, l.theta = there, theta
		} else {
			l.Commit()
		}
		solve()
	}
	for k, at := range all {
		for i, value := range at.values {
			if got := at.pages.At(int32(i)); got != value {
				t.Fatalf("value %d of pages %d is %v, and was %v", i, k, got, value)
			}
		}
	}
}

func TestRollbackLeavesNoTrace(t *testing.T) {
	l := start(t, 5, mrftest.All)
	for range 30 {
		before := *l.State
		y, g, mu, gone := slices.Clone(l.y), slices.Clone(l.g), slices.Clone(l.mu), slices.Clone(l.gone)
		quiet, anchors := slices.Clone(l.quiet), slices.Clone(l.anchors)
		there, theta := slices.Clone(l.there), l.theta
		l.Begin()
		l.change()
		l.SetInput(1, l.rng.Float64())
		if _, err := l.Solve(context.Background()); err != nil {
			t.Fatal(err)
		}
		l.Rollback()
		l.there, l.theta = there, theta
		if !slices.Equal(y, l.y) || !slices.Equal(g, l.g) || !slices.Equal(mu, l.mu) ||
			!slices.Equal(gone, l.gone[:len(gone)]) || !slices.Equal(quiet, l.quiet[:len(quiet)]) ||
			!slices.Equal(anchors, l.anchors) || before.gap != l.gap || before.objective != l.objective ||
			before.kinds != l.kinds || before.come.len() != l.come.len() {
			t.Fatal("the state is not what it was")
		}
		l.change()
		out, err := l.Solve(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		l.check(out)
	}
}

func TestInputsChange(t *testing.T) {
	l := start(t, 3, mrftest.Soft)
	for range 30 {
		i := l.rng.IntN(len(l.x))
		l.x[i] = l.rng.Float64()
		l.SetInput(int32(i), l.x[i])
		out, err := l.Solve(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		l.check(out)
	}
}

// A part that nothing is around is solved until all is proven: there is nothing else that could take a change in.
func TestPartsByThemselves(t *testing.T) {
	const group, all = 100, 1_000
	first := &mrf.Model{Variables: all, Rules: 1}
	pull := func(i int32, weight float64) *mrf.Potential {
		return &mrf.Potential{Kind: mrf.Hinge, Exponent: 2, Vars: []int32{i}, Coef: []float64{-1}, Constant: 0.9,
			Scale: weight}
	}
	for i := range int32(all) {
		first.AppendPotential(&mrf.Potential{Kind: mrf.Hinge, Exponent: 2, Vars: []int32{i}, Coef: []float64{1}, Scale: 1})
		for j := range i % group {
			first.AppendPotential(&mrf.Potential{Kind: mrf.Hinge, Exponent: 1 + int(j%2), Vars: []int32{i, i - i%group + j},
				Coef: []float64{1, -1}, Scale: 0.1 + float64((i*j)%7)/10})
		}
	}
	multipliers := make([]float64, first.Potentials())
	s, err := New(mrf.NewFieldOn(first, 1), make([]float64, all), multipliers, solve.Settings{Gap: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	for k := range int32(5) {
		s.Add(pull(99-7*k, math.Pow(4, float64(k))))
		out, err := s.Solve(t.Context())
		if err != nil || out.Status != solve.Optimal || out.Variables > group {
			t.Fatalf("change %d: %v with %d variables in %d rounds: %v", k, out.Status, out.Variables, out.Rounds, err)
		}
	}
}

func TestContradictionIsFound(t *testing.T) {
	first := &mrf.Model{Variables: 3, Rules: 1}
	for i := range int32(2) {
		first.AppendPotential(&mrf.Potential{Kind: mrf.LessEqual, Vars: []int32{i, i + 1}, Coef: []float64{1, -1}, Scale: 1})
	}
	first.AppendPotential(&mrf.Potential{Kind: mrf.Equal, Vars: []int32{0}, Coef: []float64{1}, Constant: -0.5, Scale: 1})
	l := &living{t: t, theta: []float64{1}}
	cold := l.cold(first)
	s, err := New(mrf.NewFieldOn(first, 1), cold.Y, cold.Multipliers, solve.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	y := slices.Clone(s.Values())
	s.Begin()
	s.Add(&mrf.Potential{Kind: mrf.Equal, Vars: []int32{2}, Coef: []float64{1}, Constant: -0.25, Scale: 1})
	out, err := s.Solve(context.Background())
	if err != nil || out.Status != solve.Infeasible || len(out.Conflict) == 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	s.Rollback()
	out, err = s.Solve(context.Background())
	if err != nil || out.Status != solve.Optimal || !slices.Equal(y, s.Values()) {
		t.Fatalf("%+v, %v: %v", out, err, s.Values())
	}
}

func TestEndsWithItsContext(t *testing.T) {
	l := start(t, 7, mrftest.Soft)
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	l.change()
	out, err := l.Solve(ctx)
	if err != nil || out.Status != solve.TimeLimit {
		t.Fatalf("%v, %v", out.Status, err)
	}
	l.check(out)
	if out, err = l.Solve(context.Background()); err != nil {
		t.Fatal(err)
	}
	l.check(out)
}

// TestMemoryStays lets one potential come and go for as long as one likes: what it leaves is given back, and the state
// is what it was.
func TestMemoryStays(t *testing.T) {
	l := start(t, 7, mrftest.Soft)
	if _, err := l.Solve(t.Context()); err != nil {
		t.Fatal(err)
	}
	stays := mrf.Potential{Kind: mrf.Hinge, Exponent: 2, Vars: []int32{1, 3}, Coef: []float64{1, -1}, Constant: 0.4,
		Scale: 1}
	l.Begin()
	l.Add(&stays)
	l.Commit()
	if _, err := l.Solve(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, model := l.Certificate(), l.Potentials()
	comes := mrf.Potential{Kind: mrf.Hinge, Exponent: 2, Vars: []int32{2}, Coef: []float64{1}, Constant: -0.5, Scale: 1}
	for range 5 * compactAt {
		l.Begin()
		l.Remove(l.Add(&comes))
		l.Commit()
	}
	if n := l.come.len(); n > compactAt {
		t.Errorf("%d potentials are remembered", n)
	}
	after := l.Certificate()
	if math.Abs(after.Objective-before.Objective) > 1e-9 || math.Abs(after.Gap-before.Gap) > 1e-9 {
		t.Errorf("the proof is %v, and was %v", after, before)
	}
	if n := l.Potentials(); n != model || l.Find(&stays) < l.first {
		t.Errorf("%d potentials, want %d; the one that stays is at %d", n, model, l.Find(&stays))
	}
}

// Potentials counts those that are there.
func (l *living) Potentials() (n int) {
	l.Each(func(*mrf.Potential) { n++ })
	return n
}

// Where much changes at once in many places, what is in one of them is solved apart from the others, as well as all
// together would be.
func TestScattered(t *testing.T) {
	const clusters, size, changed = 6_000, 5, 400
	rng := rand.New(rand.NewPCG(1, 2))
	m := &mrf.Model{Variables: clusters * size, Rules: 2}
	theta := []float64{1, 20}
	for i := range int32(clusters * size) {
		m.AppendPotential(&mrf.Potential{Rule: 0, Kind: mrf.Hinge, Exponent: 2, Scale: 1, Vars: []int32{i},
			Coef: []float64{1}, Constant: -rng.Float64() / 4})
		if i%size > 1 { // what holds for two holds for the third
			m.AppendPotential(&mrf.Potential{Rule: 1, Kind: mrf.Hinge, Exponent: 2, Scale: 1,
				Vars: []int32{i - 2, i - 1, i}, Coef: []float64{1, 1, -1}, Constant: -1})
		}
	}
	var first []float64
	for _, threads := range []int{1, 3} {
		l := &living{t: t, theta: theta}
		cold := l.cold(m)
		field := mrf.NewFieldOn(m, 1)
		field.SetWeights(theta)
		var err error
		l.State, err = New(field, cold.Y, cold.Multipliers, solve.Settings{Gap: 1e-4, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 3))
		for cluster := range int32(changed) {
			for i := range int32(3) {
				l.Add(&mrf.Potential{Rule: 1, Kind: mrf.Hinge, Exponent: 2, Scale: 1, Coef: []float64{-1},
					Vars: []int32{clusters/changed*size*cluster + i}, Constant: 0.5 + rng.Float64()/2})
			}
		}
		out, err := l.Solve(context.Background())
		if err != nil || out.Status != solve.Optimal {
			t.Fatalf("%+v, %v", out, err)
		}
		l.check(out)
		if n := slices.Max(l.part.member); n < changed-1 {
			t.Errorf("%d components of %d", n+1, changed)
		}
		if first == nil {
			first = l.Values()
		} else if !slices.Equal(first, l.Values()) {
			t.Error("other values with more threads")
		}
	}
}
