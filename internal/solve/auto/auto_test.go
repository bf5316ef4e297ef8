package auto_test

import (
	"context"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

func TestEachMethodSolves(t *testing.T) {
	m := mrftest.New(1, 0, 1).Rule(0, mrf.Hinge, 2).
		Add(1, []mrftest.Term{{Index: 0, Coef: -1}}, nil).Add(0, []mrftest.Term{{Index: 0, Coef: 1}}, nil).Model()
	for _, method := range append(auto.Methods, "") {
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
		"one Newton solve": rule(mrf.Hinge, 2).Model(),
		"Linear":           rule(mrf.Absolute, 1).Model(),
		"Hard rules enter": rule(mrf.Equal, 0).Model(),
		"linear":           rule(mrf.LessEqual, 0).Rule(1, mrf.Hinge, 1).Model(),
	}
	cases["linear"].Blocks[1].Len = 0
	for want, m := range cases {
		if method, why := auto.Choose(m); method != "newton" || !strings.Contains(why, want) {
			t.Errorf("%s, because %q; want something about %q", method, why, want)
		}
	}
}

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
		{"components", apart, all, false, true, "Linear potentials enter by their multipliers, around a Newton method. " +
			"The 2 components are solved apart: each ends when it is proven."},
		{"components together", apart, auto.Options{Presolve: true}, false, false, "Linear"},
		{"known", known, all, true, false, "one Newton solve is exact"},
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
