package training

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/source"
)

// What is learned by heart is right about the examples learned from and wrong about others. It is found where the
// labels say less than the networks can keep, by examples that are not learned from.
const (
	// Of the examples held out, there are at least fewestHeld, of heldShare times as many, and at most mostHeld.
	fewestHeld, mostHeld = 30, 500
	// Right shares differ where that is by so many standard errors, and by so much; up to as much is wrong by chance.
	heartErrors, heartGap = 2, 0.02
	// decayShare is how many times less the first decay is than the first epoch's loss, whose unit it shares, and
	// decayStep is between one and the next.
	decayShare, decayStep = 64, 2
	// fitted is the share of the examples learned from that are right with a decay that is not too much, and of others
	// where nobody need be told that they are fewer.
	fitted = 0.95
	// natsKept is how much of what labels say a parameter can keep at most.
	natsKept = 2
)

// empanel chooses the examples that are judged: all that are learned from, and those of validation, or else some that
// are held out.
func (s *starts) empanel() error {
	if !s.judges() {
		return nil
	}
	e, err := s.g.exampleTaught(s.lesson)
	if err != nil {
		return err
	}
	s.learned = jury{examples: e, members: e.All()}
	if t := e.Tally(); t.Labels > 0 {
		s.enough, s.guessed = enough+(1-enough)*t.Majority(), t.Guess()
	}
	switch {
	case s.lesson.anew:
	case s.g.Project.Config.Examples[load.Validation] != nil:
		if e, err = batch.Read(s.g.Grounding, load.Validation); err == nil {
			s.held = jury{examples: e, members: e.All()}
		}
	case e.Enough(s.g.Grounding, natsKept*float64(s.g.capacity())):
	case e.Count < heldShare*fewestHeld:
		s.few = true
	case !s.fixed:
		s.held.examples = e
		division := e.HoldOut(s.g.Grounding, min(e.Count/heldShare, mostHeld))
		s.held.members, s.learned.members, s.known = division.Members, division.Others, division.Known
		s.lesson.members = s.learned.members
	}
	return err
}

// capacity counts the networks' parameters.
func (g *learner) capacity() (count int) {
	for _, p := range g.Perception.Parameters() {
		count += len(p.Value)
	}
	return count
}

// byHeart tells whether a start is right about what it has learned from, and clearly less so about other examples.
func (s *starts) byHeart(this Start) bool {
	if this.Held == nil {
		return false
	}
	_, deviation := s.pooled(this)
	return this.Right-*this.Held > max(heartGap, heartErrors*deviation)
}

// improvable tells whether more than a few of the examples that are not learned from are wrong.
func (s *starts) improvable(this Start) bool {
	return this.Held != nil && s.others(this) < 1-heartGap/2
}

// others estimates the share of right examples among others whose things are all new. Of those held out, some things
// may be known from examples learned from: what a new thing costs, each costs, and shares multiply.
func (s *starts) others(this Start) float64 {
	right, held := this.Right, *this.Held
	if s.known == 0 || held >= right {
		return held
	}
	return right * math.Pow(held/right, 1/(1-s.known))
}

// adjust chooses the decay of the next start by the last one, which had some: more as long as that helps and is not
// enough, less where too much has kept the networks from learning. None is tried twice.
func (s *starts) adjust(last Start) (again bool) {
	switch {
	case last.Right < fitted:
		s.lesson.decay /= decayStep
	case s.at == len(s.all)-1 && s.improvable(last):
		s.lesson.decay *= decayStep
	default:
		return false
	}
	return !slices.ContainsFunc(s.all, func(other Start) bool { return other.Decay == s.lesson.decay })
}

// surprised returns what the likelihood of the examples held out loses: the share of right ones among few says little,
// and this says how sure the others are. As others does, it makes up for things that are not new.
func (s *starts) surprised(ctx context.Context) (float64, error) {
	if s.held.members == nil {
		return 0, nil
	}
	held, err := s.unlikelihood(ctx, s.held)
	if err != nil || s.known == 0 {
		return held, err
	}
	learned, err := s.unlikelihood(ctx, s.learned)
	return learned + (held-learned)/(1-s.known), err
}

