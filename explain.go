package deeppsl

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Explanation is why an atom has its value in an answer: an equilibrium of what pushes it, and no proof.
type Explanation struct {
	Atom  string
	Value float64
	// Unique tells whether all optimal states give the atom this value; if not, other values in Interval cost the same.
	Unique   bool
	Interval [2]float64
	// BoundForce is what the bound at 0 or 1 adds to the pushes, and Unexplained what all that leaves of 0.
	BoundForce, Unexplained float64
	// Pushes are the ground rules that push the atom up or down, the strongest first.
	Pushes []Push
	// Leaves are what the value is the sum of, the largest first; none if the value is not unique.
	Leaves []Leaf
	// Counterfactuals are the values without facts and rules, each with the proof of its state.
	Counterfactuals []Counterfactual
	// Because explains the atoms that push this one.
	Because []*Explanation

	whole *explain.Explanation
}

// WriteHTML writes the explanation as a page that needs nothing else, and WriteSVG the leaves as a waterfall chart,
// which is empty if there are none.
func (e *Explanation) WriteHTML(w io.Writer) error { return e.whole.HTML(w) }

// WriteSVG is described at WriteHTML.
func (e *Explanation) WriteSVG(w io.Writer) error {
	svg, err := e.whole.Waterfall()
	if err == nil {
		_, err = io.WriteString(w, string(svg))
	}
	return err
}

// Push is what a ground rule does to an atom: minus its Multiplier times the atom's Coefficient.
type Push struct {
	Rule, GroundRule              string
	Multiplier, Coefficient, Push float64
	Count                         int // of several ground rules together, which have no GroundRule; or else 0
	Atoms                         []Premise
}

// Premise is an atom of a ground rule: observed, target, network, given, computed or absent. File and Line are where an
// observed one was read.
type Premise struct {
	Atom, Role string
	Value      float64
	File       string
	Line       int
}

// Leaf is a part of a value: what a fact, an output of a network, a given value, a prior, a rule or a bound adds to it.
type Leaf struct {
	Kind, Name          string
	Value, Contribution float64
}

// Counterfactual is an atom's value in a state with a change, with what the state costs and the gap of its proof.
type Counterfactual struct {
	Change                string
	Value, Objective, Gap float64
}

// Details say how much of an explanation is wanted. The zero value is five ground rules of each rule and no more.
type Details struct {
	Shown   int  // how many ground rules of each rule stand by themselves; below 0, all
	Depth   int  // how many steps to go on with the atoms that push
	Changes int  // how many counterfactuals to solve: without a fact, or a ground rule
	Rules   bool // solve without each rule that pushes, too, which takes an inference each
	// WhyNot looks for what would take the atom to the other side of a value; 0 does not.
	WhyNot float64
}

// Explain says why a target has its value. It infers first if nothing was inferred since the last change. An error says
// which hard rules contradict each other, if there is no state.
func (s *Session) Explain(ctx context.Context, d Details, predicate string, arguments ...string) (*Explanation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if len(s.inference.Known.Variables) > 0 { // they become observed, and are explained as such
		if err := s.liven(ctx); err != nil {
			return nil, explained(err)
		}
	}
	if err := s.settle(); err != nil {
		return nil, explained(err)
	}
	if s.explainer == nil {
		answer, err := s.inference.InferAgain(ctx, s.last)
		if err != nil {
			return nil, explained(err)
		}
		s.last = answer
		if answer.Status == solve.Infeasible.String() {
			return nil, fmt.Errorf("there is no state to explain; these cannot hold together: %s",
				strings.Join(answer.Conflict, " "))
		}
		if s.explainer, err = s.inference.Explainer(answer); err != nil {
			return nil, err
		}
	}
	e, err := s.explainer.Explain(ctx, explain.Options{Shown: d.Shown, Depth: d.Depth}, predicate, arguments...)
	if err == nil {
		err = s.explainer.Counter(ctx, e, session.Counter{Changes: d.Changes, Rules: d.Rules, WhyNot: d.WhyNot})
	}
	if err != nil {
		return nil, err
	}
	return newExplanation(e), nil
}

func newExplanation(e *explain.Explanation) *Explanation {
	out := &Explanation{whole: e, Atom: e.Atom, Value: e.Value, Unique: e.Unique, Interval: [2]float64(e.Interval),
		BoundForce: e.BoundForce, Unexplained: e.Unexplained}
	for _, p := range e.Pushes {
		push := Push{Rule: p.Rule, GroundRule: p.GroundRule, Multiplier: p.Multiplier, Coefficient: p.Coefficient,
			Push: p.Push, Count: p.Count}
		for _, a := range p.Atoms {
			push.Atoms = append(push.Atoms, Premise{a.Atom, a.Role, a.Value, a.File, a.Line})
		}
		out.Pushes = append(out.Pushes, push)
	}
	for _, l := range e.Leaves {
		out.Leaves = append(out.Leaves, Leaf{l.Kind, l.Name, l.Value, l.Contribution})
	}
	for _, c := range e.Counterfactuals {
		out.Counterfactuals = append(out.Counterfactuals, Counterfactual(c))
	}
	for _, below := range e.Because {
		out.Because = append(out.Because, newExplanation(below))
	}
	return out
}
