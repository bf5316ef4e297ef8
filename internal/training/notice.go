package training

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// notices looks at learning, while it goes on and at its end, for signs that nothing is learned: a program is right by
// its form, runs to its end, and still answers no better than a guess.
type notices struct {
	g     *learner
	signs []sign
	// lasted counts for how many epochs up to now each sign was there, and said are those that were told.
	lasted map[string]int
	said   map[string]bool
	told   source.Diagnostics
	// waits keeps signs for the end: learning may begin anew, or keep an earlier start, and those of what is kept count.
	waits bool
	// late are signs that fitting does not reach a network.
	late []sign
	// fixed says that what is kept has not learned rules' weights, and chosen that held-out labels have chosen it.
	fixed, chosen bool
	// met says that all examples learned from are right with what is kept, so that nothing is left to learn from them.
	met bool

	// What is looked at: the learning curve up to the parameters that count, after so many epochs, which when says.
	curve []learn.Epoch
	steps int
	when  string
	// networks are described after a forward pass; nil without any.
	networks []perception.State
	// seen counts the epochs that were looked at: those before a resumed run are, too.
	seen int
}

func newNotices(g *learner) *notices {
	return &notices{g: g, lasted: make(map[string]int), said: make(map[string]bool)}
}

// sign is a warning under the name by which it is known again.
type sign struct {
	key     string
	about   string
	warning source.Diagnostic
}

// see adds a sign. About says what else than its place tells it from others of the same id.
func (n *notices) see(id string, place source.Span, about, hint, format string, args ...any) {
	var d source.Diagnostics
	d.Warnf(id, place, hint, format, args...)
	key := fmt.Sprint(id, " ", about, " ", place.File, place.Start)
	n.signs = append(n.signs, sign{key, about, d[0]})
}

// tell warns of the signs that were there for some epochs, each once.
func (n *notices) tell(epochs int) {
	lasted := make(map[string]int, len(n.signs))
	var news source.Diagnostics
	for _, s := range n.signs {
		lasted[s.key] = n.lasted[s.key] + 1
		if lasted[s.key] >= epochs && !n.waits && !n.said[s.key] {
			n.said[s.key] = true
			news = append(news, s.warning)
		}
	}
	n.lasted, n.signs = lasted, n.signs[:0]
	n.told = append(n.told, news...)
	n.g.Project.Warn(news)
}

// A sign is told of while learning goes on if it was there for a quarter of the epochs, but at least briefly, and at
// most for the longest; where an epoch is one step, briefly is longer.
const (
	briefly        = 3
	brieflyBySteps = 10
	longest        = 20
)

// watch looks at a training as it goes on.
func (n *notices) watch(t *learn.Trainer) {
	s := &n.g.Project.Learning
	clear(n.lasted)
	n.seen = 0
	n.waits = n.g.Project.Config.Examples[load.Learn] != nil && s.Learn.Method == learn.Energy && s.Starts > 1
	onEpoch := t.OnEpoch
	t.OnEpoch = func(line learn.Epoch) {
		if onEpoch != nil {
			onEpoch(line)
		}
		n.epochs(t)
	}
}

// epochs looks at what is new of the learning curve, but for the final inference, of which notice tells.
func (n *notices) epochs(t *learn.Trainer) {
	for curve := t.Curve(); n.seen < min(len(curve), t.Last); {
		n.seen++
		n.curve, n.steps, n.when = curve[:n.seen], n.seen, "after "+source.Count(n.seen, "epoch")
		n.networks = curve[n.seen-1].Networks
		if t.Validate == nil { // or else the best epoch is kept, whatever the loss
			n.loss()
		}
		n.still()
		n.states()
		n.gradients()
		if !n.g.Project.Learning.Compared { // or else it is open whether inference will know labels
			n.dying()
		}
		least := briefly
		if t.Calibrated {
			least = brieflyBySteps
		}
		n.tell(min(max(t.Last/4, least), longest))
	}
}

