package local

import "slices"

// pageLen is how many values a page has.
const pageLen = 512

// Pages are values that never change, though those go on changing that they were taken from: what is the same in two of
// them is there once. So they take the time and memory of what has changed, beside eight bytes a page.
type Pages []*[pageLen]float64

// At returns value i.
func (p Pages) At(i int32) float64 { return p[i/pageLen][i%pageLen] }

// moved notes that a value is not that of the last pages.
func (s *State) moved(i int32) {
	if page := int(i / pageLen); page/64 < len(s.stale) {
		s.stale[page/64] |= 1 << (page % 64)
	}
}

// Pages returns the values as they are now.
func (s *State) Pages() Pages {
	s.pages = slices.Clone(s.pages)
	for page := 0; page*pageLen < len(s.y); page++ {
		known := page < len(s.pages)
		if known && s.stale[page/64]>>(page%64)&1 == 0 {
			continue
		}
		now := new([pageLen]float64)
		copy(now[:], s.y[page*pageLen:])
		if known {
			s.pages[page] = now
		} else {
			s.pages = append(s.pages, now)
		}
	}
	if words := len(s.pages)/64 + 1; words > len(s.stale) {
		s.stale = make([]uint64, words)
	}
	clear(s.stale)
	return s.pages
}
