package derive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/similarity"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// function is what the key "function" of a predicate names: a similarity, or what a program in Go brings along.
type function struct {
	arity   int
	call    func(args ...string) float64
	measure *similarity.Measure // nil if it is a program's own
	// above is the value up to which the function is 0 instead.
	above float64
}

// pslThreshold is the value up to which the classes of PSL's text similarities are 0. They end in pslSuffix.
const (
	pslThreshold = 0.5
	pslSuffix    = "similarity"
)

// functionOf returns the function of a predicate: the code that a program has given it, or a similarity.
func functionOf(declared *load.Predicate) (f function, ok bool) {
	if declared.Call != nil {
		return function{arity: declared.Arity(), call: declared.Call}, true
	}
	f = function{arity: 2, measure: similarity.Find(declared.Function)}
	if strings.HasSuffix(strings.ToLower(declared.Function), pslSuffix) {
		f.above = pslThreshold
	}
	return f, f.measure != nil
}

// bind returns the code of a similarity.
func (f *function) bind(corpus *similarity.Corpus) func(args ...string) float64 {
	compare := f.measure.Bind(corpus)
	return func(args ...string) float64 {
		if value := compare(args[0], args[1]); value > f.above {
			return value
		}
		return 0
	}
}

// checkFunction reports a functional predicate whose function is not there, or is of other arity.
func checkFunction(declared *load.Predicate, diags *source.Diagnostics) {
	f, ok := functionOf(declared)
	switch {
	case !ok:
		names := similarity.Names()
		diags.Errorf("unknown-function", declared.Span, source.Suggest(declared.Function, names),
			"there is no function %s; there are %s", declared.Function, strings.Join(names, ", "))
	case f.arity != declared.Arity():
		diags.Errorf("function-arity", declared.Span, "", "predicate %s/%d has another number of arguments "+
			"than function %s/%d", declared.Name, declared.Arity(), declared.Function, f.arity)
	}
}

// bindFunction gives a functional predicate's relation its values.
func (m *maker) bindFunction(predicate int) {
	declared := m.config.Predicates[predicate]
	f, ok := functionOf(declared)
	if !ok {
		panic("derive: a function has gone since the project was checked")
	}
	if f.measure != nil {
		f.call = f.bind(m.corpus(predicate, f.measure))
	}
	m.store.Relations[predicate].Function = f.call
}

// corpus returns what a measure needs to know of how rare tokens are: from the column that the predicate names, or
// else from all columns of strings that share a variable with the function in some rule.
func (m *maker) corpus(predicate int, measure *similarity.Measure) *similarity.Corpus {
	if !measure.Corpus {
		return nil
	}
	store := m.store
	var documents []symbol.ID
	for _, c := range m.corpusColumns(predicate) {
		documents = append(documents, store.Relations[c.predicate].Distinct(c.argument).Columns[0]...)
	}
	slices.Sort(documents)
	return similarity.NewCorpus(namesOf(store, slices.Compact(documents)))
}

// column is an argument of a predicate.
type column struct{ predicate, argument int }

// corpusColumns returns the columns whose constants are the documents of a function's corpus.
func (m *maker) corpusColumns(predicate int) (columns []column) {
	config := m.config
	if corpus := config.Predicates[predicate].Corpus; corpus != nil {
		return []column{{config.Find(corpus.Predicate), corpus.Argument}}
	}
	for _, rule := range slices.Concat(m.program.Rules, m.Rules()) {
		arguments := argumentsOf(rule, predicate)
		for _, a := range rule.Atoms {
			for k, t := range a.Args {
				c := column{a.Predicate, k}
				if t.IsVariable() && arguments[t.Variable] && m.hasStrings(c) && !slices.Contains(columns, c) {
					columns = append(columns, c)
				}
			}
		}
	}
	return columns
}

// argumentsOf returns the variables of a rule that are arguments of a functional predicate, in an atom or the weight.
func argumentsOf(rule *program.Rule, predicate int) map[int]bool {
	arguments := make(map[int]bool)
	atoms := rule.Atoms
	if rule.Weight.Atom != nil {
		atoms = append(slices.Clone(atoms), *rule.Weight.Atom)
	}
	for _, a := range atoms {
		for _, t := range a.Args {
			if a.Predicate == predicate && t.IsVariable() {
				arguments[t.Variable] = true
			}
		}
	}
	return arguments
}

// hasStrings tells the columns of strings that are read from data: others may need the function to be made.
func (m *maker) hasStrings(c column) bool {
	declared := m.config.Predicates[c.predicate]
	made := declared.Functional || declared.Derive != nil || declared.Similarity != nil ||
		declared.Neural != nil && len(declared.Neural.Atoms) > 0
	return !made && declared.Types[c.argument] == program.String
}

// addSimilar makes the atoms of a predicate that has the similar pairs of a column.
func (m *maker) addSimilar(ctx context.Context, predicate int) error {
	declared := m.config.Predicates[predicate]
	store, s := m.store, declared.Similarity
	constants := store.Relations[m.config.Find(s.Over.Predicate)].Distinct(s.Over.Argument).Columns[0]
	most := m.most()
	options := similarity.Options{Threshold: s.Threshold, Threads: m.Threads, Most: most}
	if declared.Corpus != nil {
		options.Corpus = m.corpus(predicate, s.Measure)
	}
	pairs, err := similarity.Pairs(ctx, namesOf(store, constants), s.Measure, options)
	if errors.Is(err, similarity.ErrTooMany) {
		return preflight.TooLarge(declared.Span, fmt.Sprintf("the similar pairs of %s", declared.Name), most)
	}
	if err != nil {
		return err
	}
	made := &relation.Relation{Name: declared.Name, Arity: 2, Observed: len(pairs), Open: !declared.Closed,
		Columns: [][]symbol.ID{make([]symbol.ID, len(pairs)), make([]symbol.ID, len(pairs))}}
	for row, pair := range pairs {
		made.Columns[0][row], made.Columns[1][row] = constants[pair.A], constants[pair.B]
		made.Truth.Append(float64(float32(pair.Value)))
	}
	store.Relations[predicate] = made
	return nil
}

// namesOf returns the names of constants.
func namesOf(store *relation.Store, ids []symbol.ID) []string {
	names := make([]string, len(ids))
	for k, id := range ids {
		names[k] = store.Symbols.Name(id)
	}
	return names
}
