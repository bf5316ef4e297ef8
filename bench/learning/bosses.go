package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

const bossRules = `
1: Mails(A, B) -> Reports(A, B) ^2
1: Mails(B, A) & Senior(B) -> Reports(A, B) ^2
1: !Mails(A, B) -> !Reports(A, B) ^2
1: Dep(A, D) & Dep(B, D) & Senior(B) & (A != B) -> Reports(A, B) ^2
1: Senior(A) & Reports(A, B) -> Senior(B) ^2
1: Floor(A, F) & Floor(B, F) & (A != B) -> Reports(A, B) ^2
1: Reports(A, B) -> !Reports(B, A) ^2
Reports(A, +B) <= 1 .
1: !Reports(A, B) ^2
`

// firm is people, and what is known of them: whose boss is who, or -1, mails, and departments, grades and floors.
type firm struct {
	boss, department, floor []int
	grade                   []float64
	mail                    [][]float64
}

// drawFirm has three levels. Mails go up and down, colleagues of one boss write to each other at times.
func drawFirm(random *rand.Rand) *firm {
	n := 12 + random.IntN(6)
	f := &firm{boss: make([]int, n), department: make([]int, n), floor: make([]int, n), grade: make([]float64, n)}
	level := make([]int, n)
	for k := range n {
		if f.boss[k] = -1; k > 0 {
			for f.boss[k] = random.IntN(k); level[f.boss[k]] > 1; {
				f.boss[k] = random.IntN(k)
			}
			level[k] = level[f.boss[k]] + 1
		}
		if f.department[k] = random.IntN(4); level[k] > 1 && random.Float64() < 0.85 {
			f.department[k] = f.department[f.boss[k]]
		}
		f.grade[k] = min(max(1-0.4*float64(level[k])+0.12*random.NormFloat64(), 0), 1)
		f.floor[k] = random.IntN(3)
	}
	for a := range n {
		row := make([]float64, n)
		for b := range n {
			mean := 0.12
			switch {
			case f.boss[a] == b || f.boss[b] == a:
				mean = 0.55
			case f.boss[a] == f.boss[b]:
				mean = 0.25
			}
			row[b] = min(max(mean+0.17*random.NormFloat64(), 0), 1)
		}
		f.mail = append(f.mail, row)
	}
	return f
}

// odds is about what is known of two says of b being the boss of a.
func (f *firm) odds(a, b int) float64 {
	mail, grade := field{same: 0.55, other: 0.15, off: 0.18}, field{same: 0.4, off: 0.25}
	sum := mail.odds(f.mail[a][b]) + mail.odds(f.mail[b][a]) + grade.odds(f.grade[b]-f.grade[a])
	if f.department[a] == f.department[b] {
		return sum + math.Log(0.85/0.3)
	}
	return sum + math.Log(0.15/0.7)
}

// bosses is who reports to whom in firms that nobody has seen, by rules alone. There the plain network is a peer, which
// sees all that is known of two, also by how much their grades differ, which no rule says.
func bosses(seed uint64) (*problem, error) {
	const known, asked = 5, 9
	random := newRandom("bosses", seed)
	p := newProject(bossRules)
	s, best := new(samples), new(counts)
	for k := range known + asked {
		f, phase := drawFirm(random), "learn"
		if k >= known {
			phase = "infer"
		}
		name := func(a int) string { return fmt.Sprintf("f%dp%d", k, a) }
		for a := range f.boss {
			p.row("dep."+phase+".tsv", name(a), fmt.Sprintf("f%dd%d", k, f.department[a]))
			p.row("floor."+phase+".tsv", name(a), fmt.Sprintf("f%dl%d", k, f.floor[a]))
			p.row("senior."+phase+".tsv", name(a), f.grade[a])
			chosen := a
			for b := range f.boss {
				if a != b && (chosen == a || f.odds(a, b) > f.odds(a, chosen)) {
					chosen = b
				}
			}
			for b := range f.boss {
				if a == b {
					continue
				}
				is := truth(f.boss[a] == b)
				p.row("mails."+phase+".tsv", name(a), name(b), f.mail[a][b])
				p.row("pairs."+phase+".tsv", name(a), name(b))
				p.row("truth."+phase+".tsv", name(a), name(b), is)
				row := []float64{f.mail[a][b], f.mail[b][a], float64(truth(f.department[a] == f.department[b])),
					f.grade[a], f.grade[b], max(0, f.grade[b]-f.grade[a]), float64(truth(f.floor[a] == f.floor[b]))}
				if k < known {
					s.Train, s.Known = append(s.Train, row), append(s.Known, is)
				} else {
					s.Test, s.Wanted = append(s.Test, row), append(s.Wanted, is)
					best.add(b == chosen && f.odds(a, b) > 0, is == 1)
				}
			}
		}
	}
	by := func(table string) map[string][]string {
		return map[string][]string{"learn": {table + ".learn.tsv"}, "infer": {table + ".infer.tsv"}}
	}
	for predicateName, table := range map[string]string{"Mails/2": "mails", "Dep/2": "dep", "Senior/1": "senior",
		"Floor/2": "floor"} {
		p.declare(predicateName, predicate{Observations: by(table)})
	}
	p.declare("Reports/2", predicate{Targets: by("pairs"),
		Truth: map[string]string{"learn": "truth.learn.tsv", "infer": "truth.infer.tsv"}})
	return &problem{project: p, score: score{"Reports", "discrete", "F1"}, fixed: p, samples: s,
		reference: 100 * best.f1()}, nil
}
