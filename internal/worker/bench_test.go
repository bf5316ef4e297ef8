package worker_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// million is a request that opens a session of as many targets, a tenth as many strings, and a ground rule each.
func million() []byte {
	const rows = 1 << 20
	names := make([]string, rows/10)
	for k := range names {
		names[k] = fmt.Sprintf("person%d", k)
	}
	who, whom := make([]int32, rows), make([]int32, rows)
	for k := range rows {
		who[k], whom[k] = int32(k%len(names)), int32((k*7+k/len(names))%len(names))
	}
	return request(2, "open", `"rules": "0.5: Out(A, B) ^2", "tables": [{"predicate": "Out", "part": "targets",
		"columns": [{"strings": 0, "codes": 1}, {"strings": 0, "codes": 2}]}]`,
		[]array{texts(names...), ints(who...), ints(whom...)})
}

// BenchmarkOpen is a million rows on their way in, ground.
func BenchmarkOpen(b *testing.B) {
	frame := million()
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		c := start(b)
		c.tell(frame)
		_ = c.in.Close()
	}
}

// BenchmarkAtoms is a million atoms on their way out: their names, once for a session, and their values.
func BenchmarkAtoms(b *testing.B) {
	c := start(b)
	c.tell(million())
	c.ok("infer", `"session": 1`, nil)
	for b.Loop() {
		c.ok("atoms", `"session": 1`, nil)
	}
}

// BenchmarkLayer is inference as a layer, forward and backward: one example of 100,000 ground rules, and 64 of 1,000.
func BenchmarkLayer(b *testing.B) {
	for _, size := range []struct{ atoms, examples int }{{33_334, 1}, {334, 64}} {
		b.Run(fmt.Sprintf("%dx%d", size.examples, 3*size.atoms), func(b *testing.B) {
			names, first, second := make([]string, size.atoms), make([]int32, size.atoms), make([]int32, size.atoms)
			for k := range names {
				names[k], first[k], second[k] = fmt.Sprint(k), int32(k), int32((k+1)%size.atoms)
			}
			c := start(b)
			c.ok("open", `"rules": "2: G(A) -> T(A) ^2\n1: N(A, B) & T(A) -> T(B) ^2\n0.3: !T(A) ^2", "options": {"gap": 1e-8},
				"tables": [{"predicate": "G", "part": "given", "columns": [{"strings": 0, "codes": 1}]},
				{"predicate": "T", "part": "targets", "columns": [{"strings": 0, "codes": 1}]},
				{"predicate": "N", "part": "observed", "columns": [{"strings": 0, "codes": 1}, {"strings": 0, "codes": 2}]}]`,
				nil, texts(names...), ints(first...), ints(second...))
			var found struct{ Batch int }
			random := rand.New(rand.NewPCG(1, 2))
			values, slopes := make([]float64, 2*size.atoms*size.examples), make([]float64, 2*size.atoms*size.examples)
			for b.Loop() {
				for k := range values {
					values[k], slopes[k] = math.NaN(), 0
					if k/size.atoms%2 == 0 {
						values[k] = random.Float64()
					} else {
						slopes[k] = random.Float64()
					}
				}
				c.ok("states", fmt.Sprintf(`"session": 1, "values": 0, "examples": %d`, size.examples), &found, doubles(values...))
				c.ok("descend", fmt.Sprintf(`"session": 1, "batch": %d, "slopes": 0`, found.Batch), nil, doubles(slopes...))
			}
		})
	}
}
