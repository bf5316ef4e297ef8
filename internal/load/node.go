package load

import (
	"encoding/json"
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
)

// kind is the kind of a node.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

// String returns the kind as messages name it.
func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// node is one value of a configuration, from JSON or YAML alike, with the place where it was written.
type node struct {
	kind   kind
	span   source.Span
	scalar string  // the value of a boolean, number or text: "true", "0.5", decoded text
	items  []*node // values of a list or an object
	keys   []*node // an object's keys, all of kind text; parallel to items
}

// get returns the value of an object's key, nil if there is none.
func (n *node) get(key string) *node {
	for k, name := range n.keys {
		if name.scalar == key {
			return n.items[k]
		}
	}
	return nil
}

// isScalar tells whether the node is a boolean, a number or a text.
func (n *node) isScalar() bool { return n.kind == boolean || n.kind == number || n.kind == text }

// json writes the node as strict JSON.
func (n *node) json(b *strings.Builder) {
	switch n.kind {
	case null:
		b.WriteString("null")
	case boolean, number:
		b.WriteString(n.scalar)
	case text:
		quoted, err := json.Marshal(n.scalar)
		if err != nil {
			panic("load: a string without a JSON form: " + err.Error())
		}
		b.Write(quoted)
	case list:
		n.members(b, '[', ']')
	case object:
		n.members(b, '{', '}')
	}
}

// members writes the items of a list or an object, with their keys, between brackets.
func (n *node) members(b *strings.Builder, begin, end byte) {
	b.WriteByte(begin)
	for k, item := range n.items {
		if k > 0 {
			b.WriteByte(',')
		}
		if n.kind == object {
			n.keys[k].json(b)
			b.WriteByte(':')
		}
		item.json(b)
	}
	b.WriteByte(end)
}
