package plan

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/relation"
)

// longBodies are bodies of so many atoms, of each a shape that makes planning something of its own slow.
var longBodies = map[string]func(atoms int) []string{
	"path":  func(n int) []string { return links(n, func(k int) (int, int) { return k, k + 1 }) },
	"cycle": func(n int) []string { return links(n, func(k int) (int, int) { return k, (k + 1) % n }) },
	"star":  func(n int) []string { return links(n, func(k int) (int, int) { return 0, k + 1 }) },
	"pairs": func(n int) []string { return links(n, func(k int) (int, int) { return 2 * k, 2*k + 1 }) },
	"dense": func(n int) []string {
		rng := rand.New(rand.NewPCG(1, 2))
		return links(n, func(int) (int, int) { return rng.IntN(40), rng.IntN(40) })
	},
	"grid": func(n int) []string {
		return links(n, func(k int) (int, int) { return k / 2, k/2 + 1 + 29*(k%2) })
	},
	"ordered": func(n int) []string {
		all := links(n/2, func(k int) (int, int) { return k, k + 1 })
		for k := range n / 2 {
			all = append(all, fmt.Sprintf("(X%d %% X%d)", k/7, k))
		}
		return all
	},
	"negated": func(n int) []string {
		all := links(n/2, func(k int) (int, int) { return k, k + 1 })
		for k := range n / 2 {
			all = append(all, fmt.Sprintf("!Good(X%d)", k))
		}
		return all
	},
}

// links are atoms Link(X_a, X_b), of pairs (a, b).
func links(n int, pair func(k int) (a, b int)) (all []string) {
	for k := range n {
		a, b := pair(k)
		all = append(all, fmt.Sprintf("Link(X%d, X%d)", a, b))
	}
	return all
}

func BenchmarkLong(b *testing.B) {
	w := newWorld()
	var rows, all [][]string
	for k := range 1000 {
		for d := range 8 {
			rows = append(rows, []string{fmt.Sprint("n", k), fmt.Sprint("n", (k+(d+1)*(d+1))%1000)})
		}
		all = append(all, []string{fmt.Sprint("n", k)})
	}
	w.add("Link", 2, relation.Observed, rows...)
	w.add("Good", 1, relation.Target, all...)
	for name, body := range longBodies {
		for _, n := range []int{12, 100, 400, 1000} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				for range b.N {
					rule, err := compile(w.predicates, "1: "+strings.Join(body(n), " & ")+" -> Good(X1)\n")
					if err != nil {
						b.Fatal(err)
					}
					if _, err := New(context.Background(), rule, w.store); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
