package oracle

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/consensus"
	"github.com/deeppsl/deeppsl/internal/place"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/shard"
)

// sharded cuts what the program's file says, solves all shards, and merges.
func sharded(ctx context.Context, path, dir, by string, shards int) (*shard.Manifest, *shard.Merged, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, nil, err
	}
	options := project.Options{Threads: 1, Set: asked}
	loaded, err := project.Load(path, options)
	if err != nil {
		return nil, nil, err
	}
	m, _, err := shard.Make(ctx, loaded, shard.Request{Config: path, By: by, Shards: shards, At: place.Folder(dir)})
	if err != nil {
		return nil, nil, err
	}
	if by == shard.ByVertices {
		err := agreeing(ctx, dir, m)
		if err != nil {
			return m, nil, err
		}
	}
	for k := shards; k >= 1; k-- {
		told := shard.Told{Before: func(*shard.Cell) {}}
		if _, err := shard.Run(ctx, place.Folder(dir), m, k, project.Options{Threads: 1}, told); err != nil {
			return m, nil, err
		}
	}
	merged, err := shard.Merge(ctx, place.Folder(dir), m, loaded)
	return m, merged, err
}

// Parts must have the ground rules of the whole together, and an answer as good; and the same bits for any number of
// shards.
func TestShardsAreTheWhole(t *testing.T) {
	dir := t.TempDir()
	path, parts := filepath.Join(dir, "model.json"), filepath.Join(dir, "parts")
	cuts := make(map[string]int)
	rapid.Check(t, func(t *rapid.T) {
		if rapid.IntRange(0, 3).Draw(t, "rest") > 0 {
			return // each writes dozens of files
		}
		p := draw(t)
		by := rapid.SampledFrom([]string{shard.ByComponents, shard.ByComponents, "T(1)", "S(1)", "S(2)", "P(1)", "O(1)"}).
			Draw(t, "by")
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		whole, wholeErr := p.run(dir, project.Options{Threads: 1, Set: asked})
		m, got, err := sharded(ctx, path, parts, by, 1)
		if err != nil && strings.Contains(err.Error(), "[shard-key]") {
			cuts["refused"]++
			return
		}
		if (err == nil) != (wholeErr == nil) {
			t.Fatalf("by %s: %v, of the whole %v\n%v", by, err, wholeErr, p)
		}
		if err != nil {
			return
		}
		if len(m.Cells) > 1 {
			cuts["cut"]++
		}
		if wrong := differs(ctx, p, dir, got, whole); wrong != "" {
			t.Fatalf("by %s in %d parts: %s\n%v", by, len(m.Cells), wrong, p)
		}
		_, again, err := sharded(ctx, path, parts, by, 3)
		if err != nil || !slices.Equal(again.Answer.Values, got.Answer.Values) || again.Gap != got.Gap ||
			again.Objective != got.Objective || !reflect.DeepEqual(again.Costs, got.Costs) {
			t.Fatalf("by %s: %v; 3 shards have other bits than 1\n%v", by, err, p)
		}
	})
	t.Log(cuts)
}

// What costs next to nothing in a part of great weights alone is much of what the whole costs.
func TestPartsOfGreatWeights(t *testing.T) {
	path := extreme(t, []float64{0.1234567, 1e-6, 1}, "370: 0.01 * S(A, B) >= 0.7 ^2",
		"370000000000: 1 * O(A) + -1 * T(A) = 0 ^2")
	_, got, err := sharded(context.Background(), path, filepath.Join(t.TempDir(), "parts"), shard.ByComponents, 1)
	if err != nil || got.Status != "optimal" {
		t.Errorf("%v: %+v", err, got)
	}
}

// differs says in what the merged parts are not the whole.
func differs(ctx context.Context, p *prog, dir string, got *shard.Merged, whole *solved) string {
	g, err := p.grounding(ctx, dir, project.Options{Threads: 1, Set: asked})
	switch {
	case err != nil:
		return err.Error()
	case !slices.EqualFunc(g.Counts(), got.GroundRulesByRule, sameCount):
		return fmt.Sprintf("ground rules %+v, of the whole %+v", got.GroundRulesByRule, g.Counts())
	case got.Status != whole.Status:
		return fmt.Sprintf("%s (gap %v), of the whole %s (gap %v)", got.Status, got.Gap, whole.Status, whole.Gap)
	case got.Status != "optimal":
		return ""
	}
	g.Field.SetWeights(g.Theta)
	unit := max(g.Field.Grain(), math.Abs(whole.Objective))
	near := 4*tolerance*unit + 1e-6*math.Abs(whole.Objective)
	if far := math.Abs(got.Objective - whole.Objective); far > near && far > near+p.gains(got.MaxViolation) {
		return fmt.Sprintf("objective %v, of the whole %v", got.Objective, whole.Objective)
	}
	return ""
}

// gains bounds what violating every hard ground rule by so much can gain.
func (p *prog) gains(violation float64) float64 {
	return violation * solveRows(p.ground(), len(p.targets())).push
}

// sameCount compares counts but for those of trivial ground rules, of which a plan sees as many as it does not prune.
func sameCount(a, b session.RuleCount) bool {
	a.Trivial, b.Trivial = 0, 0
	return a == b
}

// agreeing runs all blocks at the same time.
func agreeing(ctx context.Context, dir string, m *shard.Manifest) error {
	errs := make([]error, m.Shards)
	var all sync.WaitGroup
	for k := range errs {
		all.Go(func() {
			told := shard.Told{Before: func(*shard.Cell) {}, Round: func(consensus.Progress) {}}
			_, errs[k] = shard.Run(ctx, place.Folder(dir), m, k+1, project.Options{Threads: 1}, told)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// longPatience is the patience with blocks, which exchange files each round: most of their time is the disk's.
const longPatience = 10 * patience

// Blocks that agree must have the answer of the whole; where they find no proof, they must say so, and their bound must
// hold.
func TestBlocksAreTheWhole(t *testing.T) {
	dir := t.TempDir()
	path, parts := filepath.Join(dir, "model.json"), filepath.Join(dir, "parts")
	verdicts := make(map[string]int)
	rapid.Check(t, func(t *rapid.T) {
		if rapid.IntRange(0, 5).Draw(t, "rest") > 0 {
			return
		}
		p := draw(t)
		ctx, cancel := context.WithTimeout(context.Background(), longPatience)
		defer cancel()
		whole, err := p.run(dir, project.Options{Threads: 1, Set: asked})
		if err != nil || whole.Status != "optimal" {
			return
		}
		_, got, err := sharded(ctx, path, parts, shard.ByVertices, 2)
		if err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
		verdicts[got.Status]++
		if got.Status == "optimal" {
			if wrong := differs(ctx, p, dir, got, whole); wrong != "" {
				t.Fatalf("%s\n%v", wrong, p)
			}
		} else if unit := max(1, math.Abs(whole.Objective)); got.DualBound > whole.Objective+1e-5*unit {
			t.Fatalf("%s: bound %v, but %v is possible\n%v", got.Status, got.DualBound, whole.Objective, p)
		}
	})
	t.Log(verdicts)
}
