package program

import (
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// testPredicates are the predicates of rules.txt and errors.txt: closed ones, targets, a network's, a
// function, and typed ones.
func testPredicates() []*Predicate {
	return []*Predicate{
		closed("A", String), closed("B", String), closed("Q", String, String), closed("S", String),
		closed("LongName", String), closed("N", Int), closed("F", Float), closed("Rain"),
		open("T", String), open("U", String), open("R", String, String),
		{Name: "D", Types: []Type{String}, Perceived: true},
		{Name: "Alike", Types: []Type{String, String}, Closed: true, Functional: true},
	}
}

func closed(name string, types ...Type) *Predicate {
	return &Predicate{Name: name, Types: types, Closed: true}
}
func open(name string, types ...Type) *Predicate { return &Predicate{Name: name, Types: types} }

// figurePredicates are the predicates of the rules in the paper's figures.
func figurePredicates() []*Predicate {
	perceived := func(name string, types ...Type) *Predicate {
		return &Predicate{Name: name, Types: types, Perceived: true}
	}
	return []*Predicate{
		closed("Pair", Int, Int), closed("Plus", Int, Int, Int), perceived("Digit", Int, Int), open("Sum", Int, Int, Int),

		closed("Cite", Int, Int), closed("CiteP", Int, Int), closed("CiteQ", Int, Int), closed("Share", Int),
		perceived("Neural", Int, Int), perceived("Similar", Int, Int), open("Label", Int, Int),

		closed("AuthorName", Int, String), closed("AuthorBlk", Int, String), closed("AuthorOf", Int, Int),
		closed("PaperTitle", Int, String), perceived("SimName", String, String), perceived("SimTitle", String, String),
		open("SameAuthor", Int, Int), open("SamePaper", Int, Int),
	}
}

// text returns a file of rules.
func text(rules string) *source.File { return &source.File{Name: "rules.psl", Text: rules} }

// compileFile compiles the rules of a file.
func compileFile(predicates []*Predicate, file *source.File) (program *Program, diags source.Diagnostics) {
	program = Compile(predicates, syntax.Parse(file, &diags), &diags)
	return program, diags
}

// compileDefinition compiles a derivation; the rule is nil if it has no meaning.
func compileDefinition(predicates []*Predicate, definition string) (rule *Rule, diags source.Diagnostics) {
	if parsed := syntax.ParseDerivation(text(definition), &diags); parsed != nil {
		rule = CompileDerivation(predicates, parsed, false, &diags)
	}
	return rule, diags
}
