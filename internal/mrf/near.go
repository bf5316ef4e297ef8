package mrf

// Near returns the field of those potentials and constraints that can be other than 0 where no variable is further than
// radius from y, with the same weights and inputs: there, both fields have the same energy, violations and derivatives.
// If it would be most of them, it is f itself.
func (f *Field) Near(y []float64, radius float64) *Field {
	total := f.Model.Potentials()
	if len(f.near) < total {
		f.near = make([]bool, total)
	}
	f.Sweep(y, nil, func(s *Span) float64 { return float64(s.mark(f.near[s.First:], radius)) })
	count := 0
	for _, n := range f.partial {
		count += int(n)
	}
	if count > total/2 {
		return f
	}
	places := make([]int, 0, count)
	for j, near := range f.near[:total] {
		if near {
			places = append(places, j)
		}
	}
	part := NewField(f.Model.Only(places))
	part.Threads = f.Threads
	part.SetWeights(f.theta)
	part.SetInputs(f.x)
	return part
}

// mark notes which of the span's potentials can be other than 0 within the radius, and counts them.
func (s *Span) mark(near []bool, radius float64) (count int) {
	vars := &s.term.vars
	twoSided := s.Block.Kind != Hinge && s.Block.Kind != LessEqual
	rise := radius * norm1(vars.coef)
	for k, d := range s.D {
		if vars.start != nil {
			rise = radius * vars.value.norm1(vars.start[s.lo+k], vars.start[s.lo+k+1])
		}
		near[k] = twoSided || !(d+rise <= 0) // what is not a number is near
		if near[k] {
			count++
		}
	}
	return count
}
