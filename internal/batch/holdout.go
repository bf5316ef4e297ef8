package batch

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural/features"
)

// fewestThings is how many things are held out if that leaves half of the examples, and leastThings in any case: fewer
// tell too little of others, in however many examples they are.
const fewestThings, leastThings = 10, 5

// Held is some examples that are held out, and those to learn from.
type Held struct {
	Members, Others []int32
	// Known is the share of the former's things that the latter have, too, where inference is about other ones.
	Known float64
}

// HoldOut draws about so many of the examples to hold out, the same ones each time. Where examples share things, it is
// these that are held out, with all examples that have one: networks that know a thing by heart are right about it in
// other examples, too, and wrong about other things. Where these are too few, or inference is about those learned
// from, examples are held out one by one.
func (e *Examples) HoldOut(g *session.Grounding, size int) Held {
	slots := perceive.Slots(g.Project, g.Networks)
	things := e.things(slots)
	if owners, shared := ownersOf(things); shared && !isKnown(g, slots, things) {
		if chosen := drawOwned(owners, size, e.Count); chosen != nil {
			h := Held{Members: slices.Sorted(maps.Keys(chosen))}
			h.Others = slices.DeleteFunc(e.All(), func(k int32) bool { return chosen[k] })
			h.Known = common(pick(things, h.Members), pick(things, h.Others))
			return h
		}
	}
	members, others := Draw(e.All(), size)
	return Held{Members: members, Others: others}
}

// thing is what a slot can stand for.
type thing struct {
	features *features.Table
	row      int32
}

// things are those of each example.
func (e *Examples) things(slots []perceive.Slot) [][]thing {
	all := make([][]thing, e.Count)
	for place, row := range e.rows {
		if row != Blank {
			k := place / e.slots
			all[k] = append(all[k], thing{slots[place%e.slots].Features, row})
		}
	}
	return all
}

// Enough tells whether the labels say so much, in nats, and so does which class each thing has: where inference is
// about other things, more examples of the same ones say nothing else.
func (e *Examples) Enough(g *session.Grounding, nats float64) bool {
	if e.Information() < nats {
		return false
	}
	slots, seen, classes := perceive.Slots(g.Project, g.Networks), make(map[thing]bool), 0.0
	for place, row := range e.rows {
		slot := &slots[place%e.slots]
		if one := (thing{slot.Features, row}); row != Blank && !seen[one] {
			seen[one] = true
			classes += math.Log(float64(slot.Classes))
		}
	}
	return classes >= nats || isKnown(g, slots, e.things(slots))
}

// ownersOf are the examples that have a thing, for each in the order in which they first appear.
func ownersOf(things [][]thing) (owners [][]int32, shared bool) {
	number := make(map[thing]int)
	for k, list := range things {
		for _, one := range list {
			at, seen := number[one]
			if !seen {
				at = len(owners)
				number[one], owners = at, append(owners, nil)
			}
			if of := owners[at]; len(of) == 0 || of[len(of)-1] != int32(k) {
				owners[at] = append(of, int32(k))
				shared = shared || seen
			}
		}
	}
	return owners, shared
}

// drawOwned draws things until so many examples have one, and returns these: at least fewestThings things, and of those
// that very many examples have none, or else so many as half of the examples allow; nil if there are too few.
func drawOwned(owners [][]int32, size, count int) map[int32]bool {
	for _, most := range [...]int{size / fewestThings, count / 2} {
		random := rand.New(rand.NewPCG(uint64(count), uint64(size)))
		chosen, things := make(map[int32]bool), 0
		for _, k := range random.Perm(len(owners)) {
			if len(chosen) >= size && things >= fewestThings {
				break
			}
			if len(owners[k]) > most || len(chosen)+len(owners[k]) > count/2 {
				continue
			}
			things++
			for _, example := range owners[k] {
				chosen[example] = true
			}
		}
		if len(chosen) >= size && things >= leastThings {
			return chosen
		}
	}
	return nil
}

// isKnown tells whether most of the things that inference is about are these.
func isKnown(g *session.Grounding, slots []perceive.Slot, things [][]thing) bool {
	if g.Project.Config.Examples[load.Infer] == nil {
		return false
	}
	asked := Check(g, load.Infer, new(source.Diagnostics))
	return asked != nil && common(asked.things(slots), things) > 0.5
}

// common is the share of some examples' things that others have, too.
func common(some, others [][]thing) float64 {
	has, all, both := make(map[thing]bool), 0, 0
	for _, list := range others {
		for _, one := range list {
			has[one] = true
		}
	}
	for _, list := range some {
		for _, one := range list {
			if all++; has[one] {
				both++
			}
		}
	}
	return float64(both) / float64(max(all, 1))
}

// pick picks some of a list.
func pick[T any](list []T, which []int32) (some []T) {
	for _, k := range which {
		some = append(some, list[k])
	}
	return some
}
