package similarity

import "math/bits"

// letters is a string as runes, with a set of them that is quick to compare.
type letters struct {
	runes []rune
	set   uint64 // bit r mod 64 for each rune r
}

func spell(s string) letters {
	l := letters{runes: []rune(s)}
	for _, r := range l.runes {
		l.set |= 1 << (uint32(r) % 64)
	}
	return l
}

// spellAll spells a list of strings.
func spellAll(names []string) []letters {
	all := make([]letters, len(names))
	for k, name := range names {
		all[k] = spell(name)
	}
	return all
}

// foreign returns a lower bound of how many runes of l have no equal in other.
func (l *letters) foreign(other *letters) int { return bits.OnesCount64(l.set &^ other.set) }

// bounded compares strings by their letters. Most measures of characters have no index that would find the similar
// strings, but a bound that rules out most of the others at the price of a few instructions.
type bounded struct {
	names []letters
	found []int32
	// limit is at least the similarity of two strings.
	limit func(a, b *letters) float64
}

func (b *bounded) candidates(i int, threshold float64) []int32 {
	b.found = b.found[:0]
	name := &b.names[i]
	for j := range b.names {
		if b.limit(name, &b.names[j])+slack >= threshold {
			b.found = append(b.found, int32(j))
		}
	}
	return b.found
}
