package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/deeppsl/deeppsl/internal/source"
)

// lexer turns a text into tokens. What it cannot read becomes an illegal token and a diagnostic.
type lexer struct {
	file     *source.File
	diags    *source.Diagnostics
	text     string
	pos      int
	newRow   bool
	tokens   []token
	comments []comment
}

// lex returns the tokens of file, the last of which is end, and its comments.
func lex(file *source.File, diags *source.Diagnostics) ([]token, []comment) {
	l := &lexer{file: file, diags: diags, text: file.Text, newRow: true}
	if strings.HasPrefix(l.text, "\ufeff") {
		l.pos = len("\ufeff") // some editors begin files with a byte order mark
	}
	for l.skip(); l.pos < len(l.text); l.skip() {
		l.next()
	}
	l.emit(end, l.pos, "")
	return l.tokens, l.comments
}

// pairs are the operators whose two characters may have white space between them, as where one & ends a line and
// another begins the next: Java PSL's grammar makes them of tokens.
var pairs = map[[2]string]kind{
	{"&", "&"}: and, {"|", "|"}: bar, {"=", "="}: same, {"!", "="}: different, {"~", "="}: different,
}

// emit appends the token from start to the current position, or makes one of it and the last.
func (l *lexer) emit(k kind, start int, text string) {
	if n := len(l.tokens); n > 0 && (k == and || k == bar || k == equal) {
		last := &l.tokens[n-1]
		if both, ok := pairs[[2]string{last.text, text}]; ok && last.kind != quoted {
			last.kind, last.text, last.end = both, last.text+text, l.pos
			return
		}
	}
	l.tokens = append(l.tokens, token{kind: k, start: start, end: l.pos, text: text, firstOnRow: l.newRow})
	l.newRow = false
}

// rest returns the text that has not been read.
func (l *lexer) rest() string { return l.text[l.pos:] }

// skip passes over white space and comments.
func (l *lexer) skip() {
	for l.pos < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.rest())
		switch {
		case r == '\n':
			l.newRow = true
			l.pos++
		case unicode.IsSpace(r):
			l.pos += size
		case r == '#' || strings.HasPrefix(l.rest(), "//"):
			l.comment("\n", 0)
		case strings.HasPrefix(l.rest(), "/*"):
			l.comment("*/", len("*/"))
		default:
			return
		}
	}
}

// comment passes over a comment that ends with terminator, of which the last keep bytes belong to it.
func (l *lexer) comment(terminator string, keep int) {
	start := l.pos
	length := strings.Index(l.rest(), terminator)
	if length < 0 {
		if keep > 0 {
			l.diags.Errorf("unclosed", l.file.Span(start, start+2), "close it with */", "this comment has no end")
		}
		l.pos = len(l.text)
	} else {
		l.pos += length + keep
	}
	l.comments = append(l.comments, comment{start: start, end: l.pos})
}

// next reads one token; it is never called at the end of the text.
func (l *lexer) next() {
	start := l.pos
	c, _ := utf8.DecodeRuneInString(l.rest())
	switch {
	case c == '_' || unicode.IsLetter(c):
		l.pos += len(l.rest()) - len(strings.TrimLeftFunc(l.rest(), isWord))
		l.emit(identifier, start, l.text[start:l.pos])
	case isDigit(c) || c == '.' && l.digitAt(l.pos+1):
		l.number()
		l.emit(number, start, l.text[start:l.pos])
	case c == '\'' || c == '"':
		l.quoted(byte(c))
	case c == '@':
		l.function()
	default:
		l.operator(c)
	}
}

// isWord reports whether r may stand inside a name. Combining marks may, because they belong to the letter before them
// and an editor does not show that they are runes of their own.
func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// IsName tells whether a rule can write text as the name of a predicate or a variable.
func IsName(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return (first == '_' || unicode.IsLetter(first)) && strings.TrimLeftFunc(text, isWord) == ""
}

// isDigit leaves out the digits of other scripts, which strconv does not read.
func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func (l *lexer) digitAt(pos int) bool { return pos < len(l.text) && isDigit(rune(l.text[pos])) }

func (l *lexer) digits() {
	for l.digitAt(l.pos) {
		l.pos++
	}
}

// number reads digits [. digits] [e [sign] digits]. A point or an e without digits after it belongs to what follows:
// "= 1." is the end of a hard rule.
func (l *lexer) number() {
	l.digits()
	if strings.HasPrefix(l.rest(), ".") && l.digitAt(l.pos+1) {
		l.pos++
		l.digits()
	}
	if rest := l.rest(); rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		exponent := l.pos + 1
		if exponent < len(l.text) && (l.text[exponent] == '+' || l.text[exponent] == '-') {
			exponent++
		}
		if l.digitAt(exponent) {
			l.pos = exponent
			l.digits()
		}
	}
}

// escapes gives the meaning of the characters that may follow a backslash. Each escape is read where it stands: Java
// PSL replaces one kind after the other, and so turns an escaped backslash before an n into a line break.
var escapes = map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 't': '\t', 'n': '\n', 'r': '\r'}

