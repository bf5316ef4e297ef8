package training

import (
	"maps"
	"math"

	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
)

// copies groups targets about different things of which all ground rules say the very same, from the very same inputs:
// things that are in the tables several times, by other names. A network that has learned from one knows the others by
// heart. Where inference is about other things than learning, it is not known whether these are copies, too: nil, as
// where there are none.
func (g *learner) copies() forest.Forest {
	if !g.compared {
		g.equal, g.compared = g.findCopies(), true
	}
	return g.equal
}

func (g *learner) findCopies() (equal forest.Forest) {
	if !g.Project.SharesAtoms(g.Phase, load.Infer) {
		return nil
	}
	about := g.entities()
	first := make(map[uint64]int32)
	for i, print := range g.fingerprints(about) {
		other, known := first[print.sum]
		switch {
		case !print.inputs:
		case !known:
			first[print.sum] = int32(i)
		case about[i] != about[other]:
			if equal == nil {
				equal = forest.New(g.Model.Variables)
			}
			equal.Join(other, int32(i))
		}
	}
	return equal
}

// fingerprint is of what ground rules say, in whatever order, and tells whether networks have a part in that.
type fingerprint struct {
	sum    uint64
	inputs bool
}

// fingerprints are those of each variable, by what each is about. What ties the classes of a thing to each other is the
// same for all.
func (g *learner) fingerprints(about []int32) []fingerprint {
	prints := make([]fingerprint, g.Model.Variables)
	var buffer mrf.RowBuffer
	for k, b := range g.Model.Blocks {
		for j := range b.Len {
			variables, coefficients := b.Row(j, &buffer)
			inputs := b.InputRow(j)
			all := mixed(uint64(k), b.Own(j))
			for at, input := range inputs {
				all += mixed(uint64(input), b.InputCoefficient(j, at))
			}
			for at, i := range variables {
				print, siblings := all, false
				for other, v := range variables {
					if other != at {
						print += mixed(uint64(v)<<32, coefficients[other])
						siblings = siblings || about[v] == about[i]
					}
				}
				if !siblings {
					prints[i].sum += mixed(print, coefficients[at])
					prints[i].inputs = prints[i].inputs || len(inputs) > 0
				}
			}
		}
	}
	return prints
}

// mixed is a hash of two numbers, SplitMix64's.
func mixed(a uint64, b float64) uint64 {
	z := a*0x9e3779b97f4a7c15 + math.Float64bits(b) + 0x632be59bd9b4e019
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Copies that all agree are things that were written down several times: only distinct ones tell how much weight decay
// suits what is known, and how far what held-out labels say is chance. So each is learned from once. Where some differ,
// each label is one of its own, as of a match that was played again.

// repeated returns the things all labels of which another one before has, with the first such; none where some copies
// differ, or where some have no label.
func (g *learner) repeated() (map[int32]int32, error) {
	labels, err := g.labels(load.Learn, relation.Target)
	if err != nil || g.Perception == nil {
		return nil, err
	}
	equal := g.copies()
	if g.alike(labels, equal) == nil {
		return nil, nil
	}
	repeats := make(map[int32]int32)
	first, own := make(map[int32]int), make(map[int32]bool)
	for k, i := range labels.Variables {
		other, seen := first[equal.Root(i)]
		switch entity := labels.Entities[k]; {
		case !seen:
			first[equal.Root(i)], own[entity] = k, true
		case labels.Truth[k] != labels.Truth[other]:
			return nil, nil
		case entity != labels.Entities[other]:
			repeats[entity] = labels.Entities[other]
		}
	}
	maps.DeleteFunc(repeats, func(entity, _ int32) bool { return own[entity] })
	return repeats, nil
}

// dealCopies has what repeats a thing be held out where that is, so that nothing known tells of it.
func (g *learner) dealCopies(folds map[int32]int) {
	for thing, first := range g.repeats {
		if fold, dealt := folds[first]; dealt {
			folds[thing] = fold
		}
	}
}

// manyCopies is the share of things with labels from which on copies among them are told of.
const manyCopies = 0.2

// copied notices things with labels that are copies of others, and says whether each is learned from once.
func (n *notices) copied() error {
	g := n.g
	if !g.Project.Learning.Auto || g.Perception == nil {
		return nil
	}
	labels, err := g.labels(load.Learn, relation.Target)
	if err != nil || len(labels.Variables) == 0 {
		return err
	}
	copies, first := 0, g.alike(labels, g.copies())
	for thing, other := range first {
		if thing != other {
			copies++
		}
	}
	if float64(copies) >= manyCopies*float64(len(first)) && copies > 0 {
		counts := "each counts as often as it is there"
		if len(g.repeats) > 0 {
			counts = "each is learned from once"
		}
		n.see("learn-copies", source.Span{}, "", "leave the copies out",
			"%d of %d things with labels are like others to all rules and networks: "+counts, copies, len(first))
	}
	return nil
}
