package deeppsl_test

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/change"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
)

// kinds are rules of all kinds, with a verb for their weight; those without are hard. O, P and N are observed, T and S
// have targets, G is given, F is a function, M has the similar pairs of N's strings, and D is derived.
var kinds = []string{
	"%v: O(A) & P(A, B) -> T(B) ^2",
	"%v: T(A) & P(A, B) -> T(B)",
	"%v: S(A, B) & S(B, C) & (A != B) & (B != C) & (A != C) & P(A, C) -> S(A, C) ^2",
	"%v: T(+A) <= 2 ^2",
	"%v: S(A, +B) <= 1 + T(A) {B: O(B)}",
	"%v: P(A, +B) / @Max[1, |B|] >= T(A) {B: O(B)}",
	"%v: F(A, B) & P(A, B) & T(A) -> T(B) ^2",
	"%v * F(A, B): P(A, B) & T(A) -> T(B) ^2",
	"%v * O(B): P(A, B) & T(A) -> T(B)",
	"%v: G(A) -> T(A) ^2",
	"%v: G(A) & P(A, B) & T(A) -> T(B)",
	"%v: M(A, B) & T(A) -> T(B) ^2",
	"%v: D(A, B) & T(B) -> S(A, B) ^2",
	"%v: !S(A, B) ^2",
	"T('ann') + T('bob') <= 1.2 .",
	"T(A) >= 0.3 * O(A) .",
	"S(A, B) & P(B, A) -> T(B) .",
}

// law is a rule with its weight.
type law struct {
	text   string
	weight float64
	off    bool
}

func (l *law) String() string {
	if strings.Contains(l.text, "%v") {
		return fmt.Sprintf(l.text, l.weight)
	}
	return l.text
}

var people = []string{"ann", "anna", "bob", "bobby"}

// realm is a program with its data: atoms by their part and predicate.
type realm struct {
	laws                    []law
	observed, target, given map[string]float64
}

func (r *realm) clone() *realm {
	return &realm{slices.Clone(r.laws), maps.Clone(r.observed), maps.Clone(r.target), maps.Clone(r.given)}
}

func atomText(predicate string, arguments ...string) string {
	return predicate + " " + strings.Join(arguments, " ")
}

// parse makes the program and its data; without all, it is only the laws that hold.
func (r *realm) parse(all bool) (*deeppsl.Program, *deeppsl.Data, error) {
	var rules []string
	for k := range r.laws {
		if all || !r.laws[k].off {
			rules = append(rules, r.laws[k].String())
		}
	}
	half := func(a ...string) float64 { return float64(len(a[0])) / float64(len(a[0])+len(a[1])) }
	predicates := []deeppsl.Predicate{{Name: "F", Types: make([]deeppsl.Type, 2), Function: half},
		{Name: "M", Types: make([]deeppsl.Type, 2), Similar: &deeppsl.Similar{Measure: "Levenshtein", Column: "N:0",
			Threshold: 0.5}},
		{Name: "D", Types: make([]deeppsl.Type, 2), Derive: []string{"D(A, B) <- P(A, C) & P(C, B)"}}}
	for name, arity := range map[string]int{"O": 1, "P": 2, "N": 1, "T": 1, "S": 2, "G": 1} {
		predicates = append(predicates, deeppsl.Predicate{Name: name, Types: make([]deeppsl.Type, arity)})
	}
	slices.SortFunc(predicates, func(a, b deeppsl.Predicate) int { return strings.Compare(a.Name, b.Name) })
	p, err := deeppsl.Parse(strings.Join(rules, "\n"), predicates...)
	if err != nil {
		return nil, nil, err
	}
	data := deeppsl.NewData(p)
	for _, part := range []struct {
		atoms map[string]float64
		add   func(string, deeppsl.Source)
		value bool
	}{{r.observed, data.Observe, true}, {r.target, data.Target, false}, {r.given, data.Given, true}} {
		rows := map[string]deeppsl.Rows{}
		for _, atom := range slices.Sorted(maps.Keys(part.atoms)) {
			row := strings.Split(atom, " ")
			if part.value {
				row = append(row, fmt.Sprint(part.atoms[atom]))
			}
			rows[row[0]] = append(rows[row[0]], row[1:])
		}
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			part.add(name, rows[name])
		}
	}
	for _, name := range []string{"O", "P", "N"} {
		data.Observe(name, deeppsl.Rows{})
	}
	return p, data, nil
}

