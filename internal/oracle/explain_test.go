package oracle

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

// The pushes on each atom of a program must add up to 0 and its leaves to its value, and all must have names.
func TestExplanationsAddUp(t *testing.T) {
	dir := t.TempDir()
	free := 0
	rapid.Check(t, func(t *rapid.T) {
		p, _, x := explained(t, dir)
		if x == nil {
			return
		}
		for _, atom := range p.targets() {
			e, err := x.Explain(context.Background(), explain.Options{Shown: -1}, atom[:1], arguments(atom)...)
			if err != nil {
				t.Fatal(err)
			}
			if wrong := unexplained(e, p.unit()); wrong != "" {
				t.Fatalf("%s: %s\n%+v\n%v", atom, wrong, e, p)
			}
			if e.Value > 0 && e.Value < 1 && e.Unique {
				free++
			}
		}
	})
	if free == 0 {
		t.Error("no atom is between 0 and 1")
	}
}

// explained draws a program and explains its answer; the explainer is nil if there is none.
func explained(t *rapid.T, dir string) (*prog, *session.Grounding, *session.Explainer) {
	p := draw(t)
	if p.spread() > 1e4 {
		return p, nil, nil // what is light is then within the gap of what is heavy, and is said to be unexplained
	}
	for _, truth := range p.observed {
		if truth > 0 && truth <= 1e-6 {
			return p, nil, nil // kinks that are nearer than that to each other are one in explanations
		}
	}
	grounding, err := p.grounding(context.Background(), dir, project.Options{Threads: 1, Set: asked})
	if err != nil {
		return p, nil, nil
	}
	answer, err := grounding.InferAgain(context.Background(), nil)
	if err != nil || answer.Status != "optimal" || answer.MaxViolation > 1e-9 {
		return p, nil, nil
	}
	x, err := grounding.Explainer(answer)
	if err != nil {
		t.Fatal(err)
	}
	return p, grounding, x
}

// A counterfactual must have the objective of a run with that change made in the files.
func TestCounterfactualsAreColdRuns(t *testing.T) {
	dir := t.TempDir()
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		p, grounding, x := explained(t, dir)
		if x == nil {
			return
		}
		fact := rapid.SampledFrom(p.atoms()).Draw(t, "fact")
		value := rapid.SampledFrom([]float64{-1, 0, 0.3, 1}).Draw(t, "value")
		if _, there := p.observed[fact]; !there {
			value = math.Abs(value)
		}
		target := rapid.SampledFrom(p.targets()).Draw(t, "target")
		e, err := x.Explain(context.Background(), explain.Options{}, target[:1], arguments(target)...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.WithFact(context.Background(), e, value, fact[:1], arguments(fact)...)
		if err != nil {
			t.Fatal(err)
		}
		q := p.given(fact, value)
		want, err := q.run(dir, project.Options{Threads: 1, Set: asked})
		if want = refused(want, err); want == nil || want.Status == "infeasible" || want.Status != "optimal" {
			return // what nobody can decide, or the grounder refuses
		}
		compared++
		unit := max(grounding.Field.Grain(), math.Abs(want.Objective))
		if !(math.Abs(got.Objective-want.Objective) <= (max(got.Gap, 0)+gap+1e-9)*unit+1e-5*unit*want.MaxViolation) {
			t.Fatalf("%s := %v: objective %v (gap %v), and cold %v (gap %v)\n%v", fact, value, got.Objective, got.Gap,
				want.Objective, want.Gap, p)
		}
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// atoms lists all that can be given a value.
func (p *prog) atoms() []string {
	all := p.targets()
	for _, a := range p.names() {
		all = append(all, key("O", a))
		for _, b := range p.names() {
			all = append(all, key("P", a, b))
		}
	}
	return all
}

// given returns the program in which an observed atom has another value, or, below 0, is not there; a target is held.
func (p *prog) given(atom string, value float64) *prog {
	q := *p
	if slices.Contains(p.targets(), atom) {
		held := term{coef: 1, atom: literal{name: atom[:1], args: arguments(atom)}}
		q.rules = append(slices.Clone(p.rules), rule{weight: -1, op: "=", terms: []term{held}, bound: value})
		return &q
	}
	q.observed = maps.Clone(p.observed)
	if q.observed[atom] = value; value < 0 {
		delete(q.observed, atom)
	}
	return &q
}

// spread is the ratio of the largest weight to the smallest one.
func (p *prog) spread() float64 {
	least, most := math.Inf(1), 0.0
	for k := range p.rules {
		if w := p.rules[k].weight; w > 0 {
			least, most = min(least, w), max(most, w)
		}
	}
	return most / least
}

// unit is the largest weight: what pushes are measured by.
func (p *prog) unit() (unit float64) {
	for _, r := range p.rules {
		unit = max(unit, r.weight)
	}
	return unit
}

// unexplained says what is missing in an explanation, or "". Where all pushes are next to nothing beside the largest
// weight, so may be what is left of them.
func unexplained(e *explain.Explanation, unit float64) string {
	sum, push := 0.0, e.BoundForce
	for _, leaf := range e.Leaves {
		sum += leaf.Contribution
	}
	for _, p := range e.Pushes {
		push += p.Push
		if p.GroundRule == "" || strings.Contains(p.GroundRule, "(A") {
			return "a ground rule of " + p.Rule + " is not known"
		}
	}
	switch {
	case math.Abs(e.Unexplained) > 1e-6*e.Sizes+1e-10*unit:
		return "pushes are left"
	case math.Abs(push-e.Unexplained) > 1e-8*unit+1e-9*e.Sizes:
		return "the pushes are not those that are added up"
	case e.Unique && len(e.Leaves) > 0 && math.Abs(sum-e.Value) > 1e-6:
		return "the leaves are not the value"
	case e.Unique && len(e.Leaves) == 0 && e.Value > 1e-6:
		return "there are no leaves"
	}
	return ""
}
