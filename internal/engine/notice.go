package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/neural"
)

// notices looks at what learning left behind for signs that nothing was learned: a program is right by its form, runs
// to its end, and still answers no better than a guess.
type notices struct {
	g        *Grounding
	training *Training
	found    source.Diagnostics
	// observable are the networks, after a forward pass; nil without any.
	observable learn.Observable
	// field has the MAP state y that was learned: of the whole model, or of some of the examples; nil if there is none.
	field *mrf.Field
	y     []float64
}

// notice returns what is suspicious about a training that came to its end. It takes the time of grace at most, and not
// less if the context ends: what follows has to look at that.
func (g *Grounding) notice(ctx context.Context, training *Training) (Warnings, error) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer done()
	n := &notices{g: g, training: training}
	n.loss()
	n.still()
	look := n.lookAtAtoms
	if g.project.config.Examples[Learn] != nil {
		look = n.lookAtExamples
	}
	if err := look(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	n.networks()
	n.dying()
	return n.found, nil
}

// clearly is by what share a loss must rise to be said to.
const clearly = 0.1

// loss notices a learning curve that goes the wrong way.
func (n *notices) loss() {
	curve := n.training.Epochs
	if len(curve) < 2 {
		return
	}
	first, last := curve[0].Loss, curve[len(curve)-1].Loss
	if kept := n.training.Kept; kept > 0 && kept < len(curve) {
		last = curve[kept].Loss
	}
	if last > first+clearly*math.Abs(first) || math.IsNaN(last) {
		n.found.Warnf("learn-loss-rising", source.Span{},
			"lower learn.rate.networks and learn.rate.rules, fit the networks first (network.epochs), or let "+
				"learn.method=auto choose",
			"the loss rose from %.4g to %.4g in %d epochs", first, last, n.training.Steps)
	}
}

// unmoved is a change of a rule's weight that is none.
const unmoved = 1e-6

// still notices weights that were to be learned and are what they were. Held-out labels may want them so.
func (n *notices) still() {
	g, curve := n.g, n.training.Epochs
	s := &g.project.settings
	if s.auto || s.learn.RuleRate == 0 || n.training.Steps < 2 || len(curve) < 2 {
		return
	}
	count, place := 0, source.Span{}
	for r, learned := range g.learned() {
		if !learned {
			continue
		}
		for _, epoch := range curve {
			if r < len(epoch.Theta) && math.Abs(epoch.Theta[r]-curve[0].Theta[r]) > unmoved {
				return
			}
		}
		if count++; count == 1 {
			place = g.program.Rules[r].Span
		}
	}
	if count > 0 {
		n.found.Warnf("learn-still", place,
			"look whether the labels depend on the rules, raise learn.rate.rules, or try another learn.method",
			"the weights of rules that are to be learned, %d in number, did not move in %d epochs", count, n.training.Steps)
	}
}

// lookAtAtoms looks at the one ground model that was learned from.
func (n *notices) lookAtAtoms(context.Context) error {
	g := n.g
	if err := g.perceive(); err != nil {
		return err
	}
	if g.perception != nil {
		n.observable = g.perception
	}
	chosen := n.training.Chosen
	if chosen == nil || len(n.training.Epochs) == 0 {
		return nil
	}
	n.field, n.y = g.field, chosen.Values
	g.field.SetInputs(chosen.Perceived)
	if err := n.unreached(); err != nil {
		return err
	}
	return n.chance(chosen)
}

// sampled is how many examples are looked at, evenly spread over the table.
const sampled = 100

// lookAtExamples infers some of the examples that were learned from.
func (n *notices) lookAtExamples(ctx context.Context) error {
	g := n.g
	e := g.checkExamples(Learn, new(source.Diagnostics))
	stage := stage{grounding: g, examples: e, solver: func(field *mrf.Field) (solve.Solver, error) {
		return g.settings.batchSolver(field, g.project.settings.whileLearning(), &g.project.Options)
	}}
	members := make([]int32, g.size(sampled, e))
	for k := range members {
		members[k] = int32(k * e.count / len(members))
	}
	slices.SortStableFunc(members, func(a, b int32) int { return int(e.shapes[a] - e.shapes[b]) })
	scene, err := stage.scene(ctx, members, e.shapes)
	if err != nil {
		return err
	}
	result, err := scene.infer(ctx, e, members, g.theta)
	if err != nil {
		return err
	}
	if result.Status == solve.Infeasible || ctx.Err() != nil {
		return nil
	}
	n.field, n.y = scene.Field, result.Y
	n.observable, _ = scene.Perception.(learn.Observable)
	p := newPredictions(e)
	for k, example := range members {
		p.read(e, int(example), result.Y[k*scene.variables:(k+1)*scene.variables])
	}
	n.guesses(e, p, members)
	return nil
}

