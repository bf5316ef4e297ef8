package perceive

import (
	"iter"
	"slices"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// checkLinks checks that a network can propagate along the predicate that it names.
func checkLinks(p *project.Project, network *load.Network, spec *neural.Spec, diags *source.Diagnostics) {
	if spec.Propagate == "" {
		return
	}
	checkAlong(p.Config, network, spec.Propagate, diags)
}

// checkAlong checks that a predicate is one to propagate along.
func checkAlong(config *load.Config, network *load.Network, along string, diags *source.Diagnostics) {
	refuse := func(hint, format string, args ...any) {
		diags.Errorf("config-network", network.At("propagate"), hint, "network %q: "+format,
			append([]any{network.Name}, args...)...)
	}
	at := config.Find(along)
	if at < 0 {
		var names []string
		for _, declared := range config.Predicates {
			names = append(names, declared.Name)
		}
		refuse(source.Suggest(along, names), "there is no predicate %s to propagate along", along)
		return
	}
	switch declared := config.Predicates[at]; {
	case declared.Arity() != 2:
		refuse("name one whose atoms tie two rows of the features to each other",
			"it propagates along atoms of two arguments, and %s has %d", declared.Name, declared.Arity())
	case !ties(declared):
		refuse("name one whose atoms are observed or derived", "it propagates along what is known, and atoms of %s are not",
			declared.Name)
	case config.HasExamples():
		refuse("leave propagate out", "in examples, slots stand for rows, which %s does not tie", declared.Name)
	}
}

// ties tells whether atoms of a predicate are known, and of two arguments.
func ties(declared *load.Predicate) bool {
	return declared.Arity() == 2 && declared.Closed && !declared.Functional
}

// Along returns the number of the predicate that a network's logits are propagated along; -1 without one.
func (n *Networks) Along(config *load.Config, network string) int {
	return config.Find(n.System.Along(network))
}

// checkLearned checks that there is what networks propagate along that were read from a checkpoint.
func (n *Networks) checkLearned(config *load.Config, diags *source.Diagnostics) {
	for _, network := range config.Networks {
		if along := n.System.Along(network.Name); along != "" && n.spec(network.Name).Propagate == "" {
			checkAlong(config, network, along, diags)
		}
	}
}

// Links are the predicates that networks propagate their logits along.
func (n *Networks) Links() (names []string) {
	if n == nil {
		return nil
	}
	for _, spec := range n.Specs {
		if along := n.System.Along(spec.Name); along != "" {
			names = append(names, along)
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
	features := n.Features[network]
	links := slices.Collect(linked(features, store, store.Relations[along]))
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
			n.System.Along(network.Name))
	}
}

// linked iterates over the observed atoms of a relation that tie two rows of features.
func linked(table *features.Table, store *relation.Store, r *relation.Relation) iter.Seq[neural.Link] {
	return func(yield func(neural.Link) bool) {
		for row := range int32(r.Observed) {
			if !r.Has(row) || r.Value(row) == 0 {
				continue
			}
			a, known := table.Row(store.Symbols.Name(r.Columns[0][row]))
			b, too := table.Row(store.Symbols.Name(r.Columns[1][row]))
			if known && too && a != b && !yield(neural.Link{A: a, B: b, Weight: float32(r.Value(row))}) {
				return
			}
		}
	}
}

// Ways names the predicates along which a network's logits could be propagated, and are not along any.
func (n *Networks) Ways(config *load.Config, network string, store *relation.Store) (ways []string) {
	if config.HasExamples() || !n.System.CanPropagate(network) {
		return nil
	}
	for k, declared := range config.Predicates {
		if !ties(declared) {
			continue
		}
		for range linked(n.Features[network], store, store.Relations[k]) {
			ways = append(ways, declared.Name)
			break
		}
	}
	return ways
}

// Propagating returns the networks with the same parameters, of which one propagates its logits along a predicate, and
// does so with new parameters too.
func (n *Networks) Propagating(network, along string) *Networks {
	out := *n
	out.Specs = slices.Clone(n.Specs)
	out.spec(network).Propagate = along
	out.System = n.System.Propagating(network, along)
	return &out
}

// AsWritten returns the networks as they are specified, with new parameters if that has changed since.
func (n *Networks) AsWritten(seed uint64) (*Networks, error) {
	same := func(a, b neural.Spec) bool { return a.Propagate == b.Propagate }
	if n == nil || slices.EqualFunc(n.Specs, n.written, same) {
		return n, nil
	}
	out := *n
	out.Specs = n.written
	return out.Renewed(seed)
}