// unfinished notices learning from examples that ends while it goes on well, but has not come far.
func (n *notices) unfinished(epochs int, right float64) {
	n.see("learn-unfinished", source.Span{}, "", "raise learn.epochs",
		"after %s, the loss still falls, and %.0f %% of the examples are right", source.Count(epochs, "epoch"), 100*right)
	n.waits = false
	n.tell(1)
}

// notice looks at a training that came to its end. It takes the time of grace at most, and not less if the context
// ends: what follows has to look at that.
func (n *notices) notice(ctx context.Context, training *Training) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), Grace)
	defer done()
	n.curve, n.steps, n.when, n.waits = training.Epochs, training.Steps, "after learning", false
	if kept := training.Kept; kept > 0 && kept < len(n.curve) {
		n.curve = n.curve[:kept+1]
	}
	n.loss()
	n.still()
	look := n.lookAtAtoms
	if n.g.Project.Config.Examples[load.Learn] != nil {
		look = n.lookAtExamples
	}
	if err := look(ctx, training); err != nil && ctx.Err() == nil {
		return err
	}
	n.heldOut(training.unseen)
	n.states()
	n.gradients()
	if n.steps == 0 { // nothing else has reached these
		n.signs = append(n.signs, n.late...)
	}
	if r := training.Rehearsed; r == nil || !r.Known { // else rules that are idle here may be what labels spread by
		n.dying()
	}
	n.tell(1)
	return nil
}

// clearly is by what share a loss must rise to be said to, and slight the share of the largest weight, which energies
// are measured in, up to which it is none in any case. NothingLeft is a loss that is next to 0: what is right teaches
// nothing more.
const (
	clearly     = 0.1
	slight      = 1e-3
	nothingLeft = 0.01
)

// finished tells whether a loss is next to 0; energies have a unit of their own, in which the first one was.
func (n *notices) finished(loss float64) bool {
	unit := 1.0
	if !n.g.Project.Learning.Learn.Method.Info().OfAnswer {
		unit = math.Abs(n.curve[0].Loss)
	}
	return loss < nothingLeft*unit
}

// last is the loss of the parameters that count; NaN without any.
func (n *notices) last() float64 {
	if len(n.curve) == 0 {
		return math.NaN()
	}
	return n.curve[len(n.curve)-1].Loss
}

// loss notices a learning curve that goes the wrong way. Weights that then compete with those written are judged by
// what they are wanted for, whatever the method's own loss, and so is what held-out labels have chosen.
func (n *notices) loss() {
	if len(n.curve) < 2 {
		return
	}
	first, last := n.curve[0].Loss, n.last()
	rises := last > first+clearly*math.Abs(first) && last > slight*slices.Max(append(n.g.written(), 0))
	if rises && !n.g.Project.Learning.Compared && !n.chosen || math.IsNaN(last) {
		hint := "lower learn.rate.rules, or leave learn.method to its default, which compares weights with those written"
		if n.g.Perception != nil {
			hint = "lower learn.rate.networks and learn.rate.rules, or fit the networks first (network.epochs)"
			if !n.g.Project.Learning.Auto {
				hint += "; learn.method=auto chooses by itself"
			}
		}
		n.see("learn-loss-rising", source.Span{}, "", hint, "the loss rose from %.4g to %.4g in %s",
			first, last, source.Count(n.steps, "epoch"))
	}
}

// unmoved is a change of a rule's weight that is none.
const unmoved = 1e-6

// still notices weights that were to be learned and are what they were. Held-out labels may want them so.
func (n *notices) still() {
	g, curve := n.g, n.curve
	s := &g.Project.Learning
	if s.Auto || s.Learn.RuleRate == 0 || n.fixed || n.steps < 2 || len(curve) < 2 {
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
			place = g.Program.Rules[r].Span
		}
	}
	ratios := !s.Learn.Method.Info().OfAnswer && s.Learn.Update.KeepsSum()
	if count > 1 || count == 1 && !ratios { // of a single one there is no ratio
		n.see("learn-still", place, "",
			"look whether the labels depend on the rules, raise learn.rate.rules, or try another learn.method",
			"the weights of rules that are to be learned, %d in number, did not move in %s", count,
			source.Count(n.steps, "epoch"))
	}
}

