package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// BenchmarkCheck checks configurations of many predicates, of many equal rules and of many unknown names: the time per
// line does not depend on how many there are.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1e3, 1e4, 1e5} {
		for name, config := range map[string]string{
			"predicates": many(n, `"P%d/1": {"targets": [["a"]]}`, `{"rules": ["1: !P0(X)"], "predicates": {`, "}}"),
			"rules":      many(n, `"%d: !P(X) ^2"`, `{"rules": [`, `], "predicates": {"P/1": {"targets": [["a"]]}}}`),
			"unknown":    many(n, `"1: !Q%d(X) ^2"`, `{"rules": [`, `], "predicates": {"P/1": {"targets": [["a"]]}}}`),
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				path := writeFiles(b, map[string]string{"model.json": config})
				for b.Loop() {
					_, err := Check(context.Background(), loaded(b, path, project.Options{}))
					if (err != nil) != (name == "unknown") {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/line")
			})
		}
	}
}

// many writes n members of a configuration, which are numbered, between its beginning and its end.
func many(n int, member, begin, end string) string {
	members := make([]string, n)
	for k := range members {
		members[k] = fmt.Sprintf(member, k)
	}
	return begin + strings.Join(members, ",\n") + end
}