// quoted reads a constant. It ends on its line, so that a forgotten quote spoils one rule and not the file.
func (l *lexer) quoted(quote byte) {
	start := l.pos
	var value strings.Builder
	ok := true
	for l.pos++; l.pos < len(l.text) && l.text[l.pos] != '\n'; l.pos++ {
		c := l.text[l.pos]
		if c == quote {
			l.pos++
			l.emit(either(ok, quoted, illegal), start, value.String())
			return
		}
		if c == '\\' && l.pos+1 < len(l.text) && l.text[l.pos+1] != '\n' {
			l.pos++
			c = l.escape(&ok)
		}
		value.WriteByte(c)
	}
	l.diags.Errorf("unclosed", l.file.Span(start, l.pos), "a constant ends on its line; write \\n for a line break",
		"this constant has no closing %c", quote)
	l.emit(illegal, start, "")
}

// escape returns the byte meant by the one after a backslash.
func (l *lexer) escape(ok *bool) byte {
	c, known := escapes[l.text[l.pos]]
	if !known {
		*ok = false
		_, size := utf8.DecodeRuneInString(l.rest())
		l.diags.Errorf("bad-escape", l.file.Span(l.pos-1, l.pos+size),
			`the escapes are \\ \' \" \t \n \r; write \\ for a backslash`, "unknown escape in a constant")
	}
	return c
}

// either returns a if condition holds, and b otherwise.
func either(condition bool, a, b kind) kind {
	if condition {
		return a
	}
	return b
}

// function reads @Min and @Max.
func (l *lexer) function() {
	start := l.pos
	l.pos++
	l.pos += len(l.rest()) - len(strings.TrimLeftFunc(l.rest(), isWord))
	switch name := l.text[start:l.pos]; {
	case strings.EqualFold(name, "@Min"):
		l.emit(atMin, start, name)
	case strings.EqualFold(name, "@Max"):
		l.emit(atMax, start, name)
	default:
		l.diags.Errorf("syntax", l.file.Span(start, l.pos), "the functions are @Min[x, y] and @Max[x, y]",
			"unknown function %s", name)
		l.emit(illegal, start, name)
	}
}

// isTerm tells whether a token is a variable or a constant.
func isTerm(k kind) bool { return k == identifier || k == quoted }

// operator reads a token of fixed spelling.
func (l *lexer) operator(c rune) {
	start := l.pos
	for _, o := range operators {
		if !strings.HasPrefix(l.rest(), o.text) {
			continue
		}
		l.pos += len(o.text)
		if o.kind == illegal {
			l.diags.Errorf("syntax", l.file.Span(start, l.pos), foreign[o.text], "unknown operator %s", o.text)
		}
		l.emit(o.kind, start, o.text)
		return
	}
	_, size := utf8.DecodeRuneInString(l.rest())
	l.pos += size // of a byte that is no UTF-8, 1 and not the length of its replacement
	hint := characterHint(c)
	if c == '<' || c == '>' {
		hint = l.strictHint(c)
	}
	l.diags.Errorf("syntax", l.file.Span(start, l.pos), hint, "unexpected character %q", c)
	l.emit(illegal, start, l.text[start:l.pos])
}

// strictHint says what to write instead of a < or > that stands alone: it may be the half of an operator.
func (l *lexer) strictHint(c rune) string {
	var before string
	if n := len(l.tokens); n > 0 {
		before = l.tokens[n-1].text
		if isTerm(l.tokens[n-1].kind) {
			return orderHint
		}
	}
	after := strings.TrimLeftFunc(l.rest(), unicode.IsSpace)
	for _, o := range []string{"->", ">>", "<=", ">=", "<<"} {
		if before+string(c) == o || o[:1] == string(c) && strings.HasPrefix(after, o[1:]) {
			return "write " + o + " without a space"
		}
	}
	return "strict comparisons make no convex problem; use <= or >="
}

// orderHint says how terms are compared.
const orderHint = "write (X % Y) for the order of terms, and (X != Y) for different ones"

// characterHint says what to write instead of a character that users bring from other notations.
func characterHint(c rune) string {
	switch c {
	case '$':
		return "names are made of letters, digits and _"
	case '‘', '’', '“', '”':
		return "use the straight quotes ' or \""
	case ';':
		return "a rule ends with its line, or, if it is hard, with a full stop"
	case '¬':
		return "write ! for not"
	case '∧':
		return "write & for and"
	case '∨':
		return "write | for or"
	case '→', '⇒':
		return "write -> for implies"
	case '↔', '⇔':
		return "write two rules, one for each direction"
	case '∀', '∃':
		return quantifierHint
	case '²':
		return "write ^2"
	case '×', '·', '⋅':
		return "write *"
	case '–', '—', '−':
		return "write -"
	case '∞':
		return "a rule that must hold has no weight, and ends with a full stop"
	case '≤', '≥':
		return "write <= or >="
	case '≠':
		return "write !="
	}
	return ""
}
