package parquet

import (
	"encoding/binary"
	"errors"
)

// Types of Thrift's compact protocol, in which a file's structures are written.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// maxThrift is how deep the structures of a file nest at most; those of the format nest six deep.
const maxThrift = 16

var errThrift = errors.New("the file is damaged: a structure of it has no end")

// walker passes over structures without making anything of them, to see that every length in them is one of bytes that
// are there: the library allocates by the lengths.
type walker struct {
	data []byte // what is left
	// structs counts those that are in lists: a byte of them becomes hundreds in memory.
	structs int
}

// skipStruct returns how many bytes the structure at the start of data has, and how many structures are in its lists.
func skipStruct(data []byte) (length, structs int, err error) {
	w := walker{data: data}
	if !w.fields(0) {
		return 0, 0, errThrift
	}
	return len(data) - len(w.data), w.structs, nil
}

// fields skips the fields of a structure; depth is how deep it is.
func (w *walker) fields(depth int) bool {
	for depth <= maxThrift {
		head, ok := w.byte()
		if !ok || head&0xf == thriftStop {
			return ok
		}
		if head>>4 == 0 { // the field's number follows
			if _, ok := w.varint(); !ok {
				return false
			}
		}
		// The value of a boolean field is its type.
		if kind := head & 0xf; kind != thriftTrue && kind != thriftFalse && !w.value(kind, depth) {
			return false
		}
	}
	return false
}

// value skips a value of the kind.
func (w *walker) value(kind byte, depth int) bool {
	switch {
	case kind == thriftTrue || kind == thriftFalse || kind == thriftByte:
		return w.skip(1)
	case kind >= thriftI16 && kind <= thriftI64:
		_, ok := w.varint()
		return ok
	case kind == thriftDouble:
		return w.skip(8)
	case kind == thriftBinary:
		n, ok := w.varint()
		return ok && w.skip(n)
	case kind == thriftList || kind == thriftSet:
		return w.list(depth + 1)
	case kind == thriftMap:
		return w.table(depth + 1)
	case kind == thriftStruct:
		return w.fields(depth + 1)
	}
	return false
}

// list skips a list, whose elements have one byte at least.
func (w *walker) list(depth int) bool {
	head, ok := w.byte()
	n := uint64(head >> 4)
	if ok && n == 15 {
		n, ok = w.varint()
	}
	kind := head & 0xf
	if !ok || depth > maxThrift || n > uint64(len(w.data)) {
		return false
	}
	if kind == thriftStruct {
		w.structs += int(n)
	}
	for ; n > 0 && ok; n-- {
		ok = w.value(kind, depth)
	}
	return ok
}

// table skips a map.
func (w *walker) table(depth int) bool {
	n, ok := w.varint()
	if !ok || n == 0 {
		return ok
	}
	kinds, ok := w.byte()
	if depth > maxThrift || n > uint64(len(w.data)) {
		return false
	}
	for ; n > 0 && ok; n-- {
		ok = w.value(kinds>>4, depth) && w.value(kinds&0xf, depth)
	}
	return ok
}

func (w *walker) byte() (b byte, ok bool) {
	if len(w.data) == 0 {
		return 0, false
	}
	b, w.data = w.data[0], w.data[1:]
	return b, true
}

func (w *walker) varint() (n uint64, ok bool) {
	n, length := binary.Uvarint(w.data)
	if length <= 0 {
		return 0, false
	}
	w.data = w.data[length:]
	return n, true
}

func (w *walker) skip(n uint64) bool {
	if n > uint64(len(w.data)) {
		return false
	}
	w.data = w.data[n:]
	return true
}
