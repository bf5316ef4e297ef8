package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// same is the matching of records: a siamese network compares two, and sameness is mutual and transitive. Labels are of
// pairs of some groups of records; others are judged.
func same(seed uint64) (*problem, error) {
	const (
		things  = 120
		copies  = 3
		columns = 8
		known   = 60 // things whose pairs are labelled
	)
	random := newRandom("same", seed)
	p := newProject(`
1: Alike(A, B) -> Same(A, B) ^2
1: !Alike(A, B) -> !Same(A, B) ^2
1: Same(A, B) & Same(B, C) & Pair(A, C) & (A != B) & (B != C) -> Same(A, C) ^2
Same(A, B) = Same(B, A) .
`)
	x, thing := copiesOf(random, things, copies, columns, 0.35)
	for k := range x {
		cells := []any{entity(k)}
		for _, value := range x[k] {
			cells = append(cells, value)
		}
		p.row("features.tsv", cells...)
	}
	p.config.Networks["twins"] = &network{Kind: "siamese", Features: "features.tsv", Hidden: []int{16}}
	truths := map[string]string{"learn": trainTable, "infer": testTable}
	p.declare("Alike/2", predicate{Truth: truths,
		Neural: &neural{Network: "twins", Atoms: "Alike(A, B) <- Pair(A, B)"}})
	p.declare("Pair/2", predicate{Observations: []string{"pairs.tsv"}})
	p.declare("Same/2", predicate{Targets: []string{"pairs.tsv"}, Truth: truths, Evaluations: []any{"DiscreteEvaluator"}})
	s := &samples{Hidden: []int{16}}
	for a := range x {
		for _, b := range candidates(x, thing, a, known) {
			is := truth(thing[a] == thing[b])
			both := slices.Concat(x[a], x[b])
			p.row("pairs.tsv", entity(a), entity(b))
			if thing[a] < known {
				p.row(trainTable, entity(a), entity(b), is)
				s.Train, s.Known = append(s.Train, both), append(s.Known, is)
			} else {
				p.row(testTable, entity(a), entity(b), is)
				s.Test, s.Wanted = append(s.Test, both), append(s.Wanted, is)
			}
		}
	}
	plain := p.fork()
	plain.rules = ""
	plain.config.Predicates["Alike/2"].Evaluations = []any{"DiscreteEvaluator"}
	delete(plain.config.Predicates, "Same/2")
	return &problem{project: p, score: score{"Same", "discrete", "F1"}, plain: plain,
		plainScore: score{"Alike", "discrete", "F1"}, fixed: p, samples: s, reference: s.threshold()}, nil
}

// threshold is the reference of same: pairs are the same below the distance that is best for the known ones.
func (s *samples) threshold() float64 {
	squares := func(rows [][]float64) []float64 {
		list := make([]float64, len(rows))
		for k, row := range rows {
			list[k] = distance(row[:len(row)/2], row[len(row)/2:])
		}
		return list
	}
	known := squares(s.Train)
	limit, highest := 0.0, -1.0
	for _, candidate := range known {
		if f := f1(known, s.Known, candidate); f > highest {
			limit, highest = candidate, f
		}
	}
	return 100 * f1(squares(s.Test), s.Wanted, limit)
}

// f1 is that of pairs that are the same up to a distance.
func f1(distances []float64, same []int, limit float64) float64 {
	hits, found, all := 0.0, 0.0, 0.0
	for k, d := range distances {
		all += float64(same[k])
		if d <= limit {
			found++
			hits += float64(same[k])
		}
	}
	return 2 * hits / max(1, found+all)
}

// copiesOf draws things, and records of each that differ by noise.
func copiesOf(random *rand.Rand, things, copies, columns int, noise float64) (x [][]float64, thing []int) {
	for t := range things {
		centre := normals(random, columns, 1)
		for range copies {
			row := normals(random, columns, noise)
			for column := range row {
				row[column] += centre[column]
			}
			x, thing = append(x, row), append(thing, t)
		}
	}
	return x, thing
}

// candidates are the records that a may be the same as: those near it, in both directions, of the same part of the
// things.
func candidates(x [][]float64, thing []int, a, known int) []int {
	const near = 7.0 // square of the distance
	var list []int
	for b := range x {
		if a != b && (thing[a] < known) == (thing[b] < known) && distance(x[a], x[b]) < near {
			list = append(list, b)
		}
	}
	return list
}

