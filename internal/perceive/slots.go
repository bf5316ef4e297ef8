package perceive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/neural/features"
)

// Slot is an entity of a neural predicate that stands for another row of the features in each example.
type Slot struct {
	Name     string
	Full     string // with its predicate: Digit(a)
	network  string
	Features *features.Table
	Classes  int // that the network tells apart there: two of a predicate without any
}

// Column returns the column with the slot's name, with or without the predicate, or -1. Without it only if no other
// slot has that name.
func (s *Slot) Column(header []string, all []Slot) int {
	namesakes := 0
	for _, other := range all {
		if other.Name == s.Name {
			namesakes++
		}
	}
	column := slices.IndexFunc(header, func(name string) bool { return strings.EqualFold(name, s.Full) })
	if column < 0 && namesakes == 1 {
		column = slices.Index(header, s.Name)
	}
	return column
}

// rows adds the features' rows that a column of examples names.
func (s *Slot) rows(rows []int32, examples [][]string, column int) []int32 {
	for _, cells := range examples {
		if row, ok := s.Features.Row(cells[column]); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// Slots lists the slots of all predicates. Their order numbers them.
func Slots(p *project.Project, n *Networks) (slots []Slot) {
	for _, declared := range p.Config.Predicates {
		if declared.Neural == nil {
			continue
		}
		for _, name := range declared.Neural.Slots {
			full := fmt.Sprintf("%s(%s)", declared.Name, name)
			slots = append(slots, Slot{name, full, declared.Neural.Network,
				n.Features[declared.Neural.Network], max(2, len(declared.Neural.Classes))})
		}
	}
	return slots
}
