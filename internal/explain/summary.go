package explain

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// Summary is the balance of an atom in short.
type Summary struct {
	Number                         int32
	Value, BoundForce, Unexplained float64
	// Sizes is the sum of the sizes of all pushes, and ByRule what the ground rules of each rule push it by.
	Sizes  float64
	ByRule []float64
}

// summarized is about how many numbers the summaries have that are added up at a time, in so many portions.
const summarized, portions = 1 << 20, 16

// summaries visits those of the state as it is, in order. While some are visited, those that follow are added up.
func (s *State) summaries(visit func(*Summary) error) (err error) {
	s.standAll()
	var ready, next [portions]portion
	each := max(1, summarized/(portions*(8+s.field.Model.Rules)))
	for from := 0; err == nil && from < len(s.y)+portions*each; from += portions * each {
		parallel.For(parallel.Threads(s.settings.Threads), 1+portions, func(task int) {
			if task == 0 {
				err = visitAll(&ready, visit)
				return
			}
			lo := min(from+(task-1)*each, len(s.y))
			next[task-1].fill(s, lo, min(lo+each, len(s.y)))
		})
		ready, next = next, ready
	}
	return err
}

func visitAll(ready *[portions]portion, visit func(*Summary) error) error {
	for k := range ready {
		for i := range ready[k].summaries {
			if err := visit(&ready[k].summaries[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// portion is the summaries of variables that follow one another.
type portion struct {
	summaries []Summary
	byRule    []float64 // of one after the other
	places    []int
}

// fill adds up what pushes the variables [lo,hi), once it has been decided what each potential is.
func (p *portion) fill(s *State, lo, hi int) {
	rules := s.field.Model.Rules
	p.summaries, p.byRule = p.summaries[:0], slices.Grow(p.byRule[:0], (hi-lo)*rules)[:(hi-lo)*rules]
	clear(p.byRule)
	for i := lo; i < hi; i++ {
		byRule := p.byRule[(i-lo)*rules:][:rules]
		p.places = s.index.Of(int32(i), p.places[:0])
		p.summaries = append(p.summaries, s.summarize(int32(i), p.places, byRule))
	}
}

// summarize adds up what pushes a variable, as balance does.
func (s *State) summarize(i int32, places []int, byRule []float64) Summary {
	out := Summary{Number: i, Value: s.y[i], ByRule: byRule}
	push := 0.0
	for _, place := range places {
		if s.standings[place] == idle {
			continue
		}
		p := s.look(place)
		f := force{place, p.coefficient(i), p.mu}
		push += f.push()
		out.Sizes += math.Abs(f.push())
		byRule[p.block.Rule] += f.push()
	}
	out.Unexplained, out.BoundForce = s.remainder(i, push)
	return out
}

// standAll decides what each potential is near the state.
func (s *State) standAll() {
	parallel.Range(parallel.Threads(s.settings.Threads), len(s.standings), func(lo, hi int) {
		for place := lo; place < hi; place++ {
			if s.standings[place] == unseen {
				s.look(place)
			}
		}
	})
}
