package similarity

// prepareLevenshtein compares by 1 - d/max(|a|, |b|), where d is the least number of insertions, deletions and
// substitutions of runes that turn one string into the other (Levenshtein 1966).
func prepareLevenshtein(names []string, _ *Corpus) comparison {
	return letterComparison(spellAll(names))
}

type letterComparison []letters

func (c letterComparison) worker() worker {
	return &levenshtein{bounded: bounded{names: c, limit: levenshteinLimit}, at: -1}
}

// levenshteinLimit uses that runes without an equal in the other string, and the difference of the lengths, cost an
// edit each.
func levenshteinLimit(a, b *letters) float64 {
	longer, shorter := max(len(a.runes), len(b.runes)), min(len(a.runes), len(b.runes))
	edits := max(longer-shorter, a.foreign(b), b.foreign(a))
	return closeness(edits, longer)
}

// closeness turns a distance between strings, the longer of which has so many runes, into a similarity.
func closeness(edits, longer int) float64 { return 1 - float64(edits)/float64(max(1, longer)) }

type levenshtein struct {
	bounded
	editor
	at int // the string that the editor has as its pattern
}

func (w *levenshtein) compare(i, j int) float64 {
	if w.at != i {
		w.setPattern(w.names[i].runes)
		w.at = i
	}
	return w.closeness(w.names[j].runes)
}

// word is the number of runes of a pattern that one machine word holds.
const word = 64

// editor counts the edits between one pattern and many texts. It walks along a text with one column of the edit matrix
// as bits, which say where the column grows by 1 from one rune of the pattern to the next and where it falls (Myers
// 1999, with the carries between words of Hyyrö 2003).
type editor struct {
	pattern []rune
	places  places
	column  []block
}

// block is a word of a column.
type block struct{ grows, falls uint64 }

// setPattern replaces the pattern, which the editor keeps.
func (e *editor) setPattern(pattern []rune) {
	e.pattern = pattern
	e.column = make([]block, (len(pattern)+word-1)/word)
	e.places.set(pattern, len(e.column))
}

// distance returns the edit distance of the pattern and text.
func (e *editor) distance(text []rune) int {
	if len(e.pattern) == 0 {
		return len(text)
	}
	for k := range e.column {
		e.column[k] = block{grows: ^uint64(0)}
	}
	edits, final := len(e.pattern), len(e.column)-1
	last := uint64(1) << ((len(e.pattern) - 1) % word)
	for _, r := range text {
		equal, carry := e.places.of(r), 1
		for k := range final {
			carry = e.column[k].next(equal[k], carry, 1<<(word-1))
		}
		edits += e.column[final].next(equal[final], carry, last)
	}
	return edits
}

// closeness returns the similarity of the pattern and text.
func (e *editor) closeness(text []rune) float64 {
	return closeness(e.distance(text), max(len(e.pattern), len(text)))
}

// next moves the block to the next rune of the text. The carry, in and out, says by how much the row above the block,
// and the one of its last bit, changes between the two columns.
func (b *block) next(equal uint64, carry int, last uint64) (out int) {
	vertical := equal | b.falls
	if carry < 0 {
		equal |= 1
	}
	diagonal := (((equal & b.grows) + b.grows) ^ b.grows) | equal
	up, down := b.falls|^(diagonal|b.grows), b.grows&diagonal
	if up&last != 0 {
		out = 1
	} else if down&last != 0 {
		out = -1
	}
	up, down = up<<1, down<<1
	if carry > 0 {
		up |= 1
	} else if carry < 0 {
		down |= 1
	}
	b.grows, b.falls = down|^(vertical|up), up&vertical
	return out
}

// places knows, for each rune, the bits of its places in a pattern.
type places struct {
	words int
	bits  []uint64 // by slot, as many words as the pattern has; slot 0 is of runes that the pattern lacks
	ascii [128]int32
	other map[rune]int32
	used  []rune // those with a slot
}

// of returns the places of a rune, by words.
func (p *places) of(r rune) []uint64 {
	slot := p.slot(r)
	return p.bits[slot*p.words : (slot+1)*p.words]
}

func (p *places) slot(r rune) int {
	if uint32(r) < uint32(len(p.ascii)) {
		return int(p.ascii[r])
	}
	return int(p.other[r])
}

// set forgets the runes of the pattern before and learns those of the new one.
func (p *places) set(pattern []rune, words int) {
	for _, r := range p.used {
		p.give(r, 0)
	}
	p.words, p.used, p.bits = words, p.used[:0], append(p.bits[:0], make([]uint64, words)...)
	for k, r := range pattern {
		if p.slot(r) == 0 {
			p.used = append(p.used, r)
			p.give(r, int32(len(p.used)))
			p.bits = append(p.bits, make([]uint64, words)...)
		}
		p.of(r)[k/word] |= 1 << (k % word)
	}
}

// give assigns a slot; 0 takes it away.
func (p *places) give(r rune, slot int32) {
	switch {
	case uint32(r) < uint32(len(p.ascii)):
		p.ascii[r] = slot
	case slot == 0:
		delete(p.other, r)
	default:
		if p.other == nil {
			p.other = make(map[rune]int32)
		}
		p.other[r] = slot
	}
}
