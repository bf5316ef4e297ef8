package training

import (
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// pairs makes targets of two arguments: all pairs, or those that a function takes.
func pairs(things, others []symbol.ID, takes func(a, b int) bool) *relation.Relation {
	r := &relation.Relation{Arity: 2, Columns: make([][]symbol.ID, 2), Free: relation.Target}
	for a, thing := range things {
		for b, other := range others {
			if takes == nil || takes(a, b) {
				r.Columns[0], r.Columns[1] = append(r.Columns[0], thing), append(r.Columns[1], other)
			}
		}
	}
	return r
}

// triples makes targets of three arguments: each so manieth of all.
func triples(things, others, classes []symbol.ID, step int) *relation.Relation {
	r := &relation.Relation{Arity: 3, Columns: make([][]symbol.ID, 3), Free: relation.Target}
	for k := 0; k < len(things)*len(others)*len(classes); k += step {
		r.Columns[0] = append(r.Columns[0], things[k/len(classes)/len(others)])
		r.Columns[1] = append(r.Columns[1], others[k/len(classes)%len(others)])
		r.Columns[2] = append(r.Columns[2], classes[k%len(classes)])
	}
	return r
}

// What atoms of three arguments say is about the first two, or about each of the things that they relate.
func TestSubjectOfThree(t *testing.T) {
	class, related := subject{}, subject{entity: either, related: true}
	about, of := class.of([]symbol.ID{3, 7, 5})
	if other, _ := class.of([]symbol.ID{3, 7, 6}); of != 5 || other != about || about >= 0 {
		t.Errorf("about %d, another class of it %d, class %d", about, other, of)
	}
	if other, _ := class.of([]symbol.ID{3, 8, 5}); other == about {
		t.Error("two things are one")
	}
	if about, of := related.of([]symbol.ID{9, 7, 4}); about != 4 || of != label.NoClass {
		t.Errorf("about %d, class %d, want 4 and none", about, of)
	}
}

// numbered returns so many constants from one on.
func numbered(from, n int) []symbol.ID {
	constants := make([]symbol.ID, n)
	for k := range constants {
		constants[k] = symbol.ID(from + k)
	}
	return constants
}

// The candidates of two files, and what users rate, are no classes of theirs: there are as many classes as things, most
// of which no label could be held out of. Rows of a table with the names of digits are no digits.
func TestPairsAndClasses(t *testing.T) {
	block := func(a, b int) bool { return (a-b)%7 == 0 }
	for name, test := range map[string]struct {
		atoms   *relation.Relation
		related bool
	}{
		"classes":                  {pairs(numbered(0, 40), numbered(100, 7), nil), false},
		"as many classes":          {pairs(numbered(0, 3), numbered(100, 3), nil), false},
		"some classes of each":     {pairs(numbered(0, 40), numbered(100, 10), block), false},
		"rows named as classes":    {pairs(numbered(0, 40), numbered(0, 10), nil), false},
		"people who know people":   {pairs(numbered(0, 9), numbered(0, 9), nil), true},
		"candidates of two files":  {pairs(numbered(0, 40), numbered(100, 30), block), true},
		"candidates among one":     {pairs(numbered(0, 40), numbered(0, 40), block), true},
		"no pairs":                 {&relation.Relation{Arity: 1, Columns: [][]symbol.ID{numbered(0, 3)}}, false},
		"few whom some people met": {pairs(numbered(0, 40), numbered(0, 10), block), true},
		"which of two is nearer":   {triples(numbered(0, 12), numbered(0, 12), numbered(0, 12), 5), true},
		"users, things, and moods": {triples(numbered(0, 20), numbered(100, 20), numbered(200, 150), 67), true},
		"classes of sentences":     {triples(numbered(0, 8), numbered(100, 9), numbered(200, 4), 1), false},
		"some of them":             {triples(numbered(0, 12), numbered(100, 9), numbered(200, 4), 3), false},
	} {
		if got := relates(test.atoms); got != test.related {
			t.Errorf("%s: related is %v", name, got)
		}
	}
}

// Where the labels are of some records' candidates alone, a record is held out with all of them, and not what a pair of
// two files has the lesser number. Where what is asked is about what labels are about, too, as of users who have rated
// some of the things, each pair is held out by itself.
func TestPairsThatAreHeldOutTogether(t *testing.T) {
	block := func(a, b int) bool { return (a-b)%7 == 0 }
	things, others := numbered(100, 40), numbered(0, 30)
	for name, test := range map[string]struct {
		atoms, truth *relation.Relation
		argument     int
	}{
		"of some things": {pairs(things, others, block), pairs(things[:20], others, block), 0},
		"of some others": {pairs(things, others, block), pairs(things, others[7:14], block), 1},
		"of some pairs":  {pairs(things, others, block), pairs(things[:20], others[:20], block), either},
		"of few things":  {pairs(things, others, block), pairs(things[:4], others, block), either},
		"of most pairs":  {pairs(things, others, block), pairs(things[:30], others[:28], block), either},
		"of pairs by lot": {pairs(things, others, block), pairs(things, others, func(a, b int) bool {
			return block(a, b) && (a+b)%2 == 0
		}), each},
		"of all":      {pairs(things, others, block), pairs(things, others, block), either},
		"of one file": {pairs(things, things, block), pairs(things[:20], things, block), either},
		"of pairs of one file by lot": {pairs(things, things, nil), pairs(things, things, func(a, b int) bool {
			return (a*b)%3 == 0
		}), either},
		"of parts of a file": {pairs(things, things, func(a, b int) bool { return a < 20 == (b < 20) }),
			pairs(things[:20], things[:20], nil), either},
	} {
		test.truth.Observed = test.truth.Len()
		if got := apart(test.atoms, test.truth, 5); got != test.argument {
			t.Errorf("%s: held out by argument %d, want %d", name, got, test.argument)
		}
	}
	pair := subject{entity: each, related: true}
	one, class := pair.of([]symbol.ID{100, 3})
	if other, _ := pair.of([]symbol.ID{100, 4}); other == one || class != label.NoClass {
		t.Errorf("two pairs are about %d and %d, of class %d", one, other, class)
	}
	if about, class := (subject{related: true}).of([]symbol.ID{100, 3}); about != 100 || class != label.NoClass {
		t.Errorf("the pair is about %d, of class %d", about, class)
	}
}

// A class that stands before what has it is the class all the same.
func TestClassesThatStandFirst(t *testing.T) {
	atoms, labels := pairs(numbered(100, 2), numbered(0, 5), nil), new(label.Labels)
	truth := pairs(numbered(101, 1), numbered(3, 1), nil)
	truth.Observed = 1
	if strangers := addLabels(labels, atoms, truth, relation.Target, subject{entity: 1}); strangers > 0 {
		t.Fatal("the label is of no atom")
	}
	if labels.Entities[0] != 3 || labels.Classes[0] != 101 {
		t.Errorf("the label is about %d, of class %d", labels.Entities[0], labels.Classes[0])
	}
}

// Truth that names one atom of each thing may say of others that they are false, and no more.
func TestTruthThatNamesOne(t *testing.T) {
	for name, test := range map[string]struct {
		values []float64 // of the atoms of two things with three candidates each
		want   bool
	}{
		"one of each":         {[]float64{0, 1, 0, 1, 0, 0}, true},
		"none of the second":  {[]float64{0, 1, 0, 0, 0, 0}, false},
		"two of the first":    {[]float64{1, 1, 0, 1, 0, 0}, false},
		"by degrees":          {[]float64{0.5, 0.5, 0, 1, 0, 0}, false},
		"both named, no more": {[]float64{1, 1}, true},
	} {
		truth := relation.NewBuilder("Best", 2)
		for k, value := range test.values {
			truth.MustAdd([]symbol.ID{symbol.ID(k * 2 / len(test.values)), symbol.ID(10 + k)}, value, relation.Observed)
		}
		if got := namesOne(truth.Relation(false)); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Candidates that things have for themselves are told apart by their places, in the order of the atoms.
func TestCandidatesAreNumbered(t *testing.T) {
	labels := &label.Labels{Variables: []int32{9, 4, 2, 3, 0}, Entities: []int32{7, 7, 7, 8, 8}, Classes: make([]int32, 5)}
	if numberCandidates(labels, 1); !slices.Equal(labels.Classes, []int32{0, 1, 0, 1, 0}) {
		t.Errorf("the places are %v", labels.Classes)
	}
}
