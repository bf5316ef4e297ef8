package serve

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/inspect"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/session"
)

// TestPagesAreThoseOfAColdRun makes random changes, and compares what a model that lives says about rules and atoms
// with what one says that is ground and solved anew.
func TestPagesAreThoseOfAColdRun(t *testing.T) {
	model := newModel(t)
	rapid.Check(t, func(r *rapid.T) {
		s, err := Open(context.Background(), model, "", 0)
		if err != nil {
			r.Fatal(err)
		}
		for range rapid.IntRange(1, 20).Draw(r, "updates") {
			c := drawChange(r)
			if c.Kind == change.RuleWeight {
				c.Value = max(c.Value, 0.3) // a rule that weighs nothing leaves many states that cost the same
			}
			_, _ = s.live.Apply(r.Context(), []change.Change{c}) // what cannot be made is not
			if rapid.IntRange(0, 3).Draw(r, "look") == 0 {
				if answer, err := s.live.Infer(r.Context()); err == nil && answer.Status == "optimal" {
					if g, still, mu, err := s.live.Still(answer); err == nil {
						errorsOf(r, model.pages(g, still, mu)) // which keeps truth for the last look
					}
				}
			}
		}
		answer, err := s.live.Infer(r.Context())
		if err != nil {
			r.Fatal(err)
		}
		g, still, mu, err := s.live.Still(answer)
		if err != nil {
			r.Fatal(err)
		}
		cold, err := s.live.Settled(r.Context())
		if err != nil {
			r.Fatal(err)
		}
		wanted, err := cold.InferAgain(r.Context(), nil)
		if err != nil {
			r.Fatal(err)
		}
		if answer.Status != "optimal" || wanted.Status != "optimal" {
			r.Skip("one of them ends at a limit")
		}
		compareCosts(r, g, cold, still, wanted)
		errors := errorsOf(r, model.pages(g, still, mu))
		model.known = &inspect.Known{}
		equalTexts(r, errors, errorsOf(r, model.pages(g, still, mu)))
		fresh := model.pages(cold, wanted, func() []float64 { return wanted.Multipliers })
		compareSites(r, model.pages(g, still, mu), fresh, cold, wanted)
	})
}

// errorsOf are what a site's page of errors says, line by line.
func errorsOf(r *rapid.T, site *inspect.Site) []string {
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequest("GET", "/errors", nil))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "other side of") {
		r.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return strings.Split(w.Body.String(), "\n")
}

func compareCosts(r *rapid.T, g, cold *session.Grounding, answer, wanted *session.Answer) {
	got, err := g.CostByRule(answer)
	if err != nil {
		r.Fatal(err)
	}
	want, err := cold.CostByRule(wanted)
	if err != nil {
		r.Fatal(err)
	}
	for k := range want {
		if got[k].GroundRules != want[k].GroundRules || got[k].Weight != want[k].Weight ||
			math.Abs(got[k].Cost-want[k].Cost) > 1e-2 {
			r.Fatalf("%v, want %v", got[k], want[k])
		}
	}
	sizes, expected := g.ByPredicate(answer), cold.ByPredicate(wanted)
	if len(sizes) != len(expected) {
		r.Fatalf("%v, want %v", sizes, expected)
	}
	for k := range expected {
		if sizes[k].Atoms != expected[k].Atoms {
			r.Fatalf("%v, want %v", sizes[k], expected[k])
		}
	}
}

// compareSites explains each atom on both.
func compareSites(r *rapid.T, got, want *inspect.Site, cold *session.Grounding, answer *session.Answer) {
	for a := range cold.Atoms(answer, nil) {
		explained := func(site *inspect.Site) *explain.Explanation {
			e, err := site.Explain(r.Context(), explain.Options{Shown: -1}, 3, a.Predicate, a.Arguments)
			if err != nil {
				r.Fatal(err)
			}
			return e
		}
		e, expected := explained(got), explained(want)
		if e.Unique && expected.Unique {
			if math.Abs(e.Value-expected.Value) > 1e-2 {
				r.Fatalf("%v has the value %v, want %v", a, e.Value, expected.Value)
			}
			if e.Value > 0.01 && e.Value < 0.99 { // at a wall, more than one thing can hold it
				equalTexts(r, pushes(e), pushes(expected))
			}
			equalTexts(r, counterfactuals(e), counterfactuals(expected))
		}
	}
}

