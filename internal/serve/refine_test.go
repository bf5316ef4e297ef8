package serve

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/change"
)

// TestBudget gives inference next to no time: updates are answered with what is proven by then, and the proof follows,
// of the state that a service has which takes its time.
func TestBudget(t *testing.T) {
	patient, _ := start(t, newModel(t), "")
	hasty := within(t, newModel(t), filepath.Join(t.TempDir(), "journal"), time.Nanosecond)
	var writing sync.WaitGroup
	for k := range 4 {
		writing.Go(func() {
			for i := range 10 {
				who := fmt.Sprint(k, "-", i)
				changes := []change.Change{change.Observe(1, "Knows", "ann", who), change.Target("Likes", who, "jazz"),
					change.Target("Likes", who, "rock")}
				for _, s := range []*Service{hasty, patient} {
					u, err := s.Update(t.Context(), "", changes)
					if err != nil || u.Gap == nil || s == patient && *u.Gap > 1e-4 {
						t.Errorf("%+v: %v", u, err)
					}
				}
			}
		})
	}
	writing.Wait()
	for end := time.Now().Add(time.Minute); !hasty.Current().Answer.Done(); {
		if time.Now().After(end) {
			t.Fatalf("the proof does not follow: %+v", hasty.Current().Event())
		}
		time.Sleep(time.Millisecond)
	}
	got, want := hasty.Current().Answer, patient.Current().Answer
	allowed := (math.Abs(got.Gap) + math.Abs(want.Gap)) * max(1, want.Objective)
	if got.Gap > 1e-4 || math.Abs(got.Objective-want.Objective) > allowed+1e-9 {
		t.Errorf("objective %v with the gap %v, want %v with %v", got.Objective, got.Gap, want.Objective, want.Gap)
	}
	if hasty.Current().Updates != 40 {
		t.Errorf("%d updates, want 40", hasty.Current().Updates)
	}
}

// TestWholeBehind has the whole solved beside updates again and again, for as many as it takes to be solved once.
func TestWholeBehind(t *testing.T) {
	s := within(t, newModel(t), "", time.Second)
	updates := 0
	for ; updates < 30 || updates < 10_000 && s.counts.wholes.Load() == 0; updates++ {
		_, err := s.ask(&task{ctx: t.Context(), do: func(context.Context) error {
			s.behind.since, s.behind.far, s.behind.begun = time.Now(), true, -1
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		whom, value := []string{"bob", "cy", "dan"}[updates%3], float64(updates%4)/3
		u, err := s.Update(t.Context(), "", []change.Change{change.Observe(value, "Knows", "ann", whom)})
		if err != nil || u.Version == 0 {
			t.Fatalf("%+v: %v", u, err)
		}
	}
	if err := s.Infer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.counts.wholes.Load() == 0 {
		t.Error("the whole was never solved beside updates")
	}
	if v := s.Current(); !v.Answer.Done() || v.Updates != updates {
		t.Errorf("%+v, want %d updates", v.Event(), updates)
	}
}
