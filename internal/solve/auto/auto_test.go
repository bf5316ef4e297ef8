package auto_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/contexttest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

func TestEachMethodSolves(t *testing.T) {
	m := mrftest.New(1, 0, 1).Rule(0, mrf.Hinge, 2).
		Add(1, []mrftest.Term{{Index: 0, Coef: -1}}, nil).Add(0, []mrftest.Term{{Index: 0, Coef: 1}}, nil).Model()
	for _, row := range append(auto.Methods(), auto.Info{}) {
		method := row.Name
		s, err := auto.New(method, mrf.NewField(m), solve.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(context.Background())
		if err != nil || r.Objective > 0.75 { // the optimum is 0.5, but sgd stops early
			t.Errorf("%q: %+v, %v", method, r.Certificate, err)
		}
	}
	if _, err := auto.New("simplex", mrf.NewField(m), solve.Settings{}); err == nil ||
		!strings.Contains(err.Error(), "newton") {
		t.Errorf("unknown method: error %v", err)
	}
}

func TestChooseSaysWhy(t *testing.T) {
	rule := func(kind mrf.Kind, exponent int) *mrftest.Builder {
		return mrftest.New(1, 0, 2).Rule(0, kind, exponent).Add(0, []mrftest.Term{{Index: 0, Coef: 1}}, nil)
	}
	cases := map[string]*mrf.Model{
		"what Newton's method is made": rule(mrf.Hinge, 2).Model(),
		"Linear":                       rule(mrf.Absolute, 1).Model(),
		"Hard rules enter":             rule(mrf.Equal, 0).Model(),
		"linear":                       rule(mrf.LessEqual, 0).Rule(1, mrf.Hinge, 1).Model(),
	}
	cases["linear"].Blocks[1].Len = 0
	for want, m := range cases {
		if method, why := auto.Choose(m); method != "newton" || !strings.Contains(why, want) {
			t.Errorf("%s, because %q; want something about %q", method, why, want)
		}
	}
}

// Examples of more rules than few are factored, too, where that takes little: here a table of all triples, whose sums
// are long, but not many. Where all variables are tied to each other, it takes much.
func TestLargeExamplesAreFactored(t *testing.T) {
	const n = 10
	table := mrftest.New(n*n*n, 0, 2).Rule(0, mrf.Absolute, 2)
	all := make([]mrftest.Term, 0, n*n*n)
	for k := range 3 * n {
		var sum []mrftest.Term
		for i := range n * n * n {
			if digit := []int{i / n / n, i / n % n, i % n}[k/n]; digit == k%n {
				sum = append(sum, mrftest.Term{Index: i, Coef: 1})
			}
		}
		table.Add(-1/float64(1+k), sum, nil)
	}
	table.Rule(0, mrf.Hinge, 2)
	for i := range n * n * n {
		all = append(all, mrftest.Term{Index: i, Coef: 1})
		table.Add(-0.001, all[i:], nil) // of one variable
	}
	table.Rule(1, mrf.Equal, 0).Add(-1, all, nil)
	random := rand.New(rand.NewPCG(1, 1))
	tied := mrftest.New(1000, 0, 1).Rule(0, mrf.Hinge, 2)
	for range 4000 {
		pair := []mrftest.Term{{Index: random.IntN(500), Coef: 1}, {Index: 500 + random.IntN(500), Coef: 1}}
		tied.Add(random.Float64()-1, pair, nil)
	}
	for model, want := range map[*mrf.Model]string{mrftest.Repeat(table.Model(), 2): "interior", tied.Model(): "newton"} {
		field := mrf.NewField(model)
		if method, why := auto.ChooseExamples("auto", field); method != want {
			t.Errorf("%s, because %q; want %s", method, why, want)
		}
		solver, err := auto.Examples("auto", field, solve.Settings{}, auto.Own{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := solver.Solve(t.Context()); err != nil || r.Status != solve.Optimal {
			t.Errorf("%s: %v, %v", want, r.Status, err)
		}
	}
}

// One example without a proof goes to Newton's method alone, which says what is wrong with it.
func TestOneContradictoryExample(t *testing.T) {
	const n, broken = 40, 17
	model, theta, x := examplesButOne(n, broken)
	var want []float64
	for _, threads := range []int{1, 2} {
		solver, err := auto.Examples("auto", mrftest.Field(model, theta, x), solve.Settings{Threads: threads}, auto.Own{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := solver.Solve(context.Background())
		if err != nil || r.Status != solve.Infeasible || !slices.Equal(r.Conflict, conflictOf(broken, n)) {
			t.Fatalf("%v, conflict %v, %v; want %v", r.Status, r.Conflict, err, conflictOf(broken, n))
		}
		for e := range n {
			if y := r.Y[2*e : 2*e+2]; e != broken && (math.Abs(y[0]-0.75) > 1e-3 || math.Abs(y[1]) > 1e-3) {
				t.Errorf("example %d has the answer %v", e, y)
			}
		}
		if bits := slices.Concat(r.Y, r.Multipliers); want == nil {
			want = bits
		} else if !slices.Equal(bits, want) {
			t.Errorf("%d threads give other bits than one", threads)
		}
	}
}

// examplesButOne are n examples with the same answer, but for one whose input contradicts its hard rules.
func examplesButOne(n, broken int) (model *mrf.Model, theta, x []float64) {
	one := func(i int, a float64) []mrftest.Term { return []mrftest.Term{{Index: i, Coef: a}} }
	example := mrftest.New(2, 1, 3).Rule(0, mrf.Hinge, 2).Add(1, one(0, -1), nil).Rule(1, mrf.Hinge, 1).
		Add(0.25, []mrftest.Term{{Index: 0, Coef: -1}, {Index: 1, Coef: 1}}, nil).
		Rule(2, mrf.LessEqual, 0).Add(0, []mrftest.Term{{Index: 0, Coef: 1}, {Index: 1, Coef: 1}}, one(0, -1)).
		Add(0.5, one(0, -1), nil).Model()
	x = slices.Repeat([]float64{0.75}, n)
	x[broken] = 0.25 // and then y0 + y1 ≤ x contradicts y0 ≥ 0.5
	return mrftest.Repeat(example, n), []float64{1, 0.5, 0}, x
}

// conflictOf are the hard ground rules of an example of TestOneContradictoryExample.
func conflictOf(example, n int) []int { return []int{2*n + 2*example, 2*n + 2*example + 1} }

// What was done, and why, is said.
func TestInferenceTellsWhatItDid(t *testing.T) {
	one := func(i int, a float64) []mrftest.Term { return []mrftest.Term{{Index: i, Coef: a}} }
	apart := mrftest.New(4, 0, 1).Rule(0, mrf.Hinge, 1).Add(1, one(0, -1), nil).Add(0, one(0, 1), nil).
		Add(1, one(1, -1), nil).Add(0, one(1, 1), nil).Model()
	known := mrftest.New(2, 0, 2).Rule(0, mrf.Hinge, 2).Add(1, one(1, -1), nil).Add(0, one(1, 1), nil).
		Rule(1, mrf.Equal, 0).Add(-1, one(0, 1), nil).Model()
	all := auto.Options{Presolve: true, Split: true}
	for _, c := range []struct {
		name      string
		model     *mrf.Model
		options   auto.Options
		presolved bool
		apart     bool
		reason    string
	}{
		{"components", apart, all, false, true, "Linear potentials enter by their multipliers, around Newton's method. " +
			"The 2 components are solved apart: each ends when it is proven."},
		{"components together", apart, auto.Options{Presolve: true}, false, false, "Linear"},
		{"known", known, all, true, false, "what Newton's method is made for"},
		{"known, as it is", known, auto.Options{}, false, false, "Hard rules enter"},
	} {
		s, err := auto.Inference("auto", mrf.NewField(c.model), solve.Settings{}, c.options)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(context.Background())
		if err != nil || r.Status != solve.Optimal {
			t.Fatal(c.name, r.Status, err)
		}
		if (r.Presolve != nil) != c.presolved || (r.Components != nil && r.Components.Apart) != c.apart ||
			!strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: presolve %v, components %v, because %q", c.name, r.Presolve, r.Components, r.Reason)
		}
	}
}

// What is solved again and again is solved apart where that pays, and has the same answers, from multipliers too.
func TestApart(t *testing.T) {
	one := func(i int, a float64) []mrftest.Term { return []mrftest.Term{{Index: i, Coef: a}} }
	groups := mrftest.New(6, 0, 3)
	for rule, exponent := range []int{1, 2} {
		groups.Rule(rule, mrf.Hinge, exponent)
		for i := range 6 {
			groups.Add(float64(1-rule), one(i, float64(2*rule-1)), nil)
		}
	}
	groups.Rule(2, mrf.LessEqual, 0)
	tie := func(i, k int) { groups.Add(-1, []mrftest.Term{{Index: i, Coef: 1}, {Index: k, Coef: 1}}, nil) }
	for i := range 3 {
		tie(2*i, 2*i+1)
	}
	whole := mrftest.New(1, 0, 1).Rule(0, mrf.Hinge, 1).Add(1, one(0, -1), nil).Model()
	for model, apart := range map[*mrf.Model]bool{groups.Model(): true, whole: false} {
		solver, err := auto.Apart("auto", mrf.NewField(model), solve.Settings{}, auto.Own{})
		if err != nil {
			t.Fatal(err)
		}
		other, err := auto.New("auto", mrf.NewField(model), solve.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		var y, multipliers []float64
		for _, weight := range []float64{1, 1.5, 0.5} {
			theta := slices.Repeat([]float64{1}, model.Rules)
			theta[0] = weight
			var found [2]*solve.Result
			for k, s := range []solve.Solver{solver, other} {
				s.SetWeights(theta)
				s.WarmStart(y, multipliers)
				if found[k], err = s.Solve(context.Background()); err != nil || found[k].Status != solve.Optimal {
					t.Fatal(found[k].Status, err)
				}
			}
			if (found[0].Components != nil) != apart {
				t.Errorf("%d ground rules: components %v", model.Potentials(), found[0].Components)
			}
			if math.Abs(found[0].Objective-found[1].Objective) > 1e-6 {
				t.Errorf("apart %v, together %v", found[0].Objective, found[1].Objective)
			}
			y, multipliers = slices.Clone(found[0].Y), slices.Clone(found[0].Multipliers)
		}
	}
}

// BenchmarkOneUnproven measures a batch of pairs of digits, in one of which the probabilities of a digit add up to too
// much: that one goes to Newton's method. Beside it, all of them do.
func BenchmarkOneUnproven(b *testing.B) {
	const n, broken = 64, 17
	x := mrftest.Uniform(rand.New(rand.NewPCG(1, 2)), 20*n)
	for lo := 0; lo < len(x); lo += 10 {
		sum := 0.0
		for _, v := range x[lo : lo+10] {
			sum += v
		}
		for k := range x[lo : lo+10] {
			x[lo+k] /= sum
		}
	}
	x[20*broken] += 0.1
	field := mrftest.Field(mrftest.Repeat(pair(), n), []float64{1, 1, 0}, x)
	for name, newSolver := range map[string]func(string, *mrf.Field, solve.Settings, auto.Own) (solve.Solver, error){
		"apart": auto.Examples, "together": auto.With,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				solver, err := newSolver("auto", field, solve.Settings{Gap: 1e-6}, auto.Own{})
				if err != nil {
					b.Fatal(err)
				}
				if r, err := solver.Solve(context.Background()); err != nil || r.Status != solve.Infeasible {
					b.Fatal(r.Status, err)
				}
			}
		})
	}
}

// pair are rules about two digits and their sum: a table of all combinations, whose rows and columns add up to what a
// network says, and whose diagonals add up to the sums.
func pair() *mrf.Model {
	sums := make([][]mrftest.Term, 39)
	b := mrftest.New(119, 20, 3).Rule(0, mrf.Hinge, 2)
	for k := range 100 {
		cell := mrftest.Term{Index: k, Coef: 1}
		b.Add(0, []mrftest.Term{cell}, nil)
		for _, of := range []int{k / 10, 10 + k%10, 20 + k/10 + k%10} {
			sums[of] = append(sums[of], cell)
		}
	}
	b.Rule(2, mrf.Equal, 0)
	for k, cells := range sums {
		minus := []mrftest.Term{{Index: k, Coef: -1}}
		if k < 20 {
			b.Add(0, cells, minus)
		} else {
			b.Add(0, append(cells, mrftest.Term{Index: 80 + k, Coef: -1}), nil)
		}
	}
	return b.Model()
}

// Hard rules that contradict each other far apart are named and proven before any method begins.
func TestInferenceProvesContradictions(t *testing.T) {
	const n = 2000
	b := mrftest.New(n, 0, 2).Rule(0, mrf.Hinge, 2).Add(0.5, []mrftest.Term{{Index: 0, Coef: -1}}, nil).
		Rule(1, mrf.LessEqual, 0).Add(1, []mrftest.Term{{Index: 0, Coef: -1}}, nil).
		Add(0, []mrftest.Term{{Index: n - 1, Coef: 1}}, nil)
	for i := n - 2; i >= 0; i-- {
		b.Add(0, []mrftest.Term{{Index: i, Coef: 1}, {Index: i + 1, Coef: -1}}, nil)
	}
	s, err := auto.Inference("auto", mrf.NewField(b.Model()), solve.Settings{}, auto.Options{Presolve: true, Split: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(context.Background())
	if err != nil || r.Status != solve.Infeasible || r.Iterations != 0 || len(r.Conflict) != n+1 {
		t.Fatalf("%v after %d iterations, conflict of %d: %v", r.Status, r.Iterations, len(r.Conflict), err)
	}
	if r.DualBound <= r.Objective || r.MaxViolation == 0 || !strings.Contains(r.Reason, "contradict") {
		t.Errorf("%+v, because %q", r.Certificate, r.Reason)
	}
}

// A method's proof that what presolving has left contradicts itself is one for all hard rules, of which some fix or tie
// others: it is not looked for once more in all of them.
func TestContradictionOfWhatIsLeft(t *testing.T) {
	const n = 300 // things, each in one of n-1 places, of which no two are in one; with as many twins, and a chain
	rng := rand.New(rand.NewPCG(1, 1))
	terms := make([][]mrftest.Term, 2*n)
	b := mrftest.New(10*n, 0, 2)
	for i := range n {
		for e := range 4 {
			term := mrftest.Term{Index: 4*i + e, Coef: 1}
			place := n + rng.IntN(n-1)
			terms[i], terms[place] = append(terms[i], term), append(terms[place], term)
			b.Rule(0, mrf.Hinge, 1).Add(-0.3, []mrftest.Term{{Index: 4*n + 4*i + e, Coef: 1 + rng.Float64()}}, nil)
			b.Rule(1, mrf.Equal, 0)
			b.Add(0, []mrftest.Term{{Index: 4*i + e, Coef: 1}, {Index: 4*n + 4*i + e, Coef: -1}}, nil)
		}
	}
	for i := range n {
		b.Rule(1, mrf.Equal, 0).Add(-2, append(terms[i], mrftest.Term{Index: 8 * n, Coef: 1}), nil)
		if at := terms[n+i]; len(at) > 0 {
			b.Rule(1, mrf.LessEqual, 0).Add(-2, append(at, mrftest.Term{Index: 9*n - 1, Coef: 1}), nil)
		}
	}
	b.Rule(1, mrf.LessEqual, 0).Add(1, []mrftest.Term{{Index: 8 * n, Coef: -1}}, nil)
	for k := range n - 1 {
		b.Add(0, []mrftest.Term{{Index: 8*n + k, Coef: 1}, {Index: 8*n + k + 1, Coef: -1}}, nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{1, 0})
	s, err := auto.Inference("auto", field, solve.Settings{}, auto.Options{Presolve: true, Split: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(context.Background())
	if err != nil || r.Status != solve.Infeasible || r.Presolve == nil || r.Presolve.Fixed < n || r.Presolve.Tied < n {
		t.Fatalf("%v, %+v, %v", r.Status, r.Presolve, err)
	}
	again, err := auto.Inference("auto", mrf.NewField(field.Model.Only(r.Conflict)), solve.Settings{}, auto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if alone, err := again.Solve(context.Background()); err != nil || alone.Status != solve.Infeasible {
		t.Errorf("of %d constraints: %v, %v", len(r.Conflict), alone.Status, err)
	}
	if !(r.DualBound > r.Objective) || r.MaxViolation == 0 {
		t.Errorf("%+v", r.Certificate)
	}
}

// Squares that Newton's method has nearly solved are not handed over, though it has worked for longer than it is given
// where it crawls: a value for each pair of 100 nodes, which is in very many potentials with those of the nodes.
func TestPace(t *testing.T) {
	settings, options := solve.Settings{Gap: 1e-6, Threads: 1}, auto.Options{Presolve: true, Split: true}
	solver, err := auto.Inference("auto", pairs(2), settings, options)
	if err != nil {
		t.Fatal(err)
	}
	r, err := solver.Solve(t.Context())
	if err != nil || r.Status != solve.Optimal || r.Method != "" {
		t.Errorf("%v by %q, %v: %s", r.Status, r.Method, err, r.Reason)
	}
}

// Whoever is at work when the time is over, the answer is the best that there was: an interior point method begins far
// from where Newton's has got to.
func TestEndedTakeOver(t *testing.T) {
	solved := func(looks int) *solve.Result {
		solver, err := auto.Inference("auto", pairs(1), solve.Settings{Gap: 1e-6, Threads: 1}, auto.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := solver.Solve(contexttest.Countdown(int64(looks)))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	whole := sort.Search(1<<13, func(looks int) bool { return solved(looks).Status == solve.Optimal })
	for early := 1; early < 30; early += 3 {
		if r := solved(whole - early); r.Gap > 2 {
			t.Errorf("%d looks before the end: a gap of %v, %s", early, r.Gap, r.Reason)
		}
	}
}

// What Newton's method has nearly solved is not tried by another, though its sums fill a factor just as much.
func TestNearlySolvedIsNotTried(t *testing.T) {
	s, err := auto.Inference("auto", tied(), solve.Settings{Threads: 1, Gap: 1e-6}, auto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(t.Context())
	if err != nil || r.Status != solve.Optimal || r.Method == "interior" {
		t.Fatalf("%v by %q, %v: %s", r.Status, r.Method, err, r.Reason)
	}
}

// Nor is it found out what the other would take, where Newton's method ends before that could have a turn.
func TestWhatEndsSoonIsNotAnalysed(t *testing.T) {
	s, err := auto.New("auto", tied(), solve.Settings{Threads: 1, Gap: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Solve(t.Context()); err != nil || r.Status != solve.Optimal || auto.Analysed(s) {
		t.Fatalf("%v, %v, analysed: %v", r.Status, err, auto.Analysed(s))
	}
}

// tied is a model of nodes whose classes add up to 1, and of links between nodes at random.
func tied() *mrf.Field {
	const nodes, classes, links = 1000, 3, 4
	rng := rand.New(rand.NewPCG(1, 1))
	b := mrftest.New(nodes*classes, 0, 3).Rule(0, mrf.Equal, 0)
	for i := range nodes {
		var row []mrftest.Term
		for c := range classes {
			row = append(row, mrftest.Term{Index: i*classes + c, Coef: 1})
		}
		b.Add(-1, row, nil)
	}
	b.Rule(1, mrf.Hinge, 1)
	for i := range nodes * classes {
		b.Add(rng.Float64(), []mrftest.Term{{Index: i, Coef: -1}}, nil)
	}
	b.Rule(2, mrf.Hinge, 1)
	for i := range nodes * links {
		from, to, alike := i/links, rng.IntN(nodes), rng.Float64()
		for c := range classes {
			b.Add(alike-1, []mrftest.Term{{Index: from*classes + c, Coef: 1}, {Index: to*classes + c, Coef: -1}}, nil)
		}
	}
	return mrftest.Field(b.Model(), []float64{0, 1, 1}, nil)
}

// pairs is a model with a value for each of 100 nodes and for each pair of them, with potentials of that exponent.
func pairs(exponent int) *mrf.Field {
	const n = 100
	b := mrftest.New(n+n*n, 0, 4)
	rng := rand.New(rand.NewPCG(1, 1))
	b.Rule(0, mrf.Hinge, exponent)
	term := func(i int, a float64) mrftest.Term { return mrftest.Term{Index: i, Coef: a} }
	for i := range n {
		for k := range n {
			if pair := n + i*n + k; i == k {
				b.Add(-1, []mrftest.Term{term(i, 2), term(pair, -1)}, nil)
			} else {
				b.Add(-1, []mrftest.Term{term(i, 1), term(k, 1), term(pair, -1)}, nil)
			}
		}
	}
	b.Rule(1, mrf.Hinge, exponent)
	for i := range n {
		for k := range n {
			b.Add(0, []mrftest.Term{term(n+i*n+k, 1), term(i, -1)}, nil)
		}
	}
	b.Rule(2, mrf.Hinge, exponent)
	for i := range n {
		b.Add(0, []mrftest.Term{term(i, 1)}, nil)
	}
	b.Rule(3, mrf.Hinge, exponent)
	for i := range n {
		o := 0.5 + 0.3*math.Sin(20*float64(i)/n) + 0.2*rng.NormFloat64()
		b.Add(min(1, max(0, o)), []mrftest.Term{term(i, -1)}, nil)
	}
	return mrftest.Field(b.Model(), []float64{1, 1, 0.4, 1}, nil)
}

// What Newton's method does not solve in time, and the other one has too much to do for, says how much that is.
func TestWhyNothingTookOver(t *testing.T) {
	const n, terms = 4000, 10
	rng := rand.New(rand.NewPCG(1, 1))
	b := mrftest.New(n, 0, 1).Rule(0, mrf.Absolute, 1)
	for range n {
		var row []mrftest.Term
		for k, i := range rng.Perm(n)[:terms] {
			row = append(row, mrftest.Term{Index: i, Coef: float64(2*(k%2) - 1)})
		}
		b.Add(-rng.Float64(), row, nil)
	}
	for limit := time.Second / 4; ; limit *= 4 { // a busy machine needs longer until it knows
		s, err := auto.Inference("auto", mrf.NewField(b.Model()), solve.Settings{TimeLimit: limit}, auto.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(t.Context())
		switch {
		case err != nil:
			t.Fatal(err)
		case r.Status == solve.TimeLimit && strings.Contains(r.Reason, "flops"):
			return
		case r.Status != solve.TimeLimit || limit > 10*time.Second:
			t.Fatalf("%v: %q", r.Status, r.Reason)
		}
	}
}

// The answer is about the variables as they are numbered in the model, in whatever order a method has them, and those
// without a potential stay where they start.
func TestInferenceNumbersVariablesAsTheModelDoes(t *testing.T) {
	const n = 1 << 16
	b := &mrf.Block{Kind: mrf.Absolute, Exponent: 2, Coef: []float64{1, -1}}
	goal := &mrf.Block{Rule: 1, Kind: mrf.Absolute, Exponent: 2, Coef: []float64{1}}
	want := make([]float64, n)
	for k := range n / 16 {
		i, other := int32(16*k), int32(16*((k*4097)%(n/16))+8)
		b.Vars, goal.Vars = append(b.Vars, i, other), append(goal.Vars, i)
		want[i] = float64(k) / n
		want[other] = want[i]
		goal.Bias64 = append(goal.Bias64, -want[i])
	}
	b.Len, goal.Len = n/16, n/16
	field := mrf.NewField(&mrf.Model{Variables: n, Rules: 2, Blocks: []*mrf.Block{b, goal}})
	if packed, _ := field.Packed(); packed == nil {
		t.Fatal("the variables lie well as they are")
	}
	start := slices.Repeat([]float64{0.5}, n)
	for _, start := range [][]float64{nil, start} {
		solver, err := auto.Inference("auto", field, solve.Settings{Gap: 1e-9}, auto.Options{Presolve: true, Split: true})
		if err != nil {
			t.Fatal(err)
		}
		if start != nil {
			solver.WarmStart(start, nil)
		}
		r, err := solver.Solve(context.Background())
		if err != nil || r.Status != solve.Optimal {
			t.Fatal(err, r.Status)
		}
		for i, v := range r.Y {
			to := want[i]
			if i%8 > 0 {
				to = 0
				if start != nil {
					to = start[i]
				}
			}
			if math.Abs(v-to) > 1e-3 {
				t.Fatalf("variable %d is %v, want %v", i, v, to)
			}
		}
		if c := solve.Certify(field, r.Y, r.Multipliers); !(c.Gap <= 1e-9) {
			t.Errorf("the gap is %v", c.Gap)
		}
	}
}

// What has no time to prove anything says that no energy is below 0.
func TestBoundsAreNotBelowNought(t *testing.T) {
	linear := mrftest.Cora
	linear.Exponent = 1
	field := mrftest.Field(linear.Model())
	solver, err := auto.Inference("auto", field, solve.Settings{TimeLimit: 1, Threads: 1}, auto.Options{Presolve: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := solver.Solve(t.Context())
	if err != nil || r.Status != solve.TimeLimit || r.DualBound < 0 || r.Gap > 1+1e-9 {
		t.Errorf("%v, bound %g, gap %g, %v; want a time limit, and at least 0", r.Status, r.DualBound, r.Gap, err)
	}
}

// The weights of rules without ground rules change nothing, not by a bit.
func TestWeightsOfNothing(t *testing.T) {
	var want solve.Certificate
	for k, w := range []float64{1000, 2000, 1e300} {
		field := mrf.NewField(mrftest.New(1, 0, 2).Rule(0, mrf.LessEqual, 0).
			Add(1e-6, []mrftest.Term{{Index: 0, Coef: 1}}, nil).Model())
		field.SetWeights([]float64{0, w})
		solver, err := auto.Inference("auto", field, solve.Settings{Threads: 1}, auto.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := solver.Solve(t.Context())
		if err != nil || r.Status != solve.Optimal {
			t.Fatalf("weight %g: %v, %v", w, r, err)
		}
		if k == 0 {
			want = r.Certificate
		} else if r.Certificate != want {
			t.Errorf("weight %g: %+v, and %+v", w, r.Certificate, want)
		}
	}
}