// unlikelihood is what the likelihood of some examples loses.
func (s *starts) unlikelihood(ctx context.Context, of jury) (float64, error) {
	task, err := s.g.examplesTask(ctx, of.examples, of.members)
	if err != nil {
		return 0, err
	}
	settings := s.g.Project.Learning.Learn
	s.lesson.mannered(&settings, s.fixed)
	trainer, err := learn.NewTrainer(task, settings)
	if err != nil {
		return 0, err
	}
	return trainer.Unlikelihood(ctx)
}

// adjustLikely chooses the decay of the next start by a likelihood, from the same networks: more and, where that was no
// better, less, or the other way round where not all that was learned from is right.
func (s *starts) adjustLikely(last Start) bool {
	switch {
	case s.lesson.decayFactor == 0 && last.Right > s.guessed:
		s.decays = []float64{decayFactors[2], decayFactors[0]}
		if last.Right < fitted {
			slices.Reverse(s.decays)
		}
	case s.at == len(s.all)-1:
		s.decays = nil
	}
	if len(s.decays) == 0 {
		return false
	}
	s.lesson.decayFactor, s.decays = s.decays[0], s.decays[1:]
	s.g.Seed = s.all[s.at].Seed
	s.g.Project.Log.Info("others than the examples learned from are wrong: beginning with another weight decay",
		"factor", s.lesson.decayFactor)
	return true
}

// heartHint says what to do about examples that are learned by heart.
const heartHint = "give more examples, a smaller network (hidden) or one that sees less (dropout), or try a larger " +
	"learn.decay"

// tell warns where what is kept is learned by heart, and where it is no better than a guess about other examples.
func (s *starts) tell(ctx context.Context) error {
	best := s.all[s.at]
	if err := s.tellAlone(ctx); err != nil {
		return err
	}
	switch {
	case best.Held != nil:
	case s.few:
		return s.tellFew(ctx)
	default:
		return nil
	}
	n := s.g.notices
	if s.byHeart(best) && *best.Held < fitted {
		n.see("learn-by-heart", source.Span{}, "", heartHint,
			"%.0f %% of the examples learned from are right, and %.0f %% of %d others", 100*best.Right, 100**best.Held,
			len(s.held.members))
	}
	if *best.Held > s.guessed+heartErrors*s.chance(s.guessed) {
		return nil
	}
	members, _ := batch.Draw(s.held.members, sampled)
	p, _, err := batch.InferSome(ctx, s.g.Grounding, s.held.examples, slices.Clone(members), true)
	if err != nil {
		return err
	}
	n.when = "of examples not learned from"
	n.guesses(s.held.examples, p, members,
		"look whether the features tell the classes apart, and whether there are enough examples")
	n.waits = false
	n.tell(1)
	return nil
}

// fewStarts is how often networks begin by a likelihood, in place of latentStarts, where examples are too few to hold
// any out: more of the optima that it has then are nothing but the examples learned by heart, and a beginning takes
// little.
const fewStarts = 20

// beginnings is how often networks begin at most, in a start by a likelihood.
func (s *starts) beginnings() int {
	if s.few {
		return fewStarts
	}
	return latentStarts
}

// leaveOut leaves each of some parts of the examples out in turn, where these are too few to hold any out for good, and
// learns without it as in the best start.
func (s *starts) leaveOut(ctx context.Context) error {
	g := s.g
	seen := g.notices
	g.notices = nil // what is seen of these is told of none that is kept
	defer func() {
		g.notices = seen
		g.takeBack(s.best)
	}()
	for k := range heldShare {
		left := jury{examples: s.learned.examples}
		lesson := s.taken
		lesson.members, lesson.start, lesson.beginning = nil, len(s.all), k+1
		for place, example := range s.learned.members {
			if place%heldShare == k {
				left.members = append(left.members, example)
			} else {
				lesson.members = append(lesson.members, example)
			}
		}
		if err := g.Reset(s.all[s.at].Seed); err != nil {
			return err
		}
		if _, err := g.train(ctx, lesson); err != nil {
			return err
		}
		s.parts = append(s.parts, part{g.parameters(), left})
	}
	return nil
}

