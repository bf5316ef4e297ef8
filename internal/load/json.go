package load

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/deeppsl/deeppsl/internal/source"
)

// maxDepth bounds the nesting of a configuration, so that no input exhausts the stack of a recursive parser.
const maxDepth = 64

// parseJSON reads a configuration in JSON. ok is false after reporting a syntax error.
func parseJSON(file *source.File, diags *source.Diagnostics) (root node, ok bool) {
	r := jsonReader{doc: &document{file: file}, text: file.Text, most: math.MaxInt32}
	if len(file.Text) > math.MaxInt32 {
		diags.Errorf("config-syntax", file.Whole(), "put rows in tables", "a configuration has at most 2 GiB")
		return node{}, false
	}
	if err := r.read(); err != nil {
		if err.message == "" {
			r.explainEnd(err)
		}
		diags.Errorf("config-syntax", file.Span(err.start, err.end), err.hint, "%s", err.message)
		return node{}, false
	}
	return r.root(), true
}

// jsonReader reads the JSON dialect that PSL accepts: JSON with //, /* */ and # comments, trailing commas, strings in
// single quotes, and numbers with a plus sign or leading zeros. Libraries for JSON with comments know neither the
// quotes nor the numbers, and make trees of a hundred bytes per value.
type jsonReader struct {
	doc  *document
	text string // as far as it is to be read
	at   int
	open []node // lists and objects that are not closed yet
	most int32  // how many values there may be
}

// jsonError is what is wrong at a place.
type jsonError struct {
	start, end    int
	message, hint string
	ended         bool // the text ends too early; without a message, explainEnd says more
}

// root returns the value that was read.
func (r *jsonReader) root() node { return node{r.doc, 0} }

// read reads one value and nothing after it.
func (r *jsonReader) read() *jsonError {
	if err := r.value(); err != nil {
		return err
	}
	if err := r.space(); err != nil {
		return err
	}
	if r.at < len(r.text) {
		return r.unexpected("nothing follows after the last bracket")
	}
	return nil
}

