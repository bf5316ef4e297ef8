package live

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/project"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// pool has rules of all kinds over O/1 and P/2, which are observed, and T/1 and S/2, which have targets.
var pool = []string{
	"2: O(A) & P(A, B) -> T(B) ^2",
	"3: T(A) & P(A, B) -> T(B)",
	"1: S(A, B) & S(B, C) & A != B & B != C & A != C & P(A, C) -> S(A, C) ^2",
	"0.5: P(A, B) & A % B -> S(A, B)",
	"1.5: S(A, B) & O(A) & O(B) -> T(A) | T(B) ^2",
	"0.7: P(A, B) & P(B, C) & T(A) -> T(C) ^2",
	"1: T(+A) <= 2 ^2",
	"2: S(A, +B) <= 1 + T(A) {B: O(B)}",
	"1: P(A, +B) / @Max[1, |B|] >= T(A) {B: O(B)}",
	"O(A) & P(A, A) -> T(A) .",
	"S(A, B) & P(B, A) -> T(B) .",
	"T('a') + T('b') <= 1 .",
	"T('c') = 0.6 .",
	"S(A, A) = 1 .",
	"0.1: !T(A) ^2",
	"0.2: !S(A, B) ^2",
	"0.3: T(A)",
}

var constants = []string{"a", "b", "c", "d"}

// tables are what a cold run reads.
type tables struct {
	observed map[string]float64
	targets  map[string]bool
	rules    []stated
}

// stated is a rule of the tables: cold runs have those that are not off, with their present weights.
type stated struct {
	text string
	off  bool
}

func (t *tables) clone() *tables {
	return &tables{maps.Clone(t.observed), maps.Clone(t.targets), slices.Clone(t.rules)}
}

// active are the rules that count, and the number of each among all.
func (t *tables) active() (rules []string, numbers []int) {
	rules = []string{}
	for k, rule := range t.rules {
		if !rule.off {
			rules, numbers = append(rules, rule.text), append(numbers, k)
		}
	}
	return rules, numbers
}

// weigh gives a rule another weight, if it is not a hard one.
func (s *stated) weigh(weight float64) bool {
	_, rest, soft := strings.Cut(s.text, ": ")
	if soft {
		s.text = strconv.FormatFloat(weight, 'g', -1, 64) + ": " + rest
	}
	return soft
}

func row(atom string) (row []any) {
	for _, argument := range arguments(atom) {
		row = append(row, argument)
	}
	return row
}

func arguments(atom string) []string { return strings.Split(strings.TrimSuffix(atom[2:], ")"), ",") }

// cold grounds the tables anew.
func (t *tables) cold(dir string) (*session.Grounding, error) {
	rows := map[string][][]any{"O": {}, "P": {}, "T": {}, "S": {}}
	known := map[string][][]any{"O": {}, "P": {}, "T": {}, "S": {}}
	for _, atom := range slices.Sorted(maps.Keys(t.observed)) {
		known[atom[:1]] = append(known[atom[:1]], append(row(atom), t.observed[atom]))
	}
	for _, atom := range slices.Sorted(maps.Keys(t.targets)) {
		rows[atom[:1]] = append(rows[atom[:1]], row(atom))
	}
	rules, _ := t.active()
	return groundIn(dir, rules, map[string]any{
		"O/1": map[string]any{"observations": known["O"]}, "P/2": map[string]any{"observations": known["P"]},
		"T/1": map[string]any{"observations": known["T"], "targets": rows["T"]},
		"S/2": map[string]any{"observations": known["S"], "targets": rows["S"]},
	})
}

// groundIn grounds a project, which is written into a folder, for inference.
func groundIn(dir string, rules, predicates any) (*session.Grounding, error) {
	text, err := json.Marshal(map[string]any{"rules": rules, "predicates": predicates})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "model.json")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return nil, err
	}
	loaded, err := project.Load(path, project.Options{Set: []string{"inference.gap=1e-5"}})
	if err != nil {
		return nil, err
	}
	return engine.Ground(context.Background(), loaded, load.Infer)
}

