package load

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Resolve checks a configuration that was put together in memory, or changed, and completes it as Read does.
func (c *Config) Resolve() error {
	var diags source.Diagnostics
	c.resolve(&diags)
	diags.Sort()
	c.Warnings = diags
	return diags.Err()
}

// resolve checks the declarations against each other and sets what follows from them: which predicates are closed and
// which are perceived. It only looks at declarations; package program checks the rules.
func (c *Config) resolve(diags *source.Diagnostics) {
	c.number(diags)
	for _, p := range c.Predicates {
		if p.Deep != nil {
			c.networkOf(p, diags)
		}
	}
	networks := make(map[string]bool)
	for _, network := range c.Networks {
		networks[network.Name] = true
	}
	for _, p := range c.Predicates {
		p.Given, p.Functional = !p.Inputs.Empty(), p.Function != ""
		p.Perceived = p.Neural != nil || p.Given
		p.Closed = p.Targets.Empty() && !p.ForceOpen && !p.Perceived
		p.checkOrigin(diags)
		if p.Given && c.HasExamples() {
			diags.Errorf("config-origin", p.Span, "observe them, or give them as facts of the examples",
				"atoms of predicate %s are given, which examples cannot have", p.Name)
		}
		c.checkNeural(p, networks, diags)
		c.checkColumns(p, diags)
	}
	c.checkFacts(diags)
	c.intIDs()
	c.pairTypes()
}

// number makes the numbers of the predicates known by their names, which must differ.
func (c *Config) number(diags *source.Diagnostics) {
	c.numbers = make(map[string]int, len(c.Predicates))
	for k, p := range c.Predicates {
		name := strings.ToLower(p.Name)
		if before, ok := c.numbers[name]; ok {
			diags.Errorf("config-repeated-predicate", p.Span, "names are the same whatever their case",
				"predicate %s is declared already, as %s", p.Name, c.Predicates[before].Name)
			continue
		}
		c.numbers[name] = k
	}
}

// checkOrigin checks that a predicate's atoms come from one place.
func (p *Predicate) checkOrigin(diags *source.Diagnostics) {
	hasData := !p.Observations.Empty() || !p.Targets.Empty() || p.Given
	switch {
	case p.Types != nil && p.Arity() == 0 && !p.Targets.Empty():
		diags.Errorf("config-arity", p.Span, "write "+p.Name+"('it'), and the target [\"it\"]",
			"predicate %s has no arguments, and so no targets: it can only be observed", p.Name)
	case p.Given && (p.Neural != nil || !p.Targets.Empty()):
		diags.Errorf("config-origin", p.Span, "give the others to another predicate",
			"atoms of predicate %s are given, and so no other atom of it is a target or a network's", p.Name)
	case p.Function != "" && (hasData || !p.Truth.Empty()):
		diags.Errorf("config-origin", p.Span, "", "predicate %s is a function, and so it takes no data", p.Name)
	case p.Function != "" && (p.Similarity != nil || p.Derive != nil || p.Neural != nil):
		diags.Errorf("config-origin", p.Span, "keep one of them",
			"predicate %s is a function, and so it is nothing else", p.Name)
	case p.Similarity != nil && (hasData || p.Derive != nil || p.Neural != nil):
		diags.Errorf("config-origin", p.Similarity.Span, "keep one of them",
			"the atoms of %s are pairs of similar strings, and so they have no other origin", p.Name)
	case p.Derive != nil && len(p.Derive.Rules) == 0:
		diags.Errorf("config-origin", p.Derive.Span, "give the rules under \"derive\"",
			"predicate %s has a value, but no rules to derive it", p.Name)
	case p.Derive != nil && hasData:
		diags.Errorf("config-origin", p.Span, "derive another predicate and use both",
			"predicate %s is derived, and so it takes no observations or targets", p.Name)
	case p.Derive != nil && p.Neural != nil:
		diags.Errorf("config-origin", p.Neural.Span, "put the rules under \"atoms\" of \"neural\"",
			"predicate %s is derived, and so it cannot be neural", p.Name)
	}
}

