package load

import (
	"path/filepath"
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// rules reads a list of rules, one per string, a text of rules, or the path of a rule file.
func (d *decoder) rules(n node) []*syntax.Rule {
	switch n.kind() {
	case text:
		if isProgram(n.scalar()) && !d.isFile(n) {
			return d.parse(textOf(n))
		}
		return d.ruleFile(n)
	case list:
		return d.mixed(n)
	}
	d.diags.Errorf("config-kind", n.span(), "", "rules must be a list of rules or the path of a rule file, not %s",
		n.kind())
	return nil
}

// mixed reads a list of rules and of rule files, which end in .psl as no rule does.
func (d *decoder) mixed(n node) (out []*syntax.Rule) {
	for item := range d.elements(n) {
		if item.kind() == text && strings.EqualFold(filepath.Ext(item.scalar()), ".psl") {
			out = append(out, d.ruleFile(item)...)
			continue
		}
		if name := item.scalar(); item.kind() == text && filepath.Ext(name) != "" && !strings.ContainsAny(name, "(: ") {
			d.diags.Errorf("config-kind", item.span(),
				"a file of rules in a list ends in .psl; one that is not in a list may have any name", "%q is no rule", name)
			continue
		}
		if rule := d.inlineRule(item, "a rule", syntax.ParseRule); rule != nil {
			out = append(out, rule)
		}
	}
	return out
}

// ruleFile reads the rules of a file of their own.
func (d *decoder) ruleFile(n node) []*syntax.Rule {
	path := d.path(n)
	if path == "" {
		return nil
	}
	file, err := d.config.readFile(path)
	if err != nil {
		d.config.Unreadable(d.diags, n.span(), path, err)
		return nil
	}
	return d.parse(file)
}

// parse reads any number of rules.
func (d *decoder) parse(file *source.File) []*syntax.Rule {
	before := d.diags.Errors()
	rules := syntax.Parse(file, d.diags)
	d.ruleErrors += d.diags.Errors() - before
	return rules
}

// textOf makes a file of a text of rules. Where it is written with escapes, or indented, its lines are counted by
// themselves.
func textOf(n node) *source.File {
	file := inPlace(n)
	if file.In.End-file.In.Start != len(file.Text) {
		return &source.File{Name: file.Name + ": rules", Text: file.Text}
	}
	return file
}

// isProgram tells whether a text is rules, and no path: it has lines, or an atom with a weight or a full stop.
func isProgram(text string) bool {
	text = strings.TrimSpace(text)
	return !strings.EqualFold(filepath.Ext(text), ".psl") && (strings.ContainsRune(text, '\n') ||
		strings.Contains(text, "(") && (strings.Contains(text, ":") || strings.HasSuffix(text, ".")))
}

// isFile tells whether there is a file of a name that looks like rules.
func (d *decoder) isFile(n node) bool {
	file, err := d.config.open(d.path(n))
	if err != nil {
		return false
	}
	file.Close()
	return true
}

// derivations reads one derivation rule, or a list of them.
func (d *decoder) derivations(n node, what string) []*syntax.Rule {
	return d.inline(n, what, syntax.ParseDerivation)
}

// inline parses strings of the configuration, a rule each.
func (d *decoder) inline(
	n node, what string, parse func(*source.File, *source.Diagnostics) *syntax.Rule,
) (out []*syntax.Rule) {
	for item := range d.elements(n) {
		if rule := d.inlineRule(item, what, parse); rule != nil {
			out = append(out, rule)
		}
	}
	return out
}

// inlineRule parses one of them, nil if it is none.
func (d *decoder) inlineRule(
	item node, what string, parse func(*source.File, *source.Diagnostics) *syntax.Rule,
) *syntax.Rule {
	if item.kind() != text {
		hint := ""
		if item.kind() == object && !strings.HasPrefix(item.span().Text(), "{") {
			hint = "write quotes around it: in YAML, its colon makes an object of it"
		}
		d.diags.Errorf("config-kind", item.span(), hint, "%s must be %s, not %s", what, text, item.kind())
		return nil
	}
	before := d.diags.Errors()
	rule := parse(inPlace(item), d.diags)
	d.ruleErrors += d.diags.Errors() - before
	return rule
}

// inPlace makes a file of a string in a configuration, which knows where it stands there.
func inPlace(n node) *source.File {
	in := n.span()
	if text := in.Text(); len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[1:len(text)-1] == n.scalar() {
		in = in.File.Span(in.Start+1, in.End-1)
	}
	return &source.File{Name: n.span().File.Name, Text: n.scalar(), In: in}
}

// headArity returns the number of arguments of the atom that a derivation makes.
func headArity(rule *syntax.Rule) int {
	if rule.Logical == nil || len(rule.Logical.Head) == 0 || rule.Logical.Head[0].Atom == nil {
		return -1
	}
	return len(rule.Logical.Head[0].Atom.Args)
}
