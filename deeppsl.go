// Package deeppsl reasons with rules and data: probabilistic soft logic, whose predicates may be neural networks that
// are trained end to end through the inference.
//
// A Program is rules, written as text, and what its predicates are. Data are the atoms that it is about, as values:
// rows from slices, iterators, files and readers. A Session puts the two together and lives: it infers the values of
// all targets with a proof of how good they are, learns the weights of the rules and the networks from known values,
// and when anything changes (see the package change) it solves what that touches.
//
//	p, err := deeppsl.Parse(`
//		1: Knows(A, B) & Knows(B, C) & (A != C) -> Knows(A, C) ^2
//		1: !Knows(A, B) ^2`)
//	data := deeppsl.NewData(p)
//	data.Observe("Knows", deeppsl.Rows{{"ann", "bob"}, {"bob", "cid"}})
//	data.Target("Knows", deeppsl.Rows{{"ann", "cid"}})
//	session, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{Seed: 1})
//	defer session.Close()
//	answer, err := session.Infer(ctx)
//	value, ok := answer.Value("Knows", "ann", "cid")
//
// Open reads a program with its data from the files that the command deeppsl works with. The language of the rules is
// described in docs/language.md.
//
// Nothing here prints, exits, or sets anything for the whole process. Results have the same bits for the same program,
// data, options and seed, whatever the number of threads. Input that has no meaning is an *Error, which says all that
// is wrong, each with its place; an answer that is not proven is none: its Status says so.
package deeppsl

import (
	"errors"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Phase is a part of what a session does, which may have data of its own; see Data.During.
type Phase uint8

// The phases: learning, the choice of what has been learned, and inference.
const (
	Learning Phase = iota
	Validation
	Inference
)

// Phases are numbered as those of configurations are.
var _, _ = [1]struct{}{}[Phase(load.Learn)-Learning], [1]struct{}{}[Phase(load.Infer)-Inference]

// Error says what is wrong with an input: all of it, and not only what was found first.
type Error struct {
	Problems []Problem // sorted by place
	cause    error
}

// Error shows each problem with its place, its line and a hint.
func (e *Error) Error() string { return e.cause.Error() }

// Unwrap returns what the error came from.
func (e *Error) Unwrap() error { return e.cause }

// Problem is one thing that is wrong, or that is probably not meant.
type Problem struct {
	ID      string // names the kind of problem; docs/messages.md and docs/lints.md explain each
	Warning bool   // it has a meaning, but probably not the one intended
	// File, Line and Column say where it is, counted from 1; "" and 0 if there is no place. The text that Parse is given
	// is called "rules".
	File         string
	Line, Column int
	Message      string
	Hint         string // what to do; may be empty
}

// String shows the problem in one line.
func (p Problem) String() string {
	text := p.Message
	if p.Hint != "" {
		text += "; " + p.Hint
	}
	return text
}

// problems are diagnostics as values.
func problems(diags source.Diagnostics) []Problem {
	var all []Problem
	for _, l := range diags.Plain() {
		all = append(all, Problem{ID: l.ID, Warning: l.Severity == source.Warning.String(), File: l.File, Line: l.Line,
			Column: l.Column, Message: l.Message, Hint: l.Hint})
	}
	return all
}

// explained makes an *Error of an error that has diagnostics.
func explained(err error) error {
	var failure *source.Failure
	if !errors.As(err, &failure) {
		return err
	}
	return &Error{Problems: problems(failure.Diagnostics), cause: err}
}
