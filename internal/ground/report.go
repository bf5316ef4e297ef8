package ground

import "github.com/deeppsl/deeppsl/internal/plan"

// Counts says what became of the groundings of a rule. They are the same for any number of threads, but whether a
// trivial or weightless grounding is counted, or cut off before it is whole, depends on the order of the joins.
type Counts struct {
	Groundings int64 // groundings that were looked at
	Potentials int64 // kept, as potentials or constraints
	Trivial    int64 // removed: satisfied whatever the variables are
	Constant   int64 // removed: without a variable
	Missing    int64 // with an atom of an open predicate that has no row
	Violated   int64 // hard, and violated whatever the variables are
	Weightless int64 // removed: the weight's atom is 0
}

// add sums the counts of pieces, or of rules.
func (c *Counts) add(other *Counts) {
	c.Groundings += other.Groundings
	c.Potentials += other.Potentials
	c.Trivial += other.Trivial
	c.Constant += other.Constant
	c.Missing += other.Missing
	c.Violated += other.Violated
	c.Weightless += other.Weightless
}

// RuleReport tells how one rule was grounded.
type RuleReport struct {
	Counts
	Plan    *plan.Plan
	Bytes   int64   // of the rule's arenas
	Seconds float64 // wall time, indexes included
	// Steps are the plan's; Making is about the time that threads spent making ground rules, 0 unless Options.Profile is
	// set.
	Steps  []StepProfile
	Making float64
}

// Report tells how a program was grounded, rule by rule in the program's order.
type Report struct {
	Rules []RuleReport
	// Total sums the rules' counts.
	Total   Counts
	Bytes   int64
	Seconds float64
}

// add appends a rule and sums it up.
func (r *Report) add(rule RuleReport) {
	r.Rules = append(r.Rules, rule)
	r.Total.add(&rule.Counts)
	r.Bytes += rule.Bytes
	r.Seconds += rule.Seconds
}
