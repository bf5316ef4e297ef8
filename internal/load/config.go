package load

import (
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// Phase is a part of a run. Each phase has its own atoms, and may add rules and options.
type Phase uint8

const (
	// Learn trains weights and networks.
	Learn Phase = iota
	// Validation scores a model during learning.
	Validation
	// Infer answers.
	Infer
)

var phaseNames = [...]string{"learn", "validation", "infer"}

// String returns the phase's key in a configuration.
func (p Phase) String() string {
	if p.Check() != nil {
		return fmt.Sprintf("phase %d", uint8(p))
	}
	return phaseNames[p]
}

// Check returns an error for a number that is no phase.
func (p Phase) Check() error {
	if int(p) < len(phaseNames) {
		return nil
	}
	return fmt.Errorf("there is no phase %d: want Learn, Validation or Infer", uint8(p))
}

// Config is a program and where its data are.
type Config struct {
	// Name is the configuration's path, as messages show it.
	Name string
	// Threads bounds the goroutines that read tables; 0 means one per core.
	Threads int
	// Predicates are in the order of their declaration: it numbers predicates everywhere.
	Predicates []*Predicate
	// Common holds the rules and options of every phase, Phases those that a phase adds.
	Common Section
	Phases [3]Section
	// Examples are, by phase, the tables of examples that all have the shape of the one that the rules are about; nil
	// leaves a phase without.
	Examples [3]*Data
	// Facts are, by phase, the tables of atoms that are observed in some of these examples and not in others.
	Facts   [3][]FactTable
	numbers map[string]int // of the predicates, by name in lower case; resolve makes them
	texts   []string       // the files of the configuration and of rules

	// Networks are the settings of the neural networks, which package neural understands.
	Networks []*Network
	// Warnings are what Read found suspicious, sorted.
	Warnings source.Diagnostics
	// Open opens the files of the data; nil means os.Open.
	Open func(path string) (io.ReadCloser, error)
}

// Section is the rules and options that all phases share, or that one phase adds.
type Section struct {
	Rules   []*syntax.Rule
	Options []Option
}

// Option is a named setting. Its value is text, whatever it was written as.
type Option struct {
	Name, Value string
	Span        source.Span
}

// Network is the configuration of a neural network, as written.
type Network struct {
	Name string
	Span source.Span // of the settings
	JSON []byte      // the settings in strict JSON
	node node
}

// At returns the place of the setting that the keys lead to, or of the deepest one on the way that exists.
func (n *Network) At(keys ...string) source.Span {
	span, at := n.Span, n.node
	if at.doc == nil {
		return span // in memory
	}
	for _, key := range keys {
		inner, ok := at.get(key)
		if !ok {
			break
		}
		span, at = inner.span(), inner
	}
	return span
}

// Predicate is a declared predicate and where its atoms come from. Types may be left nil if Derive says them.
type Predicate struct {
	program.Predicate
	Span source.Span // of the declaration

	Tabled
	// ForceOpen makes a predicate without targets open, so that asking for a missing atom is an error and not 0.
	ForceOpen bool
	// Neural says which network gives the values; nil if none does.
	Neural *Neural
	// Derive says which rules make the atoms; nil if none do.
	Derive *Derivation
	// Function names the function that computes the values; "" if none does. Call is its code, if the program brings it
	// along; nil if the name says it.
	Function string
	Call     func(args ...string) float64
	// Similarity says of which strings the atoms are the similar pairs; nil if they are none.
	Similarity *Similarity
	// Corpus is the column whose constants count as documents for a function or similarity that weighs tokens by how
	// rare they are; nil leaves it to the program.
	Corpus *Column

	// Evaluations say how the answers are scored, in the order of the configuration; nil leaves it to the truth.
	Evaluations []Evaluation
	Options     []Option
	// Deep says that the predicate is a DeepPredicate of Java PSL: a network in Python gives the values of its targets.
	Deep *Deep
	// Words say an atom in plain words, with {0} for its first argument; "" for none.
	Words string

	untyped bool // nothing said the types, so that they are the default
}

// Neural ties a predicate to a network. The atoms are those that rules derive, or the predicate's targets; without
// either one per row of the network's features and class.
type Neural struct {
	Network string
	Span    source.Span
	// Entity is the argument that names the row of the features, Class the one that names the class; -1 if there is none.
	Entity, Class int
	// Classes are the constants of the classes, in the order of the network's outputs.
	Classes []string
	// Slots are entities that have no row of the features themselves: in each example they stand for one.
	Slots []string
	// Teacher names the predicate with targets whose inferred values the network imitates while it learns, atom by atom;
	// "" if none does.
	Teacher string
	// Listed says that the atoms are the predicate's targets, though there are classes.
	Listed bool
	// Rows says that each row of the features is an atom: there are no classes, and one argument.
	Rows bool
	// Atoms derive the atoms of a network over pairs.
	Atoms []*syntax.Rule
}

// Makes tells whether the atoms follow from the rows of the network's features: one for each, or each and class.
func (n *Neural) Makes() bool {
	return n != nil && (n.Rows || len(n.Classes) > 0) && len(n.Atoms) == 0 && !n.Listed
}

// Deep is what the options of a DeepPredicate say of its network.
type Deep struct {
	Span source.Span
	// Map is the path of the table that has an entity in each line, Classes the number of classes, and Entity the argument
	// that is the entity. The last argument is the class.
	Map             string
	Entity, Classes int
}

// Derivation makes the atoms of a predicate from those of others: the union of what the rules' bodies join.
type Derivation struct {
	Rules []*syntax.Rule
	Value DerivedValue
	Span  source.Span
}

// DerivedValue says which value a derived atom has.
type DerivedValue uint8

const (
	// One gives every derived atom the value 1.
	One DerivedValue = iota
	// InverseCount gives an atom 1 / the number of ways in which its rules' bodies hold (the paper's 1/n_A).
	InverseCount
)

// Evaluation asks for a score of a predicate's answers.
type Evaluation struct {
	// Evaluator is one of discrete, continuous, auc, categorical.
	Evaluator string
	Options   []Option
	// Primary says that learning is guided by this score. At most one evaluation of a predicate is primary.
	Primary bool
	Span    source.Span
}

// Tabled are the atoms of a predicate that tables have, and the truth about them.
type Tabled struct {
	Observations, Targets, Truth Partition
	// Inputs are atoms whose values are given and may change while a ground model lives: they are inputs of it, as a
	// network's are, and not folded away. Only programs in Go have any.
	Inputs Partition
}

// Partition says where the rows of one kind come from. Every phase reads All and then its own.
type Partition struct {
	All    []Data
	Phases [3][]Data
}

// of returns the data of a phase.
func (p *Partition) of(phase Phase) []Data {
	return append(append([]Data(nil), p.All...), p.Phases[phase]...)
}

// Empty tells whether no phase has any data.
func (p *Partition) Empty() bool {
	return len(p.All) == 0 && len(p.Phases[0]) == 0 && len(p.Phases[1]) == 0 && len(p.Phases[2]) == 0
}

// Files lists the files that the project is read from: the configuration, rules and tables. Networks have more.
func (c *Config) Files() (paths []string) {
	paths = append(paths, c.texts...)
	add := func(all ...Data) {
		for _, data := range all {
			if data.Path != "" {
				paths = append(paths, data.Path)
			}
		}
	}
	for _, p := range c.Predicates {
		for _, partition := range [...]*Partition{&p.Observations, &p.Targets, &p.Truth} {
			add(partition.All...)
			for _, own := range partition.Phases {
				add(own...)
			}
		}
	}
	for phase, examples := range c.Examples {
		if examples != nil {
			add(*examples)
		}
		for _, facts := range c.Facts[phase] {
			add(facts.Data)
		}
	}
	return paths
}

// Data is a file of rows, or rows in memory, or rows in the configuration. A row is the atom's arguments, and
// optionally its truth value in [0, 1].
type Data struct {
	// Path is the file of a tab-separated table, as it is opened: gzip is recognised by its content.
	Path string
	// Open opens the file, if the configuration's Open is not to; nil if it is.
	Open func(path string) (io.ReadCloser, error)
	// Rows is a table in memory, Values one whose truth values stand beside the arguments, and Columns one by columns;
	// nil if it is none.
	Rows    iter.Seq[[]string]
	Values  iter.Seq2[[]string, float64]
	Columns *Columns
	rows    *rowList // the table if it is none of these
	// Choice says which columns are read of a file whose first line names them; nil means all of any file.
	Choice *Choice
	// Rule makes the rows, which are targets, from those of other predicates; nil if they are in a table.
	Rule *syntax.Rule
	// Span is where the configuration asks for the file.
	Span source.Span
}

// Data returns the table, or what is wrong with its columns.
func (c *Columns) Data() (Data, error) { return Data{Columns: c}, c.check() }

// Choice is columns of a table by their names: those of the arguments, in order, and perhaps that of the truth value.
// Rows that differ in others only are one, and such with an empty field are left out.
type Choice struct {
	Columns []NamedColumn
}

// Choose makes a choice of columns by their names; nil of nil.
func Choose(names []string) *Choice {
	if names == nil {
		return nil
	}
	choice := new(Choice)
	for _, name := range names {
		choice.Columns = append(choice.Columns, NamedColumn{Name: name})
	}
	return choice
}

// NamedColumn is a column of a table that has names for them.
type NamedColumn struct {
	Name string
	Span source.Span // of the name in the configuration
}

// Same tells whether two tables are read from the same columns of the same file.
func (d *Data) Same(other *Data) bool {
	return d.Path != "" && d.Path == other.Path && d.Open == nil && other.Open == nil &&
		slices.Equal(d.columnNames(), other.columnNames())
}

// columnNames lists the columns that are chosen.
func (d *Data) columnNames() (names []string) {
	if d.Choice != nil {
		for _, column := range d.Choice.Columns {
			names = append(names, column.Name)
		}
	}
	return names
}

// TargetRules returns the rules that make targets of a predicate in a phase.
func (p *Predicate) TargetRules(phase Phase) (rules []*syntax.Rule) {
	for _, data := range p.Targets.of(phase) {
		if data.Rule != nil {
			rules = append(rules, data.Rule)
		}
	}
	return rules
}

// anyRule returns a rule that makes targets in whatever phase; nil if there is none.
func (p *Predicate) anyRule() *syntax.Rule {
	for phase := range Phase(3) {
		if rules := p.TargetRules(phase); len(rules) > 0 {
			return rules[0]
		}
	}
	return nil
}

// Rules returns the rules of a phase: the common ones and then its own.
func (c *Config) Rules(phase Phase) []*syntax.Rule {
	return append(append([]*syntax.Rule(nil), c.Common.Rules...), c.Phases[phase].Rules...)
}

// Declarations returns the predicates as package program wants them, in order.
func (c *Config) Declarations() []*program.Predicate {
	out := make([]*program.Predicate, len(c.Predicates))
	for k, p := range c.Predicates {
		out[k] = &p.Predicate
	}
	return out
}

// Runs tells whether a phase has rules, options or data of its own. A configuration in which no phase does is for
// inference.
func (c *Config) Runs(phase Phase) bool {
	if section := c.Phases[phase]; len(section.Rules) > 0 || len(section.Options) > 0 || c.Examples[phase] != nil {
		return true
	}
	for _, p := range c.Predicates {
		for _, partition := range [...]*Partition{&p.Observations, &p.Targets, &p.Truth, &p.Inputs} {
			if len(partition.Phases[phase]) > 0 {
				return true
			}
		}
	}
	return false
}

func (c *Config) open(path string) (io.ReadCloser, error) {
	if c.Open != nil {
		return c.Open(path)
	}
	return os.Open(path)
}