// leftOut estimates the share of right examples among others than those learned from, by those that are left out.
func (s *starts) leftOut(ctx context.Context) (float64, error) {
	if s.parts == nil {
		if err := s.leaveOut(ctx); err != nil {
			return 0, err
		}
	}
	defer s.g.takeBack(s.best)
	sum := 0.0
	for _, p := range s.parts {
		if s.g.takeBack(p.parameters); s.weights != nil {
			copy(s.g.Theta, s.weights)
		}
		right, err := p.right(ctx, s.g)
		if err != nil {
			return 0, err
		}
		sum += right * float64(len(p.members))
	}
	return sum / float64(len(s.learned.members)), nil
}

// tellFew warns as tell does, by that estimate.
func (s *starts) tellFew(ctx context.Context) error {
	count := len(s.learned.members)
	if count < heldShare*heldShare {
		return nil
	}
	left, err := s.leftOut(ctx)
	if err != nil {
		return err
	}
	n, right := s.g.notices, s.all[s.at].Right
	s.all[s.at].Held = &left
	guess := s.guessed + heartErrors*math.Sqrt(s.guessed*(1-s.guessed)/float64(count))
	share := (right + left) / 2
	deviation := math.Sqrt(2 * share * (1 - share) / float64(count))
	switch {
	case left <= guess:
		n.see("learn-chance", source.Span{}, "examples",
			"give more examples; look whether the features tell the classes apart",
			"%.0f %% of %d examples are right if a fifth of them at a time is not learned from; always saying the most "+
				"frequent labels would give %.0f %%", 100*left, count, 100*s.guessed)
	case left < fitted && right-left > max(heartGap, heartErrors*deviation):
		n.see("learn-by-heart", source.Span{}, "", heartHint,
			"%.0f %% of the examples learned from are right, and %.0f %% if a fifth of them at a time is not learned from",
			100*right, 100*left)
	}
	n.waits = false
	n.tell(1)
	return nil
}

// weigh finds weights of the rules where networks were fitted alone, as in one world: by examples that these have not
// learned from. Where hard rules contradict each other in any of these, there are none.
func (s *starts) weigh(ctx context.Context) error {
	g := s.g
	if s.taken.manner != bySight {
		return nil
	}
	switch {
	case s.held.members != nil:
		s.parts = []part{{s.best, s.held}}
	case !s.few || len(s.learned.members) < 2*heldShare:
		return nil
	default:
		if err := s.leaveOut(ctx); err != nil {
			return err
		}
	}
	var found []float64
	var err error
	if s.sighted, err = g.sighting(ctx, s.parts); err == nil {
		found, err = s.sighted.weigh(ctx)
	}
	if g.takeBack(s.best); found == nil || err != nil {
		if errors.As(err, new(*learn.InfeasibleError)) {
			s.sighted = nil
			return nil
		}
		return err
	}
	copy(s.best.theta, found)
	s.weights = found
	g.takeBack(s.best)
	_, err = s.judge(ctx, &s.all[s.at])
	return err
}

// tellAlone warns where networks alone tell labels held out better than with the rules beside.
func (s *starts) tellAlone(ctx context.Context) error {
	if s.sighted == nil {
		return nil
	}
	defer s.g.takeBack(s.best)
	var verdicts []label.Verdict
	right := 0
	for k := range s.sighted.Folds {
		verdict, count, err := s.sighted.judge(ctx, k, s.sighted.Theta)
		if err != nil {
			return err
		}
		verdicts, right = append(verdicts, verdict), right+count
	}
	alone, inferred, n := label.Together(s.sighted.alone...), label.Together(verdicts...), s.g.notices
	more := float64(alone.Right() - right)
	if !alone.Beats(inferred, simpleGain) || more < simplyMore*float64(alone.Entities()) {
		return nil
	}
	n.see("learn-plain", source.Span{}, "examples",
		"leave rules out that labels contradict, or weigh them less; hard ones hold whatever networks see",
		"of %d labels of examples not learned from, rules and networks tell %d right, and the networks alone %d: "+
			"a loss of %.3f in place of %.3f",
		alone.Entities(), right, alone.Right(), alone.Loss(), inferred.Loss())
	n.waits = false
	n.tell(1)
	return nil
}
