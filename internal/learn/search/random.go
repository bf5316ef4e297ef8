package search

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/named"
)

// Sampling says how weights are drawn.
type Sampling uint8

const (
	// Simplex draws shares of the sum that the weights were written with, from a Dirichlet distribution: PSL's default.
	// It applies if ratios are all that matters, else LogUniform does.
	Simplex Sampling = iota
	// LogUniform draws each weight's logarithm uniformly.
	LogUniform
)

var samplingNames = []string{"simplex", "log-uniform"}

// String returns the sampling's name as configurations write it.
func (s Sampling) String() string { return samplingNames[s] }

// ParseSampling returns the sampling with the given name.
func ParseSampling(name string) (Sampling, error) {
	return named.Of[Sampling](len(samplingNames), name)
}

// random tries independent draws.
func (r *run) random() error {
	for limit := r.limit(250); len(r.trials) < limit; {
		if _, err := r.try(r.all(r.draw()), 1); err != nil {
			return err
		}
	}
	return nil
}

// draw returns random weights for the rules that are sought.
func (r *run) draw() []float64 {
	if r.Sampling == Simplex && r.Relative {
		return r.dirichlet()
	}
	return r.logUniform()
}

func (r *run) logUniform() []float64 {
	sought := make([]float64, len(r.free))
	for k := range sought {
		sought[k] = r.lo * math.Pow(r.hi/r.lo, r.generate.Float64())
	}
	return sought
}

// dirichlet normalises gamma variates.
func (r *run) dirichlet() []float64 {
	sought := make([]float64, len(r.free))
	total := 0.0
	for k := range sought {
		sought[k] = math.Max(r.gamma(r.Concentration), 1e-12)
		total += sought[k]
	}
	for k := range sought {
		sought[k] *= r.sum / total
	}
	return sought
}

// gamma draws from the gamma distribution of that shape by rejection (Marsaglia & Tsang 2000).
func (r *run) gamma(shape float64) float64 {
	if shape < 1 {
		return r.gamma(shape+1) * math.Pow(1-r.generate.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	for {
		x := r.generate.NormFloat64()
		v := 1 + x/math.Sqrt(9*d)
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-r.generate.Float64()) < 0.5*x*x+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
