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
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// perceiving has rules over networks of all kinds: C is a classifier of all rows, G says one thing of listed ones and
// propagates it along W, S compares listed pairs by what C's network sees and by names, and N derived pairs of another
// table. Z is asked for wherever C's network sees.
var perceiving = []string{
	"2: C(A, 'x') -> T(A) ^2",
	"1: C(A, L) & S(A, B) & T(A) -> T(B)",
	"1.5: G(A) & S(A, B) & T(A) -> T(B) ^2",
	"0.7: N(A, B) & T(B) -> T(A) ^2",
	"1: C(A, +L) - O(A) <= T(A)",
	"G(A) & O(A) -> T(A) .",
	"0.5: D(A) & C(A, 'y') -> T(A) ^2",
	"0.3: !T(A) ^2",
	"0.4: C(A, L) -> Z(A, L) ^2",
}

// seen is what a cold run reads of them: rows of features by table, and atoms.
type seen struct {
	world
	features map[string]map[string][]float64
}

func (w *seen) clone() *seen {
	out := &seen{*w.world.clone(), make(map[string]map[string][]float64)}
	for table, rows := range w.features {
		out.features[table] = maps.Clone(rows)
	}
	return out
}

// configure writes a project into a folder, whose networks begin with a checkpoint if there is one.
func (w *seen) configure(dir, checkpoint string) (string, error) {
	for table, rows := range w.features {
		lines := ""
		for _, id := range slices.Sorted(maps.Keys(rows)) {
			lines += id
			for _, v := range rows[id] {
				lines += fmt.Sprintf(",%v", v)
			}
			lines += "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, table+".csv"), []byte(lines), 0o666); err != nil {
			return "", err
		}
	}
	networks := map[string]map[string]any{
		"c": {"features": "f.csv", "hidden": []int{3}}, "g": {"features": "f.csv", "normalize": "l2", "propagate": "W"},
		"s": {"kind": "siamese", "encoder": "c", "measures": []string{"TFIDF"}},
		"n": {"kind": "siamese", "features": "h.csv", "normalize": "none", "hidden": []int{2}},
	}
	for _, network := range networks {
		if checkpoint != "" {
			network["checkpoint"] = checkpoint
		}
	}
	rows := func(name string, targets bool) (rows [][]any) {
		rows = [][]any{}
		from := w.observed
		if targets {
			from = w.targets
		}
		for _, atom := range slices.Sorted(maps.Keys(from)) {
			if atom[:1] == name && targets {
				rows = append(rows, row(atom))
			} else if atom[:1] == name {
				rows = append(rows, append(row(atom), from[atom]))
			}
		}
		return rows
	}
	predicates := make(map[string]any)
	for name, more := range map[string]map[string]any{
		"O/1": {}, "W/2": {}, "T/1": {"targets": rows("T", true)},
		"C/2": {"neural": map[string]any{"network": "c", "entity": 0, "class": 1, "classes": []string{"x", "y"}}},
		"G/1": {"neural": map[string]any{"network": "g"}, "targets": rows("G", true)},
		"S/2": {"neural": map[string]any{"network": "s"}, "targets": rows("S", true)},
		"N/2": {"neural": map[string]any{"network": "n", "atoms": []string{"N(A, B) <- O(A) & O(B)"}}},
		"D/1": {"derive": []string{"D(A) <- O(A)"}}, "Z/2": {"targets": "Z(A, L) <- C(A, L)"},
	} {
		if more["derive"] == nil {
			more["observations"] = rows(name[:1], false)
		}
		predicates[name] = more
	}
	text, err := json.Marshal(map[string]any{"rules": w.rules, "predicates": predicates, "networks": networks})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "model.json")
	return path, os.WriteFile(path, text, 0o666)
}

