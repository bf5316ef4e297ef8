// Package change has what can change while a session of deeppsl lives: atoms that come, go and are observed, weights,
// rules, and features of networks. A session applies changes all together or not at all, see Session.Apply and
// Session.WhatIf.
package change

import "encoding/json"

// Kind says what changes.
type Kind string

// The kinds of changes, as JSON has them.
const (
	ObserveAtom Kind = "observe"
	RemoveAtom  Kind = "remove"
	TargetAtom  Kind = "target"
	GiveValue   Kind = "give"
	RuleWeight  Kind = "weight"
	RuleOff     Kind = "deactivate"
	RuleOn      Kind = "activate"
	RuleAdded   Kind = "rule"
	FeatureRow  Kind = "features"
)

// Change is one change. Functions make them.
type Change struct {
	Kind      Kind     `json:"change"`
	Predicate string   `json:"predicate,omitempty"`
	Arguments []string `json:"arguments,omitempty"`
	Value     float64  `json:"value,omitempty"`
	Rule      int      `json:"rule,omitempty"`
	Text      string   `json:"text,omitempty"`

	Network string    `json:"network,omitempty"`
	Row     string    `json:"row,omitempty"`
	Columns []int32   `json:"columns,omitzero"`
	Values  []float64 `json:"values,omitzero"`
}

// MarshalJSON writes the members that a change of its kind has, zeros among them: requests to deeppsl serve take no
// others, and need these.
func (c Change) MarshalJSON() ([]byte, error) {
	type members Change
	out := struct {
		members
		Value *float64 `json:"value,omitempty"`
		Rule  *int     `json:"rule,omitempty"`
	}{members: members(c)}
	switch c.Kind {
	case ObserveAtom, GiveValue:
		out.Value = &c.Value
	case RuleWeight:
		out.Value, out.Rule = &c.Value, &c.Rule
	case RuleOff, RuleOn:
		out.Rule = &c.Rule
	}
	return json.Marshal(out)
}

// Observe gives an atom a known value in [0, 1]: one that was not there, had another value, or was a target, which is
// fixed by it.
func Observe(value float64, predicate string, arguments ...string) Change {
	return Change{Kind: ObserveAtom, Predicate: predicate, Arguments: arguments, Value: value}
}

// Remove takes an atom away, observed or target. One of a predicate without targets is 0 then.
func Remove(predicate string, arguments ...string) Change {
	return Change{Kind: RemoveAtom, Predicate: predicate, Arguments: arguments}
}

// Target makes an atom a target: one that was not there, or one that was observed, which is freed by it. Where it is
// the first of its predicate, atoms of it that are not there are asked for from then on, and no longer 0.
func Target(predicate string, arguments ...string) Change {
	return Change{Kind: TargetAtom, Predicate: predicate, Arguments: arguments}
}

// Give gives an atom of a predicate whose values are given one in [0, 1]: another one, or the first.
func Give(value float64, predicate string, arguments ...string) Change {
	return Change{Kind: GiveValue, Predicate: predicate, Arguments: arguments, Value: value}
}

// Weight changes the weight of a rule, by its number from 0.
func Weight(rule int, weight float64) Change {
	return Change{Kind: RuleWeight, Rule: rule, Value: weight}
}

// Deactivate takes the ground rules of a rule away, and Activate brings them back. Rules keep their numbers.
func Deactivate(rule int) Change { return Change{Kind: RuleOff, Rule: rule} }

// Activate brings back what Deactivate took away.
func Activate(rule int) Change { return Change{Kind: RuleOn, Rule: rule} }

// Rule adds a rule, behind all others. To replace one, Deactivate it in the same breath.
func Rule(text string) Change { return Change{Kind: RuleAdded, Text: text} }

// Features gives an entity a row of features, of the table that a network reads: a new one, with which the atoms of the
// network's classes come, or another one in the place of that which it has. There is a value for each column. How the
// network scales its columns stays what it is.
func Features(network, row string, values ...float64) Change {
	return Change{Kind: FeatureRow, Network: network, Row: row, Values: values}
}

// SparseFeatures is Features with the values of some columns, from 0 and ascending, where all others are 0.
func SparseFeatures(network, row string, columns []int32, values []float64) Change {
	if columns == nil {
		columns = []int32{} // and not all
	}
	return Change{Kind: FeatureRow, Network: network, Row: row, Columns: columns, Values: values}
}

// Applied says what changes came to.
type Applied struct {
	// Come and Gone count ground rules.
	Come int `json:"ground_rules_come"`
	Gone int `json:"ground_rules_gone"`
	// Reground are the numbers of rules that were ground anew as a whole.
	Reground []int `json:"reground,omitempty"`
	// Derived are the predicates of which other atoms follow now.
	Derived []string `json:"derived,omitempty"`
	// Perceived counts the atoms that networks were asked about.
	Perceived int `json:"perceived,omitempty"`
	// Anew says that all was ground anew and inferred: where a predicate gets its first targets, or a rule with a large
	// part of the ground rules comes or goes.
	Anew bool `json:"anew,omitempty"`
}
