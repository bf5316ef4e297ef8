package learn

import "context"

// descend takes the N gradient steps of Algorithm 1's inner loop, all at the same MAP state y_t, the number-th.
func (t *Trainer) descend(ctx context.Context, number int) error {
	steps := t.Steps
	if t.energies() != nil {
		steps = 1 // they have gradients at their optimum only, so that the next step needs the next inference
	}
	t.objective.Aim(t.state())
	if t.teaches() {
		t.Teacher.watch(t.y)
	}
	for step := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.perceiveStep(number, step); err != nil {
			return err
		}
		t.objective.Gradients(t.inputs, t.weights)
		if t.teaches() {
			t.Teacher.addGradient(t.Imitation, t.x, t.inputs)
		}
		if err := t.update(); err != nil {
			return err
		}
	}
	return nil
}

// teaches says whether the networks imitate in the present epoch.
func (t *Trainer) teaches() bool {
	return t.Teacher != nil && t.Imitation > 0 && t.next >= t.ImitationStart
}

// perceiveStep gives the objective's field what a step's networks see, unless the inference before has already seen it.
func (t *Trainer) perceiveStep(number, step int) error {
	local := t.objective.Field()
	if !t.seen {
		return t.perceive(local, true, t.stepSeed(number, step))
	}
	t.seen = false
	local.SetWeights(t.Theta)
	local.SetInputs(t.x)
	return nil
}

// stepSeed is the origin of a step's dropout: a function of the run's seed and the step alone, also after a resume.
func (t *Trainer) stepSeed(number, step int) uint64 { return t.Seed + uint64(number*t.Steps+step) + 1 }

// update carries the gradients to the parameters and steps the optimisers.
func (t *Trainer) update() error {
	if t.Perception != nil && t.NetworkRate > 0 {
		if err := t.Perception.Backward(t.inputs); err != nil {
			return err
		}
		t.gauge.Read(t.networks)
		t.netOpt.Step(t.networks, t.Schedule.rate(t.NetworkRate, t.next, t.Epochs))
	}
	if t.RuleRate > 0 {
		t.step.Step(t.rules.Value, t.weights, t.Schedule.rate(t.RuleRate, t.next, t.Epochs))
	}
	return nil
}
