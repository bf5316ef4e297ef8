package main

import (
	"fmt"
	"math"
	"strings"
)

// A panel is the learning of weights alone: each rule believes one expert, and some experts are better than others.
type panel struct {
	name, about string
	experts     int
	classes     int
	things      int // half of them are known
	// missing is the share of things of which an expert says nothing.
	missing float64
	method  string // "" is the default
}

func (z panel) task() task {
	return task{name: z.name, metric: "accuracy", about: z.about, make: z.problem}
}

func (z *panel) problem(seed uint64) (*problem, error) {
	random := newRandom("panel "+z.name, seed)
	var rules strings.Builder
	right := make([]float64, z.experts) // how often an expert is
	for k := range right {
		fmt.Fprintf(&rules, "1: Says('e%d', T, C) -> Label(T, C) ^2\n", k)
		// One expert in four knows most things, the others little more than chance.
		right[k] = 1/float64(z.classes) + 0.1*random.Float64()
		if k%4 == 0 {
			right[k] = 0.7 + 0.25*random.Float64()
		}
	}
	rules.WriteString("Label(T, +C) = 1 .\n")
	p := newProject(rules.String())
	p.declare("Says/3", predicate{Observations: []string{"says.tsv"}})
	p.declare("Label/2", predicate{Targets: []string{"targets.tsv"}, Evaluations: []any{"CategoricalEvaluator"},
		Truth: map[string]string{"learn": trainTable, "infer": testTable}})
	if z.method != "" {
		p.set("learn.method", z.method)
	}
	s := new(samples)
	hits := 0
	for k := range z.things {
		class := random.IntN(z.classes)
		said, odds := make([]float64, z.experts*z.classes), make([]float64, z.classes)
		for e := range z.experts {
			says := class
			if random.Float64() >= right[e] {
				says = (class + 1 + random.IntN(z.classes-1)) % z.classes
			}
			if random.Float64() < z.missing {
				continue
			}
			p.row("says.tsv", fmt.Sprintf("e%d", e), entity(k), fmt.Sprintf("c%d", says))
			said[e*z.classes+says] = 1
			odds[says] += math.Log(right[e] / (1 - right[e]) * float64(z.classes-1))
		}
		s.add(p, k, class, z.classes, k < z.things/2, said)
		if k >= z.things/2 && best(odds) == class {
			hits++
		}
	}
	return &problem{project: p, score: accuracy("Label"), fixed: p, samples: s,
		reference: 100 * float64(hits) / float64(len(s.Wanted))}, nil
}

// add writes the targets and the truth of a thing with one class, which is known or to be found.
func (s *samples) add(p *setting, k, class, classes int, known bool, x []float64) {
	for other := range classes {
		p.row("targets.tsv", entity(k), fmt.Sprintf("c%d", other))
		if known {
			p.row(trainTable, entity(k), fmt.Sprintf("c%d", other), truth(other == class))
		}
	}
	if known {
		s.Train, s.Known = append(s.Train, x), append(s.Known, class)
		return
	}
	p.row(testTable, entity(k), fmt.Sprintf("c%d", class))
	s.Test, s.Wanted = append(s.Test, x), append(s.Wanted, class)
}

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
