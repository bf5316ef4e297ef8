package explain

import (
	"fmt"
	"io"

	"github.com/deeppsl/deeppsl/internal/report"
)

// Conflict is why there is no state to explain: hard ground rules that cannot hold together, of which none can be left
// out.
type Conflict struct {
	Status string `json:"status"`
	// Conflict prints the ground rules, which GroundRules has with all that they were made from.
	Conflict    []string `json:"conflict"`
	GroundRules []Clash  `json:"ground_rules"`
}

// Clash is a ground rule of a conflict. The values of targets mean nothing.
type Clash struct {
	Rule string `json:"rule"`
	// File and Line are where the rule is written.
	File       string `json:"file"`
	Line       int    `json:"line"`
	GroundRule string `json:"ground_rule"`
	Atoms      []Atom `json:"atoms"`
}

// Text prints the ground rules, each with where it is written and the observed atoms in it.
func (c *Conflict) Text(w io.Writer) error {
	t := &tree{}
	if wide, ok := w.(report.Wide); ok {
		t.width = wide.Columns()
	}
	t.line("", "", "There is no state: these hard ground rules cannot hold together:")
	for k, line := range c.Conflict {
		t.line("  ", "", line)
		if k >= len(c.GroundRules) {
			continue
		}
		rule := &c.GroundRules[k]
		if rule.File != "" {
			t.line("      ", "", fmt.Sprintf("written in %s:%d", rule.File, rule.Line))
		}
		for i := range rule.Atoms {
			if a := &rule.Atoms[i]; a.Role != RoleTarget {
				t.line("      ", "", a.text())
			}
		}
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}
