package main

import (
	"math"
	"math/rand/v2"
)

// league is the learning of how strong teams are from the games of half a season, which nobody has labelled: between
// what a network sees of teams and the games that are known stands a target that is not.
func league(seed uint64) (*problem, error) {
	const (
		teams = 24
		known = 80
	)
	random := newRandom("league", seed)
	p := newProject(`
1: Looks(A) = Strong(A) ^2
1: Wins(A, B) - 0.5 = Strong(A) - Strong(B) ^2
0.2: Wins(A, B) = 0.5 ^2
`)
	var strength [teams]float64
	var measured [teams][]float64
	for k := range teams {
		budget, form, age := random.NormFloat64(), random.NormFloat64(), random.NormFloat64()
		strength[k] = 0.6*budget + 0.5*form + 0.5*random.NormFloat64()
		measured[k] = []float64{55 + 9*budget, form / 100, 26 + 1.5*age}
		p.row("teams.tsv", entity(k))
		p.row("features.tsv", entity(k), measured[k][0], measured[k][1], measured[k][2])
	}
	p.config.Networks["eye"] = &network{Features: "features.tsv", Hidden: []int{8}}
	p.declare("Team/1", predicate{Observations: []string{"teams.tsv"}})
	p.declare("Looks/1", predicate{Neural: &neural{Network: "eye", Atoms: "Looks(A) <- Team(A)"}})
	p.declare("Strong/1", predicate{Targets: []string{"teams.tsv"}})
	p.declare("Wins/2", predicate{Targets: []string{"games.tsv"}, Evaluations: []any{"DiscreteEvaluator"},
		Truth: map[string]string{"learn": trainTable, "infer": testTable}})
	s, right := new(samples), 0
	games := pairsOf(random, teams)
	for k, game := range games {
		home, guest := game[0], game[1]
		better := strength[home] - strength[guest] + 0.25
		won := truth(better+0.35*logistic(random) > 0)
		difference := make([]float64, len(measured[home]))
		for column := range difference {
			difference[column] = measured[home][column] - measured[guest][column]
		}
		p.row("games.tsv", entity(home), entity(guest))
		if k < known {
			p.row(trainTable, entity(home), entity(guest), won)
			s.Train, s.Known = append(s.Train, difference), append(s.Known, won)
			continue
		}
		p.row(testTable, entity(home), entity(guest), won)
		s.Test, s.Wanted = append(s.Test, difference), append(s.Wanted, won)
		if won == truth(better > 0) {
			right++
		}
	}
	return &problem{project: p, score: score{"Wins", "discrete", "Accuracy"}, plain: s.network(2),
		plainScore: accuracy("Neural"), samples: s, reference: 100 * float64(right) / float64(len(games)-known)}, nil
}

// pairsOf are all pairs of so many things, each once and either way round, in a random order.
func pairsOf(random *rand.Rand, things int) (pairs [][2]int) {
	for a := range things {
		for b := range a {
			if random.IntN(2) == 0 {
				pairs = append(pairs, [2]int{a, b})
			} else {
				pairs = append(pairs, [2]int{b, a})
			}
		}
	}
	random.Shuffle(len(pairs), func(a, b int) { pairs[a], pairs[b] = pairs[b], pairs[a] })
	return pairs
}

// logistic draws from the standard logistic distribution.
func logistic(random *rand.Rand) float64 {
	u := random.Float64()
	return math.Log(u / (1 - u))
}
