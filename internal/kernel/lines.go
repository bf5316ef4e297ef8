package kernel

import (
	"fmt"
	"slices"
)

// Sparse are lines of a sparse matrix: line k has the entries from Start[k] up to Start[k+1].
type Sparse struct {
	Start, Index []int32
	Coef         []float64
}

// Transposed returns as many lines of what some of these have at each index, in the order of the list.
func (s Sparse) Transposed(list []int32, lines int) Sparse {
	t := Sparse{Start: make([]int32, lines+1)}
	for _, k := range list {
		for _, i := range s.Index[s.Start[k]:s.Start[k+1]] {
			t.Start[i+1]++
		}
	}
	for i := range lines {
		t.Start[i+1] += t.Start[i]
	}
	t.Index, t.Coef = make([]int32, t.Start[lines]), make([]float64, t.Start[lines])
	at := slices.Clone(t.Start)
	for _, k := range list {
		for e := s.Start[k]; e < s.Start[k+1]; e++ {
			l := &at[s.Index[e]]
			t.Index[*l], t.Coef[*l] = k, s.Coef[e]
			*l++
		}
	}
	return t
}

// WithEntries returns the lines from first up to last that have entries.
func (s Sparse) WithEntries(first, last int) (list []int32) {
	for k := first; k < last; k++ {
		if s.Start[k+1] > s.Start[k] {
			list = append(list, int32(k))
		}
	}
	return list
}

// Lines are some of those of a sparse matrix, laid out to be multiplied with many times: in groups of about one length,
// whose entries lie side by side, so that a processor need not guess how long each is, and has several sums to add to.
// What a group lacks has the coefficient 0, and a last line again in place of those that it is short of; a line that is
// far longer than others is a group of its own.
type Lines struct {
	number  []int32 // of each line
	scale   []float64
	lengths []int32 // of each group
	index   []int32
	coef    []float64
	// to and from are how long what they are added to, and multiplied with, is at least.
	to, from int
}

// eights and fours are the lines of a group of Lines that are added one entry after the other, and by four sums.
const eights, fours = 8, 4

// InOrder lays out lines to be added entry by entry. Where what comes of a line goes into others, these have a higher
// level; without levels, there is one for all.
func (s Sparse) InOrder(list, level []int32) *Lines {
	l := s.room(list, eights)
	s.group(list, level, eights, func(group []int32) {
		longest := s.longest(group)
		index, coef := l.open(group, longest, s)
		for k, line := range group {
			for at, e := k, s.Start[line]; e < s.Start[line+1]; at, e = at+len(group), e+1 {
				index[at], coef[at] = s.Index[e], s.Coef[e]
			}
		}
		if len(group) == 1 {
			longest = ^longest
		}
		l.lengths = append(l.lengths, longest)
	})
	return l
}

// ByFour lays out lines to be added by four sums, as Dot does: entries by fours, then those that are left.
func (s Sparse) ByFour(list, level []int32) *Lines {
	l := s.room(list, fours)
	s.group(list, level, fours, func(group []int32) {
		whole, rest := s.longest(group)/fours*fours, int32(0)
		for _, line := range group {
			rest = max(rest, s.length(line)%fours)
		}
		index, coef := l.open(group, whole+rest, s)
		for k, line := range group {
			own := s.length(line) / fours * fours
			for e := range s.length(line) {
				at := e
				if e >= own {
					at += whole - own
				}
				place := int(at)*len(group) + k
				index[place], coef[place] = s.Index[s.Start[line]+e], s.Coef[s.Start[line]+e]
			}
		}
		quads := whole / fours
		if len(group) == 1 {
			quads = ^quads
		}
		l.lengths = append(l.lengths, quads, rest)
	})
	return l
}

func (s Sparse) length(line int32) int32 { return s.Start[line+1] - s.Start[line] }

func (s Sparse) longest(lines []int32) (most int32) {
	for _, line := range lines {
		most = max(most, s.length(line))
	}
	return most
}

// sorted returns lines by level, and those of one level by length, the longest first.
func (s Sparse) sorted(list, level []int32) []int32 {
	longest := s.longest(list)
	list = countingSort(list, longest, func(k int32) int32 { return longest - s.length(k) })
	if level == nil {
		return list
	}
	deepest := int32(0)
	for _, k := range list {
		deepest = max(deepest, level[k])
	}
	return countingSort(list, deepest, func(k int32) int32 { return level[k] })
}

// countingSort returns numbers by a count of each, at most so much, those of one as they are.
func countingSort(numbers []int32, most int32, count func(int32) int32) []int32 {
	start := make([]int32, most+2)
	for _, k := range numbers {
		start[count(k)+1]++
	}
	for c := range start[1:] {
		start[c+1] += start[c]
	}
	out := make([]int32, len(numbers))
	for _, k := range numbers {
		at := &start[count(k)]
		out[*at] = k
		*at++
	}
	return out
}

// room makes Lines with room for these as they are.
func (s Sparse) room(list []int32, width int) *Lines {
	entries := 0
	for _, line := range list {
		entries += int(s.length(line))
	}
	return &Lines{number: make([]int32, 0, len(list)+width), index: make([]int32, 0, entries+entries/4),
		coef: make([]float64, 0, entries+entries/4), lengths: make([]int32, 0, 2*len(list)/width+1)}
}

