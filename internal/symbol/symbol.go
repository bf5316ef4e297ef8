// Package symbol interns constants: every distinct constant of a program and its data is one dense int32, so that
// relations, joins and ground atoms compare integers and never strings.
package symbol

// ID numbers a constant. IDs are dense and given in the order of first appearance, which makes every later stage
// deterministic as long as files are read in a fixed order.
type ID = int32

// Table is the bijection between constants and their IDs. It is not safe for concurrent interning; once loading is
// over it is only read, and then any number of goroutines may share it.
type Table struct {
	ids   map[string]ID
	names []string
}

// NewTable returns an empty table.
func NewTable() *Table { return &Table{ids: make(map[string]ID)} }

// Intern returns the ID of name, giving it the next one if it is new.
func (t *Table) Intern(name string) ID {
	if id, ok := t.ids[name]; ok {
		return id
	}
	id := ID(len(t.names))
	t.ids[name] = id
	t.names = append(t.names, name)
	return id
}

// Lookup returns the ID of name, and whether it has one.
func (t *Table) Lookup(name string) (ID, bool) {
	id, ok := t.ids[name]
	return id, ok
}

// Name returns the constant numbered id. It panics on an ID that this table did not give.
func (t *Table) Name(id ID) string { return t.names[id] }

// Len returns how many constants there are; IDs are 0 … Len()-1.
func (t *Table) Len() int { return len(t.names) }
