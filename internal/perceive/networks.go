// Package perceive connects the networks of a project with its atoms: it reads their features, builds them, makes the
// atoms that a classifier speaks of, and finds for each perceived atom of a phase the row and the output that give its
// truth.
package perceive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/similarity"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// Networks are a project's neural networks, shared by the ground models of all phases: what one learns, all see.
type Networks struct {
	System   *neural.System
	Specs    []neural.Spec
	written  []neural.Spec // as they were before anything was learned of them
	threads  int
	tables   map[string]*features.Table // by path
	Features map[string]*features.Table // by the network's name; an encoder's also under those that share it
	// similarities are those of the atoms' names, as bindings want them, so that new parameters find them again.
	similarities map[*relation.Relation][]float32
	// blind are the networks that have been told to see nothing, and lonely those without links: false until that is told.
	blind, lonely map[string]bool
	// leaks are the networks that have been told to see the truth, codes and sentinels those that have been told to see
	// numbers that are names, and that stand for what is missing.
	leaks, codes, sentinels map[string]bool
	// read are those that have been told how their columns were read.
	read map[string]bool
	// revised are the rows that are others than those that were read.
	revised map[revision]bool
}

// Load reads the feature tables and builds the networks with fresh parameters.
func Load(p *project.Project) (*Networks, error) {
	if len(p.Config.Networks) == 0 {
		return nil, nil
	}
	var diags source.Diagnostics
	n := &Networks{threads: p.Threads,
		Features: make(map[string]*features.Table), tables: make(map[string]*features.Table),
		similarities: make(map[*relation.Relation][]float32), blind: make(map[string]bool),
		lonely: make(map[string]bool), leaks: make(map[string]bool),
		codes: make(map[string]bool), sentinels: make(map[string]bool), read: make(map[string]bool)}
	for _, network := range p.Config.Networks {
		n.Specs = append(n.Specs, loadNetwork(p, network, n, &diags))
	}
	for _, spec := range n.Specs {
		if spec.Encoder != "" {
			n.Features[spec.Name] = n.Features[spec.Encoder]
		}
	}
	if err := diags.Err(); err != nil {
		return nil, err
	}
	n.written = n.Specs
	renewed, err := n.Renewed(p.Seed)
	known := (*neural.SpecError)(nil)
	if !errors.As(err, &known) {
		return renewed, err
	}
	for _, network := range p.Config.Networks {
		if network.Name == known.Network && !n.withoutClasses(p, network, known, &diags) {
			misspecified(network, err, &diags)
		}
	}
	return nil, diags.Err()
}

// loadNetwork reads a network's specification and its features.
func loadNetwork(p *project.Project, network *load.Network, n *Networks, diags *source.Diagnostics) neural.Spec {
	declared, classes := classifies(p, network.Name)
	spec, given := p.Specs[network.Name]
	if !given {
		spec = neural.Spec{Name: network.Name, Outputs: classes}
		if err := json.Unmarshal(network.JSON, &spec); err != nil {
			misspecified(network, err, diags)
			return spec
		}
	} else if spec.Outputs == 0 {
		spec.Outputs = classes
	}
	if spec.Skip == nil && classes > 0 && p.Config.HasExamples() {
		spec.Skip = new(false) // of what nobody labels, a skip learns examples by heart
	}
	if classes > 0 && spec.Kind == "siamese" {
		diags.Errorf("config-network", network.At("kind"), "give the predicate two arguments, and no classes",
			"network %q compares two rows, but %s speaks of one", network.Name, declared.Name)
		return spec
	}
	if classes > 0 && spec.Outputs != classes {
		diags.Errorf("config-network", network.At("outputs"), "leave outputs out",
			"network %q has %d outputs, but %s has %d classes", network.Name, spec.Outputs, declared.Name, classes)
	}
	for _, name := range spec.Measures {
		if similarity.Find(name) == nil {
			diags.Errorf("config-network", network.At("measures"), source.Suggest(name, similarity.Names()),
				"network %q: there is no measure %s; there are %s", network.Name, name,
				strings.Join(similarity.Names(), ", "))
		}
	}
	checkLinks(p, network, &spec, diags)
	for _, path := range []*string{&spec.Checkpoint, &spec.File} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(filepath.Dir(p.Config.Name), *path)
		}
	}
	if spec.Encoder == "" {
		loadFeatures(p, network, &spec, n.tables, diags)
		n.Features[spec.Name] = n.tables[spec.Features]
	}
	if features := n.Features[spec.Name]; spec.File != "" && spec.Graph == nil && features != nil {
		var err error
		if spec.Graph, err = neural.ReadGraph(&spec, features.Width()); err != nil {
			misspecified(network, err, diags)
		} else if folder := p.KeptIn(); folder != "" && spec.Frozen {
			spec.Graph.Keep(folder, func(message string, about ...any) {
				p.Log.Info(message, append(about, "network", network.Name)...)
			})
		}
	}
	return spec
}