// cold is a session of the realm, with its answer.
func (r *realm) cold(all bool) (*deeppsl.Session, *deeppsl.Answer, error) {
	p, data, err := r.parse(all)
	if err != nil {
		return nil, nil, err
	}
	s, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{})
	if err != nil {
		return nil, nil, err
	}
	answer, err := s.Infer(ctx)
	return s, answer, err
}

// draw draws a change, and makes it in the realm.
func (r *realm) draw(t *rapid.T) change.Change {
	person := func() string { return rapid.SampledFrom(people).Draw(t, "person") }
	value := rapid.SampledFrom([]float64{0, 0.25, 0.6, 1}).Draw(t, "value")
	switch kind := rapid.IntRange(0, 13).Draw(t, "kind"); kind {
	case 0, 1:
		k := rapid.IntRange(0, len(r.laws)-1).Draw(t, "law")
		if l := &r.laws[k]; kind == 0 && strings.Contains(l.text, "%v") {
			l.weight = 0.5 + value
			return change.Weight(k, l.weight)
		} else if k > 0 {
			if l.off = !l.off; l.off {
				return change.Deactivate(k)
			}
			return change.Activate(k)
		}
	case 2:
		if r.enact(rapid.SampledFrom(kinds).Draw(t, "text"), 1+value) {
			return change.Rule(r.laws[len(r.laws)-1].String())
		}
	case 3, 4:
		name, arguments := "T", []string{person()}
		if kind == 4 {
			name, arguments = "S", append(arguments, person())
		}
		delete(r.observed, atomText(name, arguments...))
		r.target[atomText(name, arguments...)] = 1
		return change.Target(name, arguments...)
	case 5:
		at := person()
		delete(r.observed, atomText("G", at))
		r.given[atomText("G", at)] = value
		return change.Give(value, "G", at)
	case 6, 7, 8:
		all := slices.Concat(slices.Sorted(maps.Keys(r.observed)), slices.Sorted(maps.Keys(r.target)),
			slices.Sorted(maps.Keys(r.given)))
		atom := rapid.SampledFrom(all).Draw(t, "gone")
		if strings.HasSuffix(atom, " ann") && atom[:1] != "P" && atom[:1] != "N" {
			break // the last target of a predicate stays
		}
		delete(r.observed, atom)
		delete(r.target, atom)
		delete(r.given, atom)
		row := strings.Split(atom, " ")
		return change.Remove(row[0], row[1:]...)
	case 9, 10:
		name, arguments := rapid.SampledFrom([]string{"T", "S", "G"}).Draw(t, "fixed"), []string{person()}
		if name == "S" {
			arguments = append(arguments, person())
		}
		atom := atomText(name, arguments...)
		if atom == "T ann" || atom == "S ann ann" || atom == "G ann" {
			break
		}
		delete(r.target, atom)
		delete(r.given, atom)
		r.observed[atom] = value
		return change.Observe(value, name, arguments...)
	}
	name, arguments := rapid.SampledFrom([]string{"O", "P", "P", "N"}).Draw(t, "known"), []string{person()}
	if name == "P" {
		arguments = append(arguments, person())
	}
	r.observed[atomText(name, arguments...)] = value
	return change.Observe(value, name, arguments...)
}

// enact adds a law behind the others, unless it is there: a program has no rule twice.
func (r *realm) enact(text string, weight float64) bool {
	if slices.ContainsFunc(r.laws, func(l law) bool { return l.text == text }) {
		return false
	}
	r.laws = append(r.laws, law{text, weight, false})
	return true
}