func (w *seen) cold(dir, checkpoint string) (*session.Grounding, error) {
	path, err := w.configure(dir, checkpoint)
	if err != nil {
		return nil, err
	}
	loaded, err := project.Load(path, project.Options{Seed: 3, Set: []string{"inference.gap=1e-5"}})
	if err != nil {
		return nil, err
	}
	return engine.Ground(context.Background(), loaded, load.Infer)
}

// draw draws a change, and makes it in the tables.
func (w *seen) draw(r *rapid.T) change.Change {
	entity := func() string { return rapid.SampledFrom(similar).Draw(r, "entity") }
	value := rapid.SampledFrom([]float64{0, 0.25, 0.6, 1}).Draw(r, "value")
	observe := func(atom string) change.Change {
		delete(w.targets, atom)
		w.observed[atom] = value
		return change.Observe(value, atom[:1], arguments(atom)...)
	}
	target := func(atom string) change.Change {
		delete(w.observed, atom)
		w.targets[atom] = 1
		return change.Target(atom[:1], arguments(atom)...)
	}
	switch rapid.IntRange(0, 10).Draw(r, "kind") {
	case 0, 1, 2:
		table, id := rapid.SampledFrom([]string{"f", "f", "h"}).Draw(r, "table"), entity()
		row := []float64{value, rapid.SampledFrom([]float64{0, -3, 0.5}).Draw(r, "value")}
		network := map[string]string{"f": rapid.SampledFrom([]string{"c", "g", "s"}).Draw(r, "network"), "h": "n"}[table]
		w.features[table][id] = row
		if row[0] != 0 && row[1] == 0 {
			return change.SparseFeatures(network, id, []int32{0}, row[:1])
		}
		return change.Features(network, id, row...)
	case 3:
		return observe("O(" + entity() + ")")
	case 4:
		return observe("C(" + entity() + "," + rapid.SampledFrom([]string{"x", "y"}).Draw(r, "class") + ")")
	case 5:
		return target("S(" + entity() + "," + entity() + ")")
	case 6:
		return target("G(" + entity() + ")")
	case 7:
		return observe("W(" + entity() + "," + entity() + ")")
	case 8:
		return target("T(" + entity() + ")")
	}
	all := slices.Sorted(maps.Keys(w.observed))
	all = append(all, slices.Sorted(maps.Keys(w.targets))...)
	atom := rapid.SampledFrom(all).Draw(r, "gone")
	if strings.HasSuffix(atom, "(aab)") || strings.HasSuffix(atom, "(aab,aab)") ||
		atom[:1] == "T" && rapid.Bool().Draw(r, "stays") {
		return observe("O(" + entity() + ")") // the last target of a predicate stays
	}
	delete(w.observed, atom)
	delete(w.targets, atom)
	return change.Remove(atom[:1], arguments(atom)...)
}

// drawSeen draws a program with networks, and the checkpoint that these begin with.
func drawSeen(r *rapid.T, dir string) (*seen, string) {
	w := &seen{world{observed: map[string]float64{"O(aab)": 1},
		targets: map[string]float64{"T(aab)": 1, "G(aab)": 1, "S(aab,aab)": 1}},
		map[string]map[string][]float64{"f": {"aab": {1, 2}}, "h": {"aab": {0, 1}}}}
	for _, entity := range similar {
		w.targets["T("+entity+")"] = 1
	}
	for range rapid.IntRange(0, 3).Draw(r, "features") {
		w.features["f"][rapid.SampledFrom(similar).Draw(r, "entity")] = []float64{0.5, -1}
	}
	for range rapid.IntRange(2, 6).Draw(r, "rules") {
		if rule := rapid.SampledFrom(perceiving).Draw(r, "rule"); !slices.Contains(w.rules, rule) {
			w.rules = append(w.rules, rule)
		}
	}
	g, err := w.cold(dir, "")
	if err != nil {
		r.Fatal(err)
	}
	checkpoint := filepath.Join(dir, "checkpoint")
	if err := g.Networks.System.SaveFile(checkpoint); err != nil {
		r.Fatal(err)
	}
	return w, checkpoint
}

