package training

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/training/ties"
)

// learner learns the parameters of a grounding.
type learner struct {
	*session.Grounding
	plan    plan     // how to learn, where held-out labels choose it
	notices *notices // look on while it learns; nil before
	ties    *ties.Ties
	// measured tells that labour is known: whether an inference is much work.
	measured, labour bool
	presumed         []float64     // the weights written, but for those of rules that are doubted; nil before
	equal            forest.Forest // targets of copies, once all are compared
	compared         bool
	repeats          map[int32]int32 // things with labels that copy one, with that
	middled          bool            // labels have judged whether to take the middle of what rules leave free
}

func newLearner(g *session.Grounding) *learner { return &learner{Grounding: g, ties: ties.Of(g)} }

// explainInfeasible names the ground rules that contradict each other, if that is what ended learning.
func (g *learner) explainInfeasible(ctx context.Context, err error) error {
	infeasible := (*learn.InfeasibleError)(nil)
	if !errors.As(err, &infeasible) {
		return err
	}
	return fmt.Errorf("%w These cannot hold together:\n    %s", err,
		strings.Join(g.Conflict(ctx, infeasible.Conflict), "\n    "))
}

// begin gives rules and networks what they begin with: networks about pairs of which nobody says anything are presumed
// to see what the rules speak of, so that these rules have a say from the beginning.
func (g *learner) begin() error {
	if err := g.Reset(g.Seed); err != nil || g.Networks == nil {
		return err
	}
	for k, declared := range g.Project.Config.Predicates {
		if declared.Neural == nil || g.ties.Counterpart(k) >= 0 {
			continue
		}
		truth, err := g.Truth(load.Learn, k)
		if err != nil {
			return err
		}
		if truth == nil {
			g.Networks.System.Presume(declared.Neural.Network, presumed)
		}
	}
	return nil
}

// seeWith sees with other networks.
func (g *learner) seeWith(n *perceive.Networks) error {
	g.Networks = n
	return g.Rebind()
}

// asWritten has networks see as they are specified, whatever learning has chosen before.
func (g *learner) asWritten() error {
	g.presumed = nil
	networks, err := g.Networks.AsWritten(g.Seed)
	if err != nil || networks == g.Networks {
		return err
	}
	return g.seeWith(networks)
}

// presumed is the truth of pairs about which nothing is known.
const presumed = 0.9
