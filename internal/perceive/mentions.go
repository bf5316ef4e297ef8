package perceive

import (
	"fmt"
	"strconv"
	"strings"
)

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