// lines prints ground rules with the names of their atoms, sorted, so that those of different stores can be compared.
// The numbers are those of the rules elsewhere, nil where they have the same.
func lines(store *relation.Store, each func(func(*mrf.Potential)), numbers []int) (all []string) {
	each(func(p *mrf.Potential) {
		rule := p.Rule
		if numbers != nil {
			rule = numbers[rule]
		}
		var terms []string
		for k, i := range p.Vars {
			r, row := store.Locate(relation.Target, i)
			terms = append(terms, fmt.Sprintf("%+.12g %s", p.Coef[k], store.Atom(r, row)))
		}
		for k, i := range p.Inputs {
			r, row := store.Locate(relation.Perceived, i)
			terms = append(terms, fmt.Sprintf("%+.12g %s", p.InputCoef[k], store.Atom(r, row)))
		}
		slices.Sort(terms)
		all = append(all, fmt.Sprintf("%d %d^%d %v %+.12g x%.12g", rule, p.Kind, p.Exponent, terms, p.Constant, p.Scale))
	})
	slices.Sort(all)
	return all
}

func potentials(m *mrf.Model) func(func(*mrf.Potential)) {
	return func(visit func(*mrf.Potential)) {
		for _, b := range m.Blocks {
			for j := range b.Len {
				p := b.At(j)
				visit(&p)
			}
		}
	}
}

// drawAtom draws an atom of some predicates.
func drawAtom(t *rapid.T, predicates string) string {
	name := string(rapid.SampledFrom([]byte(predicates)).Draw(t, "predicate"))
	constant := rapid.SampledFrom(constants)
	if !strings.Contains("PS", name) {
		return name + "(" + constant.Draw(t, "argument") + ")"
	}
	return name + "(" + constant.Draw(t, "argument") + "," + constant.Draw(t, "argument") + ")"
}

// draw draws a change, and makes it in the tables.
func (t *tables) draw(r *rapid.T) change.Change {
	if rapid.IntRange(0, 4).Draw(r, "what") == 4 {
		return t.drawRule(r)
	}
	return t.drawRow(r)
}

// drawRow draws a change of an atom.
func (t *tables) drawRow(r *rapid.T) change.Change {
	value := rapid.SampledFrom([]float64{0, 0.25, 0.6, 1}).Draw(r, "value")
	kind, atom := rapid.IntRange(0, 3).Draw(r, "kind"), drawAtom(r, "OPTS")
	if kind == 1 {
		atom = drawAtom(r, "TS")
	}
	if atom == "T(a)" || atom == "S(a,b)" {
		kind = 1 // a predicate that has lost its last target is another one to a cold run
	}
	switch kind {
	case 0:
		if _, known := t.observed[atom]; known || t.targets[atom] {
			delete(t.observed, atom)
			delete(t.targets, atom)
			return change.Remove(atom[:1], arguments(atom)...)
		}
		t.observed[atom] = value
		return change.Observe(value, atom[:1], arguments(atom)...)
	case 1:
		delete(t.observed, atom)
		t.targets[atom] = true
		return change.Target(atom[:1], arguments(atom)...)
	}
	delete(t.targets, atom)
	t.observed[atom] = value
	return change.Observe(value, atom[:1], arguments(atom)...)
}

// drawRule draws a change of a rule: another weight, one less, one that comes back, or one more.
func (t *tables) drawRule(r *rapid.T) change.Change {
	k := rapid.IntRange(0, len(t.rules)-1).Draw(r, "which")
	rule := &t.rules[k]
	switch rapid.IntRange(0, 3).Draw(r, "change") {
	case 0:
		if weight := rapid.SampledFrom([]float64{0.05, 0.5, 1, 4}).Draw(r, "weight"); rule.weigh(weight) {
			return change.Weight(k, weight)
		}
	case 1:
		if text := rapid.SampledFrom(pool).Draw(r, "rule"); !t.has(text) {
			t.rules = append(t.rules, stated{text: text})
			return change.Rule(text)
		}
	}
	if rule.off = !rule.off; rule.off {
		return change.Deactivate(k)
	}
	return change.Activate(k)
}

// has tells whether the tables have a rule, with whatever weight.
func (t *tables) has(text string) bool {
	plain := func(text string) string {
		_, rest, soft := strings.Cut(text, ": ")
		if !soft {
			return text
		}
		return rest
	}
	return slices.ContainsFunc(t.rules, func(s stated) bool { return plain(s.text) == plain(text) })
}

