package load

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// predicates reads all declarations; their order numbers the predicates.
func (d *decoder) predicates(n node) {
	d.each(n, "predicates", func(key, value node) {
		d.config.Predicates = append(d.config.Predicates, d.predicate(key, value))
	})
}

// declaration is what one predicate's keys say about its arity, which may be said in several ways.
type declaration struct {
	predicate *Predicate
	suffix    int // the number after the slash of the name; -1 if there is none
	arity     int // the key "arity"; -1 if there is none
	words     source.Span
}

// predicate reads one entry of "predicates": its name, with or without /arity, and its settings.
func (d *decoder) predicate(key, value node) *Predicate {
	decl := d.declare(key)
	if value.kind() != null {
		d.settings(value, decl)
	}
	d.arity(decl)
	d.words(decl)
	return decl.predicate
}

// placeholder stands for an argument in plain words.
var placeholder = regexp.MustCompile(`\{(\d+)\}`)

// words checks that plain words speak of arguments that there are.
func (d *decoder) words(decl *declaration) {
	p := decl.predicate
	for _, found := range placeholder.FindAllStringSubmatch(p.Words, -1) {
		if k, err := strconv.Atoi(found[1]); err != nil || k >= p.Arity() {
			d.diags.Errorf("config-arity", decl.words, "arguments are numbered from {0}",
				"%s is none of the %d arguments of %s", found[0], p.Arity(), p.Name)
		}
	}
}

// InWords says an atom in plain words; "" if the configuration has none for the predicate.
func (p *Predicate) InWords(arguments []string) string {
	return placeholder.ReplaceAllStringFunc(p.Words, func(name string) string {
		k, _ := strconv.Atoi(name[1 : len(name)-1])
		return arguments[k]
	})
}

// declare reads a predicate's name, with or without /arity.
func (d *decoder) declare(key node) *declaration {
	name, suffix, slashed := strings.Cut(key.scalar(), "/")
	decl := &declaration{predicate: &Predicate{Span: key.span()}, suffix: -1, arity: -1}
	decl.predicate.Name = name
	if slashed {
		arity, err := strconv.Atoi(suffix)
		if err != nil || arity < 0 {
			d.diags.Errorf("config-arity", key.span(), "write Name/2 for a predicate of two arguments",
				"%q is not a number of arguments", suffix)
		} else {
			decl.suffix = arity
		}
	}
	if !syntax.IsName(name) {
		d.diags.Errorf("config-name", key.span(), "use letters, digits and _, and no digit first",
			"%q is not a name for a predicate", name)
	}
	return decl
}

// settings reads the keys of a predicate: PSL's, and this program's neural, derive and value.
func (d *decoder) settings(n node, decl *declaration) {
	p := decl.predicate
	d.object(n, PredicateLevel, "predicate "+p.Name,
		field{"name", func(v node) { d.sameName(v, p.Name) }},
		field{"arity", func(v node) { decl.arity = d.integer(v, "arity", 0) }},
		field{"types", func(v node) { p.Types = d.types(v) }},
		field{"type", func(v node) { d.predicateType(v, p) }},
		field{"force-open", func(v node) { p.ForceOpen = d.boolean(v, "force-open") }},
		field{"observations", func(v node) { p.Observations = d.partition(v, "observations") }},
		field{"targets", func(v node) { p.Targets = d.partition(v, "targets") }},
		field{"truth", func(v node) { p.Truth = d.partition(v, "truth") }},
		field{"function", func(v node) { p.Function = d.text(v, "function") }},
		field{"similarity", func(v node) { d.similarity(v, p) }},
		field{"neural", func(v node) { p.Neural = d.neural(v) }},
		field{"derive", func(v node) { p.Derive = d.derive(v, p.Derive) }},
		field{"value", func(v node) { p.Derive = d.derivedValue(v, p.Derive) }},
		field{"evaluations", func(v node) { p.Evaluations = d.evaluations(v) }},
		field{"words", func(v node) { p.Words, decl.words = d.text(v, "words"), v.span() }},
		field{"options", func(v node) { p.Options = d.options(v) }},
	)
	d.corpusOption(p)
	d.deepOptions(p)
}

// sameName reads a predicate's name where Java PSL may have it once more.
func (d *decoder) sameName(n node, name string) {
	if said := d.text(n, "name"); n.kind() == text && !strings.EqualFold(said, name) {
		d.diags.Errorf("config-name", n.span(), "the key that the predicate stands under is its name",
			"predicate %s is called %s here", name, said)
	}
}

