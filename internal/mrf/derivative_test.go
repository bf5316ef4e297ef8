package mrf

// What sweeps compute at once is compared with its parts by these.

// Gradient sets g to ∇_y f.
func (f *Field) Gradient(y, g []float64) { f.EnergyGradient(y, g) }

// GradientInputs sets gx to ∂f/∂x = Σ_j w_j φ'_j b_j at y.
func (f *Field) GradientInputs(y, gx []float64) { f.sweep(inputs, y, gx, (*Span).Differentiate) }

// RegulariserInputs sets gx to ∂/∂x Σ_j d_j² = Σ_j 2 d_j b_j at y.
func (f *Field) RegulariserInputs(y, gx []float64) {
	f.sweep(inputs, y, gx, func(s *Span) float64 {
		for k := range s.D {
			s.D[k] *= 2
		}
		if s.Block.Kind.Hard() {
			clear(s.D)
		}
		return 0
	})
}
