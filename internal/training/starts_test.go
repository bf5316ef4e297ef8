package training

import (
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/neural"
)

// The start that is kept must have its own weights, and not those that a later one has learned.
func TestAStartKeepsItsWeights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	const config = `{"rules": ["2: !P(X) ^2", "3: P(X) ^2"], "predicates": {"P/1": {"targets": [["a"]]}}}`
	if err := os.WriteFile(path, []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	loaded, err := project.Load(path, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	grounding, err := session.Ground(t.Context(), loaded, load.Learn, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := newLearner(grounding)
	g.Theta[0], g.Theta[1] = 5, 6 // as learned
	best := g.parameters()
	if err := g.Reset(2); err != nil {
		t.Fatal(err)
	}
	g.Theta[0] = 9 // by another start
	g.takeBack(best)
	if g.Theta[0] != 5 || g.Theta[1] != 6 {
		t.Errorf("the weights are %v, want those of the start, 5 and 6", g.Theta)
	}
}

// Decay is raised while it helps and more is wanted, lowered where networks learn nothing with it, and tried once each.
func TestDecayIsChosenByStarts(t *testing.T) {
	share := func(v float64) *float64 { return &v }
	for _, test := range []struct {
		name  string
		all   []Start
		best  int
		again bool
		decay float64
	}{
		{"it helps, and more may", []Start{{Right: 1, Held: share(0.8)}, {Right: 1, Held: share(0.9), Decay: 4}},
			1, true, 8},
		{"it is enough", []Start{{Right: 1, Held: share(0.8)}, {Right: 1, Held: share(0.99), Decay: 4}}, 1, false, 4},
		{"it does not help", []Start{{Right: 1, Held: share(0.8)}, {Right: 1, Held: share(0.7), Decay: 4}}, 0, false, 4},
		{"it is too much", []Start{{Right: 1, Held: share(0.8)}, {Right: 0.94, Held: share(0.8), Decay: 4}}, 1, true, 2},
		{"the next one was tried", []Start{{Right: 0.5, Held: share(0.5), Decay: 8},
			{Right: 1, Held: share(0.8), Decay: 4}}, 1, false, 8},
	} {
		last := test.all[len(test.all)-1]
		s := &starts{all: test.all, at: test.best}
		s.lesson.decay = last.Decay
		if again := s.adjust(last); again != test.again || s.lesson.decay != test.decay {
			t.Errorf("%s: again %v with decay %v, want %v with %v", test.name, again, s.lesson.decay, test.again, test.decay)
		}
	}
}

// Weights decay more in the next start by a likelihood, and less in the one after it where that was no better; or the
// other way round, where not all that was learned from is right.
func TestDecayIsChosenByLikelihood(t *testing.T) {
	share := 0.9
	more, less := decayFactors[2], decayFactors[0]
	for _, test := range []struct {
		right float64
		want  []float64
	}{{1, []float64{more, less}}, {0.9, []float64{less, more}}, {0.5, nil}} {
		first := Start{Seed: 7, Right: test.right, Held: &share}
		s := &starts{g: logged(), all: []Start{{Seed: 1}, first}, at: 1, guessed: 0.6}
		for k, want := range test.want {
			if !s.adjustLikely(first) || s.lesson.decayFactor != want || s.g.Seed != 7 {
				t.Errorf("%v right, start %d: decay times %v, seed %d; want %v and 7", test.right, k, s.lesson.decayFactor,
					s.g.Seed, want)
			}
			s.all = append(s.all, Start{Seed: 8})
		}
		if s.adjustLikely(first) {
			t.Errorf("%v right: all were tried, and now %v", test.right, s.lesson.decayFactor)
		}
	}
	s := &starts{all: make([]Start, 2), at: 1, decays: []float64{less}}
	if s.lesson.decayFactor = more; s.adjustLikely(Start{Right: 1}) {
		t.Errorf("more decay was better, and now %v", s.lesson.decayFactor)
	}
}

// Of starts by a likelihood that one is better which makes examples held out likelier, and no fewer of them right, or
// more of them right than chance would have it.
func TestLikelierStartsArePreferred(t *testing.T) {
	s := &starts{least: 0.5, most: 0.8, held: jury{members: make([]int32, 100)}}
	s.lesson.manner, s.taken.manner = byLikelihood, byLikelihood
	standing := 0.8
	s.all = []Start{{Right: 1, Held: &standing}}
	for _, test := range []struct {
		surprise, held float64
		want           bool
	}{{0.4, 0.8, true}, {0.4, 0.79, false}, {0.6, 0.83, false}, {0.6, 0.85, true}} {
		s.surprise = test.surprise
		if got := s.prefers(Start{Right: 1, Held: &test.held}, test.held); got != test.want {
			t.Errorf("a loss of %v, %v right: preferred %v", test.surprise, test.held, got)
		}
	}
}

// logged is a learner that has nothing but a log, of which nobody reads.
func logged() *learner {
	options := project.Options{Log: slog.New(slog.DiscardHandler)}
	return &learner{Grounding: &session.Grounding{Project: &project.Project{Options: options}}}
}

// With few examples held out, a share of 0.9 is right to within 0.03: more decay is taken within that, less beyond it.
func TestMoreDecayIsPreferredWithinChance(t *testing.T) {
	s := &starts{most: 0.9, held: jury{members: make([]int32, 100)}, all: []Start{{Right: 1, Decay: 4}}, guessed: 0.5}
	for _, test := range []struct {
		decay, score float64
		want         bool
	}{{8, 0.88, true}, {8, 0.86, false}, {2, 0.92, false}, {2, 0.94, true}, {4, 0.9, false}, {4, 0.91, true}} {
		if got := s.prefers(Start{Right: 1, Decay: test.decay}, test.score); got != test.want {
			t.Errorf("decay %v with a score of %v: preferred %v", test.decay, test.score, got)
		}
	}
	if s.held.members = nil; s.prefers(Start{Right: 1, Decay: 8}, 0.89) {
		t.Error("nothing is held out, and chance is granted all the same")
	}
}

// A start that says the same of all is worse than one that has learned something, as far as chance may set them apart.
func TestBlindStarts(t *testing.T) {
	s := &starts{most: 0.95, held: jury{members: make([]int32, 100)}, guessed: 0.95}
	for _, test := range []struct {
		name                   string
		standing, right, score float64
		want                   bool
	}{
		{"it sees", 0.95, 1, 0.94, true}, {"it sees, and is worse", 0.95, 1, 0.9, false},
		{"it is blind", 1, 0.95, 0.96, false}, {"it is blind, and better", 1, 0.95, 0.98, true},
		{"both see", 1, 1, 0.94, false}, {"both are blind", 0.95, 0.95, 0.96, true},
	} {
		s.all = []Start{{Right: test.standing}}
		if got := s.prefers(Start{Right: test.right}, test.score); got != test.want {
			t.Errorf("%s: preferred %v", test.name, got)
		}
	}
}

// Few examples held out tell little: a share of them differs from that of the others where chance would not have it.
func TestByHeart(t *testing.T) {
	s := &starts{learned: jury{members: make([]int32, 400)}, held: jury{members: make([]int32, 100)}}
	for _, test := range []struct {
		right, held float64
		want        bool
	}{{1, 0.93, true}, {1, 0.99, false}, {0.8, 0.75, false}, {0.8, 0.65, true}, {0.7, 0.8, false}} {
		if got := s.byHeart(Start{Right: test.right, Held: &test.held}); got != test.want {
			t.Errorf("%v right and %v of others: by heart %v", test.right, test.held, got)
		}
	}
	if s.byHeart(Start{Right: 1}) || s.improvable(Start{Right: 0.5}) {
		t.Error("nothing is held out, and yet learned by heart")
	}
}

// Where nearly all others are right, too, nobody is told that they are fewer.
func TestLittleByHeartIsNotTold(t *testing.T) {
	for held, told := range map[float64]bool{0.9: true, 0.96: false} {
		s := &starts{g: &learner{}, learned: jury{members: make([]int32, 400)}, held: jury{members: make([]int32, 400)},
			all: []Start{{Right: 1, Held: &held}}, guessed: 0.3}
		s.g.notices = newNotices(s.g)
		if err := s.tell(t.Context()); err != nil || len(s.g.notices.signs) > 0 != told {
			t.Errorf("%v of others: %v, %v", held, s.g.notices.signs, err)
		}
	}
}

// Learning that goes on wants more epochs, and learning that goes on by heart another start.
func TestUnfinishedStarts(t *testing.T) {
	s := &starts{learned: jury{members: make([]int32, 400)}, held: jury{members: make([]int32, 100)}}
	falls, rests := []learn.Epoch{{Loss: 1}, {Loss: 0.8}, {Loss: 0.6}}, []learn.Epoch{{Loss: 1}, {Loss: 0.6}, {Loss: 0.6}}
	for _, test := range []struct {
		curve       []learn.Epoch
		right, held float64
		want        bool
	}{{falls, 0.7, 0.7, true}, {falls, 0.7, 0.4, false}, {rests, 0.7, 0.7, false}} {
		if got := s.unfinished(Start{Right: test.right, Held: &test.held}, test.curve); got != test.want {
			t.Errorf("%v right, %v of others, losses %v: unfinished is %v", test.right, test.held, test.curve, got)
		}
	}
}

// It is enough that many of the examples learned from are wrong, though the others are right by chance.
func TestManyAreWrong(t *testing.T) {
	for _, test := range []struct {
		right, most float64
		want        bool
	}{{0.88, 0.9, true}, {0.9, 0.88, true}, {0.95, 0.95, false}} {
		s := &starts{most: test.most, enough: 0.9}
		if got := s.wrong(Start{Right: test.right}); got != test.want {
			t.Errorf("%v right, at most %v: wrong is %v", test.right, test.most, got)
		}
	}
}

// A manner of learning that was worse is left, one that was better ends the search, and one that was as bad goes on.
func TestMannersAreTriedByTheirScore(t *testing.T) {
	for _, test := range []struct {
		name        string
		last, most  float64
		best, after manner // of the best start, and of the next one unless it is a try
		tries       int
	}{
		{"worse", 0.2, 0.5, byMethod, byMethod, 1},
		{"better", 0.5, 0.5, byDraws, byDraws, 0},
		{"both know nothing", 0, 0, byMethod, byDraws, 1},
	} {
		s := &starts{most: test.most, taken: lesson{plan: plan{manner: test.best}}, tries: []manner{byLikelihood}}
		s.lesson.manner = byDraws
		if s.settle(Start{Right: test.last}); s.lesson.manner != test.after || len(s.tries) != test.tries {
			t.Errorf("%s: manner %v and %d to try, want %v and %d", test.name, s.lesson.manner, len(s.tries), test.after,
				test.tries)
		}
	}
}

// A decay that was no better is not kept by the starts with other networks that follow.
func TestOtherNetworksHaveTheBestDecay(t *testing.T) {
	before, after := 0.8, 0.7
	s := &starts{g: logged(), all: []Start{{Right: 0.7, Held: &before}, {Right: 0.75, Held: &after}}, most: before}
	s.g.Project.Learning.Starts = 5
	s.g.Perception = new(neural.Perception)
	s.lesson.manner, s.taken.manner = byLikelihood, byLikelihood
	s.lesson.decayFactor = decayFactors[2]
	if again := s.next([]learn.Epoch{{Loss: 1}, {Loss: 1}}); !again || s.lesson.decayFactor != s.taken.decayFactor {
		t.Errorf("again %v, with decay times %v, want %v as in the best start", again, s.lesson.decayFactor,
			s.taken.decayFactor)
	}
}

// What is right of examples of which some things are known is more than would be of others: each new thing costs.
func TestKnownThingsAreMadeUpFor(t *testing.T) {
	held, luck := 0.81, 0.95
	for _, test := range []struct {
		known, want float64
		start       Start
	}{
		{0, 0.81, Start{Right: 0.9, Held: &held}},
		{0.5, 0.729, Start{Right: 0.9, Held: &held}},
		{0.5, 0.95, Start{Right: 0.9, Held: &luck}},
	} {
		s := &starts{known: test.known}
		if got := s.others(test.start); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v known: %v, want %v", test.known, got, test.want)
		}
	}
}