// peek returns the byte that comes next, 0 at the end.
func (r *jsonReader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// value reads a value and what is before it.
func (r *jsonReader) value() *jsonError {
	if err := r.space(); err != nil {
		return err
	}
	if r.doc.count >= r.most {
		return &jsonError{start: r.at, end: r.at + 1, message: fmt.Sprintf("there are more than %d values here", r.most)}
	}
	switch c := r.peek(); {
	case c == '[':
		return r.sequence(list, ']')
	case c == '{':
		return r.sequence(object, '}')
	case c == '"' || c == '\'':
		return r.quoted()
	case isNumeric(c):
		return r.word()
	}
	return r.unexpected(`a value is missing here`)
}

// sequence reads a list or an object.
func (r *jsonReader) sequence(kind kind, closing byte) *jsonError {
	if len(r.open) == maxDepth {
		return &jsonError{start: r.at, end: r.at + 1,
			message: fmt.Sprintf("values are nested more than %d levels deep", maxDepth)}
	}
	n := r.doc.add(value{kind: kind, start: int32(r.at), end: int32(r.at + 1)})
	r.open = append(r.open, n)
	for r.at++; ; {
		if err := r.space(); err != nil {
			return err
		}
		if r.peek() == closing {
			break
		}
		if err := r.item(kind); err != nil {
			return err
		}
		if err := r.space(); err != nil {
			return err
		}
		if r.peek() == ',' {
			r.at++
		} else if r.peek() != closing {
			return r.unexpected(fmt.Sprintf("%s goes on with , or ends with %c", kind, closing))
		}
	}
	r.at++
	r.doc.close(n, r.at)
	r.open = r.open[:len(r.open)-1]
	return nil
}

// item reads what is between the commas of a list or an object.
func (r *jsonReader) item(kind kind) *jsonError {
	if kind == list {
		return r.value()
	}
	if c := r.peek(); c != '"' && c != '\'' {
		return r.unexpected("a key in quotes is missing here")
	}
	if err := r.quoted(); err != nil {
		return err
	}
	if err := r.space(); err != nil {
		return err
	}
	if r.peek() != ':' {
		return r.unexpected("a : is missing after a key")
	}
	r.at++
	return r.value()
}

// unexpected reports the character that comes next, or that none does.
func (r *jsonReader) unexpected(wanted string) *jsonError {
	if r.at >= len(r.text) {
		return r.ended()
	}
	c, size := utf8.DecodeRuneInString(r.text[r.at:])
	return &jsonError{start: r.at, end: r.at + size, message: fmt.Sprintf("unexpected %q: %s", c, wanted)}
}

// ended reports that the text ends too early: after the last thing in it, because a file often ends in empty lines.
func (r *jsonReader) ended() *jsonError {
	end := len(strings.TrimRight(r.text, " \t\r\n"))
	return &jsonError{start: end, end: end, ended: true}
}

// explainEnd says what is not finished where the text ends.
func (r *jsonReader) explainEnd(err *jsonError) {
	if len(r.open) == 0 {
		err.message, err.hint = "there is no value here", `a configuration is an object, as {"rules": [], "predicates": {}}`
		return
	}
	n := r.open[len(r.open)-1]
	line, column := r.doc.file.Position(int(n.value().start))
	closing := map[kind]string{list: "]", object: "}"}[n.kind()]
	err.message = fmt.Sprintf("the text ends within %s, which begins at line %d, column %d", n.kind(), line, column)
	err.hint = "write " + closing + ", or look whether the end of the file is missing"
}

// space goes over white space and comments.
func (r *jsonReader) space() *jsonError {
	for ; r.at < len(r.text); r.at++ {
		switch rest := r.text[r.at:]; {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
		case rest[0] == '#' || strings.HasPrefix(rest, "//"):
			r.at = endOfLine(r.text, r.at) - 1
		case strings.HasPrefix(rest, "/*"):
			length := strings.Index(rest[2:], "*/")
			if length < 0 {
				return &jsonError{start: r.at, end: r.at + 2, message: "a comment has no end", hint: "write */"}
			}
			r.at += 2 + length + 1
		default:
			return nil
		}
	}
	return nil
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

// quoted reads a string in quotes of either kind.
func (r *jsonReader) quoted() *jsonError {
	quote, start := r.text[r.at], r.at
	escaped := false
	for r.at++; r.at < len(r.text) && r.text[r.at] != quote; r.at++ {
		switch c := r.text[r.at]; {
		case c == '\n':
			return r.endless(start)
		case c < ' ':
			return &jsonError{start: r.at, end: r.at + 1, message: fmt.Sprintf("a string cannot have the character %q", c),
				hint: `write \t for a tab`}
		case c == '\\':
			escaped = true
			if !strings.HasPrefix(r.text[r.at+1:], "\n") {
				r.at++
			}
		}
	}
	if r.at >= len(r.text) {
		return r.endless(start)
	}
	r.at++
	v := value{kind: text, start: int32(start), end: int32(r.at)}
	if !escaped {
		r.doc.add(v)
		return nil
	}
	meant, ok := unescape(r.text[start+1:r.at-1], quote)
	if !ok {
		return &jsonError{start: start, end: r.at,
			message: "a string has an escape that JSON does not know, or half of a pair",
			hint:    `write \\ for a backslash`}
	}
	r.doc.addText(v, meant)
	return nil
}

// endless reports a string without its second quote.
func (r *jsonReader) endless(start int) *jsonError {
	end := min(r.at, len(r.text))
	return &jsonError{start: start, end: end, ended: end == len(r.text), message: "a string does not end on its line",
		hint: fmt.Sprintf("write %c at its end", r.text[start])}
}

// unescape decodes a string in quotes: the escapes are JSON's, and \'. In single quotes, a string with any other escape
// is taken as it is written.
func unescape(body string, quote byte) (meant string, ok bool) {
	var b strings.Builder
	b.WriteByte('"')
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
	if err := json.Unmarshal([]byte(b.String()), &meant); err != nil || replacements(meant) > replacements(body) {
		return body, quote == '\''
	}
	return meant, true
}

// isNumeric tells what numbers and the words true, false and null are made of.
func isNumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("+-._", c) >= 0
}

// word reads a number or one of the three words.
func (r *jsonReader) word() *jsonError {
	start := r.at
	for r.at < len(r.text) && isNumeric(r.text[r.at]) {
		r.at++
	}
	v := value{start: int32(start), end: int32(r.at)}
	switch word := r.text[start:r.at]; word {
	case "null":
		r.doc.add(v)
	case "true", "false":
		v.kind = boolean
		r.doc.add(v)
	default:
		v.kind = number
		plain, ok := plainNumber(word)
		if !ok {
			hint := "a string has quotes; other values are numbers, true, false and null"
			if len(r.open) == 0 {
				hint = "a configuration in JSON begins with {; one in YAML is called .yaml"
			}
			return &jsonError{start: start, end: r.at, message: fmt.Sprintf("%.40q is no value", word), hint: hint}
		}
		if plain == word {
			r.doc.add(v)
		} else {
			r.doc.addText(v, plain)
		}
	}
	return nil
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// plainNumber writes a number as strict JSON has it, without a plus sign and needless zeros; ok is false if it is none.
func plainNumber(word string) (plain string, ok bool) {
	if isPlainInteger(word) {
		return word, true
	}
	digits := strings.TrimLeft(word, "+-")
	if len(word)-len(digits) > 1 {
		return "", false
	}
	needless := 0
	for needless+1 < len(digits) && digits[needless] == '0' && '0' <= digits[needless+1] && digits[needless+1] <= '9' {
		needless++
	}
	plain = digits[needless:]
	if strings.HasPrefix(word, "-") {
		plain = "-" + plain
	}
	return plain, jsonNumber.MatchString(plain)
}

// replacements counts the characters that stand for what is none, written out or as an escape: half of a surrogate pair
// is read as one.
func replacements(s string) int {
	return strings.Count(s, "\uFFFD") + strings.Count(strings.ToLower(s), `\ufffd`)
}
