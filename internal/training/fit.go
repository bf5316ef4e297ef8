package training

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/learn/fit"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
)

// Fit trains the networks alone, without any rule, on truth about their own predicates, for as many epochs as the
// option network.epochs says; Train begins with it. The result has no learning curve.
func Fit(ctx context.Context, g *session.Grounding) (*Training, error) {
	l := newLearner(g)
	return l.learnBy(ctx, (*learner).fitNetworks)
}

func (g *learner) fitNetworks(ctx context.Context, l lesson) (*Training, error) {
	if l.fitEpochs == 0 || l.afresh || g.Perception == nil {
		return new(Training), nil
	}
	labels, err := g.fitLabels(l)
	if err != nil {
		return nil, err
	}
	if len(labels.Variables) == 0 {
		latent, err := g.latent(l, nil)
		if err != nil {
			return new(Training), err
		}
		return g.fitLatent(ctx, l, latent, nil, false)
	}
	if l.together {
		if training, err := g.fitTogether(ctx, l); err != nil || training.FitEpochs > 0 {
			return training, err
		}
	}
	training, err := g.fitTo(ctx, l, labels)
	if err == nil && l.shared {
		err = g.share(labels, training)
	}
	return training, err
}

// fitLabels returns what networks can be fitted to alone: labels of what they see, and, of anything else, of its
// counterparts.
func (g *learner) fitLabels(l lesson) (*label.Labels, error) {
	labels, err := g.taught(l, relation.Perceived)
	if err != nil {
		return nil, err
	}
	targets, err := g.taught(l, relation.Target)
	if err != nil {
		return nil, err
	}
	return labels.Join(g.ties.Carried(targets)), nil
}

// fitTo fits the networks alone to labels of what they see, and others to what labels say of them by way of rules.
func (g *learner) fitTo(ctx context.Context, l lesson, labels *label.Labels) (*Training, error) {
	apart, err := g.fitOthers(ctx, l, labels)
	if err != nil {
		return new(Training), err
	}
	fitter := g.fitter(l)
	fitter.Labels, fitter.Apart = labels, apart
	if fitter.Held, err = g.fitHeld(l); err != nil {
		return nil, err
	}
	g.giveLosses(labels)
	g.giveLosses(fitter.Held)
	return g.fitBy(ctx, fitter)
}

// fitter fits the networks of a lesson alone.
func (g *learner) fitter(l lesson) *fit.Fitter {
	s := g.Project.Learning.Network
	fitter := &fit.Fitter{
		Perception: g.Perception, Loss: g.fitLoss(), Inputs: len(g.Inputs),
		Optimiser: perception.Adam, Rate: s.Rate, Decay: l.decayOf(s.Decay), Epochs: l.fitEpochs, Patience: s.Patience,
		Seed: g.Seed, Threads: g.Project.Threads,
		OnEpoch: g.onFit,
	}
	if g.convolves() {
		if fitter.Batch, fitter.BatchRate = batchOfImages, s.Rate; !s.RateSet {
			fitter.BatchRate *= rateOfBatches
		}
	}
	return fitter
}

// Networks with convolutions are fitted by batches of so many rows, at so many times the rate, where there are enough:
// a pass over all of them is dear, and takes them hardly farther than a step by few does.
const batchOfImages, rateOfBatches = 32, 0.5

// fitBy fits the networks, which then see what they have learned to.
func (g *learner) fitBy(ctx context.Context, fitter *fit.Fitter) (*Training, error) {
	fit, err := fitter.Run(ctx)
	if fit == nil {
		return nil, err
	}
	g.KeepGiven(fit.X)
	copy(g.Inputs, fit.X)
	return &Training{FitEpochs: fit.Epochs, FitKept: fit.Kept, Ended: fit.Ended,
		Chosen: &session.Answer{Values: make([]float64, g.Model.Variables), Perceived: fit.X}}, err
}

// decayOf is the weight decay of a lesson where the option is set so: so many times that which suits the number of
// labels, if it is left to us.
func (l *lesson) decayOf(set float64) float64 {
	if set < 0 && l.decayFactor > 0 {
		return set * l.decayFactor
	}
	return set
}

// onFit hears of every epoch of fitting.
func (g *learner) onFit(line fit.Epoch) {
	if g.Project.OnFit != nil {
		g.Project.OnFit(line)
	}
	if g.notices != nil {
		g.notices.fit(line)
	}
}

