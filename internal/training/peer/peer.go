// Package peer has rivals of rules, which know of none: a regression on all features, side by side, of what ground
// rules tie to labels of a predicate, and, where that is two rows of one table, a network that compares them. Where one
// tells held-out labels better, rules cannot say what these depend on, or what they say is not so.
package peer

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/learn/fit"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// Peer is the regression for labels of one predicate.
type Peer struct {
	thing   []int32         // that each variable with a label is about, or noThing
	things  int             // their number
	classes map[int32]int32 // numbers those that labels speak of
	choice  bool            // each thing has one of these
	roles   []*role
}

// Settings say how it learns.
type Settings struct {
	Rate    float64
	Seed    uint64
	Threads int
}

const noThing = -1

// place is where networks see something: an input of a rule whose conclusion, or whatever has the label, is a target.
type place struct{ rule, target, input int }

// role is what is seen in a place.
type role struct {
	width int
	seen  map[int32][]neural.Sight // by thing
}

const (
	// mostRoles and mostNumbers bound what things are seen by, and mostTargets those of a ground rule that is looked at.
	mostRoles, mostNumbers, mostTargets = 16, 4_000_000, 4
	// mostEpochs bounds how long a peer learns.
	mostEpochs = 500
)

// Of returns the peer of labels of one predicate; nil if ground rules lead to no features, or to too many. Sights are
// what is seen of each input, and twins the inputs of targets that are as networks see them.
func Of(model *mrf.Model, sights []neural.Sight, twins map[int32]int32, labels *label.Labels) *Peer {
	p := &Peer{thing: slices.Repeat([]int32{noThing}, model.Variables), classes: make(map[int32]int32)}
	p.number(labels)
	p.choice = labels.Coupled() && len(p.classes) > 1
	p.find(model, sights, twins)
	p.distinguish()
	if len(p.roles) == 0 || len(p.roles) > mostRoles || p.Width()*p.things > mostNumbers {
		return nil
	}
	return p
}

// number numbers the things and classes of labels. A label that speaks of no class is about a thing of its own.
func (p *Peer) number(labels *label.Labels) {
	known := make(map[int32]int32)
	for k, i := range labels.Variables {
		class := labels.Classes[k]
		if _, seen := p.classes[class]; !seen {
			p.classes[class] = int32(len(p.classes))
		}
		at, seen := known[labels.Entities[k]]
		if !seen || class == label.NoClass {
			at = int32(p.things)
			known[labels.Entities[k]] = at
			p.things++
		}
		p.thing[i] = at
	}
}

// find finds what is seen in which place, also by way of targets of other predicates that are as networks see them.
func (p *Peer) find(model *mrf.Model, sights []neural.Sight, twins map[int32]int32) {
	known := make(map[place]*role)
	var buffer mrf.RowBuffer
	for _, b := range model.Blocks {
		for j := range b.Len {
			targets := b.Ids(j, &buffer)
			if len(targets) > mostTargets {
				continue
			}
			for t, i := range targets {
				if p.thing[i] == noThing {
					continue
				}
				for k, x := range b.InputRow(j) {
					p.see(known, place{b.Rule, t, part(b, j, k)}, p.thing[i], sights[x])
				}
				for u, other := range targets {
					if x, seen := twins[other]; seen && p.thing[other] == noThing {
						p.see(known, place{b.Rule, t, -1 - u}, p.thing[i], sights[x])
					}
				}
			}
		}
	}
}

// part is what tells the k-th input of a ground rule from others: in sums of any length, their sign alone.
func part(b *mrf.Block, j, k int) int {
	switch {
	case b.InputStart == nil:
		return k
	case b.InputCoefficient(j, k) < 0:
		return 0
	}
	return 1
}

// see notes what is seen in a place, about a thing.
func (p *Peer) see(known map[place]*role, at place, thing int32, sight neural.Sight) {
	if sight.Columns() == 0 {
		return
	}
	r := known[at]
	if r == nil {
		r = &role{sight.Columns(), make(map[int32][]neural.Sight)}
		known[at] = r
		p.roles = append(p.roles, r)
	}
	r.seen[thing] = append(r.seen[thing], sight)
}

