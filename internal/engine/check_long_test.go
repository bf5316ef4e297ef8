package engine

import (
	"fmt"
	"strings"
	"testing"
)

// TestCheckOfLongRules checks rules of very many atoms. What would be as many rows or ground rules as atoms in the
// universe is told in numbers that can be read, and soon.
func TestCheckOfLongRules(t *testing.T) {
	const atoms, nodes = 1000, 200
	var links, good strings.Builder
	for k := range nodes {
		for d := range 8 {
			fmt.Fprintf(&links, "n%d\tn%d\n", k, (k+d*d+1)%nodes)
		}
		fmt.Fprintf(&good, "n%d\n", k)
	}
	t.Chdir(t.TempDir())
	writeText(t, "links.tsv", links.String())
	writeText(t, "good.tsv", good.String())
	for name, c := range map[string]struct {
		want string
		next func(k int) (a, b int)
	}{
		"path":  {"about 10^100 ground rules, which need", func(k int) (int, int) { return k, k + 1 }},
		"star":  {"about 10^100 ground rules, which need", func(k int) (int, int) { return 0, k + 1 }},
		"pairs": {"about 10^100 ground rules, which need", func(k int) (int, int) { return 2 * k, 2*k + 1 }},
		"cycle": {"about 10^100 ground rules, which need", func(k int) (int, int) { return k, (k + 1) % atoms }},
		"never": {"this rule has no ground rules", func(k int) (int, int) { return k % 3, (k + 1) % 3 }},
	} {
		t.Run(name, func(t *testing.T) {
			var body []string
			for k := range atoms {
				from, to := c.next(k)
				body = append(body, fmt.Sprintf("Link(X%d, X%d)", from, to))
			}
			writeText(t, "model.json", fmt.Sprintf(`{"predicates": {"Link/2": {"observations": "links.tsv"},
				"Good/1": {"targets": "good.tsv"}}, "rules": ["1: %s -> Good(X1)"]}`, strings.Join(body, " & ")))
			got := found(t, "model.json", nil)
			if !strings.Contains(got, c.want) || strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
				t.Errorf("%d characters do not say %q, or are no numbers:\n%.2000s", len(got), c.want, got)
			}
		})
	}
}
