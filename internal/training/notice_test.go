package training

import (
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
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
