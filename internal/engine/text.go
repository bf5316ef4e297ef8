package engine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }

// readRow splits a row of constants, with or without a value behind them, into symbols and the value.
func readRow(row []string, tuple []symbol.ID, symbols *symbol.Table) (value float64, err error) {
	if len(row) != len(tuple) && len(row) != len(tuple)+1 {
		return 0, fmt.Errorf("the row %q has %d fields: want %d, or one more for the value", row, len(row), len(tuple))
	}
	for k := range tuple {
		tuple[k] = symbols.Intern(row[k])
	}
	if len(row) == len(tuple) {
		return 1, nil
	}
	number, err := strconv.ParseFloat(row[len(tuple)], 64)
	if err != nil || !(number >= 0 && number <= 1) {
		return 0, fmt.Errorf("the row %q has the value %q: want a number in [0, 1]", row, row[len(tuple)])
	}
	return number, nil
}

// mentions collects names for a message, each once, in the order of their appearance.
type mentions struct {
	names []string
	seen  map[string]bool
}

func (m *mentions) add(name string) {
	if m.seen[name] {
		return
	}
	if m.seen == nil {
		m.seen = make(map[string]bool)
	}
	m.seen[name] = true
	m.names = append(m.names, name)
}

// String quotes the first names and counts the rest.
func (m *mentions) String() string {
	const shown = 3
	quoted := make([]string, min(shown, len(m.names)))
	for k := range quoted {
		quoted[k] = strconv.Quote(m.names[k])
	}
	text := strings.Join(quoted, ", ")
	if rest := len(m.names) - shown; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}
