package perceive

import (
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural"
)

// checkLinks checks that a network can propagate along the predicate that it names.
func checkLinks(p *project.Project, network *load.Network, spec *neural.Spec, diags *source.Diagnostics) {
	if spec.Propagate == "" {
		return
	}
	refuse := func(hint, format string, args ...any) {
		diags.Errorf("config-network", network.At("propagate"), hint, "network %q: "+format,
			append([]any{network.Name}, args...)...)
	}
	at := p.Config.Find(spec.Propagate)
	if at < 0 {
		var names []string
		for _, declared := range p.Config.Predicates {
			names = append(names, declared.Name)
		}
		refuse(source.Suggest(spec.Propagate, names), "there is no predicate %s to propagate along", spec.Propagate)
		return
	}
	switch declared := p.Config.Predicates[at]; {
	case declared.Arity() != 2:
		refuse("name one whose atoms tie two rows of the features to each other",
			"it propagates along atoms of two arguments, and %s has %d", declared.Name, declared.Arity())
	case !declared.Closed || declared.Functional:
		refuse("name one whose atoms are observed or derived", "it propagates along what is known, and atoms of %s are not",
			declared.Name)
	case p.Config.HasExamples():
		refuse("leave propagate out", "in examples, slots stand for rows, which %s does not tie", declared.Name)
	}
}

// Along returns the number of the predicate that a network's logits are propagated along; -1 without one.
func (n *Networks) Along(config *load.Config, network string) int {
	return config.Find(n.spec(network).Propagate)
}

// Links are the predicates that networks propagate their logits along.
func (n *Networks) Links() (names []string) {
	if n == nil {
		return nil
	}
	for _, spec := range n.Specs {
		if spec.Propagate != "" {
			names = append(names, spec.Propagate)
		}
	}
	return names
}

// links are those that a network's logits are propagated along: the observed atoms of its predicate, between entities
// that have rows in its features. It is nil for a network that propagates nothing.
func (n *Networks) links(config *load.Config, network string, store *relation.Store) *neural.Links {
	along := n.Along(config, network)
	if along < 0 {
		return nil
	}
	features, r := n.Features[network], store.Relations[along]
	var links []neural.Link
	for row := range int32(r.Observed) {
		if !r.Has(row) || r.Value(row) == 0 {
			continue
		}
		a, known := features.Row(store.Symbols.Name(r.Columns[0][row]))
		b, too := features.Row(store.Symbols.Name(r.Columns[1][row]))
		if known && too && a != b {
			links = append(links, neural.Link{A: a, B: b, Weight: float32(r.Value(row))})
		}
	}
	if _, told := n.lonely[network]; !told && len(links) == 0 {
		n.lonely[network] = false
	}
	return neural.NewLinks(features.Len(), links)
}

// lintLinks warns, once, of a network whose rows have no links.
func (n *Networks) lintLinks(network *load.Network, diags *source.Diagnostics) {
	if told, lonely := n.lonely[network.Name]; lonely && !told {
		n.lonely[network.Name] = true
		diags.Warnf("propagate-nothing", network.At("propagate"), "constants must be spelled as the ids of the features are",
			"network %q propagates nothing: no atom of %s is about two rows of its features", network.Name,
			n.spec(network.Name).Propagate)
	}
}
