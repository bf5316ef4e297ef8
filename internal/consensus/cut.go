package consensus

import (
	"cmp"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// The cutting of variables: passes over all of them, each of which moves a variable to the block that has most of what
// it occurs with, as long as no block has more than its share and this slack.
const (
	passes = 6
	slack  = 0.03
	// settled is the part of the variables below which a pass that moves so few is the last.
	settled = 200
)

// cutter finds blocks for variables.
//
// It is a breadth-first order of the variables, cut into pieces of equal weight, and then refined by moves (label
// propagation with a bound on the weights): a few passes over the occurrences, linear in their number, with the same
// result for the same model. The programs that cut hypergraphs better (hMETIS, KaHyPar) are in C and C++, which
// nothing here links, and take longer than solving does; a ground problem comes with much structure, as its order has.
type cutter struct {
	m      *mrf.Model
	at     *mrf.Occurrences
	blocks int
	of     []int32 // of each variable
	weight []int64 // of each block: the occurrences of its variables
	places []int
	row    mrf.RowBuffer
}

// Cut returns the block of each potential, and how many variables are in several blocks.
func Cut(m *mrf.Model, blocks int) (of []int32, shared int) {
	c := &cutter{m: m, at: mrf.NewOccurrences(m), blocks: blocks, of: make([]int32, m.Variables),
		weight: make([]int64, blocks)}
	c.pieces(c.order())
	for range passes {
		if c.refine()*settled < m.Variables {
			break
		}
	}
	of = c.deal()
	return of, countShared(m, of)
}

// rows visits the other variables of the potentials that variable i is in.
func (c *cutter) rows(i int32, visit func(ids []int32)) {
	c.places = c.at.Of(i, c.places[:0])
	for _, place := range c.places {
		block, j := c.at.Locate(place)
		visit(c.m.Blocks[block].Ids(j, &c.row))
	}
}

// order lists the variables by breadth-first search, from the last one that a search before found: an end of the
// graph. Variables of other components follow.
func (c *cutter) order() []int32 {
	order := make([]int32, 0, c.m.Variables)
	seen := make([]bool, c.m.Variables)
	search := func(from int32) {
		first := len(order)
		order, seen[from] = append(order, from), true
		for at := first; at < len(order); at++ {
			c.rows(order[at], func(ids []int32) {
				for _, k := range ids {
					if !seen[k] {
						order, seen[k] = append(order, k), true
					}
				}
			})
		}
	}
	for i := range int32(c.m.Variables) {
		if seen[i] {
			continue
		}
		first := len(order)
		search(i)
		if len(order)-first > c.m.Variables/c.blocks { // a large one: begin again at its end
			end := order[len(order)-1]
			for _, k := range order[first:] {
				seen[k] = false
			}
			order = order[:first]
			search(end)
		}
	}
	return order
}

// pieces cuts an order into blocks of equal weight.
func (c *cutter) pieces(order []int32) {
	total := int64(0)
	for i := range int32(c.m.Variables) {
		total += c.load(i)
	}
	done := int64(0)
	for _, i := range order {
		b := min(int(done*int64(c.blocks)/max(total, 1)), c.blocks-1)
		c.of[i] = int32(b)
		c.weight[b] += c.load(i)
		done += c.load(i)
	}
}

// load is the weight of a variable.
func (c *cutter) load(i int32) int64 { return int64(c.at.Count(i)) + 1 }

// refine moves each variable to where most of its neighbours are, and returns how many it has moved.
func (c *cutter) refine() (moved int) {
	total := int64(0)
	for _, w := range c.weight {
		total += w
	}
	most := int64(float64(total) / float64(c.blocks) * (1 + slack))
	pull := make([]float64, c.blocks)
	for i := range int32(c.m.Variables) {
		clear(pull)
		c.rows(i, func(ids []int32) {
			share := 1 / float64(max(len(ids)-1, 1))
			for _, k := range ids {
				if k != i {
					pull[c.of[k]] += share
				}
			}
		})
		own := c.of[i]
		best := own
		for b := range int32(c.blocks) {
			if pull[b] > pull[best] && c.weight[b]+c.load(i) <= most {
				best = b
			}
		}
		if best != own {
			c.weight[own] -= c.load(i)
			c.weight[best] += c.load(i)
			c.of[i] = best
			moved++
		}
	}
	return moved
}

// deal gives each potential to the block that most of its variables are in; of equals, to the one that has fewer
// potentials until then.
func (c *cutter) deal() []int32 {
	of := make([]int32, 0, c.m.Potentials())
	count, load := make([]int, c.blocks), make([]int, c.blocks)
	for _, b := range c.m.Blocks {
		for j := range b.Len {
			ids := b.Ids(j, &c.row)
			best := int32(0)
			for _, i := range ids {
				count[c.of[i]]++
			}
			for k, i := range ids {
				if b := c.of[i]; k == 0 || count[b] > count[best] || count[b] == count[best] && load[b] < load[best] {
					best = b
				}
			}
			for _, i := range ids {
				count[c.of[i]] = 0
			}
			load[best]++
			of = append(of, best)
		}
	}
	return of
}

// none marks variables that no block has yet, and several those that more than one has.
const none, several = -1, -2

// countShared counts the variables that potentials of several blocks have.
func countShared(m *mrf.Model, of []int32) (shared int) {
	home := slices.Repeat([]int32{none}, m.Variables)
	var row mrf.RowBuffer
	place := 0
	for _, b := range m.Blocks {
		for j := range b.Len {
			for _, i := range b.Ids(j, &row) {
				switch home[i] {
				case none:
					home[i] = of[place]
				case of[place], several:
				default:
					home[i] = several
					shared++
				}
			}
			place++
		}
	}
	return shared
}

// sharing is a variable of a block that others have, too.
type sharing struct {
	variable int32   // its number in the block
	blocks   []int32 // that have it, in order, this one among them
	scale    float32 // of ρ: a power of two
}

// sharings lists, for each block, the variables that it shares, by their numbers in the whole: parts have the
// variables of each block, ascending.
func sharings(parts [][]int32, scale []float32) [][]sharing {
	type member struct {
		variable int32
		block    int32
		local    int32
	}
	var all []member
	for b, variables := range parts {
		for k, i := range variables {
			all = append(all, member{i, int32(b), int32(k)})
		}
	}
	slices.SortFunc(all, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.variable, b.variable), cmp.Compare(a.block, b.block))
	})
	out := make([][]sharing, len(parts))
	for lo := 0; lo < len(all); {
		hi := lo + 1
		for hi < len(all) && all[hi].variable == all[lo].variable {
			hi++
		}
		if hi > lo+1 {
			var blocks []int32
			for _, k := range all[lo:hi] {
				blocks = append(blocks, k.block)
			}
			for _, k := range all[lo:hi] {
				out[k.block] = append(out[k.block], sharing{k.local, blocks, scale[k.variable]})
			}
		}
		lo = hi
	}
	return out
}
