package project

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/option"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/sgd"
)

// Every option of the table is set somewhere, and nothing else; and the defaults are values.
func TestOptionsAreSet(t *testing.T) {
	for _, o := range option.Table {
		if setters[o.Name] == nil {
			t.Errorf("nothing sets option %s", o.Name)
		}
	}
	for name := range setters {
		if o := option.Find(name); o == nil || o.Name != name {
			t.Errorf("the table has no option %s", name)
		}
	}
}

// What solvers, searches and methods take for their own default is what the table says.
func TestDefaultsStandOnce(t *testing.T) {
	for _, method := range []string{automatic, bilevel, "deeppsl", "implicit", "perceptron", "energy", "likelihood",
		"grid"} {
		var s Settings
		s.Evaluation = make(map[string]string)
		s.setDefaults(method)
		if s.SGD != sgd.Defaults() {
			t.Errorf("%s: the table has %+v, sgd %+v", method, s.SGD, sgd.Defaults())
		}
		if s.Solve.Feasibility != (solve.Settings{}).WithDefaults(0).Feasibility {
			t.Errorf("%s: a feasibility of %g", method, s.Solve.Feasibility)
		}
		m, err := learn.ParseMethod(method)
		if err != nil || m == learn.ConvexDifference || m == learn.Implicit {
			continue
		}
		want := learn.Settings{Epochs: 100, Steps: 1, NetworkRate: 1e-2, Optimiser: perception.Adam, Movement: 5e-4,
			Loss:     label.Loss{Kind: label.SquaredError, Floor: label.DefaultFloor},
			RuleRate: 0.5, Update: learn.Mirror, Barrier: 0.02, L2: 0.1}
		switch m {
		case learn.Likelihood:
			want.RuleRate, want.Update, want.Barrier, want.L2 = 0.1, learn.Logarithmic, 0, 1e-4
		case learn.Energy:
			want.Barrier, want.L2, want.Sharpen = 1, 0, 0.1
		}
		want.Alpha, want.Mu, want.Ridge, want.Method = s.Learn.Alpha, s.Learn.Mu, s.Learn.Ridge, s.Learn.Method // not theirs
		if diff := cmp.Diff(want, s.Learn); diff != "" {
			t.Errorf("%s: %s", method, diff)
		}
	}
}

func TestClasses(t *testing.T) {
	for _, name := range []string{"ADMMInference", "org.linqs.psl.application.inference.mpe.DualBCDInference",
		"DistributedDualBCDInference", "GradientDescentInference", "SGDInference", "SGDStreamingInference", "auto"} {
		if got, err := parseInference(name); got != "auto" || err != nil {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if got, _ := parseInference("sgd"); got != "sgd" {
		t.Error("sgd is not the paper's method")
	}
}
