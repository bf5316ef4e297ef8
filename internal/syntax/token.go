package syntax

// kind is what a token is.
type kind uint8

const (
	end     kind = iota // the end of the text; also all that the parser sees after an error until it recovers
	illegal             // something the lexer has already complained about
	identifier
	number
	quoted // a constant in quotes
	leftParen
	rightParen
	leftBracket
	rightBracket
	leftBrace
	rightBrace
	comma
	colon
	dot
	caret     // exponent, or the order of terms
	percent   // the order of terms
	same      // ==
	different // != or ~=
	implies
	follows
	bar // disjunction, or one side of a cardinality
	and
	not
	equal
	atMost
	atLeast
	plus
	minus
	times
	slash
	atMin
	atMax
)

// operators lists the tokens of fixed spelling. Of those that fit, the first is taken: a longer one comes before those
// that it begins with, and what is most frequent comes first.
var operators = []struct {
	text string
	kind kind
}{
	{"(", leftParen}, {")", rightParen}, {",", comma}, {"&&", and}, {"&", and}, {":", colon}, {"->", implies},
	{"<->", illegal}, {"<=>", illegal}, {"=>", illegal}, {"=<", illegal}, {"–>", illegal}, {"—>", illegal},
	{"−>", illegal}, {">>", implies}, {"<-", follows}, {"<<", follows}, {"||", bar}, {"==", same}, {"!=", different},
	{"~=", different}, {"<=", atMost}, {">=", atLeast}, {"|", bar},
	{"!", not}, {"~", not}, {"=", equal}, {"+", plus}, {"-", minus}, {"*", times}, {"/", slash}, {"^", caret},
	{"%", percent}, {"[", leftBracket}, {"]", rightBracket}, {"{", leftBrace}, {"}", rightBrace}, {".", dot},
}

// foreign says what to write instead of the operators that other languages have, which are illegal here.
var foreign = map[string]string{
	"<->": "write two rules, one for each direction",
	"<=>": "write two rules, one for each direction",
	"=>":  "write -> for implies",
	"–>":  "write -> for implies",
	"—>":  "write -> for implies",
	"−>":  "write -> for implies",
	"=<":  "write <=",
}

// infix gives the operator that a token is between two expressions.
var infix = map[kind]Operator{
	implies: Implies, follows: Follows, bar: Or, and: And, equal: Equal, atMost: AtMost, atLeast: AtLeast, plus: Add,
	minus: Subtract, times: Multiply, slash: Divide,
}

// relational gives the operator that a token is between two terms.
var relational = map[kind]Operator{
	same: Same, different: Different, minus: Different, percent: Before, caret: Before,
}

// token is one word of a rule file.
type token struct {
	kind       kind
	start, end int    // byte offsets
	text       string // the constant's value if quoted, otherwise the text as written
	firstOnRow bool   // no token precedes it on its line
}

// comment is a comment with its delimiters.
type comment struct {
	start, end int
}
