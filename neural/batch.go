package neural

import "fmt"

// Select lets other rows stand for those that the bindings name, until the next Select: row r of a binding reads the
// features' row rows[r]. A batch is so bound once, to the rows 0, 1, … in the order in which its ground model wants
// them, and then shown one choice of rows after the other, at the cost of Forward and Backward alone. Rows may occur
// more than once. On an error, nothing changes.
//
//	perception, err := system.Bind(len(x), binding) // whose Rows are 0, 1, …, n-1
//	for batch := range batches {
//		err := perception.Select(batch) // n rows of the features
//		err = perception.Forward(x, true, seed)
//		…
//		err = perception.Backward(upstream)
//	}
func (p *Perception) Select(rows []int32) error {
	for _, s := range p.passes {
		if s.along != nil {
			return fmt.Errorf("neural: the rows of network %q are linked, so that none can stand for another",
				s.network.spec.Name)
		}
	}
	for _, g := range p.groups {
		if last := g.bound[len(g.bound)-1]; int(last) >= len(rows) {
			return fmt.Errorf("neural: %d rows are selected, but row %d is bound", len(rows), last)
		}
		for _, r := range g.bound {
			if rows[r] < 0 || int(rows[r]) >= g.root.features.Len() {
				return fmt.Errorf("neural: row %d is not among the %d of the features", rows[r], g.root.features.Len())
			}
		}
	}
	for _, g := range p.groups {
		chosen := make([]int32, len(g.bound))
		for i, r := range g.bound {
			chosen[i] = rows[r]
		}
		g.choose(chosen)
	}
	p.ready, p.selected = false, rows
	return nil
}

// choose makes the group compute other rows, as many as before.
func (g *group) choose(rows []int32) {
	g.rows, g.features = rows, g.root.features
	g.selection++
	if g.first != nil {
		g.product = newProduct(g.features, rows, g.threads)
	}
}

// predicted is the number of rows that Predict computes at once.
const predicted = 256

// Predict returns the outputs of a classifier for rows of its features, a matrix [len(rows), classes] without dropout.
// Beside the result, the memory it takes does not grow with the number of rows.
func (s *System) Predict(network string, rows []int32) ([]float32, error) {
	n := s.network(network)
	if n == nil || n.pairs() {
		return nil, fmt.Errorf("neural: Predict(%q): the name of a classifier is wanted", network)
	}
	for _, r := range rows {
		if r < 0 || int(r) >= n.table().Len() {
			return nil, fmt.Errorf("network %q: row %d is not among the %d of the features", network, r, n.table().Len())
		}
	}
	out := make([]float32, len(rows)*n.width)
	if n.spec.Propagate != "" {
		return nil, fmt.Errorf("network %q: what it says of a row depends on those linked to it, which are not given here",
			network)
	}
	n.root().standardizeByAll()
	size := min(predicted, len(rows))
	if size == 0 {
		return out, nil
	}
	g := newGroup(n.root(), rows[:size], s.threads)
	p := newPass(s, n, g)
	for lo := 0; lo < len(rows); lo += size {
		lo := min(lo, len(rows)-size) // the last piece is as large as the others
		g.choose(rows[lo : lo+size])
		g.forward(false, 0)
		if err := p.forward(false, 0); err != nil {
			return nil, err
		}
		copy(out[lo*n.width:], p.out)
	}
	return out, nil
}