// checkNeural checks a neural predicate against the networks and its own arity.
func (c *Config) checkNeural(p *Predicate, networks map[string]bool, diags *source.Diagnostics) {
	n := p.Neural
	if n == nil {
		return
	}
	if !networks[n.Network] {
		names := slices.Sorted(maps.Keys(networks))
		diags.Errorf("config-neural", n.Span, suggestion(n.Network, names), "there is no network %q", n.Network)
	}
	c.checkTeacher(p, diags)
	if n.Class >= p.Arity() || len(n.Classes) > 0 && n.Entity >= p.Arity() {
		diags.Errorf("config-neural", n.Span, "arguments are numbered from 0",
			"predicate %s/%d has no argument %d", p.Name, p.Arity(), max(n.Class, n.Entity))
	} else if len(n.Classes) > 0 && n.Entity == n.Class {
		diags.Errorf("config-neural", n.Span, "", "argument %d cannot be both the entity and the class", n.Class)
	}
	if p.anyRule() != nil {
		diags.Errorf("config-neural", n.Span, "put the rules under \"atoms\" of \"neural\"",
			"the atoms of %s are a network's, and so no targets that rules make", p.Name)
	}
	if len(n.Atoms) > 0 && !p.Targets.Empty() {
		diags.Errorf("config-neural", n.Span, "keep one of them",
			"the atoms of %s are both derived and listed as targets", p.Name)
	}
	c.checkSlots(p, diags)
	n.Listed = n.Listed || !p.Targets.Empty() && len(n.Slots) == 0
	if n.Listed && p.Targets.Empty() {
		diags.Errorf("config-neural", n.Span, "list its atoms as targets", "the DeepPredicate %s has no targets", p.Name)
	}
	n.Rows = p.Arity() == 1 && len(n.Classes) == 0 && p.Targets.Empty()
	if len(n.Classes) == 0 && len(n.Atoms) == 0 && p.Targets.Empty() && !n.Rows {
		diags.Errorf("config-neural", n.Span, "give \"class\" and \"classes\", or \"atoms\", or targets",
			"nothing says which atoms the network gives values to")
	}
}

// checkTeacher checks that a neural predicate can imitate the one it names.
func (c *Config) checkTeacher(p *Predicate, diags *source.Diagnostics) {
	if p.Neural.Teacher == "" {
		return
	}
	if at := c.Find(p.Neural.Teacher); at >= 0 {
		other := c.Predicates[at]
		if other.Arity() != p.Arity() || other.Targets.Empty() || len(p.Neural.Classes) == 0 {
			diags.Errorf("config-neural", p.Neural.Span, "a teacher has targets with the same arguments, one of them the class",
				"%s cannot imitate %s", p.Name, other.Name)
		}
		return
	}
	diags.Errorf("config-neural", p.Neural.Span, suggestion(p.Neural.Teacher, c.names()), "there is no predicate %s",
		p.Neural.Teacher)
}

// intIDs obeys PSL's option that makes integers the default type of arguments.
func (c *Config) intIDs() {
	for _, option := range c.Common.Options {
		if option.Name != "runtime.db.intids" || !strings.EqualFold(option.Value, "true") {
			continue
		}
		for _, p := range c.Predicates {
			if p.untyped && p.Function == "" {
				for k := range p.Types {
					p.Types[k] = program.Int
				}
			}
		}
	}
}

// networkOf ties a DeepPredicate to a network of its own, which the options describe.
func (c *Config) networkOf(p *Predicate, diags *source.Diagnostics) {
	if p.Neural != nil {
		if p.Neural.Network != p.Name {
			diags.Errorf("config-origin", p.Deep.Span, "keep one of them", "predicate %s is a DeepPredicate, and has a network",
				p.Name)
		}
		return
	}
	p.Neural = &Neural{Network: p.Name, Span: p.Deep.Span, Entity: p.Deep.Entity, Class: p.Arity() - 1, Listed: true}
	for class := range p.Deep.Classes {
		p.Neural.Classes = append(p.Neural.Classes, strconv.Itoa(class))
	}
	c.Networks = append(c.Networks, &Network{Name: p.Name, Span: p.Deep.Span, JSON: []byte("{}")})
}
