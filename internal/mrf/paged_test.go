package mrf

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/scratch"
)

// fileMemory returns how many bytes of mapped files this process has in memory.
func fileMemory(t *testing.T) (bytes int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("the system does not say")
	}
	for line := range strings.Lines(string(status)) {
		if n, _ := fmt.Sscanf(line, "RssFile: %d kB", &bytes); n == 1 {
			return bytes << 10
		}
	}
	t.Skip("the system does not say")
	return 0
}

// A sweep over a paged model must have but a small part of it in memory at any time, and nothing of it in the end.
func TestPagedSweepsLetGo(t *testing.T) {
	if !scratch.Supported {
		t.Skip("not on this system")
	}
	file, err := scratch.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const variables, potentials = 1000, 1 << 22
	pairs := &Block{Kind: Hinge, Exponent: 2, Len: potentials, Coef: []float64{1, -1}, Bias: make([]float32, potentials)}
	singles := &Block{Kind: Hinge, Exponent: 2, Len: variables, Coef: []float64{1}}
	for j := range potentials {
		pairs.Vars = append(pairs.Vars, int32(j%variables), int32((j+1+j%7)%variables))
	}
	for i := range variables {
		singles.Vars = append(singles.Vars, int32(i))
	}
	m := &Model{Variables: variables, Rules: 1, Blocks: []*Block{pairs, singles}}
	spill := NewSpill(file)
	for _, b := range m.Blocks {
		spill.Block(b)
	}
	if err := spill.Restore(1); err != nil {
		t.Fatal(err)
	}
	const whole, little = 12 * potentials, 12 << 20
	before := fileMemory(t)
	check := func(what string) {
		if now := fileMemory(t); now > before+little {
			t.Errorf("%s: %d bytes in memory of %d", what, now-before, whole)
		}
	}
	field := NewField(m)
	field.Threads = 1
	check("the field")
	y, g := make([]float64, variables), make([]float64, variables)
	field.Sweep(y, g, func(s *Span) float64 {
		if s.Number%256 == 0 {
			check("within a sweep")
		}
		return s.Differentiate()
	})
	check("a sweep")
	field.Room = 1 << 16
	h, free := field.NewHessian(), make([]bool, variables)
	for i := range free {
		free[i], y[i] = true, float64(i%2)
	}
	h.Assemble(y, free, 1, (*Span).Curve)
	check("the curvature")
	h.Mul(y, g)
	check("a product")
	field.NewSingles().Minimise(y, g, 0)
	check("single potentials")
}