// lookAtAtoms looks at the one ground model that was learned from.
func (n *notices) lookAtAtoms(ctx context.Context, training *Training) error {
	g := n.g
	if err := g.Perceive(); err != nil {
		return err
	}
	if g.Perception != nil {
		n.networks = g.Perception.States()
	}
	if err := n.worse(ctx, training); err != nil {
		return err
	}
	chosen := training.Chosen
	if chosen == nil || len(training.Epochs) == 0 {
		return nil
	}
	r := training.Rehearsed
	if r != nil && r.Known && r.KnownLoss < r.ForgottenLoss-label.Trifle {
		return nil // inference answers otherwise, and better: it knows labels
	}
	chosen, err := n.cold(ctx, chosen)
	if err == nil {
		err = n.chance(chosen)
	}
	if err != nil || r != nil && r.Known {
		return err
	}
	if err := n.free(ctx, chosen); err != nil {
		return err
	}
	return n.blind(chosen)
}

// sampled is how many examples are looked at, evenly spread over the table.
const sampled = 100

// lookAtExamples infers some of the examples that were learned from.
func (n *notices) lookAtExamples(ctx context.Context, _ *Training) error {
	g := n.g
	e := batch.Check(g.Grounding, load.Learn, new(source.Diagnostics))
	stage := batch.Stage{Grounding: g.Grounding, Examples: e, Solver: func(field *mrf.Field) (solve.Solver, error) {
		return g.Settings.BatchSolver(field, g.Project.Learning.WhileLearning(), g.Options())
	}}
	members := make([]int32, batch.Size(g.Grounding, sampled, e))
	for k := range members {
		members[k] = int32(k * e.Count / len(members))
	}
	slices.SortStableFunc(members, func(a, b int32) int { return int(e.Shapes[a] - e.Shapes[b]) })
	scene, err := stage.Scene(ctx, members, e.Shapes)
	if err != nil {
		return err
	}
	result, err := scene.Infer(ctx, e, members, g.Theta)
	if err != nil {
		return err
	}
	if result.Status == solve.Infeasible || ctx.Err() != nil {
		return nil
	}
	if networks, ok := scene.Perception.(perception.Observable); ok {
		n.networks = networks.States()
	}
	p := batch.NewPredictions(e)
	p.Take(scene, e, members, result.Y)
	if err := p.Decide(context.WithoutCancel(ctx), &stage, scene, e, members, g.Theta, result.Y); err != nil {
		return err
	}
	n.guesses(e, p, members, n.untold())
	n.isolated(e, members, scene)
	return nil
}

// guesses notices labels of examples that are predicted no better than by always saying the same.
func (n *notices) guesses(e *batch.Examples, p *batch.Predictions, members []int32, hint string) {
	for l, column := range e.Labels {
		right, counts := 0, make(map[string]int)
		for _, example := range members {
			at := int(example)*len(e.Labels) + l
			if known := p.Known[at]; known != "" {
				counts[known]++
				if p.Matches(at) {
					right++
				}
			}
		}
		if column.Candidates != nil {
			n.compare(column.Name, right, label.Count(counts), hint)
		}
	}
}

// fewLabels are too few to tell a guess from an answer.
const fewLabels = 10

// untold is what to do where answers are no better than a guess.
func (n *notices) untold() string {
	if len(n.curve) > 0 && n.finished(n.last()) {
		return "the loss is near 0 all the same: learn.loss or learn.method asks for something else than the labels"
	}
	if n.g.Networks == nil {
		return "look whether rules lead from what is known to the labels; inference may know others (inference.known)"
	}
	return "raise learn.epochs or network.epochs, and look whether the features tell the classes apart"
}

