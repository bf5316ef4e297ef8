package load

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/deeppsl/deeppsl/internal/source"
)

// maxDepth bounds the nesting of a configuration, so that no input exhausts the stack of a recursive parser.
const maxDepth = 64

// parseJSON reads the JSON dialect that PSL accepts: JSON with //, /* */ and # comments, trailing commas, strings in
// single quotes, and numbers with a plus sign or leading zeros. It returns nil after reporting a syntax error.
func parseJSON(file *source.File, diags *source.Diagnostics) *node {
	strict, depth := relax(file.Text)
	if depth > maxDepth {
		diags.Errorf("config-syntax", file.Whole(), "", "values are nested more than %d levels deep", maxDepth)
		return nil
	}
	value, err := hujson.Parse(strict)
	if err != nil {
		span, message := jsonError(file, err)
		diags.Errorf("config-syntax", span, "", "%s", message)
		return nil
	}
	return fromJSON(file, &value)
}

var jsonPosition = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

// jsonError takes the position out of hujson's error message.
func jsonError(file *source.File, err error) (source.Span, string) {
	message := err.Error()
	match := jsonPosition.FindStringSubmatch(message)
	if match == nil {
		return file.Whole(), strings.TrimPrefix(message, "hujson: ")
	}
	line, _ := strconv.Atoi(match[1])
	column, _ := strconv.Atoi(match[2])
	start := lineStart(file.Text, line) + column - 1
	return file.Span(start, start+1), strings.TrimPrefix(message[len(match[0]):], "hujson: ")
}

// lineStart returns the offset at which the line, counted from 1, begins.
func lineStart(text string, line int) int {
	offset := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			return len(text)
		}
		offset += next + 1
	}
	return offset
}

// relax rewrites what hujson does not know, byte for byte, so that offsets stay true: # comments and the signs and
// zeros before a number become spaces, and a string in single quotes becomes one in double quotes whose content is
// blanked; fromJSON decodes it from the original. depth is the deepest nesting of brackets.
func relax(input string) (strict []byte, depth int) {
	out := []byte(input)
	level := 0
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			i = stringEnd(input, i)
		case c == '\'':
			i = requote(out, i, stringEnd(input, i))
		case c == '#':
			i = blank(out, i, endOfLine(input, i))
		case strings.HasPrefix(input[i:], "//"):
			i = endOfLine(input, i)
		case strings.HasPrefix(input[i:], "/*"):
			i = commentEnd(input, i)
		case isNumeric(c):
			i = plainNumber(out, i)
		default:
			if c == '[' || c == '{' {
				level++
				depth = max(depth, level)
			} else if c == ']' || c == '}' {
				level--
			}
			i++
		}
	}
	return out, depth
}

// stringEnd returns the offset after the string that starts with the quote at i, or of the end of an unfinished one.
func stringEnd(input string, i int) int {
	quote := input[i]
	for i++; i < len(input) && input[i] != '\n'; i++ {
		switch input[i] {
		case '\\':
			if i+1 < len(input) && input[i+1] != '\n' {
				i++
			}
		case quote:
			return i + 1
		}
	}
	return min(i, len(input))
}

// requote makes the string [i, end) in single quotes one in double quotes, without content. An unfinished one is left
// for the parser to report.
func requote(out []byte, i, end int) int {
	if end-i < 2 || out[end-1] != '\'' {
		return end
	}
	blank(out, i+1, end-1)
	out[i], out[end-1] = '"', '"'
	return end
}

// blank writes spaces over [i, end) and returns end.
func blank(out []byte, i, end int) int {
	for ; i < end; i++ {
		out[i] = ' '
	}
	return end
}

// endOfLine returns the offset of the line ending at or after i, or of the end of the input.
func endOfLine(input string, i int) int {
	if length := strings.IndexByte(input[i:], '\n'); length >= 0 {
		return i + length
	}
	return len(input)
}

// commentEnd returns the offset after the comment at i. An unfinished one reaches to the end, and hujson reports it.
func commentEnd(input string, i int) int {
	if length := strings.Index(input[i+2:], "*/"); length >= 0 {
		return i + 2 + length + 2
	}
	return len(input)
}

// isNumeric tells what numbers and the words true, false and null are made of. Taking words whole keeps the digits
// inside of them, in "x007", from being taken for numbers.
func isNumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("+-._", c) >= 0
}

// plainNumber blanks a plus sign and needless zeros at the start of the number or word at i, and returns its end.
func plainNumber(out []byte, i int) int {
	end := i
	for end < len(out) && isNumeric(out[end]) {
		end++
	}
	negative := out[i] == '-'
	digits := i
	if negative || out[i] == '+' {
		out[i] = ' '
		digits++
	}
	for digits+1 < end && out[digits] == '0' && '0' <= out[digits+1] && out[digits+1] <= '9' {
		out[digits] = ' '
		digits++
	}
	if negative {
		out[digits-1] = '-'
	}
	return end
}

// fromJSON converts hujson's tree.
func fromJSON(file *source.File, value *hujson.Value) *node {
	n := &node{span: file.Span(value.StartOffset, value.EndOffset)}
	switch v := value.Value.(type) {
	case *hujson.Object:
		n.kind = object
		for k := range v.Members {
			n.keys = append(n.keys, fromJSON(file, &v.Members[k].Name))
			n.items = append(n.items, fromJSON(file, &v.Members[k].Value))
		}
	case *hujson.Array:
		n.kind = list
		for k := range v.Elements {
			n.items = append(n.items, fromJSON(file, &v.Elements[k]))
		}
	case hujson.Literal:
		n.kind, n.scalar = literal(v, n.span.Text())
	}
	return n
}

// literal decodes a scalar; written is its original text.
func literal(v hujson.Literal, written string) (kind, string) {
	switch v.Kind() {
	case 'n':
		return null, ""
	case 't', 'f':
		return boolean, string(v)
	case '"':
		if written[0] == '\'' {
			return text, unquoteSingle(written)
		}
		return text, v.String()
	}
	return number, string(v)
}

// unquoteSingle decodes a string in single quotes: the escapes are JSON's, and \'. With any other escape the string is
// taken as it is written.
func unquoteSingle(written string) string {
	var b strings.Builder
	b.WriteByte('"')
	body := written[1 : len(written)-1]
	for i := 0; i < len(body); i++ {
		switch {
		case body[i] == '"':
			b.WriteString(`\"`)
		case body[i] == '\\' && i+1 < len(body):
			i++
			if body[i] != '\'' {
				b.WriteByte('\\')
			}
			b.WriteByte(body[i])
		default:
			b.WriteByte(body[i])
		}
	}
	b.WriteByte('"')
	var decoded string
	if err := json.Unmarshal([]byte(b.String()), &decoded); err != nil {
		return body
	}
	return decoded
}
