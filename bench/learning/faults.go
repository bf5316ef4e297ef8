package main

import (
	"math"
	"strings"
)

// faults are rules of physics alone, whose weights are learned: a pipe that leaks is hot, and the next one's pressure
// comes late. One instrument says nothing. 90 of 240 pipes are known.
func faults(seed uint64) (*problem, error) {
	const (
		pipes = 240
		line  = 12 // pipes in a row
		known = 90
	)
	random := newRandom("faults", seed)
	p := newProject(`
1: Hot(S) -> Fault(S) ^2
1: !Hot(S) -> !Fault(S) ^2
1: Next(S, R) & Late(R) -> Fault(S) ^2
1: Next(S, R) & !Late(R) -> !Fault(S) ^2
1: Noise(S) -> Fault(S) ^2
1: !Noise(S) -> !Fault(S) ^2
1: Next(S, R) & Fault(S) -> !Fault(R) ^2
1: !Fault(S) ^2
`)
	const share, heat, cold, delay, usual, wide = 0.15, 0.75, 0.25, 0.65, 0.2, 0.18
	is := make([]bool, pipes)
	odds := make([]float64, pipes)
	measure := func(table string, k, of int, high, low float64) {
		mean := low
		if of >= 0 && is[of] {
			mean = high
		}
		raw := mean + wide*random.NormFloat64()
		if of >= 0 {
			odds[of] += ((raw-low)*(raw-low) - (raw-high)*(raw-high)) / (2 * wide * wide)
		}
		p.row(table, entity(k), min(max(raw, 0), 1))
	}
	for k := range pipes {
		is[k], odds[k] = random.Float64() < share, math.Log(share/(1-share))
	}
	var best counts
	learned := make(map[int]bool, known)
	for _, k := range random.Perm(pipes)[:known] {
		learned[k] = true
	}
	for k := range pipes {
		before := k - 1
		if k%line == 0 {
			before = -1
		} else {
			p.row("next.tsv", entity(before), entity(k))
		}
		measure("hot.tsv", k, k, heat, cold)
		measure("late.tsv", k, before, delay, usual)
		p.row("noise.tsv", entity(k), random.Float64())
	}
	for k := range pipes {
		p.row("targets.tsv", entity(k))
		table := testTable
		if learned[k] {
			table = trainTable
		} else {
			best.add(odds[k] > 0, is[k])
		}
		p.row(table, entity(k), truth(is[k]))
	}
	for _, name := range []string{"Hot", "Late", "Noise"} {
		p.declare(name+"/1", predicate{Observations: []string{strings.ToLower(name) + ".tsv"}})
	}
	p.declare("Next/2", predicate{Observations: []string{"next.tsv"}})
	p.declare("Fault/1", predicate{Targets: []string{"targets.tsv"},
		Truth:       map[string]string{"learn": trainTable, "infer": testTable},
		Evaluations: []any{"DiscreteEvaluator"}})
	return &problem{project: p, score: score{"Fault", "discrete", "F1"}, fixed: p, reference: 100 * best.f1()}, nil
}