// predicateType accepts PSL's class names.
func (d *decoder) predicateType(n node, p *Predicate) {
	name := d.text(n, "type")
	switch short := name[strings.LastIndexByte(name, '.')+1:]; short {
	case "StandardPredicate", "ExternalFunctionalPredicate":
	case "DeepPredicate":
		p.Deep = &Deep{Span: n.span(), Entity: -1}
	default:
		d.diags.Errorf("config-choice", n.span(), suggestion(short, []string{"StandardPredicate"}),
			"no predicate type %q", name)
	}
}

// maxArity bounds what a typing error can ask for.
const maxArity = 255

// arity settles the number of arguments and their types.
func (d *decoder) arity(decl *declaration) {
	p := decl.predicate
	arity := max(decl.suffix, decl.arity)
	if p.Types != nil {
		arity = max(arity, len(p.Types))
	}
	for _, said := range [...]int{decl.suffix, decl.arity} {
		if said >= 0 && said != arity || p.Types != nil && said >= 0 && said != len(p.Types) {
			d.diags.Errorf("config-arity", p.Span, "", "predicate %s has different numbers of arguments in its name, "+
				"its arity and its types", p.Name)
			return
		}
	}
	if arity < 0 && p.Derive != nil && len(p.Derive.Rules) > 0 {
		arity = headArity(p.Derive.Rules[0])
	}
	if rule := p.anyRule(); arity < 0 && rule != nil {
		arity = headArity(rule)
	}
	if arity < 0 && p.Similarity != nil {
		arity = 2
	}
	if arity < 0 {
		d.diags.Errorf("config-arity", p.Span, "write the name as "+p.Name+"/2 if it has two",
			"predicate %s does not say how many arguments it has", p.Name)
		return
	}
	if arity > maxArity {
		d.diags.Errorf("config-arity", p.Span, "", "predicate %s has more than %d arguments", p.Name, maxArity)
	} else if p.Types == nil {
		p.Types, p.untyped = make([]program.Type, arity), true
	}
}

// partition reads a list of data, or lists by phase.
func (d *decoder) partition(n node, what string) (p Partition) {
	if n.kind() != object || n.has("file") || n.has("columns") {
		p.All = d.data(n, what)
		return p
	}
	d.object(n, TablesLevel, what,
		field{"all", func(v node) { p.All = d.data(v, what) }},
		field{Learn.String(), func(v node) { p.Phases[Learn] = d.data(v, what) }},
		field{Validation.String(), func(v node) { p.Phases[Validation] = d.data(v, what) }},
		field{Infer.String(), func(v node) { p.Phases[Infer] = d.data(v, what) }},
	)
	return p
}

// maxPaths bounds the tables of a configuration, so that what is known about each takes no more than a few MiB.
const maxPaths = 1 << 16

// data reads a list of paths, tables with columns, rows and, for targets, rules. Rows next to each other become one
// Data.
func (d *decoder) data(n node, what string) (out []Data) {
	out = make([]Data, 0, countData(n))
	for item := range d.elements(n) {
		switch item.kind() {
		case text:
			if strings.Contains(item.scalar(), "<-") {
				out = append(out, d.targetRule(item, what)...)
				continue
			}
			out = append(out, Data{Path: d.path(item), Span: item.span()})
		case object:
			out = append(out, d.selection(item))
		case list:
			if !d.row(item) {
				continue
			}
			if len(out) == 0 || out[len(out)-1].rows == nil {
				out = append(out, Data{Span: item.span(), rows: &rowList{first: item}})
			}
			out[len(out)-1].rows.count++
			continue
		default:
			d.diags.Errorf("config-kind", item.span(), `write ["data.txt"] for a file, or [["a", "b", 0.5]] for a row`,
				"%s must list files or rows, not %s", what, item.kind())
			continue
		}
		if d.paths++; d.paths > maxPaths {
			d.diags.Errorf("config-paths", item.span(), "join tables of one predicate in one file",
				"a configuration names at most %d tables", maxPaths)
			return out
		}
	}
	return out
}

// selection reads a table of which some columns are taken.
func (d *decoder) selection(n node) Data {
	out := Data{Span: n.span()}
	d.object(n, SelectionLevel, "a table",
		field{"file", func(v node) {
			if d.expect(v, text, "file") {
				out.Path = d.path(v)
			}
		}},
		field{"columns", func(v node) {
			out.Choice = &Choice{}
			for item := range d.elements(v) {
				out.Choice.Columns = append(out.Choice.Columns, NamedColumn{d.text(item, "a column"), item.span()})
			}
		}},
	)
	if !n.has("file") {
		d.diags.Errorf("config-kind", n.span(), `write {"file": "data.csv", "columns": ["id", "name"]}`,
			"a table must have the key \"file\"")
	}
	return out
}

