package main

import (
	"hash/fnv"
	"math/rand/v2"
)

// A task is something to learn, of which every seed makes another problem: other data, or other labels of the same.
type task struct {
	name, about string
	// metric names what is measured, in points of a hundred.
	metric string
	// data names the published data set that it needs; "" if it is generated.
	data string
	make func(seed uint64) (*problem, error)
}

// A problem is a task with a seed.
type problem struct {
	// project is what a stranger writes. It is learned, inferred and scored with the defaults.
	project *setting
	score   score
	// plain is a network alone that learns from the same labels; nil if there is none to compare with.
	plain      *setting
	plainScore score
	// fixed has rules that are not learned. Networks that its labels reach are fitted alone first; nil if there is none.
	fixed *setting
	// samples is what other programs learn from in the place of plain.
	samples *samples
	// reference is what can be reached, in points: the share of the best possible answer, or of an independent method's.
	reference float64
}

// A score says where a report has the result.
type score struct{ predicate, evaluator, value string }

// accuracy is the share of things that were given their class.
func accuracy(predicate string) score { return score{predicate, "categorical", "Accuracy"} }

// samples are a classification as tables of numbers: rows to learn from, and rows to be judged by.
type samples struct {
	Train, Test   [][]float64
	Known, Wanted []int
	Hidden        []int // the widths of the project's own hidden layers
}

// newRandom returns the source of a task's problem. Tasks of different names have different ones.
func newRandom(name string, seed uint64) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
