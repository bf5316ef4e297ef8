package project

import (
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// learningGap is what is proven of each of the many inferences of learning, unless something else is asked for.
const learningGap = 1e-4

// WhileLearning are the limits of inferences while learning.
func (s *Settings) WhileLearning() solve.Settings {
	limits := s.Solve
	if limits.Gap == 0 {
		limits.Gap = learningGap
	}
	return limits
}

// Solver makes a solver of the chosen method, with the given limits.
func (s *Settings) Solver(field *mrf.Field, limits solve.Settings, o *Options) (solve.Solver, error) {
	limits.Threads, limits.Trace = o.Threads, o.OnIteration
	return auto.With(s.method(), field, limits, s.own(o))
}

// Apart makes a solver as Solver does, which solves connected components apart if that pays.
func (s *Settings) Apart(field *mrf.Field, limits solve.Settings, o *Options) (solve.Solver, error) {
	limits.Threads, limits.Trace = o.Threads, o.OnIteration
	return auto.Apart(s.method(), field, limits, s.own(o))
}

// own are the options of single methods.
func (s *Settings) own(o *Options) auto.Own {
	own := auto.Own{SGD: s.SGD}
	own.SGD.Seed = o.Seed
	return own
}

// BatchSolver is solver for examples side by side.
func (s *Settings) BatchSolver(field *mrf.Field, limits solve.Settings, o *Options) (solve.Solver, error) {
	limits.Threads = o.Threads
	return auto.Examples(s.method(), field, limits, s.own(o))
}

// Inference makes a solver for one inference, which simplifies the problem first as the options allow, and goes on from
// what is proven where that is cheap.
func (s *Settings) Inference(field *mrf.Field, o *Options) (solve.Solver, error) {
	return s.inference(field, o, true)
}

// Trial is Inference for one of many whose answers are compared, and which no more than their gap is asked of.
func (s *Settings) Trial(field *mrf.Field, o *Options) (solve.Solver, error) {
	return s.inference(field, o, false)
}

func (s *Settings) inference(field *mrf.Field, o *Options, polish bool) (solve.Solver, error) {
	limits := s.Solve
	limits.Threads, limits.Trace, limits.Bare = o.Threads, o.OnIteration, o.Bare
	simplify := s.Simplify
	simplify.Own, simplify.Polish = s.own(o), polish
	return auto.Inference(s.method(), field, limits, simplify)
}

// central is the method that takes the middle of what rules leave free.
const central = "interior"

// method is that of inference, as it is set or learned.
func (s *Settings) method() string {
	if s.Middle && s.Method == "auto" {
		return central
	}
	return s.Method
}

// TakeMiddle has inference take the middle of what rules leave free, where its method is not set, or not any more.
func (p *Project) TakeMiddle(on bool) {
	for phase := range p.Phases {
		p.Phases[phase].Middle = on
	}
}

// TakesEnds tells whether inference takes an end of what rules leave free.
func (s *Settings) TakesEnds() bool { return s.method() != central }

// Restarts tells whether a solver of the method finds the same answer from the same start, whatever it has solved
// before.
func (s *Settings) Restarts() bool {
	row, err := auto.Find(s.method())
	return err == nil && !row.Plain
}

// MethodFor names the solver of a result and says why it was chosen.
func (s *Settings) MethodFor(m *mrf.Model, result *solve.Result) (name, reason string) {
	if s.method() != s.Method {
		return central, "Labels held out are told better by the middle of what rules leave free."
	}
	if s.Method != "auto" {
		return s.Method, "It was asked for."
	}
	name, reason = auto.Choose(m)
	if result.Reason != "" {
		reason = result.Reason
	}
	if result.Method != "" {
		name = result.Method
	}
	return name, reason
}