// targetRule reads a rule that makes targets.
func (d *decoder) targetRule(n node, what string) (out []Data) {
	if what != "targets" {
		d.diags.Errorf("config-origin", n.span(), `rules that make what is known stand under "derive"`,
			"a rule makes targets, and not %s", what)
		return nil
	}
	for _, rule := range d.derivations(n, what) {
		out = append(out, Data{Rule: rule, Span: n.span()})
	}
	return out
}

// countData returns how many Data a list makes.
func countData(n node) (count int) {
	before := null
	for item := range n.all {
		if item.kind() == text || item.kind() == object || item.kind() == list && before != list {
			count++
		}
		before = item.kind()
	}
	return min(max(1, count), maxPaths)
}

// row checks a row that is written in the configuration.
func (d *decoder) row(n node) bool {
	for item := range n.all {
		if !item.isScalar() {
			d.diags.Errorf("config-kind", item.span(), "", "a row holds strings and numbers, not %s", item.kind())
			return false
		}
	}
	return true
}

// rowList is rows next to each other in a configuration. They stay there: lists of strings would be many times the
// text.
type rowList struct {
	first node
	count int
}

// each calls visit with each row and its number in the document. Numbers become text as JSON has them: 007 is "7".
func (l *rowList) each(visit func(row []string, at int)) {
	if l == nil {
		return
	}
	var row []string
	for n, k := l.first, 0; k < l.count; n, k = (node{n.doc, n.value().next}), k+1 {
		row = row[:0]
		for item := range n.all {
			row = append(row, item.scalar())
		}
		visit(row, int(n.at))
	}
}

// constants reads a list of constants, each of which is named once.
func (d *decoder) constants(n node, what string) []string {
	names := d.names(n, what)
	for k, name := range names {
		if slices.Contains(names[:k], name) {
			d.diags.Errorf("config-neural", n.span(), "remove one of them", "%s is there twice: %q", what, name)
			break
		}
	}
	return names
}

// neural reads what ties a predicate to a network.
func (d *decoder) neural(n node) *Neural {
	out := &Neural{Span: n.span(), Class: -1}
	classes := 0
	d.object(n, NeuralLevel, "neural",
		field{"network", func(v node) { out.Network = d.text(v, "network") }},
		field{"class", func(v node) { out.Class = d.integer(v, "class", 0) }},
		field{"entity", func(v node) { out.Entity = d.integer(v, "entity", 0) }},
		field{"atoms", func(v node) { out.Atoms = d.atoms(v) }},
		field{"teacher", func(v node) { out.Teacher = d.text(v, "teacher") }},
		field{"classes", func(v node) {
			out.Classes = d.constants(v, "a class")
			classes = len(out.Classes)
		}},
		field{"slots", func(v node) { out.Slots = d.constants(v, "a slot") }},
	)
	if n.kind() == object && out.Network == "" {
		d.diags.Errorf("config-neural", n.span(), `name one of "networks"`, "neural does not name its network")
	}
	if (classes > 0) != (out.Class >= 0) {
		d.diags.Errorf("config-neural", n.span(), `write "class": 1, "classes": ["a", "b"] if argument 1 is a or b`,
			"class and classes belong together: which argument is the class, and which constants it can be")
	}
	return out
}

// atoms reads the rules that make a network's atoms. Tables of them stand elsewhere, which one may not expect.
func (d *decoder) atoms(n node) []*syntax.Rule {
	for item := range d.elements(n) {
		if item.kind() == list || item.kind() == text && !strings.Contains(item.scalar(), "<-") {
			d.diags.Errorf("config-origin", item.span(), `a table of them stands under "targets" of the predicate`,
				"the atoms of a network are made by rules, such as \"Alike(A, B) <- Pair(A, B)\"")
			return nil
		}
	}
	return d.derivations(n, "atoms")
}

// names reads a list of constants.
func (d *decoder) names(n node, what string) (names []string) {
	for item := range d.elements(n) {
		if item.isScalar() {
			names = append(names, item.scalar())
		} else {
			d.diags.Errorf("config-kind", item.span(), "", "%s must be a string, not %s", what, item.kind())
		}
	}
	return names
}

// derive reads derivation rules; the key "value" may come before or after them.
func (d *decoder) derive(n node, before *Derivation) *Derivation {
	if before == nil {
		before = &Derivation{}
	}
	before.Span = n.span()
	before.Rules = d.derivations(n, "derive")
	return before
}

// derivedValue reads which value derived atoms have.
func (d *decoder) derivedValue(n node, before *Derivation) *Derivation {
	if before == nil {
		before = &Derivation{Span: n.span()}
	}
	before.Value = DerivedValue(d.choice(n, "value", "one", "inverse-count"))
	return before
}

