package training

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/neural"
)

// untied notices networks of which labels say nothing: none is of what they see, and no ground rules lead from there to
// one, by way of whatever lies between.
func (n *notices) untied() error {
	g := n.g
	if g.Perception == nil || g.Project.Learning.Freeze || g.Project.Learning.Learn.NetworkRate == 0 {
		return nil
	}
	fitted, err := g.fitLabels(lesson{})
	if err != nil {
		return err
	}
	labels, err := g.labels(load.Learn, relation.Target)
	if err != nil {
		return err
	}
	used, tied := hasInputs(g.Model), hasInputs(g.Model.Touching(g.around(labels.Variables)))
	for _, i := range fitted.Variables {
		tied[i] = true
	}
	speaks, hears := make(map[string]bool), make(map[string]bool) // of networks, by name
	for name, input := range g.perceived() {
		speaks[name], hears[name] = speaks[name] || used[input], hears[name] || tied[input]
	}
	for _, network := range g.Project.Config.Networks {
		if speaks[network.Name] && !hears[network.Name] && !g.frozen(network.Name) {
			n.see("learn-vanishing", network.At("features"), network.Name,
				"write a rule that ties what it sees to what has labels, or give labels of its own predicate under truth",
				"nothing says what network %q should see: no label is of that, and no rules lead from there to one", network.Name)
		}
	}
	return nil
}

// frozen tells whether a network is used as it is.
func (g *learner) frozen(name string) bool {
	return slices.ContainsFunc(g.Networks.Specs, func(s neural.Spec) bool { return s.Name == name && s.Frozen })
}

// around returns the variables that ground rules tie to some of these, whatever lies between.
func (g *learner) around(variables []int32) (tied []int32) {
	of := partition.Find(g.Model).Of
	known := make(map[int32]bool)
	for _, i := range variables {
		known[of[i]] = of[i] != partition.None
	}
	for i, component := range of {
		if known[component] {
			tied = append(tied, int32(i))
		}
	}
	return tied
}

// hasInputs tells of each input whether a potential or constraint has it.
func hasInputs(model *mrf.Model) []bool {
	has := make([]bool, model.Inputs)
	for _, block := range model.Blocks {
		for _, input := range block.Inputs {
			has[input] = true
		}
	}
	return has
}
