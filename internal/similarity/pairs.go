package similarity

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// Pair is two strings of a list, by their numbers, with their similarity.
type Pair struct {
	A, B  int32
	Value float64
}

// Options are the settings of Pairs.
type Options struct {
	// Threshold is the similarity from which pairs are wanted. At 0 or less, every pair is.
	Threshold float64
	// Corpus gives the frequencies of tokens to measures with Corpus; nil means that the list itself does.
	Corpus *Corpus
	// Threads bounds the goroutines at work; not positive means GOMAXPROCS. The result does not depend on it.
	Threads int
	// Most bounds the bytes of the pairs; 0 means no bound.
	Most int64
}

// ErrTooMany is the error of more pairs than Options.Most.
var ErrTooMany = errors.New("too many similar pairs")

// grain is how many strings one task compares with the others.
const grain = 16

// Pairs returns all pairs of names whose similarity reaches the threshold, by A and then B: each in both directions,
// and each string with itself. A pair has the very value that the function of Bind gives it. Only pairs that an index
// or a bound lets pass are compared, but those are all that count. The error is the context's, or ErrTooMany.
func Pairs(ctx context.Context, names []string, m *Measure, options Options) ([]Pair, error) {
	if m.Corpus && options.Corpus == nil {
		options.Corpus = NewCorpus(names)
	}
	s := &search{names: names, measure: m, threshold: options.Threshold, rows: make([][]Pair, len(names)),
		twins: make(map[string][]int32), most: options.Most}
	for i, name := range names {
		s.twins[name] = append(s.twins[name], int32(i))
	}
	if options.Threshold <= 0 {
		s.all = numbersTo(len(names))
	}
	prepared := m.prepare(names, options.Corpus)
	workers := sync.Pool{New: func() any { return prepared.worker() }}
	parallel.For(parallel.Threads(options.Threads), (len(names)+grain-1)/grain, func(task int) {
		w := workers.Get().(worker)
		for i := task * grain; i < min(len(names), (task+1)*grain) && ctx.Err() == nil && !s.tooMany(); i++ {
			s.rows[i] = s.row(w, i)
			s.held.Add(int64(len(s.rows[i])) * int64(unsafe.Sizeof(Pair{})))
		}
		workers.Put(w)
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s.tooMany():
		return nil, ErrTooMany
	case m.Symmetric:
		return mirror(s.rows), nil
	}
	return slices.Concat(s.rows...), nil
}

// Compare returns the similarities of given pairs of names, by their numbers. Each has the very value that the function
// of Bind gives it, if the list itself is the corpus. It is fastest if pairs with the same first string follow one
// another. Threads is that of Options.
func Compare(names []string, pairs [][2]int32, m *Measure, threads int) []float64 {
	var corpus *Corpus
	if m.Corpus {
		corpus = NewCorpus(names)
	}
	prepared := m.prepare(names, corpus)
	values := make([]float64, len(pairs))
	parallel.Range(parallel.Threads(threads), len(pairs), func(lo, hi int) {
		w := prepared.worker()
		for k, p := range pairs[lo:hi] {
			values[lo+k] = 1
			if names[p[0]] != names[p[1]] {
				values[lo+k] = w.compare(int(p[0]), int(p[1]))
			}
		}
	})
	return values
}

// search is one call of Pairs.
type search struct {
	names     []string
	measure   *Measure
	threshold float64
	all       []int32            // the candidates if the threshold rules out nothing
	twins     map[string][]int32 // the numbers of each string
	rows      [][]Pair           // by A
	most      int64              // Options.Most
	held      atomic.Int64       // bytes of the rows so far
}

// tooMany tells whether the rows so far take more than they may.
func (s *search) tooMany() bool { return s.most > 0 && s.held.Load() > s.most }

// row returns the pairs of string i; of a symmetric measure those with strings from i on.
func (s *search) row(w worker, i int) (row []Pair) {
	for _, j := range s.candidates(w, i) {
		if int(j) < i && s.measure.Symmetric {
			continue
		}
		value := 1.0
		if s.names[i] != s.names[j] {
			value = w.compare(i, int(j))
		}
		if value >= s.threshold {
			row = append(row, Pair{int32(i), j, value})
		}
	}
	slices.SortFunc(row, func(a, b Pair) int { return cmp.Compare(a.B, b.B) })
	return row
}

// candidates returns what is to be compared with string i. A string without features is in no index, but equals itself.
func (s *search) candidates(w worker, i int) []int32 {
	if s.all != nil {
		return s.all
	}
	if found := w.candidates(i, s.threshold); slices.Contains(found, int32(i)) {
		return found
	}
	return s.twins[s.names[i]]
}

// mirror adds to rows of pairs A ≤ B those with A > B, in order: when row A is appended, all rows before it have put
// their mirrored pairs in front.
func mirror(rows [][]Pair) []Pair {
	next := make([]int, len(rows)+1) // where the next pair of each row goes
	for i, row := range rows {
		next[i+1] += len(row)
		for _, p := range row {
			if int(p.B) != i {
				next[p.B+1]++
			}
		}
	}
	for i := range rows {
		next[i+1] += next[i]
	}
	all := make([]Pair, next[len(rows)])
	for i, row := range rows {
		next[i] += copy(all[next[i]:], row)
		for _, p := range row {
			if int(p.B) != i {
				all[next[p.B]] = Pair{p.B, p.A, p.Value}
				next[p.B]++
			}
		}
	}
	return all
}
