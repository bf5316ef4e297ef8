package mcp

import (
	"context"
	"fmt"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/serve"
	"github.com/deeppsl/deeppsl/internal/session"
)

// Answers are short: agents read every word of them. These are how many things one lists.
const (
	shownRules    = 50
	shownMessages = 20
	shownAtoms    = 20
	shownReasons  = 8
)

// proof is how good the answer is that all values are of.
type proof struct {
	Version   int      `json:"version"`
	Status    string   `json:"status"`
	Objective *float64 `json:"objective"`
	Gap       *float64 `json:"gap"`
}

// proofOf is that of a version.
func proofOf(e *serve.Event) proof {
	return proof{e.Version, e.Status, e.Objective, e.Gap}
}

// checked is what a model is.
type checked struct {
	Proof      proof                   `json:"proof"`
	Predicates []session.PredicateSize `json:"predicates"`
	Rules      []serve.Rule            `json:"rules"`
	MoreRules  int                     `json:"more_rules,omitzero"`
	Messages   []string                `json:"messages"`
	More       int                     `json:"more_messages,omitzero"`
	ReadOnly   bool                    `json:"read_only"`
}

func (t *Tools) check(context.Context, *struct{}) (any, error) {
	rules := t.service.Rules()
	out := checked{Proof: proofOf(t.service.Current().Event()), Predicates: t.service.Predicates(),
		Rules: rules[:min(len(rules), shownRules)], MoreRules: max(0, len(rules)-shownRules), Messages: []string{},
		More: max(0, len(t.messages)-shownMessages), ReadOnly: !t.all[len(t.all)-1].changes}
	for _, m := range t.messages[:min(len(t.messages), shownMessages)] {
		text := fmt.Sprintf("%s: %s [%s]", m.Severity, m.Message, m.ID)
		if m.File != "" {
			text = fmt.Sprintf("%s:%d: %s", m.File, m.Line, text)
		}
		out.Messages = append(out.Messages, text)
	}
	return out, nil
}

// queryInput asks for atoms.
type queryInput struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments,omitempty" doc:"all arguments of one atom, observed or not"`
	Contains  string   `json:"contains,omitempty" doc:"a text that an argument has in it"`
	Min       float64  `json:"min,omitempty" minimum:"0" maximum:"1" doc:"the least value"`
	Max       *float64 `json:"max,omitempty" minimum:"0" maximum:"1" doc:"the largest value"`
	Offset    int      `json:"offset,omitempty" minimum:"0"`
	Limit     int      `json:"limit,omitempty" minimum:"1" maximum:"1000" doc:"20 if it is not given"`
}

// queried is what was found.
type queried struct {
	Proof proof             `json:"proof"`
	Atoms []serve.AtomValue `json:"atoms"`
	Next  *int              `json:"next,omitempty"`
}

func (t *Tools) query(_ context.Context, in *queryInput) (any, error) {
	q := serve.Query{Predicate: in.Predicate, Argument: in.Arguments, Contains: in.Contains, Min: in.Min, Max: 1,
		Offset: in.Offset, Limit: in.Limit, Order: serve.ByValue}
	if in.Max != nil {
		q.Max = *in.Max
	}
	if q.Limit == 0 {
		q.Limit = shownAtoms
	}
	found, err := t.service.Atoms(&q)
	if err != nil {
		return nil, err
	}
	return queried{proofOf(found.Of), found.Atoms, found.Next}, nil
}

// explainInput asks why.
type explainInput struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Changes   int      `json:"changes,omitempty" minimum:"0" maximum:"5" doc:"how many other facts to try"`
}

// explained is why an atom has its value, in short.
type explained struct {
	Proof    proof     `json:"proof"`
	Atom     string    `json:"atom"`
	Value    float64   `json:"value"`
	Interval []float64 `json:"interval,omitempty"` // of a value that is not unique
	// SumOf and Pushes are the largest, Rest is what the others add up to.
	SumOf           []reason                 `json:"sum_of"`
	Rest            float64                  `json:"sum_of_the_rest"`
	Pushes          []reason                 `json:"pushes"`
	RestPushes      float64                  `json:"pushes_of_the_rest"`
	BoundForce      float64                  `json:"bound_force"`
	Unexplained     float64                  `json:"unexplained"`
	Counterfactuals []explain.Counterfactual `json:"what_if,omitempty"`
}

