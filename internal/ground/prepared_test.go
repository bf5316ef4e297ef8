package ground

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/relation"
)

// TestSampledRulesAreGround grounds random models after they have been sampled, once as they were compiled for that and
// once more, with indexes freed as rules are done: nothing but the time that it takes may differ.
func TestSampledRulesAreGround(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := drawFixture(rt)
		want, wantReport, wantErr := f.ground(Options{Threads: 2})
		for _, r := range f.store.Relations {
			r.Forget(func(relation.Part) bool { return false })
		}
		p, err := prepareProgram(context.Background(), f.program, f.store, Options{reduceAll: true})
		if err != nil {
			rt.Fatal(err)
		}
		if _, err := p.Sample(context.Background(), 2, 100); err != nil {
			rt.Fatal(err)
		}
		for range 2 {
			got, report, err := p.Ground(context.Background(), Options{Threads: 2, Free: true})
			if !reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) || report.Total != wantReport.Total {
				rt.Fatalf("%s\n%+v, want %+v\n%v\n%v", describe(f), report.Total, wantReport.Total, err, wantErr)
			}
		}
		for _, r := range f.store.Relations {
			if n := r.Parts(); n > 0 {
				rt.Fatalf("%s\n%s still has %d indexes, lists and projections", describe(f), r.Name, n)
			}
		}
	})
}

// TestRulesAreCompiledOnce grounds what has been sampled, and frees what no later rule needs.
func TestRulesAreCompiledOnce(t *testing.T) {
	f := resolution(t, 200)
	p, err := Prepare(context.Background(), f.program, f.store, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Sample(context.Background(), 1, 100); err != nil {
		t.Fatal(err)
	}
	sampled, before := p.routines[0], f.store.Relations[0].Parts()
	if p.routine(1, 0) != sampled {
		t.Error("the rule that was sampled is compiled again")
	}
	for k := range f.program.Rules {
		p.free(k)
	}
	if after := f.store.Relations[0].Parts(); before == 0 || after > 0 {
		t.Errorf("%d indexes after sampling, %d when all rules are done", before, after)
	}
}
