package deeppsl

import (
	"iter"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/session"
)

// Status says how an inference ended.
type Status string

// The statuses. All but the last two come with an answer, whose Gap says how good it is.
const (
	Optimal        Status = "optimal"         // the gap that was asked for is proven
	Stalled        Status = "stalled"         // the method's own rule ended it
	IterationLimit Status = "iteration limit" // the option inference.iterations ended it
	TimeLimit      Status = "time limit"      // a deadline or a limit of time ended it
	Cancelled      Status = "cancelled"       // the context ended it
	Skipped        Status = "skipped"         // the option inference.skip: the values are those that data give the targets
	NumericalError Status = "numerical error" // the arithmetic broke down
	Infeasible     Status = "infeasible"      // hard rules contradict each other; Conflict names some
)

// Answer is a state of all atoms with the proof of how good it is. It is a value: it stays what it is whatever becomes
// of its session, and any number of goroutines may read it.
type Answer struct {
	Status         Status
	Explanation    string // the Status in a sentence
	Method, Reason string // the solver, and why it was taken
	// Objective is the weighted sum of the potentials. No feasible state costs less than DualBound, and Gap is their
	// difference relative to the objective. +∞ if there is no feasible state.
	Objective, DualBound, Gap float64
	MaxViolation              float64 // the largest violation of a hard rule
	// AtomError is what no value can be further from that of the optimum than; +∞ where the optimum need not be unique.
	AtomError  float64
	Iterations int
	Elapsed    time.Duration
	// Conflict prints hard ground rules that cannot hold together; nil if there are none.
	Conflict []string

	answer    *session.Answer
	grounding *session.Grounding
	learned   int // of its session, then
}

// Atom is a ground atom with its value in an answer.
type Atom struct {
	Predicate string
	Arguments []string
	Value     float64
}

// String shows the atom as rules write it, with its value.
func (a Atom) String() string { return a.Predicate + "(" + strings.Join(a.Arguments, ", ") + ")" }

// Value returns the value of an atom, which may also be observed; ok is false if the data have no such atom.
func (a *Answer) Value(predicate string, arguments ...string) (value float64, ok bool) {
	return a.grounding.Value(a.answer, predicate, arguments...)
}

// Atoms iterates over the atoms that are not observed: targets, those that networks give values to and given ones, in
// the order of the data; of the named predicates, or of all if none is named.
func (a *Answer) Atoms(predicates ...string) iter.Seq[Atom] {
	return func(yield func(Atom) bool) {
		for atom := range a.grounding.Atoms(a.answer, predicates) {
			if !yield(Atom(atom)) {
				return
			}
		}
	}
}

// Columns iterates over the predicates that have Atoms, named ones or all, with these as tables whose Truth are the
// values: the quickest way to many. All arguments have the same Constants, to which each predicate may add some.
func (a *Answer) Columns(predicates ...string) iter.Seq2[string, Columns] {
	return func(yield func(string, Columns) bool) {
		for name, columns := range a.grounding.Columns(a.answer, predicates) {
			if !yield(name, Columns(columns)) {
				return
			}
		}
	}
}

// Values returns the values of Atoms, in their order, which is the same for all answers of a session.
func (a *Answer) Values(predicates ...string) []float64 {
	return a.grounding.Values(a.answer, predicates)
}

func newAnswer(a *session.Answer, g *session.Grounding) *Answer {
	return &Answer{Status: Status(a.Status), Explanation: a.Explanation, Method: a.Method, Reason: a.Reason,
		Objective: a.Objective, DualBound: a.DualBound, Gap: a.Gap, MaxViolation: a.MaxViolation, AtomError: a.AtomError,
		Iterations: a.Iterations, Elapsed: a.Elapsed, Conflict: a.Conflict, answer: a, grounding: g}
}
