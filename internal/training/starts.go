package training

import (
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// enough is the share of right examples from which on nothing is begun anew.
const enough = 0.9

// sharpening is how sharp outputs are made in each start, relative to learn.sharpen. The first does it a little: where
// labels tell what is seen apart, that is enough to get there sooner, and not enough to settle before the labels do.
var sharpening = [...]float64{0.2, 1, 0.5, 2, 0}

// little is the share of the first loss that still falls in the last quarter of the epochs if learning goes on.
const little = 0.05

// stuck tells whether learning has come to rest, as far as the curve shows.
func stuck(curve []learn.Epoch) bool {
	last := len(curve) - 1
	before := last - max(1, len(curve)/4)
	return before >= 0 && curve[before].Loss-curve[last].Loss < little*math.Abs(curve[0].Loss)
}

// unfinished tells whether more epochs might do what a start has not: it has not come to rest, as far as the curve
// shows, and does not just go on learning examples by heart.
func (s *starts) unfinished(last Start, curve []learn.Epoch) bool {
	return s.lesson.manner != byDraws && !stuck(curve) && !s.byHeart(last)
}

// wrong tells whether many examples are, of those learned from or of the others, which may be right by chance.
func (s *starts) wrong(last Start) bool { return min(s.most, last.Right) < s.enough }

// starts is learning from examples that begins once, or more often.
type starts struct {
	g      *learner
	lesson lesson
	seed   uint64
	// learned and held are examples that are judged in the end; held has none if all are learned from.
	learned, held jury
	// enough is the share of right examples from which on no other manner is tried: that constant, of those that always
	// saying what is most frequent gets wrong. Guessed is the one up to which that is as good.
	enough, guessed float64
	// fixed says that the decay of networks is not to be chosen, and few that examples may be learned by heart, and are
	// not enough to hold any out.
	fixed, few bool

	all    []Start
	kept   *Training // of the best one
	best   parameters
	most   float64  // its score
	at     int      // its place among all that were judged
	blurry int      // starts that many examples were wrong in, without decay
	drawn  uint64   // how often other networks were begun with
	tries  []manner // that are still to be tried
	taken  lesson   // of the best one
	// surprise is what the likelihood of examples held out loses after the last start, if it has learned by that, and
	// least that after the best one.
	surprise, least float64
	// known is the share of things in the examples held out that are in those learned from, too, where it matters.
	known float64
	// decays are still to be tried by a likelihood: see adjustLikely.
	decays []float64
	// parts are left out in turn where none can be held out for good; nil as long as none were. Weights are those of the
	// rules that they have chosen; nil where it is those written.
	parts   []part
	weights []float64
	sighted *sighting // of the parts; nil where none was made
}

// learnFromExamples learns from examples, and where that comes to rest with many of them wrong, begins once more with
// other networks, up to learn.starts times, and pushes what they see towards sharp outputs: of what is latent and
// symmetric, networks learn nothing without, and some initial ones learn what is right for some labels only. What has
// not come to rest wants more epochs, and not another start, but where it learns by heart. Where examples that were not
// learned from are less often right, the others were learned by heart, and the next start holds the networks' weights
// back. The start with most examples right is kept, of those not learned from if there are any; of equal ones the one
// with most decay, or else the first.
func (g *learner) learnFromExamples(ctx context.Context, l lesson) (*Training, error) {
	s, err := g.starts(l)
	if err != nil {
		return nil, err
	}
	defer func() { g.Seed = s.seed }()
	err = s.run(ctx)
	early, cut := learn.CutShort(ctx, err)
	if err != nil && !cut {
		return nil, err
	}
	g.takeBack(s.best)
	if s.kept.Starts = s.all; cut {
		s.kept.Ended = early
		return s.kept, err
	}
	g.plan = s.kept.plan
	err = s.tell(ctx)
	if early, cut = learn.CutShort(ctx, err); cut {
		s.kept.Ended = early
	}
	return s.kept, err
}

// run makes one start after the other, and learns from all examples in the end.
func (s *starts) run(ctx context.Context) error {
	for again := true; again; {
		training, err := s.start(ctx)
		if err == nil {
			again, err = s.begin(training.Epochs)
		}
		if err != nil {
			return err
		}
	}
	if err := s.weigh(ctx); err != nil {
		return err
	}
	return s.whole(ctx)
}

// whole learns from all examples in the end, as the best start did, where holding some out has chosen its decay, or
// things are held out, which are fewer. What has then learned less stays out.
func (s *starts) whole(ctx context.Context) error {
	if s.lesson.members == nil || len(s.all) == s.blurry+1 && s.known == 0 {
		return nil
	}
	best := s.all[s.at]
	s.lesson = s.taken
	s.lesson.members, s.lesson.start = nil, len(s.all)
	s.learned.members = s.learned.examples.All()
	if err := s.g.Reset(best.Seed); err != nil {
		return err
	}
	s.resume()
	training, err := s.g.train(ctx, s.lesson)
	if err != nil {
		return err
	}
	if s.weights != nil {
		copy(s.g.Theta, s.weights)
	}
	right, err := s.learned.right(ctx, s.g)
	if err != nil || right < best.Right-heartGap {
		return err
	}
	s.all = append(s.all, Start{Seed: s.g.Seed, Decay: best.Decay, Right: right})
	s.kept, s.best = training, s.g.parameters()
	s.kept.plan = s.lesson.plan
	s.g.notices.met = right == 1
	return nil
}

// resume gives networks and rules what the best start has learned, to go on from: what classes are taken for is decided
// by what learning begins with and the examples that it meets first, and others may take two for one.
func (s *starts) resume() {
	copy(s.g.Theta, s.best.theta)
	perception.Copy(s.g.Networks.System.Parameters(), s.best.networks.System.Parameters())
}

// starts prepares the first one.
func (g *learner) starts(l lesson) (*starts, error) {
	s := &starts{g: g, lesson: l, seed: g.Seed, most: math.Inf(-1)}
	s.lesson.sharpening = sharpening[0]
	if s.fixed = l.anew || g.Project.Learning.DecaySet; l.anew {
		s.lesson.plan = g.plan
	}
	if err := s.empanel(); err != nil || !s.judges() || l.anew {
		return s, err
	}
	task, err := g.exampleTask(context.Background(), l)
	if err != nil {
		return nil, err
	}
	return s, s.choose(&task)
}

// choose chooses the manners that are to be tried after the first start.
func (s *starts) choose(task *learn.Task) error {
	scene, err := task.Batches.Show(context.Background(), 0)
	if err != nil {
		return err
	}
	if l := &s.g.Project.Learning; scene.Seen() != nil && !l.Freeze && l.Learn.NetworkRate > 0 {
		s.tries = append(s.tries, bySight)
	}
	if e := s.learned.examples; len(e.Labels) > 1 {
		known, mixed, err := task.HasAnswers(context.Background(), int(slices.Max(e.Shapes))+1, e.Count, e.Variables())
		if err != nil {
			return err
		}
		if known && !mixed {
			s.tries = append(s.tries, byAnswers)
		}
		if !mixed && drawable(task.Field.Model) {
			s.tries = append(s.tries, byDraws)
		}
	}
	if task.HasLatent() {
		s.tries = append(s.tries, byLikelihood)
	}
	return nil
}

// drawable tells whether no hard rule asks for what is seen: what is drawn might contradict it, or the labels by it.
func drawable(m *mrf.Model) bool {
	return !slices.ContainsFunc(m.Blocks, func(b *mrf.Block) bool { return b.Kind.Hard() && len(b.Inputs) > 0 })
}

// judges tells whether examples are judged in the end.
func (s *starts) judges() bool { return s.g.Project.Learning.Starts > 1 && s.g.Perception != nil }

// start learns once, and keeps that if it is the best until now.
func (s *starts) start(ctx context.Context) (*Training, error) {
	last, err := s.train(ctx)
	training, this, score := last.training, last.start, last.score
	if err == nil && s.judges() && s.lesson.manner.likely() {
		this.Decay = training.decay
		s.surprise, err = s.surprised(ctx)
	}
	if _, cut := learn.CutShort(ctx, err); err != nil && !cut {
		return nil, err
	}
	s.all = append(s.all, this)
	if s.kept == nil || s.prefers(this, score) {
		s.kept, s.best, s.at = training, s.g.parameters(), len(s.all)-1
		s.taken, s.least = s.lesson, s.surprise
		s.g.notices.fixed, s.g.notices.met = s.taken.manner != byMethod, this.Right == 1
		s.kept.plan = s.lesson.plan
	}
	s.most = max(s.most, score)
	return training, err
}

// attempt is what learning once has come to.
type attempt struct {
	training   *Training
	parameters parameters
	start      Start
	score      float64
}

// train learns once in the manner of the start. By a likelihood it learns several times, with networks that begin
// differently, until it has found what there is, or the same so often that it has, and keeps the likeliest: networks
// that learn few examples by heart explain them at a price, which is what they lack in likelihood and pay in weight
// decay.
func (s *starts) train(ctx context.Context) (best attempt, err error) {
	if !s.lesson.manner.likely() || s.taken.manner == s.lesson.manner {
		return s.attempt(ctx)
	}
	var costs []float64
	for found := false; s.lesson.beginning < s.beginnings() && !found && err == nil; s.lesson.beginning++ {
		var cost float64
		cost, found, err = s.learnLikely(ctx, &best)
		costs = append(costs, cost)
		found = found || same(costs) >= sameOften
	}
	if s.lesson.beginning = 0; best.training != nil {
		s.g.takeBack(best.parameters)
		s.g.Seed = best.start.Seed
	}
	return best, err
}

// attempt learns once, and judges that.
func (s *starts) attempt(ctx context.Context) (a attempt, err error) {
	a.start = Start{Seed: s.g.Seed, Decay: s.lesson.decay}
	if a.training, err = s.g.train(ctx, s.lesson); err == nil && s.judges() {
		a.score, err = s.judge(ctx, &a.start)
	}
	a.parameters = s.g.parameters()
	return a, err
}

// Beginnings have found the same if what they cost differs by no more than this share, and what so many have found at
// the least cost is hardly worse than what more of them would find.
const sameCost, sameOften = 0.01, 5

// same counts the beginnings that have found what costs least.
func same(costs []float64) (count int) {
	least := slices.Min(costs)
	for _, cost := range costs {
		if cost-least <= sameCost*math.Abs(least) {
			count++
		}
	}
	return count
}

// learnLikely learns from one of these beginnings, and tells what that costs and whether it has found what there is.
func (s *starts) learnLikely(ctx context.Context, best *attempt) (cost float64, found bool, err error) {
	if s.lesson.beginning > 0 {
		s.draw()
		if err := s.g.Reset(s.g.Seed); err != nil {
			return math.Inf(1), false, err
		}
	}
	a, err := s.attempt(ctx)
	if cost = math.Inf(1); a.training != nil {
		cost = a.training.cost()
	}
	if a.training != nil && (best.training == nil || err == nil && a.training.cost() < best.training.cost()) {
		*best = a
	}
	return cost, err == nil && s.found(a), err
}

// cost is what learning has made small: the loss of the last epoch, and what weight decay adds to it.
func (t *Training) cost() float64 {
	if len(t.Epochs) == 0 {
		return math.Inf(1)
	}
	return t.Epochs[len(t.Epochs)-1].Loss + t.penalty
}

// found tells whether a likelihood has found what there is: most examples are right, and not by heart.
func (s *starts) found(a attempt) bool {
	return min(a.score, a.start.Right) >= s.enough && !s.few && !s.byHeart(a.start)
}

// draw chooses the seed of networks that begin differently from all before.
func (s *starts) draw() {
	s.drawn++
	s.g.Seed = s.seed + s.drawn*startStride
}

// prefers tells whether a start is better than the one that is kept. Of those that chance may set apart, with so few
// examples, one that has learned something is better than one that says the same of all, and then the one with more
// decay is, as for any regularisation (Breiman et al., 1984).
func (s *starts) prefers(this Start, score float64) bool {
	standing := s.all[s.at]
	if s.lesson.manner.likely() && s.taken.manner == s.lesson.manner && this.Held != nil {
		others, before := s.others(this), s.others(standing)
		return s.surprise < s.least && others >= before || // what is surer need not be better
			others > before+s.chance(before)
	}
	chance := s.chance(s.most)
	if s.few && s.lesson.manner == bySight {
		return true // what costs least may have been learned by heart
	}
	if s.few && s.lesson.manner.likely() && !s.taken.manner.likely() {
		return score >= s.most-heartGap
	}
	blind, before := this.Right <= s.guessed, standing.Right <= s.guessed
	switch {
	case before && !blind, before == blind && this.Decay > standing.Decay:
		return score >= s.most-chance
	case blind && !before, this.Decay < standing.Decay:
		return score > s.most+chance
	}
	return score > s.most
}

// chance is the standard error of a share of the examples held out.
func (s *starts) chance(share float64) float64 {
	if n := float64(len(s.held.members)); n > 0 && share > 0 {
		return math.Sqrt(share*(1-share)/n) / (1 - s.known)
	}
	return 0
}

// judge counts the right examples, and returns the score that decides which start is kept.
func (s *starts) judge(ctx context.Context, this *Start) (score float64, err error) {
	if this.Right, err = s.learned.right(ctx, s.g); err != nil || len(s.held.members) == 0 {
		return this.Right, err
	}
	held, err := s.held.right(ctx, s.g)
	this.Held = &held
	return s.score(*this), err
}

// score is the share of right examples, of those not learned from if there are any. No start is better about these than
// about those it has learned from but by luck: where it is by more than chance would have it, the share of all counts.
func (s *starts) score(this Start) float64 {
	if this.Held == nil {
		return this.Right
	}
	if share, deviation := s.pooled(this); *this.Held-this.Right > heartErrors*deviation {
		return share
	}
	return s.others(this)
}

// pooled is the share of right examples among all that were judged, and the standard error of the difference between
// those learned from and the others if it is the same for both.
func (s *starts) pooled(this Start) (share, deviation float64) {
	learned, held := float64(min(judged, len(s.learned.members))), float64(min(judged, len(s.held.members)))
	share = (this.Right*learned + *this.Held*held) / (learned + held)
	return share, math.Sqrt(share * (1 - share) * (1/learned + 1/held))
}

// settle goes back to the best start's manner from one that was worse, and tries no others after one that was better
// than the first.
func (s *starts) settle(last Start) {
	switch {
	case s.score(last) < s.most:
		s.lesson.manner = s.taken.manner
	case s.taken.manner != byMethod:
		s.tries = nil
	}
}

// begin makes the next start, if there is to be one.
func (s *starts) begin(curve []learn.Epoch) (again bool, err error) {
	again = s.next(curve)
	if s.lesson.start = len(s.all); again {
		err = s.g.Reset(s.g.Seed)
	}
	return again, err
}

// next chooses how the next start learns, and tells whether there is to be one.
func (s *starts) next(curve []learn.Epoch) bool {
	last := s.all[len(s.all)-1]
	s.settle(last)
	switch {
	case len(s.all) >= s.g.Project.Learning.Starts || !s.judges():
		return false
	case s.taken.manner == bySight:
		return false
	case s.lesson.decay == 0 && s.tryNext(last):
		s.g.Project.Log.Info("examples are wrong, or few: beginning with "+manners[s.lesson.manner],
			"right", s.score(last))
		return true
	case s.few && s.lesson.manner.likely():
		return false // the likeliest of many beginnings stands: what is more often right is learned by heart
	case s.lesson.decay > 0 && !s.fixed:
		return s.adjust(last)
	case s.lesson.manner.likely() && !s.fixed && s.improvable(last) && s.adjustLikely(last):
		return true
	case last.Right < enough && s.unfinished(last, curve):
		s.g.notices.unfinished(len(curve), last.Right)
		return false
	case last.Right < enough:
		s.blurry++
		s.lesson.sharpening = sharpening[s.blurry%len(sharpening)]
		s.lesson.decayFactor = s.taken.decayFactor // more or less than that was no better
		s.draw()
		s.g.Project.Log.Info("many examples are wrong: beginning with other networks", "right", last.Right,
			"start", len(s.all))
		return true
	case !s.lesson.manner.likely() && !s.fixed && len(curve) > 0 && s.improvable(last):
		s.lesson.decay = curve[0].Loss / decayShare
		s.g.Project.Log.Info("others than the examples learned from are wrong: beginning with weight decay",
			"right", last.Right, "held_out", *last.Held, "decay", s.lesson.decay)
		return true
	}
	return false
}

// tryNext goes on to another manner, if one is to be tried: a likelihood also where some of the examples held out are
// wrong, or none can be held out, as it learns fewest by heart.
func (s *starts) tryNext(last Start) bool {
	wrong := s.wrong(last)
	if !wrong && !s.few && !s.improvable(last) {
		return false
	}
	for len(s.tries) > 0 {
		next := s.tries[0]
		if s.tries = s.tries[1:]; wrong || next.likely() || next == bySight {
			s.lesson.manner = next
			return true
		}
	}
	return false
}

// manners says what learning begins with.
var manners = [...]string{byMethod: "learn.method", bySight: "labels of what is seen",
	byLikelihood: "the likelihood of the labels",
	byAnswers:    "the likelihood that labels come out right", byDraws: "classes drawn from what is seen"}
