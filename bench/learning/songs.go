package main

// songs is who likes which songs: those of the user's taste. Nobody has labelled the kinds of songs, and tastes of some
// users at most.
func songs(rules string, tastes int) func(seed uint64) (*problem, error) {
	return func(seed uint64) (*problem, error) {
		const (
			users, titles = 60, 60
			kinds         = 3
			known, asked  = 400, 600
			wrong         = 0.05
		)
		random := newRandom("songs", seed)
		p := newProject(rules)
		x, taste := blobs(random, users, kinds, 6, 0.6)
		z, kind := blobs(random, titles, kinds, 6, 0.6)
		writeRows(p, "users.tsv", "u", x)
		writeRows(p, "songs.tsv", "s", z)
		p.config.Networks["ear"] = &network{Features: "songs.tsv"}
		p.config.Networks["heart"] = &network{Features: "users.tsv"}
		kind2 := predicate{Neural: &neural{Network: "ear", Entity: new(int), Class: one(), Classes: names("k", kinds)}}
		taste2 := predicate{Neural: &neural{Network: "heart", Entity: new(int), Class: one(), Classes: names("k", kinds)}}
		for user, name := range names("u", users)[:tastes] {
			taste2.Truth = map[string]string{"learn": "tastes.tsv"}
			p.row("tastes.tsv", name, names("k", kinds)[taste[user]])
		}
		p.declare("Kind/2", kind2)
		p.declare("Taste/2", taste2)
		p.declare("Likes/2", predicate{Targets: []string{"pairs.tsv"}, Evaluations: []any{"DiscreteEvaluator"},
			Truth: map[string]string{"learn": trainTable, "infer": testTable}})
		for _, user := range names("u", users) {
			for _, song := range names("s", titles) {
				p.row("pairs.tsv", user, song)
			}
		}
		s := new(samples)
		for k, pair := range random.Perm(users * titles)[:known+asked] {
			user, song := pair/titles, pair%titles
			likes := truth((taste[user] == kind[song]) != (random.Float64() < wrong))
			both := append(append([]float64(nil), x[user]...), z[song]...)
			if k < known {
				p.row(trainTable, names("u", users)[user], names("s", titles)[song], likes)
				s.Train, s.Known = append(s.Train, both), append(s.Known, likes)
			} else {
				p.row(testTable, names("u", users)[user], names("s", titles)[song], likes)
				s.Test, s.Wanted = append(s.Test, both), append(s.Wanted, likes)
			}
		}
		s.Hidden = []int{pairHidden}
		return &problem{project: p, score: score{"Likes", "discrete", "Accuracy"}, plain: s.network(2),
			plainScore: accuracy("Neural"), samples: s, reference: 100 * (1 - wrong)}, nil
	}
}

const (
	songRules = `
1: Taste(U, K) & Kind(S, K) -> Likes(U, S) ^2
0.2: !Likes(U, S) ^2
`
	otherSongRules = `
1: Taste(U, K) & Kind(S, K) -> Likes(U, S) ^2
1: Taste(U, K) & Kind(S, L) & (K != L) -> !Likes(U, S) ^2
`
)

// writeRows writes a table of features, whose rows have names with a prefix.
func writeRows(p *setting, table, prefix string, x [][]float64) {
	for k, name := range names(prefix, len(x)) {
		cells := []any{name}
		for _, value := range x[k] {
			cells = append(cells, value)
		}
		p.row(table, cells...)
	}
}