// fitLoss is the loss that networks are fitted by, of labels that have none of their own.
func (g *learner) fitLoss() label.LossKind {
	if g.Project.Learning.LossSet {
		return g.Project.Learning.Learn.Loss.Kind
	}
	return label.CrossEntropy
}

// giveLosses gives labels the losses that suit what they are about: that of classes to a thing's where the network
// gives it shares of one, and the labels say which are true. It says nothing about false labels, so all others have the
// binary one. A loss that is asked for and needs no shares is that of all.
func (g *learner) giveLosses(labels *label.Labels) {
	if labels == nil || g.fitLoss() != label.CrossEntropy {
		return
	}
	truth := make(map[int32]float64, len(labels.Variables))
	for k, i := range labels.Variables {
		truth[i] = labels.Truth[k]
	}
	shared := make(map[int32]bool, len(labels.Variables))
	for _, thing := range g.Perception.Distributions() {
		sum := 0.0
		for _, i := range thing {
			sum += truth[i]
		}
		for _, i := range thing {
			shared[i] = sum > 1-tolerance
		}
	}
	labels.Losses = make([]label.LossKind, len(labels.Variables))
	for k, i := range labels.Variables {
		if !shared[i] {
			labels.Losses[k] = label.BinaryCrossEntropy
		}
	}
}

// tolerance is by how much shares of one that are written with few digits may miss it.
const tolerance = 0.01

// fitHeld returns the labels that score networks alone, or nil if there are none.
func (g *learner) fitHeld(l lesson) (*label.Labels, error) {
	if l.anew {
		return nil, nil
	}
	labels, err := g.labels(load.Validation, relation.Perceived)
	if err != nil || len(labels.Variables) == 0 {
		return nil, err
	}
	return labels, nil
}

// fitSeen fits networks alone to labels of what they see in examples, by the weight decay that parts of these which are
// held out choose. What rules say beside does not come into it: labels are learned by heart sooner by what they cost.
func (g *learner) fitSeen(ctx context.Context, l lesson) (*Training, error) {
	task, err := g.exampleTask(ctx, l)
	if err != nil {
		return nil, err
	}
	seen, err := task.Batches.(*batch.Lessons).Seen(ctx)
	if err != nil || seen == nil {
		return new(Training), err
	}
	if err := g.chooseSeenDecay(ctx, &l, seen); err != nil {
		return new(Training), err
	}
	training, _, err := g.fitPart(ctx, l, seen, -1)
	return training, err
}

// chooseSeenDecay chooses how much weights decay, if that is left to us and labels are few enough to matter.
func (g *learner) chooseSeenDecay(ctx context.Context, l *lesson, seen *batch.Seen) error {
	if g.Project.Learning.Network.Decay >= 0 || len(seen.Labels.Truth) > manySeen {
		return nil
	}
	var standing label.Verdict
	for _, factor := range decayFactors {
		tried, verdicts := *l, make([]label.Verdict, g.Project.Learning.Folds)
		tried.decayFactor = factor
		for part := range verdicts {
			var err error
			if _, verdicts[part], err = g.fitPart(ctx, tried, seen, part); err != nil {
				return err
			}
		}
		verdict := label.Together(verdicts...)
		if l.decayFactor > 0 && !verdict.Better(standing, decayGain) {
			break
		}
		l.decayFactor, standing = factor, verdict
	}
	return nil
}

// fitPart begins with new networks, and fits them to all labels but one part, which judges them; -1 holds none out.
func (g *learner) fitPart(ctx context.Context, l lesson, seen *batch.Seen, part int) (*Training, label.Verdict, error) {
	var verdict label.Verdict
	if err := g.Reset(g.Seed); err != nil {
		return nil, verdict, err
	}
	perception, err := seen.Bind(g.Networks.System)
	if err != nil {
		return nil, verdict, err
	}
	fitter := g.fitter(l)
	fitter.Perception, fitter.Inputs, fitter.Epochs = perception, seen.Inputs, seenEpochs
	var held *label.Labels
	fitter.Labels, held = seen.Hold(part, g.Project.Learning.Folds)
	if len(fitter.Labels.Variables) == 0 {
		return new(Training), verdict, nil
	}
	fit, err := fitter.Run(ctx)
	if fit == nil {
		return nil, verdict, err
	}
	return &Training{FitEpochs: fit.Epochs, FitKept: fit.Kept, Ended: fit.Ended}, held.Judge(fit.X), err
}

// Networks are fitted for at most seenEpochs, and more labels than manySeen are not divided.
const seenEpochs, manySeen = 2_000, 100_000
