package learn

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// profile is the energy along a line, of all that changes there.
type profile struct {
	*label.Line
	sections []section

	// moves says whether the box and the other hard rules left room the last time; then surprise is -log p.
	moves    bool
	surprise float64
}

// section is a potential or an inequality as a function of the distance moved: its slack changes by slope times that.
type section struct {
	block  *mrf.Block
	number int     // of the potential, among all
	scale  float64 // s_j, the observed factor of its weight
	slope  float64
	// excess and push are what the section last added to the derivatives, by weight and by slack.
	excess, push float64
}

// profiles returns one per label that has a line.
func profiles(model *mrf.Model, labels *label.Labels) []*profile {
	e := label.NewEqualities(model, labels)
	var profiles []*profile
	for _, i := range labels.Variables {
		if l := e.Line(i); l != nil {
			profiles = append(profiles, &profile{Line: l})
		}
	}
	cutSections(model, profiles)
	return profiles
}

// cutSections finds the potentials and inequalities that change along each line.
func cutSections(model *mrf.Model, profiles []*profile) {
	type move struct {
		profile int
		step    float64
	}
	moves := make(map[int32][]move)
	for k, l := range profiles {
		for at, v := range l.Variables {
			moves[v] = append(moves[v], move{k, l.Steps[at]})
		}
	}
	slopes := make([]float64, len(profiles))
	first := 0
	for _, b := range model.Blocks {
		for j := range b.Len {
			var touched []int
			for k, v := range b.Variables(j) {
				for _, m := range moves[v] {
					touched = append(touched, m.profile)
					slopes[m.profile] += b.Coefficient(j, k) * m.step
				}
			}
			for _, at := range touched {
				profiles[at].add(b, first+j, j, slopes[at])
				slopes[at] = 0 // also so that a line with two variables here is cut once
			}
		}
		first += b.Len
	}
}

// add appends the section of potential j, unless it does not change along the line.
func (p *profile) add(b *mrf.Block, number, j int, slope float64) {
	if math.Abs(slope) < 1e-9 {
		return
	}
	s := section{block: b, number: number, scale: 1, slope: slope}
	if b.Scale != nil {
		s.scale = float64(b.Scale[j])
	}
	p.sections = append(p.sections, s)
}

// interval is how far the label can move, down and up, within the box and the inequalities that the labels keep.
func (p *profile) interval(slacks, y []float64) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	bound := func(slack, slope float64) { // slack + slope·moved ≤ 0
		if slope > 0 {
			hi = math.Min(hi, math.Max(0, -slack/slope))
		} else {
			lo = math.Max(lo, math.Min(0, -slack/slope))
		}
	}
	for k, v := range p.Variables {
		bound(y[v]-1, p.Steps[k])
		bound(-y[v], -p.Steps[k])
	}
	for _, s := range p.sections {
		if s.block.Kind == mrf.LessEqual && slacks[s.number] <= narrow {
			bound(slacks[s.number], s.slope)
		}
	}
	return lo, hi
}
