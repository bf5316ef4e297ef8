package deeppsl_test

import (
	"testing"

	"github.com/deeppsl/deeppsl"
)

// BenchmarkInfer compares inferences after one given value has changed: from the last answer, and from nothing.
func BenchmarkInfer(b *testing.B) {
	const n = 20000
	p, err := deeppsl.Parse(alarms)
	if err != nil {
		b.Fatal(err)
	}
	data := rooms(p, n, func(r int) float64 { return float64(r%17) / 17 })
	begin := func() *deeppsl.Session {
		s, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	infer := func(s *deeppsl.Session, k int) {
		if err := s.SetValue(float64(k%2), "Reports", room(k%n)); err != nil {
			b.Fatal(err)
		}
		if answer, err := s.Infer(ctx); err != nil || answer.Status != deeppsl.Optimal {
			b.Fatal(answer, err)
		}
	}
	b.Run("warm", func(b *testing.B) {
		s := begin()
		infer(s, 0)
		for k := 0; b.Loop(); k++ {
			infer(s, k)
		}
	})
	b.Run("cold", func(b *testing.B) {
		for k := 0; b.Loop(); k++ {
			b.StopTimer()
			s := begin()
			b.StartTimer()
			infer(s, k)
		}
	})
}