// evaluators are the names of evaluators without PSL's suffix "Evaluator" and its package, in lower case.
var evaluators = []string{"discrete", "continuous", "auc", "categorical"}

// evaluations reads a list of evaluators: names, or objects with options.
func (d *decoder) evaluations(n node) []Evaluation {
	out := []Evaluation{} // of an empty list too: nothing is to be scored then
	for item := range d.elements(n) {
		e := Evaluation{Span: item.span()}
		if item.kind() == text {
			e.Evaluator = d.evaluator(item)
		} else {
			d.object(item, EvaluationLevel, "an evaluation",
				field{"evaluator", func(v node) { e.Evaluator = d.evaluator(v) }},
				field{"options", func(v node) { e.Options = d.options(v) }},
				field{"primary", func(v node) { e.Primary = d.boolean(v, "primary") }},
			)
			if item.kind() == object && !item.has("evaluator") {
				d.diags.Errorf("config-evaluator", item.span(), "", "an evaluation must have the key \"evaluator\"")
			}
		}
		out = append(out, e)
	}
	d.primary(out)
	return out
}

// primary makes the first evaluation the primary one if none says that it is. (PSL then takes the first of an unordered
// map, which is any of them.)
func (d *decoder) primary(evaluations []Evaluation) {
	var chosen source.Span
	for _, e := range evaluations {
		if e.Primary && chosen.File != nil {
			d.diags.Errorf("config-evaluator", e.Span, "", "a predicate has one primary evaluation, not two")
		} else if e.Primary {
			chosen = e.Span
		}
	}
	if chosen.File == nil && len(evaluations) > 0 {
		evaluations[0].Primary = true
	}
}

// evaluator reads the name of an evaluator.
func (d *decoder) evaluator(n node) string {
	name := d.text(n, "evaluator")
	short, err := ParseEvaluator(name)
	if n.kind() == text && err != nil {
		hint := suggestion(short, evaluators)
		if evaluator, known := scores[short]; known {
			hint = evaluator + " has it among its scores"
		}
		d.diags.Errorf("config-evaluator", n.span(), hint, "%v", err)
	}
	return short
}

// scores are the evaluators of scores that are often asked for by their own names.
var scores = map[string]string{
	"accuracy": "discrete, or categorical for classes,", "f1": "discrete", "precision": "discrete", "recall": "discrete",
	"mse": "continuous", "mae": "continuous", "auroc": "auc", "auprc": "auc",
}

// ParseEvaluator returns the short form of a name such as org.linqs.psl.evaluation.statistics.AUCEvaluator,
// AUCEvaluator or auc, which is the last one.
func ParseEvaluator(name string) (short string, err error) {
	short = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	short = strings.TrimSuffix(short, "evaluator")
	if !slices.Contains(evaluators, short) {
		err = fmt.Errorf("no evaluator %q; there are %s", name, strings.Join(evaluators, ", "))
	}
	return short, err
}

// The options that every DeepPredicate of Java PSL has.
const (
	deepModel    = "model-path"
	deepMap      = "entity-data-map-path"
	deepEntities = "entity-argument-indexes"
	deepClasses  = "class-size"
)

// deepOptions reads what the options of a DeepPredicate say of its network; the rest is for the network itself.
func (d *decoder) deepOptions(p *Predicate) {
	if p.Deep == nil {
		return
	}
	given := make(map[string]Option)
	for _, o := range p.Options {
		given[o.Name] = o
	}
	for _, name := range []string{deepModel, deepMap, deepEntities, deepClasses} {
		if _, has := given[name]; !has {
			d.diags.Errorf("config-deep-predicate", p.Deep.Span, `write it under "options" of the predicate`,
				"the DeepPredicate %s has no option %s", p.Name, name)
			return
		}
	}
	p.Deep.Map = given[deepMap].Value
	p.Deep.Entity = d.deepNumber(p, given[deepEntities], 0, "0 if the first argument is what the network sees; two "+
		"arguments together are not supported")
	p.Deep.Classes = d.deepNumber(p, given[deepClasses], 1, "the number of classes")
}

// deepNumber reads an option that is a number of at least some size.
func (d *decoder) deepNumber(p *Predicate, o Option, least int, hint string) int {
	n, err := strconv.Atoi(strings.TrimSpace(o.Value))
	if err != nil || n < least || n > maxClasses {
		d.diags.Errorf("config-deep-predicate", o.Span, hint, "the option %s of the DeepPredicate %s is %q", o.Name, p.Name,
			o.Value)
		return least
	}
	return n
}

// maxClasses bounds what a typing error can ask for.
const maxClasses = 1 << 20
