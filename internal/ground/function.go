package ground

import (
	"math"
	"sync"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// function gives the values of a functional predicate's atoms, and remembers them: names are fewer than those who have
// them, so that most values are asked for many times. A machine treats an atom of it as an observed one, with a number
// that stands for the value in the place of a row: see rowFor.
type function struct {
	relation *relation.Relation
	name     func(symbol.ID) string
	shards   [64]shard
}

// shard remembers a part of the values.
type shard struct {
	sync.Mutex
	known *relation.Builder
}

// senseless is remembered where the function has given no number in [0, 1].
const senseless = -1

// rounding is by how much a value may be outside [0, 1] and still be meant to be inside.
const rounding = 1e-6

// function returns the function of a relation, one for all rules.
func (s *scope) function(r *relation.Relation) *function {
	if f, ok := s.functions[r]; ok {
		return f
	}
	f := &function{relation: r, name: s.name}
	for k := range f.shards {
		f.shards[k].known = relation.NewBuilder(r.Name, r.Arity)
	}
	s.functions[r] = f
	return f
}

// value returns the value of the atom with these arguments, or senseless. It is computed outside the lock, at times by
// several goroutines at once, which find the same.
func (f *function) value(key []symbol.ID) float32 {
	at := uint32(0)
	for _, id := range key {
		at = 31*at + uint32(id)
	}
	s := &f.shards[at%uint32(len(f.shards))]
	s.Lock()
	known, ok := s.known.Value(key)
	s.Unlock()
	if ok {
		return float32(known)
	}
	value := f.compute(key)
	s.Lock()
	defer s.Unlock()
	if _, ok := s.known.Value(key); !ok {
		if err := s.known.Add(key, float64(value), relation.Observed, 0); err != nil {
			panic(err) // it was not there a moment ago
		}
	}
	return value
}

// compute calls the function itself.
func (f *function) compute(key []symbol.ID) float32 {
	args := make([]string, len(key))
	for k, id := range key {
		args[k] = f.name(id)
	}
	value := f.relation.Function(args...)
	if !(value >= -rounding && value <= 1+rounding) {
		return senseless
	}
	return float32(max(0, min(value, 1)))
}

// rowFor returns a number for a value in [0, 1] that is at least 0, as rows are: its bits.
func rowFor(value float32) int32 { return int32(math.Float32bits(value)) }

// valueOf is the inverse of rowFor.
func valueOf(row int32) float64 { return float64(math.Float32frombits(uint32(row))) }

// evaluate returns what stands for the row of an atom of f, -1 if the function gives it no value.
func (m *machine) evaluate(f *function, key []symbol.ID, a *program.Atom) int32 {
	value := f.value(key)
	if value == senseless {
		m.problems.senseless.add(func() string { return m.atomText(a) })
		return -1
	}
	return rowFor(value)
}
