package latent

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// hidden are the targets without a label, in clusters: two are of one if a ground rule has both.
type hidden struct {
	clusters forest.Forest // of all variables but labels
	size     map[int32]int // by root
}

const (
	// mostHidden is the number of hidden targets that a cluster has at most if it is summed out.
	mostHidden = 64

	// noCluster is that of labels, and tooLarge any cluster that is not summed out.
	noCluster, tooLarge = int32(-1), int32(-2)
)

// findHidden finds the clusters; nil if there is none.
func findHidden(model *mrf.Model, labels *label.Labels) *hidden {
	h := &hidden{clusters: forest.New(model.Variables), size: make(map[int32]int)}
	for _, i := range labels.Variables {
		h.clusters[i] = forest.None
	}
	for _, block := range model.Blocks {
		for j := range block.Len {
			first := int32(forest.None)
			for _, i := range block.Variables(j) {
				switch {
				case h.clusters[i] == forest.None:
				case first == forest.None:
					first = i
				default:
					first = h.clusters.Join(first, i)
				}
			}
		}
	}
	for i, parent := range h.clusters {
		if parent != forest.None {
			h.size[h.clusters.Root(int32(i))]++
		}
	}
	if len(h.size) == 0 {
		return nil
	}
	return h
}

// cluster returns that of a hidden target.
func (h *hidden) cluster(i int32) int32 {
	if h == nil {
		return tooLarge
	}
	if root := h.clusters.Root(i); h.size[root] <= mostHidden {
		return root
	}
	return tooLarge
}

// asSeen returns a ground rule with the inputs of hidden targets that are not summed out in their place, if each of
// them has one.
func (b *builder) asSeen(p mrf.Potential) mrf.Potential {
	if len(b.sight.Twins) == 0 {
		return p
	}
	seen := p
	seen.Vars, seen.Coef, seen.Inputs, seen.InputCoef = nil, nil, slices.Clone(p.Inputs), slices.Clone(p.InputCoef)
	for k, i := range p.Vars {
		if b.groupOf[i] != nil || b.hidden.cluster(i) != tooLarge {
			seen.Vars, seen.Coef = append(seen.Vars, i), append(seen.Coef, p.Coef[k])
			continue
		}
		input, twin := b.sight.Twins[i]
		if !twin {
			return p
		}
		seen.Inputs, seen.InputCoef = append(seen.Inputs, input), append(seen.InputCoef, p.Coef[k])
	}
	return seen
}

// findReached finds the groups of labels that ground rules tie to each cluster.
func (b *builder) findReached() {
	if b.hidden == nil {
		return
	}
	b.reached = make(map[int32][]*labelGroup)
	for _, block := range b.field.Model.Blocks {
		for j := range block.Len {
			cluster := noCluster
			for _, i := range block.Variables(j) {
				if b.groupOf[i] == nil {
					cluster = b.hidden.cluster(i)
				}
			}
			if cluster < 0 {
				continue
			}
			for _, i := range block.Variables(j) {
				if g := b.groupOf[i]; g != nil && !slices.Contains(b.reached[cluster], g) {
					b.reached[cluster] = append(b.reached[cluster], g)
				}
			}
		}
	}
}

// hiddenNumber is the number of a hidden target among things: below those of all inputs.
func (b *builder) hiddenNumber(variable int32) int {
	return -1 - b.field.Model.Inputs - int(variable)
}

// isHidden tells whether a number is a hidden target's.
func (b *builder) isHidden(number int) bool { return number < -b.field.Model.Inputs }

// hides tells whether a part has a hidden target.
func (b *builder) hides(a *part) bool { return len(a.numbers) > 0 && b.isHidden(a.numbers[0]) }

// sumOut sums hidden targets out of a group's parts, those first whose neighbours are fewest (variable elimination:
// Zhang and Poole 1996), and tells whether that is not too much. They are 0 or 1 here, as labels are.
func (b *builder) sumOut(g *labelGroup) bool {
	parts := slices.Clone(g.parts)
	for {
		number, found := b.cheapest(parts)
		if !found {
			break
		}
		var with, without []*part
		for _, a := range parts {
			if _, has := slices.BinarySearch(a.numbers, number); has {
				with = append(with, a)
			} else {
				without = append(without, a)
			}
		}
		all := b.together(with, len(g.values), mostSummed)
		if all == nil {
			return false
		}
		parts = append(without, all.sumOut(number))
	}
	g.parts = parts[:0]
	for _, a := range parts {
		if len(a.numbers) > 0 {
			g.parts = append(g.parts, a)
			continue
		}
		for v, costs := range a.costs {
			g.free[v] += costs[0]
		}
	}
	return true
}

// cheapest returns the hidden target that is in parts with the fewest choices together.
func (b *builder) cheapest(parts []*part) (number int, found bool) {
	choices := make(map[int]float64)
	var hidden []int
	for _, a := range parts {
		for _, n := range a.numbers {
			if b.isHidden(n) {
				if choices[n] == 0 {
					hidden = append(hidden, n)
				}
				choices[n] += math.Log(float64(len(a.costs[0])))
			}
		}
	}
	for _, n := range hidden {
		if !found || choices[n] < choices[number] {
			number, found = n, true
		}
	}
	return number, found
}

// sumOut returns the part without a thing of two classes: what it costs is the negative logarithm of the sum over both,
// by the base wrongLabels.
func (a *part) sumOut(number int) *part {
	at, _ := slices.BinarySearch(a.numbers, number)
	s := &scope{Choices: Choices{slices.Delete(slices.Clone(a.scope.Things), at, at+1),
		slices.Delete(slices.Clone(a.scope.Alone), at, at+1)}}
	left := &part{numbers: slices.Delete(slices.Clone(a.numbers), at, at+1), scope: s,
		costs: make([][]float64, len(a.costs))}
	stride := 1 // between choices that differ in the thing alone
	for t := at; t < len(s.Things); t++ {
		stride *= s.Classes(t)
	}
	join := func(costs []float64, both func(a, b float64) float64) []float64 {
		joined := make([]float64, len(costs)/2)
		for z := range joined {
			first := z/stride*2*stride + z%stride
			joined[z] = both(costs[first], costs[first+stride])
		}
		return joined
	}
	for v, costs := range a.costs {
		left.costs[v] = join(costs, softLeast)
	}
	left.least = join(a.leastCosts(), math.Min)
	return left
}

// softLeast is what two values cost that may both be.
func softLeast(a, b float64) float64 {
	return math.Min(a, b) - math.Log1p(math.Pow(WrongLabels, math.Abs(a-b)))/-math.Log(WrongLabels)
}

// leastCosts are those with the true labels and the best values of what was summed out.
func (a *part) leastCosts() []float64 {
	if a.least == nil {
		return a.costs[0]
	}
	return a.least
}