// guesses notices labels of examples that are predicted no better than by always saying the same.
func (n *notices) guesses(e *examples, p *Predictions, members []int32) {
	for l, label := range e.labels {
		right, counts := 0, make(map[string]int)
		for _, example := range members {
			at := int(example)*len(e.labels) + l
			if known := p.Known[at]; known != "" {
				counts[known]++
				if p.matches(at) {
					right++
				}
			}
		}
		if label.candidates != nil {
			n.compare(label.name, right, counted(counts))
		}
	}
}

// tally is how often labels name each class.
type tally struct{ labels, classes, largest int }

func counted[K comparable](counts map[K]int) (t tally) {
	for _, count := range counts {
		t.labels, t.classes, t.largest = t.labels+count, t.classes+1, max(t.largest, count)
	}
	return t
}

// fewLabels are too few to tell a guess from an answer.
const fewLabels = 10

// compare notices answers that are no better than the labels' most frequent class, to within half of the deviation
// that its share has by chance.
func (n *notices) compare(what string, right int, t tally) {
	if t.labels < fewLabels || t.classes < 2 {
		return
	}
	count := float64(t.labels)
	share, guess := float64(right)/count, float64(t.largest)/count
	if share > guess+math.Sqrt(guess*(1-guess)/count)/2 {
		return
	}
	hint := "raise learn.epochs or network.epochs, and look whether the features tell the classes apart"
	if curve := n.training.Epochs; len(curve) > 0 && curve[len(curve)-1].Loss < 0.01 {
		hint = "the loss is near 0 all the same: learn.loss or learn.method asks for something else than the labels"
	}
	n.found.Warnf("learn-chance", source.Span{}, hint,
		"after learning, %.0f %% of %d labels of %s are right; always saying the most frequent one would give %.0f %%",
		100*share, t.labels, what, 100*guess)
}

// chance compares the answers with truth that validates, or else that was learned from.
func (n *notices) chance(chosen *Answer) error {
	for k, declared := range n.g.project.config.Predicates {
		atoms := n.g.tables.Store.Relations[k]
		if atoms.FreeLen() == 0 || atoms.Free != relation.Target || atoms.Arity < 2 {
			continue
		}
		truth, err := n.telling(k)
		if err != nil {
			return err
		}
		classes, exclusive := classesOf(truth)
		if !exclusive {
			continue
		}
		scored := eval.Join(atoms, truth, func(row int32) float64 { return value(chosen, atoms, row) }, eval.Scope{})
		result, err := eval.Evaluate("categorical", nil, scored)
		if err != nil {
			return err
		}
		if t := counted(classes); result.Count == t.labels {
			n.compare(declared.Name, int(math.Round(result.Primary().Number*float64(t.labels))), t)
		}
	}
	return nil
}

// telling returns a predicate's truth to judge learning by; nil if there is none.
func (n *notices) telling(predicate int) (*relation.Relation, error) {
	if n.g.project.sharesAtoms(n.g.phase, Validation) {
		truth, err := n.g.truth(Validation, predicate)
		if err != nil || truth != nil && truth.Len() > 0 {
			return truth, err
		}
	}
	return n.g.truth(Learn, predicate)
}

// classesOf counts the true rows by their last argument, and tells whether each thing, which the others name, has one.
func classesOf(truth *relation.Relation) (classes map[symbol.ID]int, exclusive bool) {
	classes = make(map[symbol.ID]int)
	if truth == nil || truth.Arity < 2 {
		return classes, false
	}
	seen, tuple := make(map[string]bool), make([]symbol.ID, 0, truth.Arity)
	exclusive = true
	for row := range int32(truth.Len()) {
		if tuple = truth.Tuple(tuple[:0], row); truth.Value(row) > 0.5 {
			last := len(tuple) - 1
			thing := fmt.Sprint(tuple[:last])
			exclusive = exclusive && !seen[thing]
			seen[thing] = true
			classes[tuple[last]]++
		}
	}
	return classes, exclusive
}

// networks notices networks whose outputs say nothing, and layers that no gradient gets through.
func (n *notices) networks() {
	if n.observable == nil {
		return
	}
	for _, state := range n.observable.States() {
		for _, finding := range state.Findings() {
			n.network(&finding)
		}
	}
}