// ranking learns how good things are from comparisons of pairs; which of two others is better is to be found.
func ranking(seed uint64) (*problem, error) {
	const (
		things  = 150
		columns = 6
		known   = 300
		judged  = 600
	)
	random := newRandom("ranking", seed)
	p := newProject(`
# The better of two is the one that the network likes more.
1: 2 * Better(A, B) = 1 + Good(A, 'yes') - Good(B, 'yes') ^2
`)
	weights := normals(random, columns, 1)
	x, good := make([][]float64, things), make([]float64, things)
	for k := range x {
		x[k] = normals(random, columns, 1)
		cells := []any{entity(k)}
		for column, value := range x[k] {
			cells = append(cells, value)
			good[k] += weights[column]*value + 0.3*weights[(column+1)%columns]*value*value
		}
		p.row("features.tsv", cells...)
	}
	p.config.Networks["judge"] = &network{Features: "features.tsv", Hidden: []int{16}}
	p.declare("Good/2", predicate{Neural: &neural{Network: "judge", Entity: new(int), Class: one(),
		Classes: []string{"yes", "no"}}})
	p.declare("Better/2", predicate{Targets: []string{"pairs.tsv"}, Evaluations: []any{"DiscreteEvaluator"},
		Truth: map[string]string{"learn": trainTable, "infer": testTable}})
	s := &samples{Hidden: []int{16}}
	seen := make(map[[2]int]bool)
	for len(seen) < known+judged {
		a, b := random.IntN(things), random.IntN(things)
		if a == b || seen[[2]int{a, b}] {
			continue
		}
		seen[[2]int{a, b}] = true
		is, both := truth(good[a] > good[b]), slices.Concat(x[a], x[b])
		p.row("pairs.tsv", entity(a), entity(b))
		if len(seen) <= known {
			p.row(trainTable, entity(a), entity(b), is)
			s.Train, s.Known = append(s.Train, both), append(s.Known, is)
		} else {
			p.row(testTable, entity(a), entity(b), is)
			s.Test, s.Wanted = append(s.Test, both), append(s.Wanted, is)
		}
	}
	return &problem{project: p, score: score{"Better", "discrete", "Accuracy"}, plain: s.network(2),
		plainScore: accuracy("Neural"), samples: s, reference: 100}, nil
}

// levels is the learning of degrees of truth between 0 and 1, of places that are like their neighbours.
func levels(seed uint64) (*problem, error) {
	const (
		rows    = 30 // and columns, of a map
		columns = 5
		known   = 90
		noise   = 0.8
	)
	random := newRandom("levels", seed)
	p := newProject(`
# What the network sees, and that neighbours are alike.
1: Level(P) = Seen(P, 'high') ^2
1: Level(P) & Near(P, Q) -> Level(Q) ^2
`)
	wave, weights := normals(random, 4, 0.25), normals(random, columns, 1)
	level := make([]float64, rows*rows)
	order := random.Perm(len(level))
	for k := range level {
		row, column := float64(k/rows), float64(k%rows)
		level[k] = 0.5 + 0.25*math.Sin(wave[0]*row+wave[1]*column) + 0.25*math.Cos(wave[2]*row-wave[3]*column)
		cells := []any{entity(k)}
		for _, weight := range weights {
			cells = append(cells, weight*level[k]+noise*random.NormFloat64())
		}
		p.row("features.tsv", cells...)
		p.row("places.tsv", entity(k))
		for _, next := range []int{k + 1, k + rows} {
			if next < len(level) && (next == k+rows || next%rows > 0) {
				p.row("near.tsv", entity(k), entity(next))
				p.row("near.tsv", entity(next), entity(k))
			}
		}
	}
	for i, k := range order {
		table := testTable
		if i < known {
			table = trainTable
		}
		p.row(table, entity(k), fmt.Sprintf("%.3f", level[k]))
		p.row("seen-"+table, entity(k), "high", fmt.Sprintf("%.3f", level[k]))
		p.row("seen-"+table, entity(k), "low", fmt.Sprintf("%.3f", 1-level[k]))
	}
	truths := map[string]string{"learn": trainTable, "infer": testTable}
	p.config.Networks["eye"] = &network{Features: "features.tsv", Hidden: []int{16}}
	p.declare("Seen/2", predicate{Truth: map[string]string{"learn": "seen-" + trainTable, "infer": "seen-" + testTable},
		Neural: &neural{Network: "eye", Entity: new(int), Class: one(), Classes: []string{"high", "low"}}})
	p.declare("Near/2", predicate{Observations: []string{"near.tsv"}})
	p.declare("Level/1", predicate{Targets: []string{"places.tsv"}, Truth: truths,
		Evaluations: []any{"ContinuousEvaluator"}})
	plain := p.fork()
	plain.rules = ""
	plain.config.Predicates["Seen/2"].Evaluations = []any{"ContinuousEvaluator"}
	delete(plain.config.Predicates, "Level/1")
	delete(plain.config.Predicates, "Near/2")
	return &problem{project: p, score: score{"Level", "continuous", "MAE"}, plain: plain,
		plainScore: score{"Seen", "continuous", "MAE"}, fixed: p, reference: 100}, nil
}
