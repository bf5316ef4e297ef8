package ground

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestSampleOfLongRules estimates rules of very many atoms: in a moment, and with numbers, however many rows and ground
// rules there would be.
func TestSampleOfLongRules(t *testing.T) {
	const atoms = 1000
	for name, next := range map[string]func(k int) (a, b int){
		"path":  func(k int) (int, int) { return k, k + 1 },
		"cycle": func(k int) (int, int) { return k, (k + 1) % atoms },
		"star":  func(k int) (int, int) { return 0, k + 1 },
		"pairs": func(k int) (int, int) { return 2 * k, 2*k + 1 },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBuilder()
			var links, good []data
			for k := range 100 {
				for d := range 8 {
					links = append(links, observed(fmt.Sprintf("n%d n%d", k, (k+d*d+1)%100), 1))
				}
				good = append(good, target(fmt.Sprint("n", k)))
			}
			b.add("Link", 2, false, links...)
			b.add("Good", 1, true, good...)
			var body []string
			for k := range atoms {
				from, to := next(k)
				body = append(body, fmt.Sprintf("Link(X%d, X%d)", from, to))
			}
			e := sample(t, b.rules(t, "1: "+strings.Join(body, " & ")+" -> Good(X1)"), 1<<16, 1)[0]
			for _, v := range []float64{e.Potentials, e.Groundings, e.Bytes, e.Rows, e.Seconds()} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("estimated %g ground rules of %g groundings, %g bytes, %g rows", e.Potentials, e.Groundings, e.Bytes,
						e.Rows)
				}
			}
		})
	}
}
