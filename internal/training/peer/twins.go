package peer

import (
	"context"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// Twins are the peer of labels of pairs: a siamese network that compares the two rows that are seen of each. Whether
// two pictures show the same digit, no regression on both tells, as it has no product of their pixels; and rules about
// what each shows may be learned far less well than how alike they are.
type Twins struct {
	*Peer
	first, second *role
	table         *features.Table
	place         map[neural.Sight]int32 // in the table
}

// Twins returns the peer that compares what is seen of both things of each label; nil where labels name classes, or not
// just two rows of one table are seen.
func (p *Peer) Twins() (*Twins, error) {
	if p.choice || len(p.classes) > 1 || len(p.roles) != 2 {
		return nil, nil
	}
	t := &Twins{Peer: p, first: p.roles[0], second: p.roles[1], place: make(map[neural.Sight]int32)}
	var ids []string
	var values []float32
	for thing := range int32(p.things) {
		a, b := t.of(thing)
		if len(a) != 1 || len(b) != 1 || !a[0].Alone() || !b[0].Alone() || !a[0].Beside(b[0]) {
			return nil, nil
		}
		for _, sight := range []neural.Sight{a[0], b[0]} {
			if _, known := t.place[sight]; known {
				continue
			}
			t.place[sight] = int32(len(ids))
			ids = append(ids, strconv.Itoa(len(ids)))
			values = append(values, make([]float32, t.first.width)...)
			sight.AddTo(values[len(values)-t.first.width:], 1)
		}
	}
	var err error
	t.table, err = features.NewDense(ids, t.first.width, values)
	return t, err
}

// of returns what is seen of both things of a pair: of one with itself, one role may be all that ground rules are left
// with.
func (t *Twins) of(pair int32) (a, b []neural.Sight) {
	a, b = t.first.seen[pair], t.second.seen[pair]
	switch {
	case len(a) == 0:
		return b, b
	case len(b) == 0:
		return a, a
	}
	return a, b
}

// Answer learns from some labels and writes what that says of others.
func (t *Twins) Answer(ctx context.Context, labels, held *label.Labels, y []float64, how Settings) error {
	spec := neural.Spec{Name: name, Features: name, Kind: "siamese", Normalize: neural.NoNormalization,
		Hidden: []int{hidden}}
	system, err := neural.New([]neural.Spec{spec}, map[string]*features.Table{name: t.table}, how.Seed,
		neural.WithThreads(how.Threads))
	if err != nil {
		return err
	}
	own := &label.Labels{Truth: labels.Truth}
	for k := range labels.Variables {
		own.Variables = append(own.Variables, int32(k))
	}
	if err := fitted(ctx, system, t.binding(labels), own, label.BinaryCrossEntropy, how); err != nil {
		return err
	}
	perception, err := system.Bind(len(held.Variables), t.binding(held))
	if err != nil {
		return err
	}
	x := make([]float64, len(held.Variables))
	if err := perception.Forward(x, false, 0); err != nil {
		return err
	}
	for k, i := range held.Variables {
		y[i] = x[k]
	}
	return nil
}

// hidden is the width of the twins' hidden layer.
const hidden = 32

// binding binds an input to the pair of each label.
func (t *Twins) binding(labels *label.Labels) neural.Binding {
	b := neural.Binding{Network: name}
	for k, i := range labels.Variables {
		one, other := t.of(t.thing[i])
		b.Inputs = append(b.Inputs, int32(k))
		b.Rows, b.Others = append(b.Rows, t.place[one[0]]), append(b.Others, t.place[other[0]])
	}
	return b
}