func equalTexts(r *rapid.T, got, want []string) {
	if !slices.Equal(got, want) {
		r.Fatalf("%q, want %q", got, want)
	}
}

// pushes are those that are more than rounding, by name.
func pushes(e *explain.Explanation) (all []string) {
	for _, p := range e.Pushes {
		if math.Abs(p.Push) > 0.05 {
			all = append(all, p.GroundRule)
		}
	}
	slices.Sort(all)
	return all
}

// counterfactuals are what would be without the fact that adds most, if it is clear which.
func counterfactuals(e *explain.Explanation) (all []string) {
	if len(e.Leaves) > 1 && math.Abs(e.Leaves[0].Contribution) > math.Abs(e.Leaves[1].Contribution)+0.05 {
		all = append(all, fmt.Sprintf("%s: %.1f", e.Counterfactuals[0].Change, e.Counterfactuals[0].Value+1e-4))
	}
	return all
}

// TestUpdatesDoNotWaitForExplanations changes all that an explanation is about when it is to begin: it is made all the
// same, of the version that there was.
func TestUpdatesDoNotWaitForExplanations(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	explained := func(meanwhile ...change.Change) (text string) {
		err := s.Beside(t.Context(), func(site *inspect.Site, of *Version) error {
			if len(meanwhile) > 0 {
				if u, err := s.Update(t.Context(), "", meanwhile); err != nil || u.Version != of.Number+1 {
					t.Errorf("version %d after %d: %v", u.Version, of.Number, err)
				}
			}
			e, err := site.Explain(t.Context(), explain.Options{}, 5, "Likes", []string{"cy", "jazz"})
			if err != nil {
				return err
			}
			text = fmt.Sprintf("%.6f %q", e.Value, pushes(e))
			for _, leaf := range e.Leaves {
				text += fmt.Sprintf("\n%s: %.6f", leaf.Name, leaf.Contribution)
			}
			for _, c := range e.Counterfactuals {
				text += fmt.Sprintf("\n%s: %.6f", c.Change, c.Value)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := explained()
	if _, err := s.Update(t.Context(), "", []change.Change{change.Target("Likes", "eve", "jazz")}); err != nil {
		t.Fatal(err) // so that another explainer is made
	}
	beside := explained(change.Remove("Knows", "bob", "cy"), change.Observe(0.3, "Likes", "ann", "jazz"),
		change.Observe(1, "Knows", "zoe", "cy"), change.Observe(0.7, "Likes", "cy", "jazz"), change.Weight(0, 3),
		change.Deactivate(1))
	if before != beside || strings.Count(before, "\n") < 6 {
		t.Errorf("an explanation is\n%s\nand beside changes\n%s", before, beside)
	}
}

// TestExplanationsBesideChanges explains atoms while all kinds of changes are made; the race detector has more to say.
func TestExplanationsBesideChanges(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	var changing sync.WaitGroup
	end := make(chan struct{})
	changing.Go(func() {
		for k := 0; ; k++ {
			select {
			case <-end:
				return
			default:
			}
			name := fmt.Sprint("n", k%40)
			for _, c := range []change.Change{change.Observe(1, "Knows", name, "bob"), change.Target("Likes", name, "jazz"),
				change.Observe(0.5, "Likes", "bob", "rock"), change.Target("Likes", "bob", "rock"), change.Weight(1, 0.5),
				change.Remove("Knows", name, "bob")} {
				if _, err := s.Update(t.Context(), "", []change.Change{c}); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for range 40 {
		e, err := s.Explain(t.Context(), explain.Options{Depth: 1}, 4, "Likes", []string{"cy", "jazz"})
		if err != nil || len(e.Leaves) == 0 || len(e.Pushes) == 0 || e.Pushes[0].GroundRule == "" {
			t.Fatalf("%+v: %v", e.Explanation, err)
		}
		status, page := ask(t, s.Handler("1"), "GET", "/atom?name=Likes('dan','jazz')&fact=Knows('bob','cy')&to=0.5", "")
		if status != 200 {
			t.Errorf("a page: %d %v", status, page)
		}
	}
	close(end)
	changing.Wait()
}
