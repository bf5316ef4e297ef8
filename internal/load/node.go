package load

import (
	"encoding/json"
	"iter"
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

// document holds the values of a configuration, from JSON or YAML alike, in the order of the text: what a list or an
// object holds comes after it, keys and values in turns. A value takes 20 bytes, so that a configuration of a million
// short rows is read in a few times its size.
type document struct {
	file  *source.File
	pages [][]value // of values, pageSize each, so that none is copied when there are more
	count int32
	texts []string // of scalars that are not written as they are meant
}

// value is one value of a document.
type value struct {
	start, end int32 // where it is written
	next       int32 // the number of the first value that is neither this one nor in it
	text       int32 // its number among texts and 1; 0 if it is meant as it is written, within quotes if there are any
	kind       kind
}

// pageSize is how many values lie together.
const pageSize = 1 << 10

// add appends a value that holds nothing.
func (d *document) add(v value) node {
	if int(d.count) == pageSize*len(d.pages) {
		d.pages = append(d.pages, make([]value, pageSize))
	}
	n := node{d, d.count}
	d.count++
	v.next = d.count
	*n.value() = v
	return n
}

// close ends a list or an object before the offset end, with what was added since it was.
func (d *document) close(n node, end int) { n.value().end, n.value().next = int32(end), d.count }

// addText appends a scalar whose value is meant.
func (d *document) addText(v value, meant string) node {
	d.texts = append(d.texts, meant)
	v.text = int32(len(d.texts))
	return d.add(v)
}

// clear forgets all values.
func (d *document) clear() { d.count, d.texts = 0, d.texts[:0] }

// node is one value of a document; the zero node is none.
type node struct {
	doc *document
	at  int32
}

func (n node) value() *value { return &n.doc.pages[n.at/pageSize][n.at%pageSize] }

func (n node) kind() kind { return n.value().kind }

// span returns where the node is written.
func (n node) span() source.Span {
	v := n.value()
	return n.doc.file.Span(int(v.start), int(v.end))
}

// scalar returns the value of a boolean, number or text: "true", "0.5", decoded text; "" for any other.
func (n node) scalar() string {
	switch v := n.value(); {
	case v.text > 0:
		return n.doc.texts[v.text-1]
	case v.kind == text:
		return n.doc.file.Text[v.start+1 : v.end-1]
	case v.kind == boolean || v.kind == number:
		return n.doc.file.Text[v.start:v.end]
	}
	return ""
}

// all calls yield with the nodes that a list or an object holds itself, keys and values alike.
func (n node) all(yield func(node) bool) {
	if n.kind() != list && n.kind() != object {
		return
	}
	end := n.value().next
	for item := (node{n.doc, n.at + 1}); item.at < end; item.at = item.value().next {
		if !yield(item) {
			return
		}
	}
}

// members returns an object's keys, all of kind text, with their values.
func (n node) members() iter.Seq2[node, node] {
	return func(yield func(key, value node) bool) {
		var key node
		n.all(func(item node) bool {
			if key.doc == nil {
				key = item
				return true
			}
			before := key
			key = node{}
			return yield(before, item)
		})
	}
}

// len returns how many values a list holds, or keys an object.
func (n node) len() int {
	count := 0
	for range n.all {
		count++
	}
	if n.kind() == object {
		count /= 2
	}
	return count
}

// get returns the value of an object's key, and whether it has one.
func (n node) get(name string) (node, bool) {
	if n.doc != nil && n.kind() == object {
		for key, value := range n.members() {
			if key.scalar() == name {
				return value, true
			}
		}
	}
	return node{}, false
}

// has tells whether an object has a key.
func (n node) has(name string) bool {
	_, ok := n.get(name)
	return ok
}

// isScalar tells whether the node is a boolean, a number or a text.
func (n node) isScalar() bool { return n.kind() == boolean || n.kind() == number || n.kind() == text }

// json writes the node as strict JSON.
func (n node) json(b *strings.Builder) {
	switch n.kind() {
	case null:
		b.WriteString("null")
	case boolean, number:
		b.WriteString(n.scalar())
	case text:
		quoted, err := json.Marshal(n.scalar())
		if err != nil {
			panic("load: a string without a JSON form: " + err.Error())
		}
		b.Write(quoted)
	case list:
		n.sequence(b, '[', ']')
	case object:
		n.sequence(b, '{', '}')
	}
}

// sequence writes the items of a list or an object, with their keys, between brackets.
func (n node) sequence(b *strings.Builder, begin, end byte) {
	b.WriteByte(begin)
	k := 0
	for item := range n.all {
		switch {
		case n.kind() == object && k%2 == 1:
			b.WriteByte(':')
		case k > 0:
			b.WriteByte(',')
		}
		item.json(b)
		k++
	}
	b.WriteByte(end)
}
