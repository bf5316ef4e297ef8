package load

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
)

// decoder makes a Config of nodes. Every mistake becomes a diagnostic, and decoding goes on.
type decoder struct {
	config *Config
	dir    string // what relative paths are relative to
	diags  *source.Diagnostics
	// ruleErrors counts those of the diagnostics that are errors in rules: the rules are left out.
	ruleErrors int
	paths      int // how many tables are named
}

// field is a key that an object may have, and what to do with its value.
type field struct {
	key  string
	read func(node)
}

// object calls the readers of a level's keys in the order of the text; unknown keys, and keys given twice, are errors.
func (d *decoder) object(n node, level Level, what string, fields ...field) {
	allowed, read := readersOf(level, fields)
	if n.kind() != object {
		d.diags.Errorf("config-kind", n.span(), "its keys are "+strings.Join(allowed, ", "), "%s must be %s, not %s", what,
			object, n.kind())
		return
	}
	for key, value := range d.members(n) {
		at := slices.Index(allowed, key.scalar())
		if at < 0 {
			d.diags.Errorf("config-unknown-key", key.span(), hintOfKey(key.scalar(), allowed),
				"%s has no key %q; the keys are %s", what, key.scalar(), strings.Join(allowed, ", "))
			continue
		}
		read[at](value)
	}
}

// hintOfKey says what an unknown key may have been meant to be. With a closing parenthesis it is the end of an atom,
// whose comma has ended a value of YAML between braces.
func hintOfKey(name string, allowed []string) string {
	if before, _, closed := strings.Cut(name, ")"); closed && !strings.Contains(before, "(") {
		return "a comma ends a value between braces: write the value in quotes"
	}
	hint := suggestion(name, allowed)
	if own := called[strings.ToLower(name)]; hint == "" && slices.Contains(allowed, own) {
		hint = fmt.Sprintf("did you mean %s?", own)
	}
	if hint == "" && slices.Contains(allowed, "rules") && slices.Contains(allowed, "options") {
		hint = `settings stand under "options", such as "learn.epochs": deeppsl options lists them`
	}
	return hint
}

// called has what keys are called elsewhere.
var called = map[string]string{
	"train": "learn", "training": "learn", "test": "infer", "testing": "infer", "dev": "validation", "val": "validation",
	"label": "truth", "labels": "truth", "facts": "observations", "observed": "observations", "data": "observations",
}

// readersOf puts the readers of a level's keys in the order of the table. That each key has a reader, and each reader a
// key, is this package's own business.
func readersOf(level Level, fields []field) (names []string, read []func(node)) {
	names = keysOf(level)
	read = make([]func(node), len(names))
	for _, f := range fields {
		at := slices.Index(names, f.key)
		if at < 0 || read[at] != nil {
			panic(fmt.Sprintf("load: key %q of %s is not in the table, or read twice", f.key, level))
		}
		read[at] = f.read
	}
	if len(fields) != len(names) {
		panic(fmt.Sprintf("load: of the keys of %s, %d are read and %d in the table", level, len(fields), len(names)))
	}
	return names, read
}

// each calls read for each member of an object whose keys are names.
func (d *decoder) each(n node, what string, read func(key, value node)) {
	if !d.expect(n, object, what) {
		return
	}
	for key, value := range d.members(n) {
		read(key, value)
	}
}

// maxMistakes is how many mistakes of a configuration are told: what is wrong once is often wrong in a whole list.
const maxMistakes = 100

// enough tells whether there are so many mistakes that it is better to stop.
func (d *decoder) enough() bool { return len(*d.diags) >= maxMistakes }

// members yields an object's keys and values until there are enough mistakes.
func (d *decoder) members(n node) iter.Seq2[node, node] {
	d.checkRepeated(n)
	return func(yield func(key, value node) bool) {
		for key, value := range n.members() {
			if d.enough() || !yield(key, value) {
				return
			}
		}
	}
}

// checkRepeated reports keys that were there before. JSON allows them, and the first ones would be lost silently.
func (d *decoder) checkRepeated(n node) {
	keys := make([]node, 0, n.len())
	for key := range n.members() {
		keys = append(keys, key)
	}
	slices.SortStableFunc(keys, func(a, b node) int { return strings.Compare(a.scalar(), b.scalar()) })
	for k := 1; k < len(keys) && !d.enough(); k++ {
		if name := keys[k].scalar(); name == keys[k-1].scalar() {
			line, _ := n.doc.file.Position(int(keys[k-1].value().start))
			d.diags.Errorf("config-repeated-key", keys[k].span(), "", "key %q is already on line %d", name, line)
		}
	}
}

// checkRepeatedWithin is checkRepeated for a value that is kept as it is, and all that it holds.
func (d *decoder) checkRepeatedWithin(n node) {
	if n.kind() == object {
		d.checkRepeated(n)
	}
	for inner := range n.all {
		d.checkRepeatedWithin(inner)
	}
}

func suggestion(name string, allowed []string) string { return source.Suggest(name, allowed) }

// expect reports a node of another kind than the wanted one, and tells whether it is right.
func (d *decoder) expect(n node, want kind, what string) bool {
	if n.kind() != want {
		d.diags.Errorf("config-kind", n.span(), "", "%s must be %s, not %s", what, want, n.kind())
		return false
	}
	return true
}

