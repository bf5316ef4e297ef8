// Package reuse writes into the memory that slices have already.
package reuse

// Len returns a slice of n values, whatever they are, in v's memory if that is enough.
func Len[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// Room returns v with room for more values. Where that takes other memory, it is at least twice as much: what grows
// step by step is copied once, on average, and not four times as by append.
func Room[T any](v []T, more int) []T {
	n := len(v) + more
	if n <= cap(v) {
		return v
	}
	return append(make([]T, 0, max(2*cap(v), n)), v...)
}

// More returns v with more values, whatever they are, behind its own. It has Room for them.
func More[T any](v []T, more int) []T { return Room(v, more)[:len(v)+more] }
