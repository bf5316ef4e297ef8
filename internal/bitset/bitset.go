// Package bitset has sets of small numbers, of which each takes a bit.
package bitset

import (
	"iter"
	"math/bits"
)

// Set is a set of numbers below 64 times its length, the lowest bit of a word first.
type Set []uint64

// New makes an empty set for the numbers from 0 to n.
func New(n int) Set { return make(Set, n/64+1) }

// Has tells whether a number is in the set.
func (s Set) Has(i int) bool { return s.Bit(i) == 1 }

// Bit is 1 for a number in the set, and 0 for others: to count by where a branch would be anyone's guess.
func (s Set) Bit(i int) uint64 { return s[uint(i)/64] >> (uint(i) % 64) & 1 }

// Add takes a number in.
func (s Set) Add(i int) { s[uint(i)/64] |= 1 << (uint(i) % 64) }

// Remove takes a number out.
func (s Set) Remove(i int) { s[uint(i)/64] &^= 1 << (uint(i) % 64) }

// Flip takes a number in if it is not there, and out if it is.
func (s Set) Flip(i int) { s[uint(i)/64] ^= 1 << (uint(i) % 64) }

// Put takes a number in, and tells whether it was not there.
func (s Set) Put(i int) (fresh bool) {
	word, bit := &s[uint(i)/64], uint64(1)<<(uint(i)%64)
	fresh = *word&bit == 0
	*word |= bit
	return fresh
}

// Unite takes in all of another set, which is no longer than this one.
func (s Set) Unite(other Set) {
	for k, word := range other {
		s[k] |= word
	}
}

// Len is how many numbers are in the set.
func (s Set) Len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// All goes through the numbers in the set, from the least on.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for k, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(64*k + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
