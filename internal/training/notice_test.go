package training

import (
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

// An energy that rises from nothing to next to nothing, as where what nobody has labelled explains all labels before
// anything is learned, goes the wrong way for nobody.
func TestNoticeOfRisingLoss(t *testing.T) {
	for _, test := range []struct {
		first, last float64
		told        bool
	}{
		{0, 1e-5, false}, {0, 0.1, true}, {0.5, 0.52, false}, {0.5, 0.6, true},
	} {
		rules := []*program.Rule{{Weight: program.Weight{Value: 2}}}
		g := &learner{Grounding: &session.Grounding{Project: new(project.Project), Program: &program.Program{Rules: rules}}}
		n := newNotices(g)
		n.curve = []learn.Epoch{{Loss: test.first}, {Loss: test.last}}
		if n.loss(); len(n.signs) > 0 != test.told {
			t.Errorf("from %g to %g: %v", test.first, test.last, n.signs)
		}
	}
}

// Learning from examples that may begin more than once is told of at the end, as the last start need not be kept; if it
// begins once, while it goes on.
func TestNoticeOfStarts(t *testing.T) {
	for starts, told := range map[int]int{1: 1, 5: 0} {
		p := &project.Project{Config: &load.Config{}}
		p.Config.Examples[load.Learn] = new(load.Data)
		p.Learning.Learn.Method, p.Learning.Starts = learn.Energy, starts
		n := newNotices(&learner{Grounding: &session.Grounding{Project: p}})
		n.watch(new(learn.Trainer))
		n.see("learn-dying", source.Span{}, "", "", "no ground rule is active")
		if n.tell(1); len(n.told) != told {
			t.Errorf("%d starts: %v", starts, n.told)
		}
	}
}

// That no gradient is left is no sign of anything where all examples are right, wherever the loss began.
func TestNoticeOfGradientsOfWhatIsRight(t *testing.T) {
	for met, told := range map[bool]int{true: 0, false: 1} {
		g := &learner{Grounding: &session.Grounding{Project: &project.Project{Config: &load.Config{}}}}
		g.Project.Learning.Learn.Method = learn.Energy
		n := newNotices(g)
		n.met = met
		n.curve = []learn.Epoch{{Loss: 1e-3}, {Loss: 4e-4, Gradients: []perception.LayerGradient{{Network: "eye"}}}}
		if n.gradients(); len(n.signs) != told {
			t.Errorf("%t: %v", met, n.signs)
		}
	}
}
