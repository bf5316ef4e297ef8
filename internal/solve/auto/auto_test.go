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
