package mrf

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/bitset"
)

// Occurrences lists the potentials that each variable is in: four bytes for each, and four for each variable. A prior
// over all targets, whose variables follow one another, costs nothing.
type Occurrences struct {
	model  *Model
	first  []int // by block: how many potentials are before it
	start  []int32
	places []int32 // among all potentials
	runs   []int   // blocks that are not listed

	// Of a changed model: the occurrences in the one before, what has gone of it, how much has before each word of that,
	// and what has come.
	base   *Occurrences
	gone   bitset.Set
	before []int32
	come   map[int32][]int32
}

// NewOccurrences goes through a model twice; nil if it has more potentials or terms than 32 bits can count.
func NewOccurrences(m *Model) *Occurrences {
	o := &Occurrences{model: m, first: make([]int, len(m.Blocks)+1), start: make([]int32, m.Variables+1)}
	total := 0
	for k, b := range m.Blocks {
		o.first[k+1] = o.first[k] + b.Len
		if b.isRun() {
			o.runs = append(o.runs, k)
		} else {
			total += len(b.Vars)
		}
	}
	if total > math.MaxInt32 || o.first[len(m.Blocks)] > math.MaxInt32 {
		return nil
	}
	for _, b := range m.Blocks {
		for _, i := range b.Vars {
			o.start[i+1]++
		}
	}
	for i := range m.Variables {
		o.start[i+1] += o.start[i]
	}
	o.places = make([]int32, total)
	next := append([]int32(nil), o.start...)
	for k, b := range m.Blocks {
		if b.isRun() {
			continue
		}
		rows := b.variableRows()
		for j := range b.Len {
			for _, i := range rows.row(j) {
				o.places[next[i]] = int32(o.first[k] + j)
				next[i]++
			}
		}
	}
	return o
}

// Of appends the potentials that variable i is in, by their places among all, which ascend.
func (o *Occurrences) Of(i int32, places []int) []int {
	if o.base != nil {
		return o.ofChanged(i, places)
	}
	first := len(places)
	for _, place := range o.places[o.start[i]:o.start[i+1]] {
		places = append(places, int(place))
	}
	for _, k := range o.runs {
		if j := int(i - o.model.Blocks[k].First); j >= 0 && j < o.model.Blocks[k].Len {
			place := o.first[k] + j
			at, _ := slices.BinarySearch(places[first:], place)
			places = slices.Insert(places, first+at, place)
		}
	}
	return places
}

// Listed returns the potentials that variable i is in, to read, but for those of priors, which AppendRuns has. Not of a
// changed model.
func (o *Occurrences) Listed(i int32) []int32 { return o.places[o.start[i]:o.start[i+1]] }

// AppendRuns appends the potentials of priors over variables that follow one another that variable i is in.
func (o *Occurrences) AppendRuns(places []int32, i int32) []int32 {
	for _, k := range o.runs {
		if j := int(i - o.model.Blocks[k].First); j >= 0 && j < o.model.Blocks[k].Len {
			places = append(places, int32(o.first[k]+j))
		}
	}
	return places
}

// Locate returns the block of a place among all potentials, and the potential's number there.
func (o *Occurrences) Locate(place int) (block, j int) {
	k, _ := slices.BinarySearch(o.first, place+1)
	return k - 1, place - o.first[k-1]
}

// Bytes is what the lists take.
func (o *Occurrences) Bytes() int64 { return 4 * int64(len(o.start)+len(o.places)) }

// Count is about how many potentials a variable is in: one of a prior over all is not counted.
func (o *Occurrences) Count(i int32) int {
	if o.base == nil {
		return int(o.start[i+1] - o.start[i])
	}
	n := len(o.come[i])
	if int(i)+1 < len(o.base.start) {
		n += o.base.Count(i)
	}
	return n
}

// Alike goes through the places of all potentials of the same rule that have the same variables and inputs as the one
// at a place, in order.
func (o *Occurrences) Alike(place int) iter.Seq[int] {
	return func(yield func(int) bool) {
		block, j := o.Locate(place)
		b := o.model.Blocks[block]
		var own, buffer RowBuffer
		ids := b.Ids(j, &own)
		if len(ids) == 0 {
			yield(place)
			return
		}
		rarest := slices.MinFunc(ids, func(a, b int32) int { return cmp.Compare(o.Count(a), o.Count(b)) })
		for _, other := range o.Of(rarest, nil) {
			block, l := o.Locate(other)
			q := o.model.Blocks[block]
			same := q.Rule == b.Rule && slices.Equal(q.Ids(l, &buffer), ids) && slices.Equal(q.InputRow(l), b.InputRow(j))
			if same && !yield(other) {
				return
			}
		}
	}
}

// Twins counts the potentials of the same rule before a place that are equal to the one there.
func (o *Occurrences) Twins(place int) (count int) {
	block, j := o.Locate(place)
	b := o.model.Blocks[block]
	var own, buffer RowBuffer
	_, coef := b.Row(j, &own)
	for other := range o.Alike(place) {
		if other >= place {
			break
		}
		block, l := o.Locate(other)
		q := o.model.Blocks[block]
		if _, too := q.Row(l, &buffer); slices.Equal(too, coef) && SameConstant(q.Constant+q.Own(l), b.Constant+b.Own(j)) &&
			q.scale(l) == b.scale(j) && sameInputCoefficients(q, l, b, j) {
			count++
		}
	}
	return count
}

// sameInputCoefficients tells whether potentials with the same inputs have them with the same coefficients.
func sameInputCoefficients(a *Block, j int, b *Block, l int) bool {
	for k := range a.InputRow(j) {
		if a.InputCoefficient(j, k) != b.InputCoefficient(l, k) {
			return false
		}
	}
	return true
}

// SameConstant tells whether constants of ground rules are the same but for rounding, which depends on the order in
// which observed atoms were added up.
func SameConstant(a, b float64) bool {
	const rounding = 1e-9
	return math.Abs(a-b) <= rounding*(1+math.Abs(b))
}

// scale is what a potential's weight is multiplied by.
func (b *Block) scale(j int) float32 {
	if b.Scale == nil {
		return 1
	}
	return b.Scale[j]
}