// group cuts a list into groups of one level and so many lines, or of one where those would be short beside it.
func (s Sparse) group(list, level []int32, width int, take func(group []int32)) {
	var group [eights]int32
	for list = s.sorted(list, level); len(list) > 0; {
		first, count, entries := list[0], 0, 0
		for count < min(width, len(list)) {
			line := list[count]
			if level != nil && level[line] != level[first] || (s.length(line) == 0) != (s.length(first) == 0) {
				break
			}
			group[count] = line
			entries += int(s.length(line))
			count++
		}
		if int(s.longest(group[:count]))*width > 2*(entries+count) {
			take(group[:1])
			list = list[1:]
			continue
		}
		for k := count; k < width; k++ {
			group[k] = group[count-1]
		}
		take(group[:width])
		list = list[count:]
	}
}

// open appends a group of so many entries a line: nothing of what is where each line begins.
func (l *Lines) open(group []int32, entries int32, s Sparse) (index []int32, coef []float64) {
	l.number = append(l.number, group...)
	for _, line := range group {
		l.scale = append(l.scale, 1)
		l.to = max(l.to, int(line)+1)
		for _, i := range s.Index[s.Start[line]:s.Start[line+1]] {
			l.from = max(l.from, int(i)+1)
		}
	}
	first, count := len(l.index), int(entries)*len(group)
	l.index = slices.Grow(l.index, count)[:first+count]
	l.coef = slices.Grow(l.coef, count)[:first+count]
	index, coef = l.index[first:], l.coef[first:]
	clear(coef)
	for at := 0; at < count; at += len(group) {
		for k, line := range group {
			index[at+k] = s.Index[s.Start[line]]
		}
	}
	return index, coef
}

// Scale has what comes of each line be multiplied with the number that is there for it.
func (l *Lines) Scale(by []float64) {
	for k, n := range l.number {
		l.scale[k] = by[n]
	}
}

// Set sets to, at each line's number, to the product of the line with from, scaled; the lines are InOrder.
func (l *Lines) Set(to, from []float64) {
	l.check(to, from)
	l.inOrder(to, from, true)
}

// AddInOrder adds to what is there of each line its entries' products with from, one after the other, and scales the
// sum; the lines are InOrder. A line of a later level has what comes of the former ones where to is from.
func (l *Lines) AddInOrder(to, from []float64) {
	l.check(to, from)
	l.inOrder(to, from, false)
}

// Add adds to what is there of each line the product of the line with from, scaled; the lines are ByFour.
func (l *Lines) Add(to, from []float64) {
	l.check(to, from)
	l.byFour(to, from)
}

// check panics where the vectors are too short: that is a mistake of the program.
func (l *Lines) check(to, from []float64) {
	if len(to) < l.to || len(from) < l.from {
		panic(fmt.Sprintf("kernel: lines of %d and %d places for %d and %d", l.to, l.from, len(to), len(from)))
	}
}

func (l *Lines) inOrderPortably(to, from []float64, anew bool) {
	at, line := 0, 0
	for _, n := range l.lengths {
		width := eights
		if n < 0 {
			n, width = ^n, 1
		}
		number := l.number[line : line+width]
		var sums [eights]float64
		if !anew {
			for k, i := range number {
				sums[k] = to[i]
			}
		}
		for range n {
			index, coef := l.index[at:at+width], l.coef[at:at+width]
			for k, i := range index {
				sums[k] += float64(coef[k] * from[i])
			}
			at += width
		}
		for k, i := range number {
			to[i] = sums[k] * l.scale[line+k]
		}
		line += width
	}
}

func (l *Lines) byFourPortably(to, from []float64) {
	at, line := 0, 0
	for g := 0; g < len(l.lengths); g += 2 {
		quads, rest, width := l.lengths[g], l.lengths[g+1], fours
		if quads < 0 {
			quads, width = ^quads, 1
		}
		var sums [fours][fours]float64
		add := func(sum *[fours]float64) {
			for k, i := range l.index[at : at+width] {
				sum[k] += float64(l.coef[at+k] * from[i])
			}
			at += width
		}
		for range quads {
			for p := range sums {
				add(&sums[p])
			}
		}
		for range rest {
			add(&sums[0])
		}
		var out [fours]float64
		for k, i := range l.number[line : line+width] {
			sum := sums[0][k] + sums[1][k] + (sums[2][k] + sums[3][k])
			out[k] = to[i] + float64(sum*l.scale[line+k])
		}
		for k, i := range l.number[line : line+width] {
			to[i] = out[k]
		}
		line += width
	}
}

// Combine sets sum to the product of a list of entries with rows of eight numbers each: row by row, in the order of the
// list.
func Combine(sum *[Tile]float64, rows []int32, coef []float64, all [][Tile]float64) {
	combine(sum, rows, coef[:len(rows)], all)
}

func combinePortably(sum *[Tile]float64, rows []int32, coef []float64, all [][Tile]float64) {
	*sum = [Tile]float64{}
	for l, r := range rows {
		for k, y := range all[r] {
			sum[k] += float64(coef[l] * y)
		}
	}
}
