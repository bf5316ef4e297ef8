package ties

import "github.com/deeppsl/deeppsl/internal/mrf"

// consequence is an input with a target that a rule says to follow from it.
type consequence struct{ input, variable int32 }

// borrow gives labels to networks that have none beside others that have some. Of a rule by which each label follows
// from one thing that the network sees, such as Home(A, H) & Rich(H) -> Buys(A), all that do are labels of that thing.
// Where no network has labels, their likelihood makes more of them.
func (t *Ties) borrow(c *carriage, known map[int32]int) {
	labelled := make(map[string]bool) // networks
	for k, declared := range t.g.Project.Config.Predicates {
		if declared.Neural != nil && (t.Counterpart(k) >= 0 || t.affirmed(k).inferred >= 0 || t.HasTruth(k)) {
			labelled[declared.Neural.Network] = true
		}
	}
	for k, declared := range t.g.Project.Config.Predicates {
		if declared.Neural == nil || len(labelled) == 0 || labelled[declared.Neural.Network] {
			continue
		}
		for _, tied := range t.follows(k) {
			if label, ok := known[tied.variable]; ok {
				c.carry(label, tied.input, c.from.Classes[label], c.from.Truth[label])
			}
		}
	}
}

// follows returns what a rule says to follow from what a network sees, one thing from each target; of the first rule
// that says so.
func (t *Ties) follows(neural int) []consequence {
	for _, rule := range t.g.Program.Rules {
		if t.toldOfAll(rule, neural) < 0 {
			continue
		}
		if ties := consequences(t.g.Model, rule.Index); ties != nil {
			return ties
		}
	}
	return nil
}

// consequences returns the input of each target that a rule ties to one; nil if it ties several to a target.
func consequences(model *mrf.Model, rule int) (all []consequence) {
	inputs := make(map[int32]int32)
	for input, variable := range ties(model, rule) {
		other, tied := inputs[variable]
		switch {
		case !tied:
			inputs[variable] = input
			all = append(all, consequence{input, variable})
		case other != input:
			return nil
		}
	}
	return all
}