// elements yields the items of a list, or a single value as if it were one of a list, until there are enough mistakes.
func (d *decoder) elements(n node) iter.Seq[node] {
	return func(yield func(node) bool) {
		if n.kind() != list {
			yield(n)
			return
		}
		n.all(func(item node) bool { return !d.enough() && yield(item) })
	}
}

// text reads a string; after an error it returns what is there, if anything.
func (d *decoder) text(n node, what string) string {
	d.expect(n, text, what)
	return n.scalar()
}

func (d *decoder) boolean(n node, what string) bool {
	return d.expect(n, boolean, what) && n.scalar() == "true"
}

// integer reads an integer ≥ least; after an error it returns least.
func (d *decoder) integer(n node, what string, least int) int {
	if !d.expect(n, number, what) {
		return least
	}
	value, err := strconv.Atoi(n.scalar())
	if err != nil || value < least {
		d.diags.Errorf("config-number", n.span(), "", "%s must be an integer, at least %d", what, least)
		return least
	}
	return value
}

// choice reads one of the allowed texts and returns its index; after an error, 0.
func (d *decoder) choice(n node, what string, allowed ...string) int {
	value := d.text(n, what)
	at := slices.IndexFunc(allowed, func(a string) bool { return strings.EqualFold(a, value) })
	if at < 0 {
		if n.kind() == text {
			d.diags.Errorf("config-choice", n.span(), suggestion(value, allowed),
				"%s must be one of %s", what, strings.Join(allowed, ", "))
		}
		return 0
	}
	return at
}

// path returns the file that n names, relative to the configuration's folder; "" if it names none.
func (d *decoder) path(n node) string {
	if strings.TrimSpace(n.scalar()) == "" {
		d.diags.Errorf("config-kind", n.span(), "leave the key out if there is no file", "the name of a file is blank")
		return ""
	}
	if filepath.IsAbs(n.scalar()) {
		return n.scalar()
	}
	return filepath.Join(d.dir, n.scalar())
}

// root reads the whole configuration.
func (d *decoder) root(n node) {
	c := d.config
	d.object(n, TopLevel, "the configuration",
		field{"predicates", d.predicates},
		field{"rules", func(v node) { c.Common.Rules = d.rules(v) }},
		field{"options", func(v node) { c.Common.Options = d.options(v) }},
		field{"networks", d.networks},
		field{"examples", d.examples},
		field{"learn", func(v node) { c.Phases[Learn] = d.section(v, Learn) }},
		field{"validation", func(v node) { c.Phases[Validation] = d.section(v, Validation) }},
		field{"infer", func(v node) { c.Phases[Infer] = d.section(v, Infer) }},
	)
}

// section reads what a phase adds to all phases.
func (d *decoder) section(n node, phase Phase) (s Section) {
	d.object(n, PhaseLevel, phase.String(),
		field{"rules", func(v node) { s.Rules = d.rules(v) }},
		field{"options", func(v node) { s.Options = d.options(v) }},
	)
	return s
}

// options reads settings; scalars become text, as in PSL, and keep their place for whoever understands them.
func (d *decoder) options(n node) []Option {
	out := make([]Option, 0, n.len())
	d.each(n, "options", func(key, value node) {
		if !value.isScalar() {
			d.diags.Errorf("config-kind", value.span(), dotted(key.scalar(), value),
				"option %s must be a string, a number or a boolean, not %s", key.scalar(), value.kind())
			return
		}
		out = append(out, Option{Name: key.scalar(), Value: value.scalar(), Span: key.span()})
	})
	return out
}

// dotted says how an option is written that stands in an object of its own, as if names were nested.
func dotted(name string, value node) string {
	if value.kind() == object {
		for key := range value.members() {
			return fmt.Sprintf("names are written out: %q", name+"."+key.scalar())
		}
	}
	return ""
}

// networks keeps each network's settings as they are, for package neural.
func (d *decoder) networks(n node) {
	d.each(n, "networks", func(key, value node) {
		if !d.expect(value, object, "network "+key.scalar()) {
			return
		}
		d.checkRepeatedWithin(value)
		var b strings.Builder
		value.json(&b)
		d.config.Networks = append(d.config.Networks,
			&Network{Name: key.scalar(), Span: value.span(), JSON: []byte(b.String()), node: value})
	})
}

// types are the names of argument types: PSL's, and the plain ones of this program.
var types = map[string]program.Type{
	"string": program.String, "uniquestringid": program.String,
	"int": program.Int, "integer": program.Int, "long": program.Int, "uniqueintid": program.Int,
	"float": program.Float, "double": program.Float,
}

// types reads the list of argument types.
func (d *decoder) types(n node) []program.Type {
	if !d.expect(n, list, "types") {
		return nil
	}
	out := make([]program.Type, 0, n.len())
	for item := range d.elements(n) {
		name := d.text(item, "a type")
		t, ok := types[strings.ToLower(name)]
		if !ok && item.kind() == text {
			d.diags.Errorf("config-type", item.span(), suggestion(name, []string{"String", "Int", "Float"}),
				"no type %q; the types are String, Int and Float, or PSL's UniqueStringID, UniqueIntID, Integer, Long, Double",
				name)
		}
		out = append(out, t)
	}
	return out
}
