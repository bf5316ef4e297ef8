package load

import (
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// ParseRules reads the rules of a text; name stands for it in messages. The error is a *source.Failure.
func ParseRules(name, text string) ([]*syntax.Rule, error) {
	var diags source.Diagnostics
	rules := syntax.Parse(&source.File{Name: name, Text: text}, &diags)
	return rules, diags.Err()
}

// ParseDerivations reads derivation rules, one per text. The error is a *source.Failure.
func ParseDerivations(name string, texts ...string) (rules []*syntax.Rule, err error) {
	var diags source.Diagnostics
	for _, text := range texts {
		if rule := syntax.ParseDerivation(&source.File{Name: name, Text: text}, &diags); rule != nil {
			rules = append(rules, rule)
		}
	}
	return rules, diags.Err()
}

// rules reads a list of rules, one per string, or the path of a rule file.
func (d *decoder) rules(n *node) []*syntax.Rule {
	switch n.kind {
	case text:
		return d.ruleFile(n)
	case list:
		return d.inline(n.items, "a rule", syntax.ParseRule)
	}
	d.diags.Errorf("config-kind", n.span, "", "rules must be a list of rules or the path of a rule file, not %s", n.kind)
	return nil
}

// ruleFile reads the rules of a file of their own.
func (d *decoder) ruleFile(n *node) []*syntax.Rule {
	path := d.path(n)
	file, err := d.config.readFile(path)
	if err != nil {
		d.config.Unreadable(d.diags, n.span, path, err)
		return nil
	}
	before := d.diags.Errors()
	rules := syntax.Parse(file, d.diags)
	d.ruleErrors += d.diags.Errors() - before
	return rules
}

// derivations reads one derivation rule, or a list of them.
func (d *decoder) derivations(n *node, what string) []*syntax.Rule {
	return d.inline(elements(n), what, syntax.ParseDerivation)
}

// inline parses strings of the configuration, a rule each.
func (d *decoder) inline(
	items []*node, what string, parse func(*source.File, *source.Diagnostics) *syntax.Rule,
) (out []*syntax.Rule) {
	for _, item := range items {
		if !d.expect(item, text, what) {
			continue
		}
		file, margin := inPlace(item)
		var diags source.Diagnostics
		if rule := parse(file, &diags); rule != nil {
			out = append(out, rule)
		}
		d.ruleErrors += diags.Errors()
		for _, diagnostic := range diags {
			diagnostic.Span = outward(item, diagnostic.Span, margin)
			d.diags.Add(diagnostic)
		}
	}
	return out
}

// inPlace makes a file of a string in a configuration: a margin of empty lines and spaces before its text makes lines
// and columns those of the configuration. (After an escape in the string, columns are of the decoded text.)
func inPlace(n *node) (file *source.File, margin int) {
	line, column := n.span.File.Position(n.span.Start)
	before := strings.Repeat("\n", line-1) + strings.Repeat(" ", column-1+quoteLen(n))
	return &source.File{Name: n.span.File.Name, Text: before + n.scalar}, len(before)
}

// quoteLen returns the length of the quote that the string begins with, if it does.
func quoteLen(n *node) int {
	if written := n.span.Text(); written != "" && (written[0] == '"' || written[0] == '\'') {
		return 1
	}
	return 0
}

// outward moves a span of a string's own file to where it is in the configuration, so that its real line is shown.
func outward(n *node, span source.Span, margin int) source.Span {
	if span.Start < margin || strings.Contains(n.span.Text(), "\\") {
		return n.span
	}
	shift := n.span.Start + quoteLen(n) - margin
	return n.span.File.Span(span.Start+shift, span.End+shift)
}

// headArity returns the number of arguments of the atom that a derivation makes.
func headArity(rule *syntax.Rule) int {
	if rule.Logical == nil || len(rule.Logical.Head) == 0 || rule.Logical.Head[0].Atom == nil {
		return -1
	}
	return len(rule.Logical.Head[0].Atom.Args)
}
