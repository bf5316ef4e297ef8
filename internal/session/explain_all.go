package session

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/format"
)

// Overview says what a table of WriteAll holds.
type Overview struct {
	Atoms int `json:"atoms"`
	// Unexplained is the largest part of the sizes of an atom's pushes that they leave unexplained.
	Unexplained float64        `json:"unexplained"`
	Rules       []RuleOverview `json:"rules"`
}

// RuleOverview is a rule's column.
type RuleOverview struct {
	Column string `json:"column"`
	Rule   string `json:"rule"`
	// Push is the sum of the sizes of all pushes in the column.
	Push float64 `json:"push"`
}

// WriteAll writes a table in Parquet with a row for each target: the atom, its value, the force of the bound that it is
// at, what is left unexplained, and what each rule pushes it by.
func (x *Explainer) WriteAll(ctx context.Context, w io.Writer) (*Overview, error) {
	parquet, err := format.Of(".parquet")
	if err != nil {
		return nil, err
	}
	out := &Overview{}
	numbers := []string{"value", "bound_force", "unexplained"}
	count := len(x.grounding.Program.Rules)
	for r, rule := range x.grounding.Program.Rules {
		column := fmt.Sprintf("rule%0*d", len(strconv.Itoa(count)), r+1)
		out.Rules = append(out.Rules, RuleOverview{Column: column, Rule: rule.Text})
		numbers = append(numbers, column)
	}
	buffered := bufio.NewWriter(w)
	table, row := parquet.Writer(buffered, []string{"atom"}, numbers), make([]float64, len(numbers))
	err = x.state.All(ctx, func(s *explain.Summary) error {
		out.Atoms++
		if s.Sizes > 0 {
			out.Unexplained = max(out.Unexplained, math.Abs(s.Unexplained)/s.Sizes)
		}
		row[0], row[1], row[2] = s.Value, s.BoundForce, s.Unexplained
		for r, push := range s.ByRule {
			row[3+r] = push
			out.Rules[r].Push += math.Abs(push)
		}
		return table.Write([]string{x.Variable(s.Number).Atom}, row...)
	})
	if err != nil {
		return nil, err
	}
	if err := table.Close(); err != nil {
		return nil, err
	}
	return out, buffered.Flush()
}
