package batch

import (
	"context"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/neural"
)

// Seen is what labels of examples say of the rows of features that networks see in them, once for all that say the
// same.
type Seen struct {
	Labels   *label.Labels // of inputs
	Inputs   int
	bindings []neural.Binding
	rows     []int32 // which each group of labels is about, from 0
}

// outlet is an output of a network for a row of its features.
type outlet struct {
	network    string
	row, class int32
}

// Seen gathers what all lessons say of what networks see; nil if some labels say anything else.
func (l *Lessons) Seen(ctx context.Context) (*Seen, error) {
	s, met := &Seen{Labels: new(label.Labels)}, make(map[string]bool)
	rows := make(map[string]int32)
	for k := range l.Len() {
		scene, err := l.Show(ctx, k)
		if err != nil {
			return nil, err
		}
		labels := scene.Seen()
		if labels == nil {
			return nil, nil
		}
		outlets := l.scene.Perception.(*perceiver).outlets()
		for first, last := 0, 0; first < len(labels.Entities); first = last {
			for last < len(labels.Entities) && labels.Entities[last] == labels.Entities[first] {
				last++
			}
			at := outlets[labels.Variables[first]]
			of := fmt.Sprint(at.network, " ", at.row)
			key := fmt.Sprint(of, labels.Truth[first:last])
			if met[key] {
				continue
			}
			row, known := rows[of]
			if !known {
				row = int32(len(rows))
				rows[of] = row
			}
			for k := first; k < last; k++ {
				s.add(outlets[labels.Variables[k]], labels.Classes[k], labels.Truth[k])
			}
			s.rows, met[key] = append(s.rows, row), true
		}
	}
	return s, nil
}

// add adds a label of an output to the group that is last.
func (s *Seen) add(at outlet, class int32, truth float64) {
	b := 0
	for b < len(s.bindings) && s.bindings[b].Network != at.network {
		b++
	}
	if b == len(s.bindings) {
		s.bindings = append(s.bindings, neural.Binding{Network: at.network})
	}
	to, input := &s.bindings[b], int32(s.Inputs)
	to.Inputs, to.Rows, to.Classes = append(to.Inputs, input), append(to.Rows, at.row), append(to.Classes, at.class)
	l := s.Labels
	l.Variables, l.Truth = append(l.Variables, input), append(l.Truth, truth)
	l.Entities, l.Classes = append(l.Entities, int32(len(s.rows))), append(l.Classes, class)
	s.Inputs++
}

// Bind lets networks see all the rows.
func (s *Seen) Bind(system *neural.System) (*neural.Perception, error) {
	return system.Bind(s.Inputs, s.bindings...)
}

// Hold divides the labels into those learned from and part k of n, which is held out, row by row.
func (s *Seen) Hold(k, n int) (learned, held *label.Labels) {
	out := func(group int32) bool { return int(s.rows[group])%n == k }
	return s.Labels.Where(func(group int32) bool { return !out(group) }), s.Labels.Where(out)
}

// outlets returns of which row and output of a network each input of a scene is, as it is shown.
func (p *perceiver) outlets() []outlet {
	outlets := make([]outlet, 1+slices.Max(p.at))
	for _, b := range p.bound {
		for k, i := range b.Inputs {
			outlets[p.at[i]] = outlet{b.Network, p.rows[b.Rows[k]], b.Classes[k]}
		}
	}
	return outlets
}
