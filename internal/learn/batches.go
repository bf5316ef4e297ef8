package learn

import (
	"context"
	"math"
	"time"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/latent"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// enter makes a scene what the next steps are about.
func (t *Trainer) enter(s *Scene) (err error) {
	t.Field, t.Solver, t.Perception, t.Labels, t.Teacher = s.Field, s.Solver, s.Perception, s.Labels, s.Teacher
	if s.objective == nil {
		s.objective, err = t.Method.objective(t.Task, t.Settings)
	}
	t.objective, t.scene = s.objective, s
	return err
}

// Batch says how far an epoch has come.
type Batch struct {
	Epoch, Done, Batches int
	Size                 int     // examples of a batch
	Loss                 float64 // the mean so far
	// Gradient is the length of the last gradient by what the networks perceive, before their optimiser scales it.
	Gradient float64
}

// batches feeds examples in batches: an epoch is one outer iteration of Algorithm 1 for each of them, and is scored
// after its steps.
type batches struct{ *Trainer }

// over says whether patience was over after the last epoch, also if that was before an interruption.
func (t batches) over() Ending {
	if len(t.history) > 0 && t.stale(t.history[len(t.history)-1]) {
		return OutOfPatience
	}
	return Completed
}

func (t batches) epoch(ctx context.Context) (Epoch, Ending, error) {
	line, err := t.pass(ctx)
	if err == nil {
		err = t.score(ctx, &line)
	}
	return line, Completed, err
}

func (t batches) finish(context.Context) error {
	t.keepBest()
	return nil
}

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
				Loss: line.Loss / float64(max(1, labelled)), Gradient: length(t.inputs)})
		}
	}
	line.Loss /= float64(max(1, labelled))
	line.Theta = append([]float64(nil), t.Theta...)
	line.Active, line.Gradients = t.activity.take(), t.gauge.Take()
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
	if t.Latent {
		return t.learnLatent(ctx, number, line)
	}
	clear(t.y)
	t.multipliers = nil
	if v := t.energies(); v != nil {
		return t.learnEnergies(ctx, v, number, line)
	}
	// One pass through the networks is enough for the inference and the first step.
	if err := t.solveState(ctx, true, t.stepSeed(number, 0), line); err != nil {
		return err
	}
	t.seen = true
	t.activity.add(t.Field, t.y)
	loss, err := t.loss(ctx)
	if err != nil {
		return err
	}
	line.Loss += loss
	start := time.Now()
	defer func() { line.Gradient += time.Since(start).Seconds() }()
	return t.descend(ctx, number)
}

// learnEnergies is learnBatch for losses of optimal energies, whose gradients come with them: one pass through the
// networks is enough.
func (t *Trainer) learnEnergies(ctx context.Context, v *energies, number int, line *Epoch) error {
	start, before := time.Now(), line.Inference
	clear(v.y)
	v.multipliers = v.multipliers[:0]
	if err := t.perceive(t.Field, true, t.stepSeed(number, 0)); err != nil {
		return err
	}
	line.Forward += t.forward.Seconds()
	seen, ok := t.Perception.(perception.Distributed)
	if v.drawn = t.Drawn && ok; v.drawn {
		t.drawn = draw(t.drawn[:0], t.x, seen.Distributions(), t.stepSeed(number, 0))
		t.Field.SetInputs(t.drawn)
	}
	if v.method != Energy {
		if err := t.solve(ctx, nil, line); err != nil {
			return err
		}
	}
	loss, err := t.loss(ctx)
	if err != nil {
		return err
	}
	line.Loss += loss
	if v.method == Energy {
		t.activity.add(v.field, v.y)
	} else {
		t.activity.add(t.Field, t.y)
	}
	line.Inference = before + time.Since(start).Seconds()
	start = time.Now()
	v.Gradients(t.inputs, t.weights)
	if v.drawn && rewarded*t.next >= t.Epochs {
		reward(t.inputs, t.x, t.drawn, seen.Distributions(), t.right())
	}
	t.sharpen()
	err = t.update()
	line.Gradient += time.Since(start).Seconds()
	return err
}

// right tells of each example of the batch that is shown whether its labels come out right.
func (t *Trainer) right() []bool {
	right := make([]bool, t.Batches.Size())
	for k := range right {
		right[k] = true
	}
	each := t.Field.Model.Variables / len(right)
	for k, i := range t.Labels.Variables {
		if math.Abs(t.y[i]-t.Labels.Truth[k]) > 0.5 {
			right[int(i)/each] = false
		}
	}
	return right
}

// latentOf prepares the likelihood of a scene's labels, as networks see its things; nil as latent.New is.
func latentOf(field *mrf.Field, labels *label.Labels, networks perception.Networks, most int) *latent.Likelihood {
	seen, ok := networks.(perception.Distributed)
	if !ok {
		return nil
	}
	return latent.New(field, labels, latent.Sight{Things: seen.Distributions()}, most)
}

// HasLatent tells whether the first of a task's batches has a likelihood of its labels, and all together would not take
// too long.
func (t *Task) HasLatent() bool {
	t.Field.SetWeights(t.Theta)
	return latentOf(t.Field, t.Labels, t.Perception, latent.MostTried/t.Batches.Len()) != nil
}

// latentOf prepares the likelihood of the labels of the batch that is shown.
func (t *Trainer) latentOf(ctx context.Context) (*latent.Likelihood, error) {
	if !t.Answered {
		return latentOf(t.Field, t.Labels, t.Perception, latent.MostTried/t.Batches.Len()), nil
	}
	err := t.answers.Ask(ctx, t.scene)
	return t.answers.latent(t.scene), err
}

// learnLatent takes the gradient step of a batch by the likelihood of its labels, which needs no inference.
func (t *Trainer) learnLatent(ctx context.Context, number int, line *Epoch) error {
	if err := t.perceive(t.Field, true, t.stepSeed(number, 0)); err != nil {
		return err
	}
	line.Forward += t.forward.Seconds()
	start := time.Now()
	defer func() { line.Gradient += time.Since(start).Seconds() }()
	k := number % t.Batches.Len()
	likelihood, seen := t.latents[k]
	if !seen {
		if t.latents == nil {
			t.latents = make(map[int]*latent.Likelihood)
		}
		var err error
		if likelihood, err = t.latentOf(ctx); err != nil {
			return err
		}
		t.latents[k] = likelihood
	}
	if likelihood == nil {
		return nil
	}
	line.Loss += likelihood.Value(t.x, t.inputs)
	return t.update()
}

// Unlikelihood returns what the likelihood of the labels of all batches loses as networks are, a mean over scopes.
func (t *Trainer) Unlikelihood(ctx context.Context) (float64, error) {
	sum, scopes := 0.0, 0
	for k := range t.Batches.Len() {
		scene, err := t.Batches.Show(ctx, k)
		if err == nil && len(scene.Labels.Variables) == 0 {
			continue
		}
		if err == nil {
			err = t.enter(scene)
		}
		if err == nil {
			err = t.perceive(t.Field, false, 0)
		}
		var latent *latent.Likelihood
		if err == nil {
			latent, err = t.latentOf(ctx)
		}
		if err != nil {
			return 0, err
		}
		if latent != nil {
			sum, scopes = sum+float64(latent.Len())*latent.Value(t.x, nil), scopes+latent.Len()
		}
	}
	return sum / float64(max(1, scopes)), nil
}
