package main

import "github.com/deeppsl/deeppsl/internal/symbol"

// Friendship is a social network in ten towns: who is alike and lives together is a friend, friends of friends in a
// town are, and friendship is mutual. Nearly all ground rules are three-atom joins within a town, while most of the
// variables, the pairs across towns, have nothing but their prior.
const friendshipRules = `
10: Lives(A, T) & Lives(B, T) & Alike(A, B) & (A != B) -> Friends(A, B) ^2
10: Lives(A, T) & Lives(B, T) & Lives(C, T) & Friends(A, B) & Friends(B, C) & (A != B) & (B != C) & (A != C)
	-> Friends(A, C) ^2
10: Lives(A, T) & Lives(B, T) & Friends(A, B) & (A != B) -> Friends(B, A) ^2
1: !Friends(A, B) ^2
`

const towns = 10

func friendship(size int, seed uint64) *data {
	d := newData(seed)
	people := atLeast(float64(size), func(n float64) float64 {
		k := n / towns
		return n*max(0, k-1)*(2+max(0, k-2)) + n*(n-1)
	})
	person, town := d.constants("person", people), d.constants("town", towns)
	home := make([]int, people)
	lives := newTable(2)
	for k, place := range d.rng.Perm(people) {
		home[k] = place % towns
		lives.observe(1, person+symbol.ID(k), town+symbol.ID(home[k]))
	}
	d.add("Lives", false, lives)
	d.addPairs(person, people, func(a, b int) bool { return home[a] == home[b] })
	return d
}

// Transitivity is one group of people, all of them possible friends. Nearly all ground rules are three-atom joins over
// few variables, so that each variable is in many, and hard rules tie the variables in pairs.
const transitivityRules = `
10: Alike(A, B) -> Friends(A, B) ^2
1: Friends(A, B) & Friends(B, C) & (A != B) & (B != C) & (A != C) -> Friends(A, C) ^2
Friends(A, B) = Friends(B, A) .
1: !Friends(A, B) ^2
`

func transitivity(size int, seed uint64) *data {
	d := newData(seed)
	people := atLeast(float64(size), func(n float64) float64 { return n * max(0, n-1) * (max(0, n-2) + 2.5) })
	person := d.constants("person", people)
	circle := make([]int, people)
	for k := range circle {
		circle[k] = d.rng.IntN(4)
	}
	d.addPairs(person, people, func(a, b int) bool { return circle[a] == circle[b] })
	return d
}

// addPairs adds how alike all pairs of people are, more so if they are close, and whether they are friends, which is
// to be found.
func (d *data) addPairs(person symbol.ID, people int, isClose func(a, b int) bool) {
	alike, friends := newTable(2), newTable(2)
	for a := range people {
		for b := range people {
			if a == b {
				continue
			}
			mean := 0.2
			if isClose(a, b) {
				mean = 0.8
			}
			alike.observe(d.value(mean, 0.3), person+symbol.ID(a), person+symbol.ID(b))
			friends.target(person+symbol.ID(a), person+symbol.ID(b))
		}
	}
	d.add("Alike", false, alike)
	d.add("Friends", true, friends)
}