// drawRealm draws a program with data.
func drawRealm(t *rapid.T) *realm {
	r := &realm{laws: []law{{"%v: !T(A) ^2", 0.1, false}}, observed: map[string]float64{"O ann": 1},
		target: map[string]float64{"S ann ann": 1}, given: map[string]float64{"G ann": 0.5}}
	for _, person := range people {
		r.target[atomText("T", person)] = 1
		for _, other := range people {
			if rapid.Bool().Draw(t, "pair") {
				r.target[atomText("S", person, other)] = 1
			}
		}
	}
	for range rapid.IntRange(1, 6).Draw(t, "laws") {
		r.enact(rapid.SampledFrom(kinds).Draw(t, "law"), 1)
	}
	for range rapid.IntRange(0, 12).Draw(t, "atoms") {
		person, other := rapid.SampledFrom(people).Draw(t, "person"), rapid.SampledFrom(people).Draw(t, "person")
		switch rapid.IntRange(0, 3).Draw(t, "known") {
		case 0:
			r.observed[atomText("O", person)] = 0.8
		case 1:
			r.observed[atomText("N", person)] = 1
		case 2:
			r.given[atomText("G", person)] = 0.7
		default:
			r.observed[atomText("P", person, other)] = 1
		}
	}
	return r
}

// same compares a session, and what it answers, with a cold run.
func (r *realm) same(t *rapid.T, what string, s *deeppsl.Session, answer *deeppsl.Answer, cold *deeppsl.Session,
	want *deeppsl.Answer) {
	t.Helper()
	if answer.Status != want.Status || want.Status == deeppsl.Optimal &&
		!(math.Abs(answer.Objective-want.Objective) <= 2.5e-4*max(1, math.Abs(want.Objective))) {
		t.Fatalf("%s: %s, objective %v; a cold run: %s, %v", what, answer.Status, answer.Objective, want.Status,
			want.Objective)
	}
	if s == nil {
		return
	}
	var ground, counts []int
	for _, rule := range s.Rules() {
		if !rule.Inactive {
			ground = append(ground, rule.Ground)
		}
	}
	for _, rule := range cold.Rules() {
		counts = append(counts, rule.Ground)
	}
	if !slices.Equal(ground, counts) {
		t.Fatalf("%s: %v ground rules, and in a cold run %v", what, ground, counts)
	}
}

// Whatever is changed, asked, saved and explained in whatever order, a session must be what a cold run of the changed
// program and tables is, refuse what that refuses, and be as before then.
func TestSequencesAreColdRuns(t *testing.T) {
	folder := t.TempDir()
	done := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		now := drawRealm(t)
		first := now.clone()
		s, answer, err := now.cold(true)
		if err != nil || answer.Status != deeppsl.Optimal {
			t.Skip("no answer")
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			next := now.clone()
			var changes []change.Change
			for range rapid.IntRange(1, 4).Draw(t, "changes") {
				changes = append(changes, next.draw(t))
			}
			cold, want, coldErr := next.cold(false)
			bad := coldErr != nil || want.Status == deeppsl.Infeasible
			what := rapid.SampledFrom([]string{"apply", "apply", "apply", "what if", "save", "explain"}).Draw(t, "what")
			switch what {
			case "what if":
				answer, err := s.WhatIf(ctx, changes...)
				if coldErr == nil && err != nil || coldErr != nil && err == nil {
					t.Fatalf("%v: error %v, a cold run's %v", changes, err, coldErr)
				} else if err == nil {
					now.same(t, fmt.Sprint("what if ", changes), nil, answer, cold, want)
				}
			case "apply":
				_, err := s.Apply(ctx, changes...)
				if (err != nil) != bad {
					t.Fatalf("%v: error %v, a cold run's %v, %+v", changes, err, coldErr, want)
				}
				if !bad {
					now = next
				} else {
					what = "refuse"
				}
			case "save":
				path := filepath.Join(folder, "saved")
				if err := s.Save(ctx, path); err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if s, _, err = first.cold(true); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Journal(ctx, path); err != nil {
					t.Fatal(err)
				}
			case "explain":
				e, err := s.Explain(ctx, deeppsl.Details{}, "T", "ann")
				if err != nil || math.Abs(e.Unexplained) > 1e-5 {
					t.Fatalf("%+v, %v", e, err)
				}
			}
			done[what]++
			if cold, want, err = now.cold(false); err != nil {
				t.Fatal(err)
			}
			answer, err := s.Infer(ctx)
			if err != nil {
				t.Fatal(err)
			}
			now.same(t, fmt.Sprint(what, " ", changes), s, answer, cold, want)
		}
	})
	for _, what := range []string{"apply", "what if", "save", "explain", "refuse"} {
		if done[what] == 0 {
			t.Errorf("there was no %s: %v", what, done)
		}
	}
}