// outputs are what networks say, by atom.
func outputs(g *session.Grounding, answer *session.Answer) map[string]float64 {
	all := make(map[string]float64)
	for a := range g.Atoms(answer, nil) {
		if r, row, err := g.Row(a.Predicate, a.Arguments); err == nil && row >= 0 && r.Role(row) == relation.Perceived {
			all[relation.AtomText(a.Predicate, a.Arguments)] = a.Value
		}
	}
	return all
}

// checkSeen compares an answer, and what networks say, with those of a cold run.
func checkSeen(t *rapid.T, changes []change.Change, want, got *session.Answer, cold, g *session.Grounding) {
	if want.Status == solve.Infeasible.String() != (got.Status == solve.Infeasible.String()) {
		t.Fatalf("%v: %s, where a cold run is %s", changes, got.Status, want.Status)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6 }
	if mine, theirs := outputs(g, got), outputs(cold, want); !maps.EqualFunc(mine, theirs, near) {
		t.Fatalf("%v: networks say\n%v\nand in a cold run\n%v", changes, mine, theirs)
	}
	if want.Status == solve.Optimal.String() {
		checkAnswer(t, false, want, got, nil)
	}
}

// Features that come and change must be what a cold run over the changed tables makes of them, whose networks have the
// same checkpoint: the same atoms, outputs, ground rules and answer, and the same refusals.
func TestFeaturesAreColdRuns(t *testing.T) {
	dir := t.TempDir()
	applied, refused, perceived := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		now, checkpoint := drawSeen(t, dir)
		g, err := now.cold(dir, checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		s, answer := begin(t, g, nil)
		var made []Record
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			next := now.clone()
			var changes []change.Change
			for range rapid.IntRange(1, 4).Draw(t, "changes") {
				changes = append(changes, next.draw(t))
			}
			cold, coldErr := next.cold(dir, checkpoint)
			var want *session.Answer
			if coldErr == nil {
				if want, err = cold.Infer(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			if rapid.IntRange(0, 3).Draw(t, "what if") == 0 {
				before, revised := lines(s.grounding.Tables.Store, s.state.Each, nil), s.grounding.Networks.Revisions()
				answer, about, err := s.WhatIf(context.Background(), changes)
				if (err != nil) != (coldErr != nil) {
					t.Fatalf("%v: error %v, a cold run's %v", changes, err, coldErr)
				}
				if err == nil && about != s.grounding {
					checkSeen(t, changes, want, answer, cold, about)
				} else if err == nil {
					checkAnswer(t, want.Status == solve.Infeasible.String(), want, answer, nil)
				}
				if after := lines(s.grounding.Tables.Store, s.state.Each, nil); !slices.Equal(before, after) ||
					fmt.Sprint(revised) != fmt.Sprint(s.grounding.Networks.Revisions()) {
					t.Fatal("a question leaves a trace")
				}
				continue
			}
			done, err := s.Apply(context.Background(), changes)
			bad := coldErr != nil || want.Status == solve.Infeasible.String()
			if (err != nil) != bad {
				t.Fatalf("%v: error %v, a cold run's %v, %+v", changes, err, coldErr, want)
			}
			if bad {
				refused++
				if cold, coldErr = now.cold(dir, checkpoint); coldErr != nil {
					t.Fatal(coldErr)
				}
				if want, err = cold.Infer(context.Background()); err != nil {
					t.Fatal(err)
				}
			} else {
				applied++
				perceived += done.Perceived
				now, made = next, append(made, Record{Changes: changes})
			}
			checkRules(t, s, cold, nil)
			answer, err := s.Infer(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			checkSeen(t, changes, want, answer, cold, s.grounding)
		}
		checkReplay(t, g, answer, made, s)
	})
	if applied == 0 || refused == 0 || perceived == 0 {
		t.Errorf("%d applied, %d refused, networks asked about %d atoms", applied, refused, perceived)
	}
}