// compare notices answers that are no better than the labels' most frequent class.
func (n *notices) compare(what string, right int, t label.Tally, hint string) {
	if t.Labels < fewLabels || t.Classes < 2 || !t.Guessed(right) {
		return
	}
	n.see("learn-chance", source.Span{}, what, hint,
		"%s, %.0f %% of %d labels of %s are right; always saying the most frequent one would give %.0f %%",
		n.when, 100*float64(right)/float64(t.Labels), t.Labels, what, 100*t.Majority())
}

// heldOut notices labels that were held out and are answered no better than by a guess, though those that were learned
// from may all be right.
func (n *notices) heldOut(unseen label.Verdict) {
	t, chance := unseen.Chance()
	told := func(s sign) bool { return s.warning.ID == "learn-chance" }
	if !chance || t.Classes < 2 || slices.ContainsFunc(n.signs, told) {
		return
	}
	n.see("learn-chance", source.Span{}, "held out",
		"give more labels; look whether the features tell the classes apart, and whether rules lead from labels to others",
		"%.0f %% of %d labels are right if they are held out; always saying the most frequent one would give %.0f %%",
		100*float64(unseen.Right())/float64(t.Labels), t.Labels, 100*t.Majority())
}

// chance compares the answers with truth that validates, or else that was learned from.
func (n *notices) chance(chosen *session.Answer) error {
	for k, declared := range n.g.Project.Config.Predicates {
		atoms := n.g.Tables.Store.Relations[k]
		if atoms.FreeLen() == 0 || atoms.Free != relation.Target {
			continue
		}
		truth, err := n.telling(k)
		if err != nil {
			return err
		}
		if truth == nil {
			continue
		}
		value := func(row int32) float64 { return session.FreeValue(chosen, atoms, row) }
		scored := eval.Join(atoms, truth, value, eval.Scope{})
		classes, exclusive := classesOf(truth)
		if !exclusive {
			if !n.g.HasThreshold(k) && !ranked(declared) {
				n.oneSided(declared.Name, scored)
			}
			continue
		}
		result, err := eval.Evaluate("categorical", nil, scored)
		if err != nil {
			return err
		}
		if t := label.Count(classes); result.Count == t.Labels {
			n.compare(declared.Name, int(math.Round(result.Primary().Number*float64(t.Labels))), t, n.untold())
		}
	}
	return nil
}

