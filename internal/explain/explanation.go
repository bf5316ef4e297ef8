package explain

import "math"

// Explanation is why an atom has its value in a MAP state.
type Explanation struct {
	Atom  string  `json:"atom"`
	Value float64 `json:"value"`
	// Unique tells whether all optimal states give the atom this value, as the sum of Leaves. If not, Interval holds the
	// least and the largest that it has in them, and there are no leaves.
	Unique   bool      `json:"unique"`
	Interval []float64 `json:"interval"`
	// BoundForce is what the wall at 0 or 1 adds to the pushes: up at 0, and down, which is negative, at 1.
	BoundForce float64 `json:"bound_force"`
	// Unexplained is what the pushes and the wall leave of 0: the state's distance from an exact optimum.
	Unexplained float64 `json:"unexplained"`
	// Pushes are the ground rules that push the atom, the strongest first. Where there are many, the weakest ones of a
	// rule are one Push together.
	Pushes []Push `json:"pushes"`
	// Leaves are what the value is the sum of, the largest first.
	Leaves          []Leaf           `json:"leaves"`
	Counterfactuals []Counterfactual `json:"counterfactuals"`
	// Because explains the atoms that push this one.
	Because []*Explanation `json:"because,omitempty"`

	// Number is that of the variable.
	Number int32 `json:"-"`
	// Wide says that more is tied to this atom than was asked for: there are the pushes alone.
	Wide bool `json:"-"`
	// Sizes is the sum of the sizes of all pushes, which Unexplained is small against.
	Sizes float64 `json:"-"`
	// Rules sums the pushes by rule, the strongest first.
	Rules []RulePush `json:"-"`
	// Words says the atom in plain words; "" if the configuration has none for it.
	Words string `json:"words,omitempty"`
}

// Left is Unexplained for people: 0 where that is rounding.
func (e *Explanation) Left() float64 {
	const rounding = 1e-12
	if math.Abs(e.Unexplained) <= rounding*e.Sizes {
		return 0
	}
	return e.Unexplained
}

// Push is what one ground rule does to an atom.
type Push struct {
	// Rule is the rule as it is written, and GroundRule it with constants for the variables; "" of several together.
	Rule       string `json:"rule"`
	GroundRule string `json:"ground_rule"`
	// Multiplier is by how much a state would cost less if the ground rule asked for one unit less: Push is minus that
	// times the atom's Coefficient.
	Multiplier  float64 `json:"multiplier"`
	Coefficient float64 `json:"coefficient"`
	Push        float64 `json:"push"`
	// Count is how many ground rules are together here, if more than one.
	Count int `json:"count,omitzero"`
	// Place is that of the ground rule among all.
	Place int `json:"-"`
	// Atoms are all those of the ground rule.
	Atoms []Atom `json:"atoms"`
}

// RulePush is the sum of the pushes of a rule's ground rules.
type RulePush struct {
	Rule  string
	Index int
	Count int
	Push  float64
}

// Atom is an atom of a ground rule.
type Atom struct {
	Atom string `json:"atom"`
	// Role is observed, target, network, given, computed (by a function) or absent (from all tables, and so 0).
	Role  string  `json:"role"`
	Value float64 `json:"value"`
	// File and Line are where an observed atom was read; "" and 0 if that is no file, or it was derived.
	File string `json:"file"`
	Line int    `json:"line"`
	// Words say the atom in plain words; "" if the configuration has none for it.
	Words string `json:"words,omitempty"`

	// Predicate and Row tell an observed atom, if Known.
	Predicate int   `json:"-"`
	Row       int32 `json:"-"`
	Known     bool  `json:"-"`

	coef float64
}

// Leaf is something that an atom's value rests on, with what it adds to it.
type Leaf struct {
	// Kind is fact, network, given, prior, rule or bound: an observed atom, an atom that a network or the user gives a
	// value to, a rule about one atom, what a rule itself asks for, and an atom that is at 0 or 1 for good.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Words say an atom in plain words; "" if the configuration has none for it.
	Words string `json:"words,omitempty"`
	// Value is that of the atom; of rules, their weight.
	Value        float64 `json:"value"`
	Contribution float64 `json:"contribution"`

	// Slope is how much the explained value changes with Value, as long as the active set stays; 0 for rules. Fact is the
	// observed atom.
	Slope float64 `json:"-"`
	Fact  Atom    `json:"-"`
}

// Counterfactual is the state with one change.
type Counterfactual struct {
	Change string `json:"change"`
	// Value is the atom's in that state, Objective what that costs in all, and Gap the proof.
	Value     float64 `json:"value"`
	Objective float64 `json:"objective"`
	Gap       float64 `json:"gap"`
}

// Instance is a ground rule as its rule is written.
type Instance struct {
	Text     func() string // with constants for the variables
	Constant float64       // Σ coefficient · value + Constant is what the rule wants to be at most 0
	Terms    []Term
}

// Term is an atom of a ground rule.
type Term struct {
	Atom
	Coef float64
	// Free tells targets and inputs, whose Number among all of their kind follows, from what is observed.
	Free   bool
	Number int32
}

// Names knows what the numbers of a model stand for.
type Names interface {
	// Variable and Input return an atom; the role of an input is network or given.
	Variable(i int32) Atom
	Input(i int32) Atom
	// Rule returns a rule as it is written, and whether it is about one atom alone.
	Rule(r int) (text string, prior bool)
	// Atoms is how many atoms each ground rule of a rule has; -1 if that is not the same for all.
	Atoms(r int) int
	// Instance returns the ground rule that potential j of a block is; of several that are equal, the one after so many
	// others. nil means that it is not known.
	Instance(block, j, others int) *Instance
	// Instances returns those of potentials of one rule that have the same free atoms: rows of blocks, in order.
	Instances(blocks, rows []int) []*Instance
}