// reason is something that a value rests on, with what it adds.
type reason struct {
	Adds float64 `json:"adds"`
	What string  `json:"what"`
}

func (t *Tools) explain(ctx context.Context, in *explainInput) (any, error) {
	found, err := t.service.Explain(ctx, explain.Options{Shown: shownReasons}, in.Changes, in.Predicate, in.Arguments)
	if err != nil {
		return nil, err
	}
	out := explained{Proof: proofOf(found.Of), Atom: found.Atom, Value: found.Value, BoundForce: found.BoundForce,
		Unexplained: found.Unexplained, Counterfactuals: found.Counterfactuals, SumOf: []reason{}, Pushes: []reason{}}
	if !found.Unique {
		out.Interval = found.Interval
	}
	for k := range found.Leaves {
		leaf := &found.Leaves[k]
		add(&out.SumOf, &out.Rest, leaf.Contribution, leaf.String)
	}
	for k := range found.Pushes {
		push := &found.Pushes[k]
		add(&out.Pushes, &out.RestPushes, push.Push, func() string {
			if push.GroundRule == "" {
				return fmt.Sprintf("%d ground rules of %s", push.Count, push.Rule)
			}
			return push.GroundRule
		})
	}
	return out, nil
}

// add adds a reason, or what it adds to the rest.
func add(all *[]reason, rest *float64, adds float64, what func() string) {
	if len(*all) == shownReasons || adds == 0 {
		*rest += adds
		return
	}
	*all = append(*all, reason{adds, what()})
}

// whatIfInput asks what would be.
type whatIfInput struct {
	Changes []serve.Change   `json:"changes" minItems:"1" maxItems:"1000"`
	Atoms   []serve.AtomName `json:"atoms,omitempty" maxItems:"1000" doc:"what to tell; if none, what changes most"`
}

func (t *Tools) whatIf(ctx context.Context, in *whatIfInput) (any, error) {
	changes, err := serve.ReadChanges(in.Changes)
	if err != nil {
		return nil, err
	}
	return t.service.Suppose(ctx, changes, in.Atoms, shownAtoms)
}

// fact is an atom that is known.
type fact struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Value     *float64 `json:"value,omitempty" minimum:"0" maximum:"1" doc:"1 if it is not given"`
}

// assertInput is what is to be.
type assertInput struct {
	Facts   []fact           `json:"facts,omitempty" maxItems:"10000"`
	Targets []serve.AtomName `json:"targets,omitempty" maxItems:"10000" doc:"atoms to be inferred from now on"`
}

func (t *Tools) assert(ctx context.Context, in *assertInput) (any, error) {
	var changes []change.Change
	for _, f := range in.Facts {
		value := 1.0
		if f.Value != nil {
			value = *f.Value
		}
		changes = append(changes, change.Observe(value, f.Predicate, f.Arguments...))
	}
	return t.update(ctx, append(changes, targets(in.Targets)...))
}

// targets makes atoms ones to be inferred.
func targets(atoms []serve.AtomName) []change.Change {
	changes := make([]change.Change, len(atoms))
	for k, a := range atoms {
		changes[k] = change.Target(a.Predicate, a.Arguments...)
	}
	return changes
}

// retractInput is what is to be no more.
type retractInput struct {
	Atoms []serve.AtomName `json:"atoms" minItems:"1" maxItems:"10000"`
	Infer bool             `json:"infer,omitempty" doc:"infer their values from now on, in place of taking them away"`
}

func (t *Tools) retract(ctx context.Context, in *retractInput) (any, error) {
	if in.Infer {
		return t.update(ctx, targets(in.Atoms))
	}
	changes := make([]change.Change, len(in.Atoms))
	for k, a := range in.Atoms {
		changes[k] = change.Remove(a.Predicate, a.Arguments...)
	}
	return t.update(ctx, changes)
}

// update makes changes.
func (t *Tools) update(ctx context.Context, changes []change.Change) (any, error) {
	if len(changes) == 0 {
		return nil, fmt.Errorf("there is nothing to change")
	}
	return t.service.Update(ctx, "", changes)
}
