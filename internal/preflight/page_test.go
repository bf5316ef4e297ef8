package preflight

import (
	"testing"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

func TestPage(t *testing.T) {
	store := func(free relation.Role) *relation.Store {
		const rows = 1e6
		return &relation.Store{Symbols: symbol.NewTable(), Relations: []*relation.Relation{
			{Name: "Friends", Arity: 2, Columns: [][]symbol.ID{make([]symbol.ID, rows), make([]symbol.ID, rows)}, Free: free},
		}}
	}
	estimates := func(hard bool, exponent int) []ground.Estimate {
		rule := &program.Rule{Exponent: exponent, Weight: program.Weight{Hard: hard}}
		return []ground.Estimate{{Plan: &plan.Plan{Rule: rule}, Potentials: 1e8, Bytes: 1.2e9}}
	}
	const memory, disk = 1 << 29, 1 << 40
	for _, c := range []struct {
		name      string
		estimates []ground.Estimate
		free      relation.Role
		budget    budget
		want      string // of the error
		paged     bool
	}{
		{"in memory", estimates(false, 2), relation.Target, budget{5.2e9, 0}, "", false},
		{"paged", estimates(false, 2), relation.Target, budget{memory, disk}, "", true},
		{"unknown disk", estimates(false, 2), relation.Target, budget{memory, -1}, "", true},
		{"small disk", estimates(false, 2), relation.Target, budget{memory, 1e9},
			`error: the ground rules would need a temporary file of about 1.2 GB, and its folder has 1.0 GB left [paged-disk]
    hint: choose another folder with --scratch (-D ground.scratch=DIR)`, true},
		{"variables", estimates(false, 2), relation.Target, budget{1e8, disk},
			`error: even with its ground rules in a file, the model would need about 149 MB of memory for 1000000 ` +
				`targets, more than the 100 MB given [paged-memory]
    hint: give more memory, or leave targets out of the data`, true},
		{"hard", estimates(true, 0), relation.Target, budget{memory, disk},
			`error: even with its ground rules in a file, the model would need about 1.8 GB of memory for 1000000 ` +
				`targets, more than the 537 MB given [paged-memory]
    hint: give more memory, or leave targets out of the data`, true},
		{"network", estimates(false, 2), relation.Perceived, budget{memory, disk},
			`error: the ground model would need about 4.8 GB, more than the memory given (537 MB), and ground rules ` +
				`about what networks perceive cannot be kept in a file [paged-network]
    hint: give more memory, or write the networks' outputs as data`, true},
	} {
		paging, err := page(c.estimates, store(c.free), c.budget)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if err == nil && (paging != nil) != c.paged {
			t.Errorf("%s: paging is %v", c.name, paging)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "500MB": 500e6, "1.5GiB": 3 << 29, "2 g": 2e9, "64kib": 1 << 16,
		"1TB": 1e12, "": 0, "GB": 0, "-1GB": 0, "0": 0, "1XB": 0, "1e3": 1000, "NaN": 0, "99999999TB": 0} {
		got, err := ParseSize(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}
