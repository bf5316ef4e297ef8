package training

import (
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// beginnings are what the weights of rules that do not just pass on what networks see are multiplied by, all together,
// to find where the search for weights had best begin. Where each thing has many neighbours, rules about these may
// drown what is seen: all are of one class then, and no derivative says what would change that.
var beginnings = []float64{0.3, 0.1, 0.03, faint}

// fainter are further ones where by those written nothing is told, so that these may be any number of times too large.
var fainter = []float64{1e-3, 1e-4}

// beginningGain is by how many standard errors over the entities another beginning has to be better than the weights
// written, where these tell something: several are tried, and small differences the search finds by itself.
const beginningGain = 3

// beginning is where the search for weights may begin: the folds with their states, and what these are worth.
type beginning struct {
	theta   []float64 // nil for those written
	folds   []fold
	verdict label.Verdict
}

// start returns where the search for weights begins: those written, unless others are plainly better.
func (c *crossFitting) start(ctx context.Context) (best beginning, err error) {
	g := c.g
	relating := g.relating()
	if best.folds = c.folds; len(relating) == 0 {
		return best, nil
	}
	if best.verdict, err = c.judge(ctx, g.presumes(), c.folds); err != nil {
		return best, err
	}
	written := best
	if c.written, c.state = &written.verdict, c.folds[0].last; g.satisfied(best.verdict) {
		return best, nil
	}
	needed := float64(beginningGain)
	if c.blank = areBlind(c.folds, isOneValue); c.blank {
		needed = 0 // there is nothing to lose
	}
	judged, err := c.compare(ctx, []beginning{written}, c.beginnings(relating), needed)
	best, _ = c.better(judged, needed)
	if best.theta == nil && err == nil && areBlind(c.folds, isBlind) {
		c.blank = true
		judged, err = c.compare(ctx, judged, c.scaled(relating, fainter), 0)
		best, _ = c.better(judged, 0)
	}
	return best, err
}

// compare judges further weights, until no better ones are to be found.
func (c *crossFitting) compare(ctx context.Context, judged []beginning, others [][]float64, needed float64) (
	[]beginning, error) {
	told := c.g.stage(toCompare, len(others))
	defer told.end()
	for _, theta := range others {
		if _, ended := c.better(judged, needed); ended {
			break
		}
		other := beginning{theta: theta, folds: slices.Clone(c.folds)}
		var err error
		if other.verdict, err = c.judge(ctx, theta, other.folds); err != nil {
			return judged, err
		}
		judged = append(judged, other)
		told.next()
	}
	return judged, nil
}

// better returns the best of what was judged that is better than the first, those written, by so many standard errors,
// or that one, and whether still weaker rules are not worth an inference.
func (c *crossFitting) better(judged []beginning, needed float64) (best beginning, ended bool) {
	written := judged[0]
	best = written
	for _, other := range judged[1:] {
		if other.verdict.Beats(written.verdict, needed) && other.verdict.Loss() < best.verdict.Loss() {
			best = other
		} else if best.theta != nil || c.g.large() && written.verdict.Beats(other.verdict, beginningGain) {
			return best, true // where weaker rules are that much worse, still weaker ones take long for nothing
		}
	}
	return best, false
}

// beginnings are weights to begin from, other than those written.
func (c *crossFitting) beginnings(relating []int) (thetas [][]float64) {
	if c.found != nil {
		return [][]float64{c.found}
	}
	return c.scaled(relating, beginnings)
}

// uneven is from how many times the least weight on the largest of those written is out of proportion: rules are
// seldom that much more to be believed than others, and orders of magnitude are easily mistaken.
const uneven = 10

// even returns the weights presumed, with the geometric mean of those written for all that are learned and not doubted,
// where these are out of proportion: the search is held near what is written, and small steps lead nowhere from where
// one rule outweighs all others. Sums, such as that of a thing's classes, are another matter, and stay. It is nil where
// none are out of proportion, or the search would take long.
func (g *learner) even() []float64 {
	theta, written := g.presumes(), g.written()
	most, least, sum := 0.0, math.Inf(1), 0.0
	var rules []int
	for r, learned := range g.learned() {
		if learned && len(g.Program.Rules[r].Sums) == 0 && theta[r] == written[r] && theta[r] > 0 {
			rules = append(rules, r)
			most, least, sum = max(most, theta[r]), min(least, theta[r]), sum+math.Log(theta[r])
		}
	}
	if g.large() || most < uneven*least {
		return nil
	}
	for _, r := range rules {
		theta[r] = math.Exp(sum / float64(len(rules)))
	}
	return theta
}

// scaled are the weights presumed, with those of some rules multiplied by each of some factors.
func (c *crossFitting) scaled(rules []int, factors []float64) (thetas [][]float64) {
	for _, by := range factors {
		theta := c.g.presumes()
		for _, r := range rules {
			theta[r] *= by
		}
		thetas = append(thetas, theta)
	}
	return thetas
}
