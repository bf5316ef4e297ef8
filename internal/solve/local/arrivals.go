package local

import "github.com/deeppsl/deeppsl/internal/mrf"

// arrivals are potentials that have come: side by side, as parts jump from one to another of them.
type arrivals struct {
	all    []arrival
	ids    []int32 // the variables of each, and then its inputs
	coef   []float64
	shapes map[shape]*mrf.Block
}

// arrival is a potential that has come.
type arrival struct {
	block             *mrf.Block // its kind, which others share
	from, inputs, end int32      // of its variables and inputs
	constant, scale   float64
}

// shape is what potentials share that have a block in common.
type shape struct {
	rule     int
	kind     mrf.Kind
	exponent int
}

func (c *arrivals) len() int { return len(c.all) }

// add adds a copy of a potential.
func (c *arrivals) add(p *mrf.Potential) {
	a := arrival{block: c.shape(p), from: int32(len(c.ids)), constant: p.Constant, scale: p.Scale}
	a.inputs = a.from + int32(len(p.Vars))
	a.end = a.inputs + int32(len(p.Inputs))
	c.ids, c.coef = append(append(c.ids, p.Vars...), p.Inputs...), append(append(c.coef, p.Coef...), p.InputCoef...)
	c.all = append(c.all, a)
}

// shape is a block of a potential's kind.
func (c *arrivals) shape(p *mrf.Potential) *mrf.Block {
	of := shape{p.Rule, p.Kind, p.Exponent}
	b := c.shapes[of]
	if b == nil {
		if c.shapes == nil {
			c.shapes = make(map[shape]*mrf.Block)
		}
		b = &mrf.Block{Rule: p.Rule, Kind: p.Kind, Exponent: p.Exponent}
		c.shapes[of] = b
	}
	return b
}

// at is potential k, to read until others come or go.
func (c *arrivals) at(k int) mrf.Potential {
	a := &c.all[k]
	return mrf.Potential{Rule: a.block.Rule, Kind: a.block.Kind, Exponent: a.block.Exponent,
		Vars: c.ids[a.from:a.inputs], Inputs: c.ids[a.inputs:a.end], Coef: c.coef[a.from:a.inputs],
		InputCoef: c.coef[a.inputs:a.end], Constant: a.constant, Scale: a.scale}
}

// inputs are those of potential k.
func (c *arrivals) inputs(k int) []int32 { return c.ids[c.all[k].inputs:c.all[k].end] }

// vars are the variables of potential k.
func (c *arrivals) vars(k int) []int32 { return c.ids[c.all[k].from:c.all[k].inputs] }

// cut takes all away from one on.
func (c *arrivals) cut(from int) {
	if from < len(c.all) {
		first := c.all[from].from
		c.all, c.ids, c.coef = c.all[:from], c.ids[:first], c.coef[:first]
	}
}

// only returns those that are kept, of which there are so many.
func (c *arrivals) only(number int, keep func(k int) bool) (kept arrivals) {
	kept.all, kept.shapes = make([]arrival, 0, number), c.shapes
	for k := range c.all {
		if keep(k) {
			p := c.at(k)
			kept.add(&p)
		}
	}
	return kept
}

// bytes is what they take.
func (c *arrivals) bytes() int64 {
	return 40*int64(cap(c.all)) + 4*int64(cap(c.ids)) + 8*int64(cap(c.coef))
}

// isSingle tells whether potential k is a square of one variable.
func (c *arrivals) isSingle(k int) bool { return len(c.vars(k)) == 1 && c.all[k].block.Squared() }

// pins tells whether potential k pins a variable.
func (c *arrivals) pins(k int) bool { return pins(c.all[k].block.Kind, c.vars(k)) }

// pins tells whether a potential pins a variable.
func pins(kind mrf.Kind, vars []int32) bool { return kind == mrf.Equal && len(vars) == 1 }