// telling returns a predicate's truth to judge learning by; nil if there is none.
func (n *notices) telling(predicate int) (*relation.Relation, error) {
	if n.g.Project.SharesAtoms(n.g.Phase, load.Validation) {
		truth, err := n.g.Truth(load.Validation, predicate)
		if err != nil || truth != nil && truth.Len() > 0 {
			return truth, err
		}
	}
	return n.g.Truth(load.Learn, predicate)
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

// states notices networks whose outputs say nothing, and layers that are flat.
func (n *notices) states() {
	for _, state := range n.networks {
		for _, finding := range state.Findings() {
			n.network(&finding)
		}
	}
}

// gradients notices layers that get too little or too much of the latest gradient, unless nothing is left to learn.
func (n *notices) gradients() {
	for _, line := range slices.Backward(n.curve) {
		if line.Gradients != nil {
			if !n.met && !n.finished(line.Loss) {
				n.layers(line.Gradients)
			}
			return
		}
	}
}

func (n *notices) layers(gradients []perception.LayerGradient) {
	for _, finding := range perception.GradientFindings(gradients) {
		n.network(&finding)
	}
}

// network says what is wrong with a network.
func (n *notices) network(f *perception.Finding) {
	place := source.Span{}
	for _, network := range n.g.Project.Config.Networks {
		if network.Name == f.Network {
			place = network.At("features")
		}
	}
	see := func(id, hint, format string, args ...any) {
		n.see(id, place, f.Network, hint, "%s, "+format, append([]any{n.when}, args...)...)
	}
	const tryFit = "fit the network first, on truth of its own predicate (network.epochs), or change learn.rate.networks"
	switch f.Symptom {
	case perception.UniformOutputs:
		see("learn-uniform", tryFit, "network %q gives all classes the same probability, whatever it sees", f.Network)
	case perception.ConstantOutputs:
		see("learn-uniform", tryFit+"; look at the scale of the features (normalize)",
			"network %q gives the same outputs, whatever it sees", f.Network)
	case perception.OneClass:
		if usual := n.usual(f.Network); usual < common && f.Value > usual+(1-usual)/2 {
			see("learn-one-class", tryFit, "network %q prefers the same class for %.0f %% of what it sees", f.Network,
				100*f.Value)
		}
	case perception.DeadNodes:
		see("learn-dead", "lower learn.rate.networks and network.rate, or take another activation",
			"%.0f %% of the nodes of layer %s of network %q are flat for all it sees, and learn no more", 100*f.Value, f.Layer,
			f.Network)
	case perception.SaturatedNodes:
		see("learn-saturated", "scale the features (normalize), or lower learn.rate.networks",
			"the nodes of layer %s of network %q are flat for %.0f %% of what they see, and learn no more", f.Layer, f.Network,
			100*f.Value)
	case perception.VanishingGradient:
		n.vanishing(f, see)
	case perception.ExplodingGradient:
		see("learn-exploding", "scale the features (normalize), lower learn.rate.networks, or look for rules of huge weight",
			"the gradient of network %q%s has the length %.1e, far beyond its weights", f.Network, inLayer(f.Layer), f.Value)
	}
}

// vanishing says that no gradient reaches a network, or a layer of it.
func (n *notices) vanishing(f *perception.Finding, see func(id, hint, format string, args ...any)) {
	if f.Layer == "" {
		see("learn-vanishing", "look whether a rule ties what the network sees to the labels, take learn.method=implicit "+
			"if a target without labels lies between, raise learn.mu, or fit the network first (network.epochs)",
			"no gradient reaches network %q, though not all labels are met", f.Network)
		return
	}
	if n.g.plan.decay > 0 {
		return // held-out labels have chosen to hold layers back, to nothing where something leads past them
	}
	see("learn-vanishing", "take fewer hidden layers, or the activation relu",
		"next to no gradient reaches layer %s of network %q, less than a millionth of what others get", f.Layer, f.Network)
}

func inLayer(layer string) string {
	if layer == "" {
		return ""
	}
	return " in layer " + layer
}

// dying notices rules none of whose ground rules is active, so that neither weights nor networks hear of them, unless
// all that was to be learned is: then rules hold.
func (n *notices) dying() {
	if len(n.curve) == 0 || n.finished(n.last()) {
		return
	}
	g, learned := n.g, n.g.learned()
	perceives := make([]bool, len(learned))
	for _, b := range g.Model.Blocks {
		perceives[b.Rule] = perceives[b.Rule] || len(b.Inputs) > 0
	}
	for r, rule := range g.Program.Rules {
		since := len(n.curve)
		for since > 0 && r < len(n.curve[since-1].Active) && n.curve[since-1].Active[r] == 0 {
			since--
		}
		if since == len(n.curve) || !perceives[r] && !learned[r] || rule.Weight.Hard {
			continue
		}
		time := fmt.Sprintf("since epoch %d", n.curve[since].Number)
		if since == 0 {
			time = "from the first epoch on"
		}
		n.see("learn-dying", rule.Span, "",
			"if it should always hold, all is well; else raise learn.mu, or fit the networks first (network.epochs)",
			"%s, none of the rule's ground rules is active, %s: nothing more is learned from it", n.when, time)
	}
}

// Grace is how long a run goes on after an interrupt in learning: for the inference that follows.
const Grace = 5 * time.Second
