package main

import "github.com/deeppsl/deeppsl/internal/symbol"

// Entity finds which references, in blocks that share the beginning of a name, are to the same author, together with
// which papers are the same. Blocks are small and independent: the problem falls into many components.
const entityRules = `
20: Named(A, N) & Named(B, M) & NameAlike(N, M) -> SameAuthor(A, B) ^2
20: Titled(P, S) & Titled(Q, T) & TitleAlike(S, T) -> SamePaper(P, Q) ^2
10: Block(A, K) & Block(B, K) & Wrote(A, P) & Wrote(B, Q) & SamePaper(P, Q) -> SameAuthor(A, B) ^2
10: Block(A, K) & Block(B, K) & Block(C, K) & SameAuthor(A, B) & SameAuthor(B, C) & (A != B) & (B != C) & (A != C)
	-> SameAuthor(A, C) ^2
1: !SameAuthor(A, B) ^2
1: !SamePaper(P, Q) ^2
SameAuthor(A, A) = 1 .
SamePaper(P, P) = 1 .
`

// The sizes of blocks, in references.
const smallestBlock, largestBlock = 4, 20

// references are those of the blocks, with their tables.
type references struct {
	*data
	named, titled, block, wrote       *table
	nameAlike, titleAlike             *table
	sameAuthor, samePaper             *table
	reference, paper, name, title, at symbol.ID
}

func entity(size int, seed uint64) *data {
	d := newData(seed)
	var blocks []int
	total := 0
	for expected := 0; expected < size; {
		k := smallestBlock + d.rng.IntN(largestBlock-smallestBlock+1)
		expected += k*(k-1)*(k-2) + 4*k*k
		total += k
		blocks = append(blocks, k)
	}
	r := &references{data: d, named: newTable(2), titled: newTable(2), block: newTable(2), wrote: newTable(2),
		nameAlike: newTable(2), titleAlike: newTable(2), sameAuthor: newTable(2), samePaper: newTable(2),
		reference: d.constants("reference", total), paper: d.constants("paper", total),
		name: d.constants("name", total), title: d.constants("title", total), at: d.constants("block", len(blocks))}
	first := symbol.ID(0)
	for b, k := range blocks {
		r.addBlock(first, k, r.at+symbol.ID(b))
		first += symbol.ID(k)
	}
	d.add("Named", false, r.named)
	d.add("Titled", false, r.titled)
	d.add("Block", false, r.block)
	d.add("Wrote", false, r.wrote)
	d.add("NameAlike", false, r.nameAlike)
	d.add("TitleAlike", false, r.titleAlike)
	d.add("SameAuthor", true, r.sameAuthor)
	d.add("SamePaper", true, r.samePaper)
	return d
}

// addBlock adds k references, each with a spelling of its author's name and a copy of its paper. Every third is to the
// same author and, of these, every second to the same paper.
func (r *references) addBlock(first symbol.ID, k int, block symbol.ID) {
	for a := first; a < first+symbol.ID(k); a++ {
		r.named.observe(1, r.reference+a, r.name+a)
		r.titled.observe(1, r.paper+a, r.title+a)
		r.block.observe(1, r.reference+a, block)
		r.wrote.observe(1, r.reference+a, r.paper+a)
		for b := first; b < first+symbol.ID(k); b++ {
			r.sameAuthor.target(r.reference+a, r.reference+b)
			r.samePaper.target(r.paper+a, r.paper+b)
			r.compare(r.nameAlike, r.name+a, r.name+b, (a-b)%3 == 0)
			r.compare(r.titleAlike, r.title+a, r.title+b, (a-b)%6 == 0)
		}
	}
}

// compare adds how alike two strings are. Most of those that mean different things are not alike at all.
func (r *references) compare(alike *table, s, t symbol.ID, same bool) {
	switch {
	case s == t:
		alike.observe(1, s, t)
	case same:
		alike.observe(r.value(0.85, 0.15), s, t)
	case r.rng.IntN(4) == 0:
		alike.observe(r.value(0.3, 0.2), s, t)
	}
}
