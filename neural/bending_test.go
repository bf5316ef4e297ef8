package neural

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// lognormal returns n values whose logarithms are normal, of any unit.
func lognormal(name string, n int, unit, deviation float64) []float32 {
	values := gauss(name, n, 0, deviation)
	for i, v := range values {
		values[i] = float32(unit * math.Exp(float64(v)))
	}
	return values
}

// Where tails are heavy, a network sees about the logarithm of what is lognormal, in any unit, the small values told
// apart as the great ones are; before, half of them were seen as within a hundredth of one another.
func TestHeavyTailsAreBent(t *testing.T) {
	for _, unit := range []float64{1e-6, 1, -1e9} {
		values := lognormal("tails", 400, unit, 2.5)
		s, seen := scaledBy(t, mustDense(t, 1, values...), 300)
		largest := 0.0
		for r, v := range values {
			z := math.Log(float64(v)/unit) / 2.5
			if unit < 0 {
				z = -z
			}
			if largest = max(largest, math.Abs(float64(seen[r])-z)*math.Exp(-z*z/2)); math.Abs(float64(seen[r])) > cutoff {
				t.Errorf("unit %g: %v is seen as %v", unit, v, seen[r])
			}
		}
		if largest > 0.2 {
			t.Errorf("unit %g: what is seen differs from the logarithm by %.2f", unit, largest)
		}
		if at, bends := s.networks[0].scaling.bending(0); !bends || !slices.IsSorted(at) {
			t.Errorf("unit %g: knots %v", unit, at)
		}
	}
}

// Where most is 0 and the rest has heavy tails, zeros stay zeros, and what is not 0 has a mean square of about 1.
func TestMostlyZerosAreBent(t *testing.T) {
	values := lognormal("spent", 400, 100, 1.5)
	for i := range values {
		if i%4 != 0 {
			values[i] = 0
		}
	}
	_, seen := scaledBy(t, mustDense(t, 1, values...), 400)
	square := 0.0
	for i, v := range seen {
		if square += float64(v) * float64(v) / 100; (values[i] == 0) != (v == 0) || v < 0 {
			t.Errorf("%v is seen as %v", values[i], v)
		}
	}
	if math.Abs(square-1) > 0.05 {
		t.Errorf("the mean square of what is not 0 is %v", square)
	}
}

// Columns of other kinds are what they were: numbers without heavy tails, words, categories, and few values.
func TestOtherColumnsStayStraight(t *testing.T) {
	few := lognormal("few", 15, 1, 3)
	uniform, counts, flags := make([]float32, 500), make([]float32, 500), make([]float32, 500)
	pixels := make([]float32, 500) // hardly any ink, and some that is black
	for i := range uniform {
		pixels[i] = float32(i%2 + i%12/11*(i%15))
		uniform[i], counts[i], flags[i] = float32(i), float32(i%4), float32(i%30/29)
	}
	for name, values := range map[string][]float32{"normal": gauss("straight", 500, 7, 3), "few": few, "uniform": uniform,
		"counts": counts, "flags": flags, "pixels": pixels} {
		s, _ := scaledBy(t, mustDense(t, 1, values...), len(values))
		if at, bends := s.networks[0].scaling.bending(0); bends {
			t.Errorf("%s: bent by %v", name, at)
		}
		var file bytes.Buffer
		if err := s.Save(&file); err != nil || bytes.Contains(file.Bytes(), []byte(knotsTensor)) {
			t.Errorf("%s: the file has knots, %v", name, err)
		}
	}
}

// Files and scales have the knots: what reads another table sees it as what learned saw it.
func TestKnotsGoAlong(t *testing.T) {
	values := lognormal("along", 300, 1, 2.5)
	spec := []Spec{{Name: "n", Features: "words", Outputs: 2}}
	first, seen := scaledBy(t, mustDense(t, 2, values...), 100)
	var file bytes.Buffer
	if err := first.Save(&file); err != nil {
		t.Fatal(err)
	}
	second := mustNew(t, spec, mustDense(t, 2, values[200:]...), 2)
	if err := second.Load(bytes.NewReader(file.Bytes())); err != nil {
		t.Fatal(err)
	}
	third := mustNew(t, spec, mustDense(t, 2, values[200:]...), 2)
	if err := third.SetScales(first.Scales()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*System{second, third} {
		if got := s.networks[0].features.Values(); !slices.Equal(got, seen[200:]) {
			t.Errorf("seen are %v, want %v", got[:4], seen[200:204])
		}
	}
	first.networks[0].scaling.knots.Value[3] = 1e30
	var damaged bytes.Buffer
	if err := first.Save(&damaged); err != nil {
		t.Fatal(err)
	}
	if err := second.Load(&damaged); err == nil || !strings.Contains(err.Error(), "do not ascend") {
		t.Errorf("knots that do not ascend: error %v", err)
	}
	sparse, err := features.Read(features.SparseText, "f", strings.NewReader("a\t0:3 1:2\nb\t1:4\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := mustNew(t, spec, sparse, 1).Load(&file); err == nil || !strings.Contains(err.Error(), "dense table") {
		t.Errorf("a sparse table: error %v", err)
	}
}
