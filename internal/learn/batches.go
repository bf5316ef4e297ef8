package learn

import (
	"context"
	"math"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Batches are training examples, shown some at a time. All batches have equally many, and each example has equally many
// variables and inputs.
type Batches interface {
	// Len returns the number of batches of an epoch.
	Len() int
	// Size returns the number of examples of a batch.
	Size() int
	// Show returns the scene of batch k, whose perception then sees it and whose labels have its truth. Batches of the
	// same shape have the same scene: what changes from one to the next is what the networks see and which labels are
	// true.
	Show(ctx context.Context, k int) (*Scene, error)
}

// Scene is the part of a Task that depends on the shape of a batch.
type Scene struct {
	Field      *mrf.Field
	Solver     solve.Solver // of this very Field
	Perception Perception   // nil without inputs
	// Labels may be none, and then there is nothing to learn from the scene.
	Labels  *Labels
	Teacher *Teacher // nil if there is none

	local    *mrf.Field
	value    *value
	implicit implicitSolver
}

// enter makes a scene what the next steps are about.
func (t *Trainer) enter(s *Scene) (err error) {
	if t.scene != nil {
		t.scene.implicit = t.surrogate.solver
	}
	t.scene = s
	t.Field, t.Solver, t.Perception, t.Labels, t.Teacher = s.Field, s.Solver, s.Perception, s.Labels, s.Teacher
	if s.local == nil {
		s.local = localField(&t.Task, t.Method)
		if t.Method.needsLabels() && len(s.Labels.Variables) > 0 {
			if s.value, err = t.newValue(); err != nil {
				return err
			}
		}
	}
	t.local, t.value, t.surrogate.solver = s.local, s.value, s.implicit
	return nil
}

// Batch says how far an epoch has come.
type Batch struct {
	Epoch, Done, Batches int
	Size                 int     // examples of a batch
	Loss                 float64 // the mean so far
	// Gradient is the length of the last gradient by what the networks perceive, before their optimiser scales it.
	Gradient float64
}

// runBatches is Run for examples in batches: an epoch is one outer iteration of Algorithm 1 for each of them.
func (t *Trainer) runBatches(ctx context.Context) (Ending, error) {
	for ; t.next < t.Last && !t.exhausted(); t.next++ {
		line, err := t.pass(ctx)
		if err != nil {
			return Completed, err
		}
		if err := t.score(ctx, &line); err != nil {
			return Completed, err
		}
		t.record(line)
		if t.Save != nil {
			t.Save()
		}
	}
	t.keepBest()
	if t.exhausted() {
		return OutOfPatience, nil
	}
	return Completed, nil
}

// exhausted says that patience was over after the last epoch, also if that was before an interruption.
func (t *Trainer) exhausted() bool { return len(t.history) > 0 && t.stale(t.history[len(t.history)-1]) }

// pass learns from every batch once.
func (t *Trainer) pass(ctx context.Context) (Epoch, error) {
	line := Epoch{Number: t.next, Validation: math.NaN()}
	n, labelled := t.Batches.Len(), 0
	for k := range n {
		scene, err := t.Batches.Show(ctx, k)
		if err != nil {
			return line, err
		}
		if len(scene.Labels.Variables) > 0 {
			labelled++
			if err := t.enter(scene); err != nil {
				return line, err
			}
			if err := t.learnBatch(ctx, t.next*n+k, &line); err != nil {
				return line, err
			}
		}
		if t.OnBatch != nil {
			t.OnBatch(Batch{Epoch: t.next, Done: k + 1, Batches: n, Size: t.Batches.Size(),
				Loss: line.Loss / float64(max(1, labelled)), Gradient: length(t.surrogate.inputs)})
		}
	}
	line.Loss /= float64(max(1, labelled))
	line.Theta = append([]float64(nil), t.Theta...)
	line.Active, line.Gradients = t.activity.take(), t.gauge.take()
	return line, nil
}

// length is the Euclidean norm.
func length(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// learnBatch takes the gradient steps of the batch that is shown, the number-th of the run. Each starts from nowhere:
// the state of other examples is no help.
func (t *Trainer) learnBatch(ctx context.Context, number int, line *Epoch) error {
	clear(t.y)
	t.multipliers = nil
	if t.value != nil {
		return t.learnValues(ctx, number, line)
	}
	// One pass through the networks is enough for the inference and the first step.
	if err := t.solveState(ctx, true, t.stepSeed(number, 0), line); err != nil {
		return err
	}
	t.seen = true
	t.activity.add(t.Field, t.y)
	line.Loss += t.Loss.Value(t.Labels, t.y)
	start := time.Now()
	defer func() { line.Gradient += time.Since(start).Seconds() }()
	return t.descend(ctx, number)
}

// learnValues is learnBatch for losses of optimal energies, whose gradients come with them: one pass through the
// networks is enough.
func (t *Trainer) learnValues(ctx context.Context, number int, line *Epoch) error {
	start := time.Now()
	clear(t.value.y)
	t.value.multipliers = t.value.multipliers[:0]
	if t.Method == Energy {
		if err := t.perceive(t.Field, true, t.stepSeed(number, 0)); err != nil {
			return err
		}
		line.Forward += t.forward.Seconds()
	} else if err := t.solveState(ctx, true, t.stepSeed(number, 0), line); err != nil {
		return err
	}
	loss, err := t.loss(ctx)
	if err != nil {
		return err
	}
	line.Loss += loss
	if t.Method == Energy {
		t.activity.add(t.value.field, t.value.y)
	} else {
		t.activity.add(t.Field, t.y)
	}
	line.Inference += time.Since(start).Seconds()
	start = time.Now()
	t.sharpen()
	err = t.update()
	line.Gradient += time.Since(start).Seconds()
	return err
}