// distinguish leaves of roles in which the same is seen one.
func (p *Peer) distinguish() {
	for _, r := range p.roles {
		for thing, seen := range r.seen {
			slices.SortFunc(seen, neural.Sight.Order)
			r.seen[thing] = slices.Compact(seen)
		}
	}
	slices.SortStableFunc(p.roles, func(a, b *role) int { return cmp.Compare(len(b.seen), len(a.seen)) })
	var distinct []*role
	for _, r := range p.roles {
		if !slices.ContainsFunc(distinct, r.within) {
			distinct = append(distinct, r)
		}
	}
	p.roles = distinct
}

// within tells whether all that is seen in a role is seen in another one.
func (r *role) within(other *role) bool {
	for thing, seen := range r.seen {
		if !slices.Equal(seen, other.seen[thing]) {
			return false
		}
	}
	return true
}

// Width is how many features things have.
func (p *Peer) Width() (width int) {
	for _, r := range p.roles {
		width += r.width
	}
	return width
}

// table returns the features of all things: of what is seen in one role, the mean.
func (p *Peer) table() (*features.Table, error) {
	width := p.Width()
	ids, values := make([]string, p.things), make([]float32, p.things*width)
	for thing := range p.things {
		ids[thing] = strconv.Itoa(thing)
		features := values[thing*width : (thing+1)*width]
		for _, r := range p.roles {
			seen := r.seen[int32(thing)]
			for _, sight := range seen {
				sight.AddTo(features[:r.width], 1/float32(len(seen)))
			}
			features = features[r.width:]
		}
	}
	return features.NewDense(ids, width, values)
}

// network returns one without hidden layers over a table.
func (p *Peer) network(table *features.Table, how Settings) (*neural.System, error) {
	spec := neural.Spec{Name: name, Features: name, Normalize: neural.NoNormalization, Hidden: []int{},
		Outputs: len(p.classes), Output: neural.SigmoidOutput}
	if p.choice {
		spec.Output = neural.SoftmaxOutput
	}
	return neural.New([]neural.Spec{spec}, map[string]*features.Table{name: table}, how.Seed,
		neural.WithThreads(how.Threads))
}

const name = "peer"

// Answer learns from some labels and writes what that says of others.
func (p *Peer) Answer(ctx context.Context, labels, held *label.Labels, y []float64, how Settings) error {
	table, err := p.table()
	if err != nil {
		return err
	}
	system, err := p.network(table, how)
	if err != nil {
		return err
	}
	if err := p.fit(ctx, system, labels, how); err != nil {
		return err
	}
	rows := make([]int32, len(held.Variables))
	for k, i := range held.Variables {
		rows[k] = p.thing[i]
	}
	out, err := system.Predict(name, rows)
	if err != nil {
		return err
	}
	for k, i := range held.Variables {
		y[i] = float64(out[k*len(p.classes)+int(p.classes[held.Classes[k]])])
	}
	return nil
}

// fit fits a network to labels.
func (p *Peer) fit(ctx context.Context, system *neural.System, labels *label.Labels, how Settings) error {
	own, first, binding := &label.Labels{Truth: labels.Truth}, make(map[int32]int32), neural.Binding{Network: name}
	for k, i := range labels.Variables {
		thing := p.thing[i]
		if _, bound := first[thing]; !bound {
			first[thing] = int32(len(binding.Inputs))
			for class := range int32(len(p.classes)) {
				binding.Inputs = append(binding.Inputs, first[thing]+class)
				binding.Rows, binding.Classes = append(binding.Rows, thing), append(binding.Classes, class)
			}
		}
		own.Variables = append(own.Variables, first[thing]+p.classes[labels.Classes[k]])
	}
	loss := label.BinaryCrossEntropy
	if p.choice {
		loss = label.CrossEntropy
	}
	return fitted(ctx, system, binding, own, loss, how)
}

// fitted fits a network to labels of what it is bound to.
func fitted(
	ctx context.Context, system *neural.System, binding neural.Binding, own *label.Labels, loss label.LossKind,
	how Settings,
) error {
	networks, err := system.Bind(len(binding.Inputs), binding)
	if err != nil {
		return err
	}
	fitter := &fit.Fitter{Perception: networks, Labels: own, Loss: loss,
		Inputs: len(binding.Inputs), Optimiser: perception.Adam, Rate: how.Rate, Decay: -1,
		Epochs: mostEpochs, Seed: how.Seed, Threads: how.Threads}
	_, err = fitter.Run(ctx)
	return err
}
