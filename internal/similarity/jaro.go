package similarity

import "math/bits"

// The prefix of Winkler's variant: how much each common rune at the beginning counts, and how many of them may.
const (
	prefixScale  = 0.1
	prefixLength = 4
)

// prepareJaro compares by (m/|a| + m/|b| + (m-t)/m) / 3, where m counts the runes of a with an equal in b not further
// away than half the longer string, less one, and t is half the number of those that are in another order (Jaro 1989).
func prepareJaro(names []string, _ *Corpus) comparison {
	return &jaroComparison{spellAll(names), jaroLimit, false}
}

// prepareJaroWinkler adds what the common prefix promises: jaro + ℓ·0.1·(1 - jaro), where ℓ ≤ 4 is its length (Winkler
// 1990). It applies whatever the Jaro similarity is.
func prepareJaroWinkler(names []string, _ *Corpus) comparison {
	return &jaroComparison{spellAll(names), winklerLimit, true}
}

type jaroComparison struct {
	names  []letters
	limit  func(a, b *letters) float64
	prefix bool
}

func (c *jaroComparison) worker() worker {
	return &jaroWorker{bounded: bounded{names: c.names, limit: c.limit}, at: -1, prefix: c.prefix}
}

type jaroWorker struct {
	bounded
	matcher
	at     int // the string that the matcher has as its pattern
	prefix bool
}

func (w *jaroWorker) compare(i, j int) float64 {
	a, b := w.names[i].runes, w.names[j].runes
	if w.at != i {
		w.setPattern(a)
		w.at = i
	}
	value := w.jaro(b)
	if w.prefix {
		value = winkler(value, a, b)
	}
	return unit(value)
}

// jaroLimit counts all runes with an equal anywhere in the other string as matches in the right order.
func jaroLimit(a, b *letters) float64 {
	matches := min(len(a.runes)-a.foreign(b), len(b.runes)-b.foreign(a))
	return jaroScore(matches, 0, len(a.runes), len(b.runes))
}

func winklerLimit(a, b *letters) float64 { return winkler(jaroLimit(a, b), a.runes, b.runes) }

// winkler raises a Jaro similarity by the common prefix.
func winkler(jaro float64, a, b []rune) float64 {
	prefix := 0
	for prefix < min(prefixLength, len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	return jaro + prefixScale*float64(prefix)*(1-jaro)
}

// jaroScore is the formula of the similarity; moved counts the matches whose partners come in another order.
func jaroScore(matches, moved, a, b int) float64 {
	if matches <= 0 {
		return 0
	}
	m := float64(matches)
	return (m/float64(a) + m/float64(b) + (m-float64(moved)/2)/m) / 3
}

// matcher pairs the runes of one pattern with equal ones of many texts. Sets of places in the pattern are bits.
type matcher struct {
	pattern []rune
	places  places
	taken   []uint64 // runes of the pattern with a partner
	matched []rune   // runes of the text with one, in order
}

// setPattern replaces the pattern, which the matcher keeps.
func (m *matcher) setPattern(pattern []rune) {
	m.pattern = pattern
	m.taken = make([]uint64, (len(pattern)+word-1)/word)
	m.places.set(pattern, len(m.taken))
}

// jaro returns the Jaro similarity; each rune of the text takes the first free equal one of the pattern within reach.
func (m *matcher) jaro(text []rune) float64 {
	clear(m.taken)
	m.matched = m.matched[:0]
	reach := max(0, max(len(m.pattern), len(text))/2-1)
	for i, r := range text {
		if m.take(r, max(0, i-reach), min(len(m.pattern), i+reach+1)) {
			m.matched = append(m.matched, r)
		}
	}
	return jaroScore(len(m.matched), m.moved(), len(m.pattern), len(text))
}

// take finds the first free rune r among the places [lo, hi) of the pattern.
func (m *matcher) take(r rune, lo, hi int) bool {
	equal := m.places.of(r)
	for k := lo / word; k*word < hi; k++ {
		free := equal[k] &^ m.taken[k]
		if k == lo/word {
			free &^= 1<<(lo%word) - 1
		}
		if free == 0 {
			continue
		}
		place := bits.TrailingZeros64(free)
		if k*word+place >= hi {
			return false
		}
		m.taken[k] |= 1 << place
		return true
	}
	return false
}

// moved counts the matches whose runes differ when both strings' are listed in their order.
func (m *matcher) moved() (moved int) {
	n := 0
	for k, taken := range m.taken {
		for ; taken != 0; taken &= taken - 1 {
			if m.matched[n] != m.pattern[k*word+bits.TrailingZeros64(taken)] {
				moved++
			}
			n++
		}
	}
	return moved
}
