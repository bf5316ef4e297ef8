package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
)

func TestGeneratorIsDeterministic(t *testing.T) {
	a, err := Generator{Seed: 7}.Citation()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := Generator{Seed: 7}.Citation()
	c, _ := Generator{Seed: 8}.Citation()
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(a.Links, c.Links) || cmp.Equal(a.Word, c.Word) {
		t.Error("another seed, the same network")
	}
}

func TestGeneratorIsWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Generator{
			Classes: rapid.IntRange(1, 5).Draw(t, "classes"), Documents: rapid.IntRange(5, 40).Draw(t, "documents"),
			Words: rapid.IntRange(5, 30).Draw(t, "words"), Homophily: rapid.Float64Range(0, 1).Draw(t, "homophily"),
			Seed: rapid.Uint64().Draw(t, "seed"),
		}
		c, err := g.Citation()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
	})
	for _, bad := range []Generator{
		{Classes: 10, Documents: 5}, {Signal: 2}, {Homophily: math.NaN()}, {WordsPerDocument: -1},
	} {
		if _, err := bad.Citation(); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

// TestLinksHelp makes sure that the default network shows what it is for: with few labels, classifying by words alone
// is clearly worse than letting linked documents vote as well.
func TestLinksHelp(t *testing.T) {
	for seed := range uint64(3) {
		c, err := Generator{Seed: seed}.Citation()
		if err != nil {
			t.Fatal(err)
		}
		split, err := RandomSplit(c.Labels, SplitOptions{PerClass: 10, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		scores := naiveBayes(c, split.Train)
		alone, linked := accuracy(c, split.Test, scores), accuracy(c, split.Test, propagate(c, split.Train, scores))
		t.Logf("seed %d: words %.3f, with links %.3f", seed, alone, linked)
		if alone < 0.4 || alone > 0.85 || linked < alone+0.08 {
			t.Errorf("seed %d: words %.3f, with links %.3f", seed, alone, linked)
		}
	}
}

// naiveBayes returns the posterior of each document's class, with add-one smoothing.
func naiveBayes(c *Citation, train []int32) [][]float64 {
	counts := make([][]float64, len(c.Classes))
	total := make([]float64, len(c.Classes))
	for class := range counts {
		counts[class] = slices.Repeat([]float64{1}, c.Words)
		total[class] = float64(c.Words)
	}
	for _, d := range train {
		for _, word := range c.WordsOf(int(d)) {
			counts[c.Labels[d]][word]++
			total[c.Labels[d]]++
		}
	}
	scores := make([][]float64, c.Documents)
	for d := range scores {
		logs := make([]float64, len(c.Classes))
		for class := range logs {
			for _, word := range c.WordsOf(d) {
				logs[class] += math.Log(counts[class][word] / total[class])
			}
		}
		scores[d] = softmax(logs)
	}
	return scores
}

func softmax(logs []float64) []float64 {
	sum, top := 0.0, slices.Max(logs)
	for k, l := range logs {
		logs[k] = math.Exp(l - top)
		sum += logs[k]
	}
	for k := range logs {
		logs[k] /= sum
	}
	return logs
}

// propagate averages each document's own posterior with its neighbours', again and again.
func propagate(c *Citation, train []int32, own [][]float64) [][]float64 {
	neighbours := make([][]int32, c.Documents)
	for _, link := range c.Links {
		neighbours[link[0]] = append(neighbours[link[0]], link[1])
		neighbours[link[1]] = append(neighbours[link[1]], link[0])
	}
	known := make([]bool, c.Documents)
	for _, d := range train {
		known[d] = true
	}
	scores := own
	for range 10 {
		next := make([][]float64, c.Documents)
		for d := range next {
			next[d] = slices.Clone(own[d])
			if known[d] {
				clear(next[d])
				next[d][c.Labels[d]] = 1
				continue
			}
			for _, n := range neighbours[d] {
				for class, s := range scores[n] {
					next[d][class] += s
				}
			}
			for class := range next[d] {
				next[d][class] /= float64(1 + len(neighbours[d]))
			}
		}
		scores = next
	}
	return scores
}

func accuracy(c *Citation, test []int32, scores [][]float64) float64 {
	right := 0
	for _, d := range test {
		if slices.Index(scores[d], slices.Max(scores[d])) == c.Labels[d] {
			right++
		}
	}
	return float64(right) / float64(len(test))
}

func TestRandomSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.IntRange(-1, 2), 60, 120).Draw(t, "labels")
		o := SplitOptions{Validation: 10, Test: 15, Seed: rapid.Uint64().Draw(t, "seed")}
		if rapid.Bool().Draw(t, "balanced") {
			o.PerClass = 3
		} else {
			o.Train = 9
		}
		s, err := RandomSplit(labels, o)
		if err != nil {
			t.Skip(err)
		}
		again, _ := RandomSplit(labels, o)
		if !cmp.Equal(s, again) || len(s.Validation) != 10 || len(s.Test) != 15 {
			t.Fatalf("%v, then %v", s, again)
		}
		all := slices.Concat(s.Train, s.Validation, s.Test)
		slices.Sort(all)
		if len(slices.Compact(all)) != len(s.Train)+25 {
			t.Fatal("parts overlap")
		}
		taken := make(map[int]int)
		for _, d := range s.Train {
			taken[labels[d]]++
		}
		for _, d := range all {
			if labels[d] < 0 {
				t.Fatal("an unlabelled document")
			}
		}
		for class, n := range taken {
			if o.PerClass > 0 && n != o.PerClass {
				t.Fatalf("%d training documents of class %d", n, class)
			}
		}
	})
	labels := []int{0, 0, 0, 1, -1}
	for _, test := range []struct {
		o    SplitOptions
		want string
	}{
		{SplitOptions{}, "either"},
		{SplitOptions{Train: 1, PerClass: 1}, "either"},
		{SplitOptions{Train: 5}, "4 documents have a label"},
		{SplitOptions{PerClass: 2}, "class 1 has 1"},
		{SplitOptions{Train: 2, Validation: 3}, "too few"},
		{SplitOptions{Train: 2, Validation: 1, Test: 2}, "too few"},
	} {
		if _, err := RandomSplit(labels, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test.o, err)
		}
	}
	if s, err := RandomSplit(labels, SplitOptions{Train: 1, Validation: 1}); err != nil || len(s.Test) != 2 {
		t.Errorf("the rest is not the test: %v, %v", s, err)
	}
}
