package training

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/training/peer"
)

// simpleGain is by how many standard errors a regression has to be better, and simplyMore of which share of the labels
// it has to tell more right.
const simpleGain, simplyMore = 2, 0.02

// mostTold is the number of ground rules up to which what they tie labels to is looked for.
const mostTold = 1_000_000

// outdone notices held-out labels that an opponent, which knows of no rules, tells better than what is inferred: a
// regression, or twins that compare two rows.
func (n *notices) outdone(ctx context.Context, held *heldOut) error {
	g := n.g
	if held == nil || !g.meetsOpponents() {
		return nil
	}
	taught, err := g.taught(lesson{}, relation.Target)
	if err != nil {
		return err
	}
	by, sights, twins := referee{g: g, levels: held.levels}, g.Perception.Sights(), g.ties.Twins()
	for k, atoms := range g.Tables.Store.Relations {
		about := func(variable int32) bool {
			of, _ := g.Tables.Store.Locate(relation.Target, variable)
			return of == atoms
		}
		labels, asked := taught.About(about), held.labels.About(about)
		if len(asked.Variables) < fewLabels || len(labels.Variables) < fewLabels || g.about(k).own {
			continue
		}
		p := peer.Of(g.Model, sights, twins, labels.Join(asked))
		if p == nil {
			continue
		}
		inferred := by.verdict(asked, held.y)
		told, err := n.outdoneBy(ctx, p, held, labels, asked, inferred)
		if told != nil {
			n.plain(g.Project.Config.Predicates[k].Name, *told, inferred, p.Width(), levelled(asked, held.y))
		}
		if told == nil && err == nil {
			err = n.outdoneByTwins(ctx, k, p, held, labels, asked, inferred)
		}
		if ctx.Err() != nil {
			return nil // what has been learned counts all the same
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// meetsOpponents tells whether what is inferred of held-out labels is compared with what opponents say of them.
func (g *learner) meetsOpponents() bool {
	return g.Perception != nil && g.Model.Potentials() <= mostTold
}

// opponent learns from some labels and writes what that says of others.
type opponent interface {
	Answer(ctx context.Context, labels, held *label.Labels, y []float64, how peer.Settings) error
}

// outdoneBy returns the verdict on an opponent that is better than what is inferred, by more than chance; else nil.
func (n *notices) outdoneBy(
	ctx context.Context, by opponent, held *heldOut, labels, asked *label.Labels, inferred label.Verdict,
) (*label.Verdict, error) {
	y, err := n.g.answerBy(ctx, by, held, labels, asked)
	if err != nil {
		return nil, err
	}
	simple := asked.Judge(y)
	more := simple.Right() - inferred.Right()
	if simple.Beats(inferred, simpleGain) &&
		(asked.Degrees() || float64(more) >= simplyMore*float64(inferred.Entities())) {
		return &simple, nil
	}
	return nil, nil
}

// outdoneByTwins notices labels of a predicate that a siamese network tells better.
func (n *notices) outdoneByTwins(
	ctx context.Context, k int, p *peer.Peer, held *heldOut, labels, asked *label.Labels, inferred label.Verdict,
) error {
	twins, err := p.Twins()
	if twins == nil || err != nil {
		return err
	}
	told, err := n.outdoneBy(ctx, twins, held, labels, asked, inferred)
	if told == nil || err != nil {
		return err
	}
	predicate := n.g.Project.Config.Predicates[k].Name
	n.see("learn-plain", source.Span{}, predicate,
		"have a network of kind siamese compare the two, and pass on what it sees: Alike(A, B) -> P(A, B) ^2 and "+
			"!Alike(A, B) -> !P(A, B) ^2, in place of rules about what each is or beside them",
		"of %d held-out labels of %s, rules and networks tell %d right, and a siamese network that compares what rules "+
			"tie to them (%d columns each) %d: a loss of %.3f in place of %.3f",
		inferred.Entities(), predicate, inferred.Right(), p.Width()/2, told.Right(), told.Loss(), inferred.Loss())
	return nil
}

// answerBy returns what an opponent says of labels that are asked for, each held out as it was.
func (g *learner) answerBy(
	ctx context.Context, by opponent, h *heldOut, labels, asked *label.Labels,
) ([]float64, error) {
	how := peer.Settings{Rate: g.Project.Learning.Network.Rate, Seed: g.Seed, Threads: g.Project.Threads}
	y := make([]float64, len(h.y))
	for part := range h.parts {
		learns, holds := labels, asked
		if h.folds != nil {
			d := &division{h.folds, part}
			learns, holds = labels.Where(d.learns), asked.Where(d.holds)
		}
		if err := by.Answer(ctx, learns, holds, y, how); err != nil {
			return nil, err
		}
	}
	return y, nil
}

// manyLevel is the share of labels that are inferred as the same, neither false nor true, from which on rules leave
// them where nothing is seen; what differs by no more than a millesimal is the same.
const manyLevel, millesimal = 1.0 / 3, 1e-3

// levelled counts the labels that are inferred as the most frequent value; none if that is next to 0 or 1, or rare.
func levelled(labels *label.Labels, y []float64) (count int) {
	values := make(map[float64]int)
	for _, i := range labels.Variables {
		if v := math.Round(y[i] / millesimal); v > 10 && v < 990 {
			values[v]++
			count = max(count, values[v])
		}
	}
	if float64(count) < manyLevel*float64(len(labels.Variables)) {
		return 0
	}
	return count
}

// plain tells that a regression is better, and of how many labels rules say nothing.
func (n *notices) plain(predicate string, simple, inferred label.Verdict, features, level int) {
	hint := "have rules say what else the labels depend on; or give a network a table with a row for each thing that " +
		"they are about, which has the features of all that is tied to it, and a rule that passes on what it sees"
	if slices.ContainsFunc(n.g.Model.Blocks, linear) {
		hint = "write ^2 behind rules that have none, whose states are often not unique; " + hint
	}
	if level > 0 {
		hint = fmt.Sprintf("%d labels are inferred as the same value: A(X) & !B(Y) -> P(X, Y) says nothing unless both are "+
			"rather true; write what a value is, as in P(X, Y) = 0.5 * A(X) - 0.5 * B(Y) + 0.5 ^2; or ", level) + hint
	}
	n.see("learn-plain", source.Span{}, predicate, hint, "of %d held-out labels of %s, rules and networks tell %d right, "+
		"and a plain regression on the features of what rules tie to them (%d columns) %d: a loss of %.3f in place of %.3f",
		inferred.Entities(), predicate, inferred.Right(), features, simple.Right(), simple.Loss(), inferred.Loss())
}