// withoutClasses reports, where a network does not know how many outputs it has, the predicate that names no classes.
func (n *Networks) withoutClasses(p *project.Project, network *load.Network, known *neural.SpecError,
	diags *source.Diagnostics) bool {
	declared, classes := classifies(p, network.Name)
	if known.Key != "outputs" || n.spec(network.Name).Outputs != 0 || classes > 0 || declared == nil {
		return false
	}
	diags.Errorf("config-neural", declared.Neural.Span,
		`write "class": 1, "classes": ["a", "b"] for argument 1 being a or b; or "kind": "siamese" in the network that `+
			"compares two rows",
		"network %q tells classes apart, but %s does not say which there are", network.Name, declared.Name)
	return true
}

// misspecified reports an error in a network's specification at the key that it is about.
func misspecified(network *load.Network, err error, diags *source.Diagnostics) {
	place := network.Span
	if known := (*neural.SpecError)(nil); errors.As(err, &known) {
		place, err = network.At(known.Key), known.Err
	}
	diags.Errorf("config-network", place, "", "network %q: %v", network.Name, err)
}

// Renewed returns the same networks with new parameters, drawn by seed.
func (n *Networks) Renewed(seed uint64) (*Networks, error) {
	fresh := *n
	var err error
	fresh.System, err = neural.New(n.Specs, n.tables, seed, neural.WithThreads(n.threads))
	for k := 0; err == nil && n.System != nil && k < len(n.Specs); k++ {
		name := n.Specs[k].Name
		err = fresh.System.Code(name, n.System.Codes(name))
	}
	return &fresh, err
}

// classifies returns the predicate whose truth the network gives, nil if there is none, and its number of classes: 0 if
// it compares two rows, 1 if it has one argument, which is or is not what the predicate says.
func classifies(p *project.Project, network string) (predicate *load.Predicate, classes int) {
	for _, declared := range p.Config.Predicates {
		if declared.Neural != nil && declared.Neural.Network == network {
			if declared.Arity() == 1 {
				return declared, 1
			}
			return declared, len(declared.Neural.Classes)
		}
	}
	return nil, 0
}

// loadFeatures reads the table that a network names, unless another network has, and names it by its paths.
func loadFeatures(p *project.Project, network *load.Network, spec *neural.Spec, tables map[string]*features.Table,
	diags *source.Diagnostics) {
	if spec.Features == "" {
		diags.Errorf("config-network", network.Span, `write "features": "table.tsv"`, "network %q names no features",
			spec.Name)
		return
	}
	if given := p.Features[spec.Features]; given != nil {
		tables[spec.Features] = given
		return
	}
	paths := p.FeaturePaths(spec)
	spec.Features = strings.Join(paths, " and ")
	if len(spec.Columns)+len(spec.Categories) > 0 {
		spec.Features += fmt.Sprintf(" (%s; %s)", strings.Join(spec.Columns, ", "), strings.Join(spec.Categories, ", "))
	}
	if tables[spec.Features] != nil {
		return
	}
	table, err := features.ReadFiles(spec.Form(), paths)
	var rows *source.Failure
	var path *fs.PathError
	switch {
	case errors.As(err, &rows):
		*diags = append(*diags, rows.Diagnostics...)
	case errors.As(err, &path):
		p.Config.Unreadable(diags, network.At("features"), path.Path, path)
	case err != nil:
		wrong := &neural.SpecError{Key: "features", Err: err}
		if key := (*features.KeyError)(nil); errors.As(err, &key) {
			wrong.Key, wrong.Err = key.Key, key.Err
		}
		misspecified(network, wrong, diags)
	}
	tables[spec.Features] = table
}

// Atoms makes the atoms of a classifier's predicate: one per class and row of the features, or slot that is
// not absent; of a predicate of one argument, one per row or slot.
func (n *Networks) Atoms(declared *load.Predicate, known *relation.Relation, symbols *symbol.Table,
	absent []bool, diags *source.Diagnostics) *relation.Relation {
	if declared.Arity() != 2 && !declared.Neural.Rows {
		diags.Errorf("config-neural", declared.Span, "a classifier's atoms have 2: the entity and the class",
			"%s has %d arguments", declared.Name, declared.Arity())
		return known
	}
	entities, classes := declared.Neural.Slots, declared.Neural.Classes
	if len(entities) == 0 {
		entities = n.Features[declared.Neural.Network].IDs()
	}
	if declared.Neural.Rows {
		classes = []string{""}
	}
	columns := make([][]symbol.ID, declared.Arity())
	var without []symbol.ID
	for k, entity := range entities {
		if absent != nil && absent[k] {
			without = append(without, symbols.Intern(entity))
			continue
		}
		for _, class := range classes {
			columns[declared.Neural.Entity] = append(columns[declared.Neural.Entity], symbols.Intern(entity))
			if !declared.Neural.Rows {
				columns[declared.Neural.Class] = append(columns[declared.Neural.Class], symbols.Intern(class))
			}
		}
	}
	made := relation.WithPerceived(known, columns)
	made.Without, made.WithoutColumn = without, declared.Neural.Entity
	return made
}

