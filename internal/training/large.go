package training

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// mostExact is the number of ground rules up to which all folds are held out, and weights found by MAP states to an
// answer's gap. Of more, each inference takes long: then as many folds are held out as have enoughHeld things, fewer
// weights and rounds are tried, to a looser gap, and derivatives are rough.
// Linear rules, whose states lie in corners, take many times as long as squares: of them, mostLinear is that number,
// and mostWork bounds what an inference takes, in nanoseconds: where things have many neighbours, factors fill.
const mostExact, mostLinear, mostWork, enoughHeld = 100_000, 20_000, 1e8, 300

// What bounds learning of many ground rules.
const (
	// looseGap is proven of inferences that labels judge, which leave hard rules broken by up to looseFit and end after
	// looseIterations.
	looseGap, looseFit, looseIterations = 5e-3, 1e-3, 100
	// largeWeighed is the number of iterations of inferences after which weights stay as they have been found.
	largeWeighed = 150
	// enoughRight is the share of what is held out from which on nothing more is tried: labels are wrong as often.
	enoughRight = 0.98
	// largeImpatience takes the place of impatience.
	largeImpatience = 2
)

// large tells whether there are so many ground rules that no more inferences are made than are needed.
func (g *learner) large() bool {
	all := g.Model.Potentials()
	return all > mostExact || slices.ContainsFunc(g.Model.Blocks, linear) && (all > mostLinear || g.laborious())
}

// near is where the search for a MAP state had better begin that another one is like: of many ground rules, it takes a
// part of the time. Of few, it begins from nothing, wherever others have led to.
func (g *learner) near(last learn.Solution) learn.Solution {
	if !g.large() {
		return learn.Solution{}
	}
	return last
}

// laborious tells whether an inference with factorisations is much work, by what the model's structure says of it.
func (g *learner) laborious() bool {
	if !g.measured {
		field := mrf.NewFieldOn(g.Model, g.Field.Threads)
		field.SetWeights(g.written())
		g.measured, g.labour = true, interior.New(field, solve.Settings{Threads: g.Field.Threads}).Cost().Work > mostWork
	}
	return g.labour
}

// linear tells whether a block is of linear rules.
func linear(b *mrf.Block) bool {
	return b.Len > 0 && b.Kinked()
}

// whileLearning makes a solver for inferences that gradients are taken at: with default settings of many ground rules,
// that is the one by whose states labels judge.
func (g *learner) whileLearning(field *mrf.Field) (solve.Solver, error) {
	if g.Project.Learning.Auto {
		return g.judging(field)
	}
	return g.SolverOf(field, g.Project.Learning.WhileLearning())
}

// judging makes a solver for inferences that labels judge.
func (g *learner) judging(field *mrf.Field) (solve.Solver, error) {
	given, limits := g.Project.Learning.Solve, g.Project.Learning.WhileLearning()
	if !g.large() {
		return g.solverOf(field, limits)
	}
	if given.Gap == 0 {
		limits.Gap = looseGap
	}
	if given.Feasibility == 0 {
		limits.Feasibility = looseFit
	}
	if given.MaxIterations == 0 {
		limits.MaxIterations = looseIterations
	}
	s := *g.Settings
	if s.Method == auto {
		s.Method = newton // no other takes over: that would be longer than all that it is wanted for
	}
	return s.Apart(field, limits, g.Options())
}

// exact makes a solver for inferences by whose derivatives weights are found.
func (g *learner) exact(field *mrf.Field) (solve.Solver, error) {
	if g.large() {
		return g.judging(field)
	}
	return g.solverOf(field, g.Project.Learning.Solve)
}

// mostTogether is the number of ground rules up to which components are solved together: dealing few out takes longer
// than they do.
const mostTogether = 10_000

// solverOf makes a solver of a field's components, apart where that pays: each ends when it is proven.
func (g *learner) solverOf(field *mrf.Field, limits solve.Settings) (solve.Solver, error) {
	if field.Model.Potentials() <= mostTogether {
		return g.SolverOf(field, limits)
	}
	return g.Settings.Apart(field, limits, g.Options())
}

const auto, newton = "auto", "newton"

// satisfied tells whether so little is left to gain, and so much to compute, that nothing more is worth a try.
func (g *learner) satisfied(standing label.Verdict) bool {
	all := standing.Entities()
	return g.large() && all > 0 && float64(standing.Right()) >= enoughRight*float64(all)
}

// mostWeighed is the number of iterations of inferences in which weights are found; 0 if it has no bound.
func (g *learner) mostWeighed() int {
	if g.large() {
		return largeWeighed
	}
	return 0
}
