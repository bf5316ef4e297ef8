package similarity

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// bruteForce compares every two strings.
func bruteForce(names []string, m *Measure, threshold float64) (all []Pair) {
	compare := m.Bind(NewCorpus(names))
	for i, a := range names {
		for j, b := range names {
			if value := compare(a, b); value >= threshold {
				all = append(all, Pair{int32(i), int32(j), value})
			}
		}
	}
	return all
}

// TestPairsAreExact compares the pairs that indexes and bounds find with all there are, bit by bit, and for different
// numbers of threads.
func TestPairsAreExact(t *testing.T) {
	for _, m := range measures {
		t.Run(m.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				names := rapid.SliceOfN(someName(), 0, 12).Draw(t, "names")
				threshold := rapid.SampledFrom([]float64{-1, 0, 0.1, 0.3, 0.5, 0.6, 2.0 / 3, 0.9, 1, 1.1}).Draw(t, "threshold")
				want := bruteForce(names, m, threshold)
				for _, threads := range []int{1, 3} {
					got := pairs(t, names, m, Options{Threshold: threshold, Threads: threads})
					if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
						t.Fatalf("(-all +found):\n%s", diff)
					}
				}
			})
		})
	}
}

// Given pairs, in any order, have the values that the function of Bind gives them.
func TestCompare(t *testing.T) {
	names := people(30)
	var pairs [][2]int32
	for k := range int32(200) {
		pairs = append(pairs, [2]int32{k * 7 % 30, k * 11 % 29})
	}
	for _, m := range measures {
		compare := m.Bind(NewCorpus(names))
		for k, got := range Compare(names, pairs, m, 2) {
			if want := compare(names[pairs[k][0]], names[pairs[k][1]]); got != want {
				t.Errorf("%s of %v = %v, want %v", m.Name, pairs[k], got, want)
			}
		}
	}
}

// TestPairsOfNames is TestPairsAreExact for names of people.
func TestPairsOfNames(t *testing.T) {
	names := people(70)
	for _, m := range measures {
		for _, threshold := range []float64{0.3, 0.7} {
			want := bruteForce(names, m, threshold)
			got := pairs(t, names, m, Options{Threshold: threshold})
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || len(got) < len(names) {
				t.Errorf("%s at %g (-all +found):\n%s", m.Name, threshold, diff)
			}
		}
	}
}

// people makes up names, as authors write theirs: in full or with initials, turned around, with typing errors.
func people(n int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("an ber chan dor el fe gor hu is jen ka lu mar no ost per qua ri sen tor ul ver xi yan")
	word := func() string {
		text := ""
		for range 1 + random.IntN(3) {
			text += syllables[random.IntN(len(syllables))]
		}
		return strings.ToUpper(text[:1]) + text[1:]
	}
	var names []string
	for len(names) < n {
		first, last := word(), word()
		names = append(names, first+" "+last, fmt.Sprintf("%c. %s", first[0], last), last+", "+first,
			first[:1]+first[min(2, len(first)):]+" "+last)
	}
	return names[:n]
}

func BenchmarkPairs(b *testing.B) {
	names := people(3000)
	for _, m := range measures {
		b.Run(m.Name, func(b *testing.B) {
			pairs := 0
			for b.Loop() {
				found, _ := Pairs(b.Context(), names, m, Options{Threshold: 0.3})
				pairs = len(found)
			}
			b.ReportMetric(float64(pairs), "pairs")
		})
	}
}

// BenchmarkBind is the price of one value of a functional predicate.
func BenchmarkBind(b *testing.B) {
	corpus := NewCorpus(people(100))
	for _, m := range measures {
		compare := m.Bind(corpus)
		b.Run(m.Name, func(b *testing.B) {
			for b.Loop() {
				compare("Gary B. Buchanan", "Buchannan, G.")
			}
		})
	}
}

// pairs is Pairs for what has to succeed.
func pairs(t interface {
	Helper()
	Fatal(args ...any)
}, names []string, m *Measure, options Options) []Pair {
	t.Helper()
	found, err := Pairs(context.Background(), names, m, options)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Pairs that take more memory than they may, and a context that ends, end the search early.
func TestPairsBounds(t *testing.T) {
	names := make([]string, 1000)
	for k := range names {
		names[k] = fmt.Sprint("the same words ", k)
	}
	m := Find("Jaccard")
	for _, threads := range []int{1, 3} {
		if _, err := Pairs(t.Context(), names, m, Options{Threads: threads, Most: 1 << 20}); err != ErrTooMany {
			t.Errorf("%v with %d threads, want ErrTooMany", err, threads)
		}
		if found := pairs(t, names, m, Options{Threads: threads, Most: 16 << 20}); len(found) != len(names)*len(names) {
			t.Errorf("%d pairs with %d threads", len(found), threads)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Pairs(ctx, names, m, Options{}); err != context.Canceled {
		t.Errorf("%v, want that of the context", err)
	}
}
