package ground

import (
	"context"
	"reflect"
	"testing"

	"github.com/deeppsl/deeppsl/internal/plan"
)

// What loops find again and again is made once, at one of their ends or at both, between look-ups and conditions, and
// the ground rules and their order are the same.
func TestTables(t *testing.T) {
	cycle := "Link(A, B) & Link(B, C) & Link(C, A)"
	for rule, tables := range map[string]int{
		"1: " + cycle + " & Link(A, D) & Link(D, E) & Link(E, F) & Link(F, D) & Good(B) -> Good(E)":       2,
		"1: " + cycle + " & Link(A, D) & Link(D, E) & Link(E, A) & (D != E) & Good(B) -> Good(D)":         1,
		"1: " + cycle + " & Link(A, D) & Link(D, E) & Link(E, F) & Link(F, D) & (B != E) -> Good(F)":      1,
		cycle + " & Link(A, D) & Link(D, E) & Link(E, F) & Link(F, D) & !Good(E) -> Good(A) .":            2,
		"1: " + cycle + " & Link(A, D) & Link(D, E) & (D != E) & Good(D) -> Good(E)":                      1,
		"1: Link(A, B) & Link(B, C) & Link(C, A) & Good(A) -> Good(C)":                                    0,
		"1: " + cycle + " & Link(A, D) & Link(D, E) & Link(E, F) & Link(F, D) & Link(B, E) -> Good(F) ^2": 0,
	} {
		f := network(t, 300, 12, 40, rule)
		want, _ := f.made(t, Options{Threads: 1, oneByOne: true})
		if want.Potentials() == 0 {
			t.Errorf("%s: no ground rules", rule)
		}
		for _, threads := range []int{1, 3} {
			got, report := f.made(t, Options{Threads: threads})
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: tables make a difference with %d threads", rule, threads)
			}
			if len(report.Rules[0].Steps) != len(report.Rules[0].Plan.Steps) {
				t.Errorf("%s: not every step is reported", rule)
			}
		}
		if n := tablesOf(t, f); n != tables {
			t.Errorf("%s: %d tables, not %d\n%s", rule, n, tables, planned(t, f.program.Rules[0], f.store))
		}
	}
}

// tablesOf counts the tables that the first rule is grounded with.
func tablesOf(t *testing.T, f *fixture) (count int) {
	t.Helper()
	p, err := prepareProgram(context.Background(), f.program, f.store, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	g := newGrounder(context.Background(), p.scope, Options{Threads: 1})
	defer g.release()
	r := p.routine(1, 0)
	g.table(r, false)
	for k := range r.ops {
		if r.ops[k].kind == plan.Probe && r.ops[k].at < 0 {
			count++
		}
	}
	return count
}