// network says what is wrong with a network.
func (n *notices) network(f *learn.Finding) {
	place := source.Span{}
	for _, network := range n.g.project.config.Networks {
		if network.Name == f.Network {
			place = network.At("features")
		}
	}
	const tryFit = "fit the network first, on truth of its own predicate (network.epochs), or change learn.rate.networks"
	switch f.Symptom {
	case learn.UniformOutputs:
		n.found.Warnf("learn-uniform", place, tryFit,
			"after learning, network %q gives all classes the same probability, whatever it sees", f.Network)
	case learn.ConstantOutputs:
		n.found.Warnf("learn-uniform", place, tryFit+"; look at the scale of the features (normalize)",
			"after learning, network %q gives the same outputs, whatever it sees", f.Network)
	case learn.OneClass:
		if usual := n.usual(f.Network); f.Value > usual+(1-usual)/2 {
			n.found.Warnf("learn-one-class", place, tryFit,
				"after learning, network %q prefers the same class for %.0f %% of what it sees", f.Network, 100*f.Value)
		}
	case learn.DeadNodes:
		n.found.Warnf("learn-dead", place, "lower learn.rate.networks and network.rate, or take another activation",
			"after learning, %.0f %% of the nodes of layer %s of network %q are flat for all it sees, and learn no more",
			100*f.Value, f.Layer, f.Network)
	case learn.SaturatedNodes:
		n.found.Warnf("learn-saturated", place, "scale the features (normalize), or lower learn.rate.networks",
			"after learning, the nodes of layer %s of network %q are flat for %.0f %% of what they see, and learn no more",
			f.Layer, f.Network, 100*f.Value)
	}
}

// usual is the largest share that one answer of a network has among the labels; 0 if these do not say.
func (n *notices) usual(network string) (largest float64) {
	pairs := slices.ContainsFunc(n.g.networks.specs, func(s neural.Spec) bool {
		return s.Name == network && s.Kind == "siamese"
	})
	for k := range n.g.project.config.Predicates {
		truth, err := n.g.truth(Learn, k)
		if err != nil || truth == nil || truth.Len() == 0 {
			continue
		}
		classes, exclusive := classesOf(truth)
		t := counted(classes)
		switch share := float64(t.labels) / float64(truth.Len()); {
		case pairs:
			largest = max(largest, share, 1-share)
		case exclusive && t.classes > 0:
			largest = max(largest, float64(t.largest)/float64(t.labels))
		}
	}
	return largest
}

// away is how far below 0 a hinge's argument is if its rule is inactive there, and not at its kink.
const away = 1e-3

// dying notices rules none of whose ground rules is active, so that neither weights nor networks hear of them.
func (n *notices) dying() {
	if n.field == nil {
		return
	}
	g, m := n.g, n.field.Model
	slacks := make([]float64, m.Potentials())
	n.field.Slacks(n.y, slacks)
	counts, active, perceives := make([]int, m.Rules), make([]int, m.Rules), make([]bool, m.Rules)
	for _, b := range m.Blocks {
		perceives[b.Rule] = perceives[b.Rule] || len(b.Inputs) > 0
		counts[b.Rule] += b.Len
		for _, d := range slacks[:b.Len] {
			if b.Kind != mrf.Hinge || !(d < -away) {
				active[b.Rule]++
			}
		}
		slacks = slacks[b.Len:]
	}
	learned := g.learned()
	for r, rule := range g.program.Rules {
		if counts[r] > 0 && active[r] == 0 && (perceives[r] || learned[r]) && !rule.Weight.Hard {
			n.found.Warnf("learn-dying", rule.Span,
				"if it should always hold, all is well; else raise learn.mu, or fit the networks first (network.epochs)",
				"after learning, none of the rule's %d ground rules is active: nothing more is learned from it", counts[r])
		}
	}
}

// unreached notices labels about atoms that are in no ground rule.
func (n *notices) unreached() error {
	reached := make([]bool, n.field.Model.Variables)
	var buffer mrf.RowBuffer
	for _, b := range n.field.Model.Blocks {
		for j := range b.Len {
			for _, i := range b.Ids(j, &buffer) {
				reached[i] = true
			}
		}
	}
	for k, declared := range n.g.project.config.Predicates {
		atoms := n.g.tables.Store.Relations[k]
		truth, err := n.g.truth(Learn, k)
		if err != nil {
			return err
		}
		if truth != nil && atoms.FreeLen() > 0 && atoms.Free == relation.Target {
			n.outOfReach(declared, atoms, truth, reached)
		}
	}
	return nil
}

// outOfReach says how many labels of a predicate are about atoms in no ground rule.
func (n *notices) outOfReach(declared *load.Predicate, atoms, truth *relation.Relation, reached []bool) {
	labels, lost := 0, 0
	tuple := make([]symbol.ID, 0, atoms.Arity)
	for row := range int32(truth.Len()) {
		tuple = truth.Tuple(tuple[:0], row)
		at, ok := atoms.Find(tuple...)
		if !ok || atoms.Role(at) != relation.Target {
			continue
		}
		if labels++; !reached[atoms.Number(at)] {
			lost++
		}
	}
	if lost > 0 {
		n.found.Warnf("learn-unreached", declared.Span,
			"a rule should speak of these atoms: look at the spelling of constants, and at which targets the rules join",
			"%d of %d labels of %s are about atoms that are in no ground rule: nothing is learned from them", lost, labels,
			declared.Name)
	}
}
