package load

import (
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/deeppsl/deeppsl/internal/source"
)

// parseYAML reads a configuration in YAML. ok is false after reporting a syntax error.
func parseYAML(file *source.File, diags *source.Diagnostics) (root node, ok bool) {
	if n := yamlValues(file.Text); n > fewYAML+len(file.Text)/yamlBytes {
		diags.Errorf("config-syntax", file.Whole(),
			"put rows in tables and rules in a rule file, or write the configuration in JSON",
			"a configuration in YAML cannot be as dense and large: about %d values in %d bytes", n, len(file.Text))
		return node{}, false
	}
	var tree yaml.Node
	documents := yaml.NewDecoder(strings.NewReader(file.Text))
	if err := documents.Decode(&tree); err != nil && !errors.Is(err, io.EOF) {
		span, message := yamlError(file, err)
		hint := ""
		if strings.HasPrefix(strings.TrimLeft(span.Text(), " "), "\t") {
			hint = "YAML is indented by blanks, not by tabs"
		}
		diags.Errorf("config-syntax", span, hint, "%s", message)
		return node{}, false
	}
	if err := documents.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		diags.Errorf("config-syntax", file.Whole(), "join them, or keep each in a file of its own",
			"a configuration is one document, but --- begins another")
		return node{}, false
	}
	c := yamlConverter{file: file, diags: diags, doc: &document{file: file}}
	if tree.Kind != yaml.DocumentNode {
		return c.doc.add(value{kind: object, start: -1, end: -1}), true
	}
	return c.convert(tree.Content[0], 0), true
}

// The library makes a tree of YAML with some 200 bytes per value. A text may have fewYAML values, and one more for each
// yamlBytes of it, so that the tree takes a few times the text.
const (
	fewYAML   = 1 << 14
	yamlBytes = 16
)

// yamlValues counts the characters that can end a value or begin one: there are no more values than that, and one.
func yamlValues(text string) int {
	n := 1
	for k := range len(text) {
		if strings.IndexByte("\n,:[{-?", text[k]) >= 0 {
			n++
		}
	}
	return n
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

// yamlConverter makes nodes of YAML's. They come in the order of the text, so that one pass over it finds all places.
type yamlConverter struct {
	file  *source.File
	diags *source.Diagnostics
	doc   *document
	// line, column and offset are the last place found, the first two counted from 1.
	line, column, offset int
}

// convert makes a node of y and what it contains. Aliases are refused: a few of them can stand for a tree of any size.
func (c *yamlConverter) convert(y *yaml.Node, depth int) node {
	span := c.span(y)
	v := value{start: int32(span.Start), end: int32(span.End)}
	switch {
	case depth > maxDepth:
		c.diags.Errorf("config-syntax", span, "", "values are nested more than %d levels deep", maxDepth)
	case y.Kind == yaml.ScalarNode:
		var meant string
		v.kind, meant = yamlScalar(y)
		return c.doc.addText(v, meant)
	case y.Kind == yaml.SequenceNode || y.Kind == yaml.MappingNode:
		return c.sequence(y, v, depth)
	default:
		c.diags.Errorf("config-syntax", span, "write the value out", "aliases are not supported here")
	}
	return c.doc.add(v)
}

// sequence makes nodes of a list or an object, which has a key before every value.
func (c *yamlConverter) sequence(y *yaml.Node, v value, depth int) node {
	v.kind = list
	if y.Kind == yaml.MappingNode {
		v.kind = object
	}
	n := c.doc.add(v)
	for k, item := range y.Content {
		if v.kind == object && k%2 == 0 {
			c.key(item)
		} else {
			c.convert(item, depth+1)
		}
		y.Content[k] = nil // the tree takes most of the memory
	}
	c.doc.close(n, int(v.end))
	return n
}

// key makes a node of a key, which counts as text whatever it looks like: 1: is the key "1".
func (c *yamlConverter) key(y *yaml.Node) {
	span := c.span(y)
	if y.Kind != yaml.ScalarNode {
		c.diags.Errorf("config-syntax", span, "", "a key must be a string")
	}
	c.doc.addText(value{kind: text, start: int32(span.Start), end: int32(span.End)}, y.Value)
}

// yamlScalar reads a scalar; numbers that JSON does not know, such as .inf or 0x1F, stay text.
func yamlScalar(y *yaml.Node) (kind, string) {
	switch y.ShortTag() {
	case "!!null":
		return null, ""
	case "!!bool":
		return boolean, strings.ToLower(y.Value)
	case "!!int", "!!float":
		if plain, ok := plainNumber(y.Value); ok {
			return number, plain
		}
	}
	return text, y.Value
}

// span returns the place of y, which yaml gives as a line and a column of characters.
func (c *yamlConverter) span(y *yaml.Node) source.Span {
	text := c.file.Text
	if c.line == 0 || y.Line < c.line || y.Line == c.line && y.Column < c.column {
		c.line, c.column, c.offset = 1, 1, 0
	}
	if y.Line > c.line {
		c.offset += lineStart(text[c.offset:], y.Line-c.line+1)
		c.line, c.column = y.Line, 1
	}
	for ; c.column < y.Column && c.offset < len(text) && text[c.offset] != '\n'; c.column++ {
		_, size := utf8.DecodeRuneInString(text[c.offset:])
		c.offset += size
	}
	start, end := c.offset, c.offset
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
	return endOfLine(c.file.Text[:min(end, len(c.file.Text))], start)
}