// drawTables draws a program with data.
func drawTables(r *rapid.T) *tables {
	t := &tables{observed: make(map[string]float64), targets: map[string]bool{"T(a)": true, "S(a,b)": true}}
	for range rapid.IntRange(2, 6).Draw(r, "rules") {
		if rule := rapid.SampledFrom(pool).Draw(r, "rule"); !t.has(rule) {
			t.rules = append(t.rules, stated{text: rule})
		}
	}
	for range rapid.IntRange(5, 20).Draw(r, "atoms") {
		t.drawRow(r)
	}
	return t
}

// begin starts a session of a grounding, or gives up where that has no meaning or no answer.
func begin(t *rapid.T, g *session.Grounding, err error) (*Session, *session.Answer) {
	if err != nil {
		t.Skip(err)
	}
	answer, err := g.InferAgain(context.Background(), nil)
	if err != nil || answer.Status != solve.Optimal.String() {
		t.Skip("no answer")
	}
	s, err := New(g, answer)
	if err != nil {
		t.Fatal(err)
	}
	return s, answer
}

// Whatever changes, the ground rules must be those of a cold run over tables with the changes made, and the answer must
// cost what its answer does. What a cold run refuses must be refused, and leave everything as it was.
func TestChangesAreColdRuns(t *testing.T) {
	dir := t.TempDir()
	applied, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		now := drawTables(t)
		g, err := now.cold(dir)
		s, _ := begin(t, g, err)
		warm := s.Warm()
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			for k := rapid.IntRange(0, 4).Draw(t, "warm"); k > 0 && len(warm) > 0; k-- {
				warm[0]()
				warm = warm[1:]
			}
			next := now.clone()
			var changes []change.Change
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				changes = append(changes, next.draw(t))
			}
			cold, coldErr := next.cold(dir)
			var want *session.Answer
			if coldErr == nil {
				var err error
				if want, err = cold.Infer(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			bad := coldErr != nil || want.Status == solve.Infeasible.String()
			if rapid.Bool().Draw(t, "what if") {
				before := lines(s.grounding.Tables.Store, s.state.Each, nil)
				answer, _, err := s.WhatIf(context.Background(), changes)
				checkAnswer(t, bad, want, answer, err)
				if after := lines(s.grounding.Tables.Store, s.state.Each, nil); !slices.Equal(before, after) {
					t.Fatal("a question leaves a trace")
				}
				continue
			}
			_, err := s.Apply(context.Background(), changes)
			if (err != nil) != bad {
				t.Fatalf("%v: error %v, a cold run's %v, %v", changes, err, coldErr, want)
			}
			if bad {
				refused++
				if cold, coldErr = now.cold(dir); coldErr != nil {
					t.Fatal(coldErr)
				}
				if want, err = cold.Infer(context.Background()); err != nil {
					t.Fatal(err)
				}
			} else {
				applied++
				now = next
			}
			_, numbers := now.active()
			checkRules(t, s, cold, numbers)
			answer, err := s.Infer(context.Background())
			checkAnswer(t, false, want, answer, err)
		}
	})
	if applied == 0 || refused == 0 {
		t.Errorf("%d changes applied and %d refused", applied, refused)
	}
}

// checkRules compares the ground rules with those of a cold run, whose rules have the numbers, nil for the same ones.
func checkRules(t *rapid.T, s *Session, cold *session.Grounding, numbers []int) {
	got := lines(s.grounding.Tables.Store, s.state.Each, nil)
	want := lines(cold.Tables.Store, potentials(cold.Model), numbers)
	if !slices.Equal(got, want) {
		t.Fatalf("ground rules\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for r, counts := range cold.Counts() {
		if numbers != nil {
			r = numbers[r]
		}
		if s.ground[r] != counts.Kept {
			t.Fatalf("rule %d has %d ground rules, counted as %d", r, counts.Kept, s.ground[r])
		}
	}
}

func checkAnswer(t *rapid.T, bad bool, want, got *session.Answer, err error) {
	if bad {
		if err == nil && got.Status != solve.Infeasible.String() {
			t.Fatalf("an answer, %s, where a cold run has none", got.Status)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != solve.Optimal.String() {
		t.Fatalf("%s, with a gap of %v: %s", got.Status, got.Gap, got.Reason)
	}
	if !(math.Abs(got.Objective-want.Objective) <= 2e-5*max(1, math.Abs(want.Objective))+1e-5) {
		t.Fatalf("objective %v, that of a cold run is %v", got.Objective, want.Objective)
	}
}
