// Package source knows files, places in them, and how to tell a user what is wrong at a place.
package source

// File is a text with a name. It is immutable.
type File struct {
	Name string
	Text string
}

// Span is the half-open byte range [Start, End) of a file. The zero Span is nowhere.
type Span struct {
	File       *File
	Start, End int
}