// Bind connects the networks to the perceived atoms of a phase; to none where all inputs are given.
func (n *Networks) Bind(p *project.Project, store *relation.Store, inputs int) (*neural.Perception, error) {
	if n == nil {
		return nil, nil
	}
	bindings, err := n.Bindings(p.Config, store)
	if err == nil && p.Config.HasExamples() {
		err = n.Standardize(p)
	}
	if err != nil {
		return nil, err
	}
	return n.System.Bind(inputs, bindings...)
}

// Standardize scales the features by those of the examples to learn from and to choose by: the atoms are about slots,
// which stand for any row. What is wrong with the tables is for those to say who read all of them.
func (n *Networks) Standardize(p *project.Project) error {
	rows := make(map[string][]int32) // by network
	slots := Slots(p, n)
	for _, phase := range []load.Phase{load.Learn, load.Validation} {
		if p.Config.Examples[phase] == nil {
			continue
		}
		table := p.Config.ReadExamples(phase, new(source.Diagnostics))
		if table == nil {
			return nil
		}
		for _, slot := range slots {
			if column := slot.Column(table.Header, slots); column >= 0 {
				rows[slot.network] = slot.rows(rows[slot.network], table.Rows, column)
			}
		}
	}
	for _, spec := range n.Specs {
		if err := n.System.Standardize(spec.Name, rows[spec.Name]); err != nil {
			return err
		}
	}
	return nil
}

// Lint warns, once, of networks that see no difference between their rows, no links among them, or the truth.
func (n *Networks) Lint(config *load.Config, tables *load.Tables, diags *source.Diagnostics) {
	for _, network := range config.Networks {
		n.lintLinks(network, diags)
		n.lintTruth(network, config, tables, diags)
		n.lintSentinels(network, diags)
		n.lintReadings(network, diags)
		constant, features := n.System.Constant(network.Name)
		if constant == 0 || constant < features || n.blind[network.Name] {
			continue
		}
		n.blind[network.Name] = true
		diags.Warnf("features-constant", network.At("features"), "features are what tells entities apart",
			"all %d features of network %q are the same in all rows that it learns from", features, network.Name)
	}
}

// lintTruth warns of what the columns of a dense table have to do with the truth of predicates.
func (n *Networks) lintTruth(
	network *load.Network, config *load.Config, tables *load.Tables, diags *source.Diagnostics,
) {
	features := n.Features[network.Name]
	if features == nil || features.Sparse() {
		return
	}
	for k, declared := range config.Predicates {
		if rows, answers := answersOf(tables.Truth[k], tables.Store.Symbols, features); answers != nil {
			n.lintLeaks(network, declared, rows, answers, diags)
			n.lintCodes(network, declared, rows, answers, diags)
		}
	}
}

// Bindings say which network gives the truth of which perceived atoms. A slot's row is its number.
func (n *Networks) Bindings(config *load.Config, store *relation.Store) ([]neural.Binding, error) {
	var bindings []neural.Binding
	var diags source.Diagnostics
	n.checkLearned(config, &diags)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	slots := 0
	for k, declared := range config.Predicates {
		if store.Relations[k].FreeLen() == 0 || declared.Neural == nil && !declared.Given {
			continue
		}
		if declared.Given {
			bindings = append(bindings, givenAtoms(store.Relations[k]))
			continue
		}
		b := n.binder(declared, store.Relations[k], store.Symbols)
		b.slots, b.firstSlot = declared.Neural.Slots, slots
		slots += len(b.slots)
		for row := int32(b.atoms.Observed); int(row) < b.atoms.Len(); row++ {
			b.bind(declared.Neural, row, b.atoms.Number(row))
		}
		b.report(declared, &diags)
		b.binding.Links = n.links(config, b.binding.Network, store)
		if known, has := n.similarities[b.atoms]; has {
			b.binding.Similarities = known
		} else if len(b.strangers.names) == 0 && len(n.measures(b.binding.Network)) > 0 {
			b.binding.Similarities = n.measure(b)
			n.similarities[b.atoms] = b.binding.Similarities
		}
		bindings = append(bindings, b.binding)
	}
	return bindings, diags.Err()
}

