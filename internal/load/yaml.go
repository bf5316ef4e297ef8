package load

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/deeppsl/deeppsl/internal/source"
)

// parseYAML reads a configuration in YAML. It returns nil after reporting a syntax error.
func parseYAML(file *source.File, diags *source.Diagnostics) *node {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(file.Text), &document); err != nil {
		span, message := yamlError(file, err)
		diags.Errorf("config-syntax", span, "", "%s", message)
		return nil
	}
	if document.Kind != yaml.DocumentNode {
		return &node{kind: object, span: file.Whole()}
	}
	c := yamlConverter{file: file, diags: diags}
	return c.convert(document.Content[0], 0)
}

var yamlPosition = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlError takes the line out of yaml's error message.
func yamlError(file *source.File, err error) (source.Span, string) {
	message := strings.ReplaceAll(err.Error(), "\n", " ")
	match := yamlPosition.FindStringSubmatch(message)
	if match == nil || match[1] == "" {
		return file.Whole(), strings.TrimPrefix(message, "yaml: ")
	}
	line, _ := strconv.Atoi(match[1])
	start, end := file.Line(lineStart(file.Text, line))
	return file.Span(start, end), message[len(match[0]):]
}

// yamlConverter makes nodes of YAML's. Nodes come in the order of the text, so that one pass over it finds all lines.
type yamlConverter struct {
	file         *source.File
	diags        *source.Diagnostics
	line, offset int // the last line found, counted from 1, and where it begins
}

// convert makes a node of y and what it contains. Aliases are refused: a few of them can stand for a tree of any size.
func (c *yamlConverter) convert(y *yaml.Node, depth int) *node {
	n := &node{span: c.span(y)}
	switch {
	case depth > maxDepth:
		c.diags.Errorf("config-syntax", n.span, "", "values are nested more than %d levels deep", maxDepth)
	case y.Kind == yaml.ScalarNode:
		n.kind, n.scalar = yamlScalar(y)
	case y.Kind == yaml.SequenceNode:
		n.kind = list
		for _, item := range y.Content {
			n.items = append(n.items, c.convert(item, depth+1))
		}
	case y.Kind == yaml.MappingNode:
		n.kind = object
		for k := 0; k+1 < len(y.Content); k += 2 {
			n.keys = append(n.keys, c.key(y.Content[k]))
			n.items = append(n.items, c.convert(y.Content[k+1], depth+1))
		}
	default:
		c.diags.Errorf("config-syntax", n.span, "write the value out", "aliases are not supported here")
	}
	return n
}

// key makes a node of a key, which counts as text whatever it looks like: 1: is the key "1".
func (c *yamlConverter) key(y *yaml.Node) *node {
	n := &node{kind: text, span: c.span(y), scalar: y.Value}
	if y.Kind != yaml.ScalarNode {
		c.diags.Errorf("config-syntax", n.span, "", "a key must be a string")
	}
	return n
}

// yamlScalar reads a scalar; numbers that JSON does not know, such as .inf or 0x1F, stay text.
func yamlScalar(y *yaml.Node) (kind, string) {
	switch y.ShortTag() {
	case "!!null":
		return null, ""
	case "!!bool":
		return boolean, strings.ToLower(y.Value)
	case "!!int", "!!float":
		plain := []byte(y.Value)
		plainNumber(plain, 0)
		if jsonNumber.Match(plain) {
			return number, strings.TrimSpace(string(plain))
		}
	}
	return text, y.Value
}

var jsonNumber = regexp.MustCompile(`^ *-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// span returns the place of y, which yaml gives as a line and a column of characters.
func (c *yamlConverter) span(y *yaml.Node) source.Span {
	text := c.file.Text
	if c.line == 0 || y.Line < c.line {
		c.line, c.offset = 1, 0
	}
	c.offset += lineStart(text[c.offset:], y.Line-c.line+1)
	c.line = y.Line
	start := c.offset
	for column := 1; column < y.Column && start < len(text); column++ {
		_, size := utf8.DecodeRuneInString(text[start:])
		start += size
	}
	end := start
	if y.Kind == yaml.ScalarNode {
		end = c.scalarEnd(y, start)
	}
	return c.file.Span(start, max(end, min(start+1, len(text))))
}

// scalarEnd returns where y's text ends, as far as it can be known: at the end of its line at most.
func (c *yamlConverter) scalarEnd(y *yaml.Node, start int) int {
	end := start + len(y.Value)
	if y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		end += 2
	}
	_, last := c.file.Line(start)
	return min(end, last)
}
