package worker_test

import (
	"fmt"
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