// givenAtoms is the binding of atoms whose values are given.
func givenAtoms(atoms *relation.Relation) (b neural.Binding) {
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		b.Inputs = append(b.Inputs, atoms.Number(row))
	}
	return b
}

// measureScale is the width of the interval around 0 on which the distance layer sees similarities. Answers often turn
// from no to yes within a tenth of a similarity, for which weights would otherwise have to grow for long.
const measureScale = 10

// measure returns the similarities of each bound atom's names that its network wants to see, scaled. The features'
// names are the corpus of the measures that need one.
func (n *Networks) measure(b *binder) []float32 {
	measures := n.measures(b.binding.Network)
	if len(measures) == 0 {
		return nil
	}
	pairs := make([][2]int32, len(b.binding.Inputs))
	for k := range pairs {
		pairs[k] = [2]int32{b.binding.Rows[k], b.binding.Others[k]}
	}
	values := make([]float32, len(pairs)*len(measures))
	for m, name := range measures {
		for k, value := range similarity.Compare(b.features.IDs(), pairs, similarity.Find(name), n.threads) {
			values[k*len(measures)+m] = float32(measureScale * (value - 0.5))
		}
	}
	return values
}

// measures names the similarities that a network wants to see.
func (n *Networks) measures(network string) []string {
	return n.spec(network).Measures
}

// Compares tells whether a network compares pairs, so that it says the same of a pair and of its converse.
func (n *Networks) Compares(network string) bool {
	return slices.ContainsFunc(n.Specs, func(s neural.Spec) bool { return s.Name == network && s.Kind == "siamese" })
}

// spec returns the specification of a network.
func (n *Networks) spec(network string) *neural.Spec {
	return &n.Specs[slices.IndexFunc(n.Specs, func(s neural.Spec) bool { return s.Name == network })]
}

// binder finds the features' rows, and the class, of each perceived atom of one predicate.
type binder struct {
	binding  neural.Binding
	features *features.Table
	symbols  *symbol.Table
	atoms    *relation.Relation
	// slots are the entities that stand for rows, and firstSlot is the number of the first of them.
	slots     []string
	firstSlot int
	// strangers are entities without features, and foreign are constants that are no class.
	strangers, foreign mentions
}

// binder returns that of a predicate, with no atoms yet.
func (n *Networks) binder(declared *load.Predicate, atoms *relation.Relation, symbols *symbol.Table) *binder {
	b := &binder{features: n.Features[declared.Neural.Network], symbols: symbols, atoms: atoms}
	b.binding.Network = declared.Neural.Network
	return b
}

// bind binds the atom of a row to an input.
func (b *binder) bind(declared *load.Neural, r, input int32) {
	b.binding.Inputs = append(b.binding.Inputs, input)
	switch {
	case b.atoms.Arity == 1:
		b.binding.Rows = append(b.binding.Rows, b.row(0, r))
		b.binding.Classes = append(b.binding.Classes, 0)
	case len(declared.Classes) == 0:
		b.binding.Rows = append(b.binding.Rows, b.row(0, r))
		b.binding.Others = append(b.binding.Others, b.row(1, r))
	default:
		class := b.constant(declared.Class, r)
		number := slices.Index(declared.Classes, class)
		if number < 0 {
			b.foreign.add(class)
		}
		b.binding.Rows = append(b.binding.Rows, b.row(declared.Entity, r))
		b.binding.Classes = append(b.binding.Classes, int32(number))
	}
}

// constant returns an argument of an atom.
func (b *binder) constant(argument int, r int32) string {
	return b.symbols.Name(b.atoms.Columns[argument][r])
}

// row returns the features' row of the entity that an atom's argument names.
func (b *binder) row(argument int, r int32) int32 {
	name := b.constant(argument, r)
	if slot := slices.Index(b.slots, name); slot >= 0 {
		return int32(b.firstSlot + slot)
	}
	row, ok := b.features.Row(name)
	if !ok {
		b.strangers.add(name)
	}
	return row
}

// report tells what could not be found.
func (b *binder) report(declared *load.Predicate, diags *source.Diagnostics) {
	if len(b.strangers.names) > 0 {
		diags.Errorf("features-missing", declared.Neural.Span, "give each entity a row, or leave out its atoms",
			"the features of network %q have no row for %s, which %s needs", declared.Neural.Network, &b.strangers,
			declared.Name)
	}
	if len(b.foreign.names) > 0 {
		diags.Errorf("class-unknown", declared.Neural.Span, "the classes are "+strings.Join(declared.Neural.Classes, ", "),
			"atoms of %s have %s for a class", declared.Name, &b.foreign)
	}
}
