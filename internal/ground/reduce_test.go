package ground

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/relation"
)

// Of a path between few nodes, the rows that lead nowhere are not indexed, from whichever end they are refused, and
// what is ground is what it is without that. Where very many rules go along the same links, these are indexed once for
// all.
func TestRefusedRowsAreNotIndexed(t *testing.T) {
	const nodes, degree, ends = 3000, 3, 5
	paths := func() *builder {
		b := newBuilder()
		var links, first, last, goals []data
		for k := range nodes {
			for d := range degree {
				links = append(links, observed(fmt.Sprintf("n%d n%d", k, (k+d+1)%nodes), 1))
			}
			goals = append(goals, data{fmt.Sprint("n", k), relation.Target, 0})
		}
		for k := range ends {
			first, last = append(first, observed(fmt.Sprint("n", 11*k), 1)), append(last, observed(fmt.Sprint("n", 13*k), 1))
		}
		b.add("Link", 2, false, links...)
		b.add("Start", 1, false, first...)
		b.add("End", 1, false, last...)
		b.add("Goal", 1, true, goals...)
		return b
	}
	const path = "Start(A) & Link(A, B) & Link(B, C) & Link(C, D) & Link(D, E) & End(E) & Goal(A) -> Goal(E)\n"
	f := paths().rules(t, "1: "+path)
	prepared, err := Prepare(context.Background(), f.program, f.store, 1)
	if err != nil {
		t.Fatal(err)
	}
	for k := range prepared.plans[0].Steps {
		for _, b := range prepared.plans[0].Requirers(k) {
			its := prepared.plans[0].Steps[b.Step].Relation // a step with all values refuses no row
			if prepared.plans[0].WorthRequiring(k, b, float64(its.Len()), nodes*degree) != (its.Name == "End") {
				t.Errorf("step %d and what %s requires of it:\n%s", k, its.Name, prepared.plans[0])
			}
		}
	}
	for k := range prepared.routine(1, 0).ops {
		if o := &prepared.routines[0].ops[k]; o.size == nodes*degree && o.places > o.size/10 {
			t.Errorf("%d rows are indexed:\n%s", o.places, prepared.plans[0])
		}
	}
	_, report := f.made(t, Options{Threads: 1})
	_, plain := paths().rules(t, "1: "+path+"1: Link(A, B) -> Goal(B)\n1: Link(A, B) & Link(B, C) -> Goal(C)\n").
		made(t, Options{Threads: 1})
	if one, other := report.Rules[0].Counts, plain.Rules[0].Counts; one != other || one.Potentials == 0 {
		t.Errorf("%+v where rows are left out, %+v where they are indexed for others", one, other)
	}

	var many strings.Builder
	for k := range 20 {
		fmt.Fprintf(&many, "1: Start(A) & Link(A, B) & Link(C, B) & End(C) & (A != 'n%d') & Goal(A) -> Goal(C)\n", k)
	}
	f = paths().rules(t, many.String())
	if prepared, err = Prepare(context.Background(), f.program, f.store, 1); err != nil {
		t.Fatal(err)
	}
	for _, p := range prepared.plans {
		for k := range p.Steps {
			if p.Steps[k].Reduced && p.Steps[k].Relation.Len() > ends {
				t.Fatalf("rows are chosen for each of many rules:\n%s", p)
			}
		}
	}
}

// Where a variable stands twice in an atom, rows with two values there are not indexed.
func TestRowsOfTwoValuesAreNotIndexed(t *testing.T) {
	b := newBuilder()
	var rows, goals []data
	for k := range 5000 {
		rows = append(rows, observed(fmt.Sprintf("a%d b%d b%d", k%1000, k/2, k/2+k/1000), 1))
	}
	for k := range 2500 {
		goals = append(goals, data{fmt.Sprint("b", k), relation.Target, 0})
	}
	b.add("T", 3, false, rows...)
	b.add("Start", 1, false, observed("a1", 1))
	b.add("Goal", 1, true, goals...)
	f := b.rules(t, "1: Start(A) & T(A, B, B) -> Goal(B)\n")
	prepared, err := Prepare(context.Background(), f.program, f.store, 1)
	if err != nil {
		t.Fatal(err)
	}
	for k := range prepared.routine(1, 0).ops {
		if o := &prepared.routines[0].ops[k]; int(o.size) == len(rows) && o.places > 1 {
			t.Errorf("%d rows are indexed:\n%s", o.places, prepared.plans[0])
		}
	}
	if _, report := f.made(t, Options{Threads: 1}); report.Rules[0].Counts.Groundings != 1 {
		t.Errorf("%d groundings", report.Rules[0].Counts.Groundings)
	}
}
