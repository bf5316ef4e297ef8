package published

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/nlpodyssey/gopickle/pickle"
)

// maxPickle bounds the size of a pickle, which is read into memory.
const maxPickle = 1 << 28

// unpickle reads a Python pickle that holds numbers, strings, lists, dictionaries, numpy arrays and scipy matrices in
// compressed rows. Nothing in it is executed. Arrays become *array, matrices *sparse.
func unpickle(r io.Reader) (value any, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPickle+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPickle {
		return nil, errors.New("pickle: larger than 256 MiB")
	}
	if err := checkOpcodes(data); err != nil {
		return nil, err
	}
	// The library has panics for some malformed pickles.
	defer func() {
		if problem := recover(); problem != nil {
			value, err = nil, fmt.Errorf("pickle: %v", problem)
		}
	}()
	u := pickle.NewUnpickler(&byteReader{data: data})
	u.FindClass = (&classes{left: len(data)}).find
	if value, err = u.Load(); err != nil {
		return nil, fmt.Errorf("pickle: %w", err)
	}
	return value, nil
}

// byteReader reads from memory in the two ways that the library asks for.
type byteReader struct{ data []byte }

func (r *byteReader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

func (r *byteReader) ReadByte() (byte, error) {
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	c := r.data[0]
	r.data = r.data[1:]
	return c, nil
}

// Kinds of arguments that opcodes have, other than a fixed number of bytes.
const (
	length1  = -1 // a length of one byte and as many bytes
	length4  = -4 // a length of four bytes and as many bytes
	oneLine  = -10
	twoLines = -20
)

// opcodes are those that numpy arrays, scipy matrices and dictionaries are pickled with, up to protocol 2, and the kind
// of argument that each has. Python's pickletools module documents them. Others, such as those that call back into the
// program or allocate by a length of eight bytes, are refused.
var opcodes = map[byte]int{
	0x80: 1, '.': 0, '(': 0, '0': 0, '1': 0, '2': 0, 'N': 0, 0x88: 0, 0x89: 0,
	'K': 1, 'M': 2, 'J': 4, 'G': 8, 0x8a: length1, 'I': oneLine, 'L': oneLine, 'F': oneLine,
	'U': length1, 'T': length4, 'X': length4, 'S': oneLine, 'V': oneLine,
	')': 0, 't': 0, 0x85: 0, 0x86: 0, 0x87: 0, ']': 0, 'l': 0, 'a': 0, 'e': 0, '}': 0, 'd': 0, 's': 0, 'u': 0,
	'c': twoLines, 'R': 0, 'b': 0, 0x81: 0,
	'q': 1, 'r': 4, 'p': oneLine, 'h': 1, 'j': 4, 'g': oneLine,
}

// checkOpcodes walks over a pickle and makes sure that every length in it lies within the data, so that reading it
// allocates no more than its size allows.
func checkOpcodes(data []byte) error {
	memory := memoryOf{left: memoryFactor*len(data) + memoryExtra}
	for at := 0; at < len(data); {
		opcode := data[at]
		if !memory.take(opcode) {
			return fmt.Errorf("pickle: its values would take more than %d times its size", memoryFactor)
		}
		kind, known := opcodes[opcode]
		if !known {
			return fmt.Errorf("pickle: unexpected opcode 0x%02x at byte %d", opcode, at)
		}
		next, ok := skip(data, at+1, kind)
		if !ok {
			return fmt.Errorf("pickle: truncated at byte %d", at)
		}
		if opcode == '.' {
			return nil
		}
		at = next
	}
	return errors.New("pickle: truncated")
}

// Values that a pickle may have beside its text: a few MiB, and this many times its size.
const (
	memoryFactor = 18
	memoryExtra  = 1 << 21
)

// memoryOf is what the values of a pickle may still take, in bytes.
type memoryOf struct{ left, marks, deepest int }

// take subtracts what the library allocates at most for an opcode, and tells whether it is there.
func (m *memoryOf) take(opcode byte) bool {
	switch opcode {
	case '(': // a stack of its own until it is closed
		if m.marks++; m.marks > m.deepest {
			m.deepest = m.marks
			m.left -= 400
		}
	case 't', 'l', 'd', 'e', 'u', '1':
		m.marks--
		m.left -= bytesOf[opcode]
	default:
		m.left -= bytesOf[opcode]
	}
	return m.left >= 0
}

// bytesOf is what an opcode leaves in memory at most, as the slices that hold it grow.
var bytesOf = map[byte]int{
	'N': 40, 0x88: 40, 0x89: 40, '2': 40, 'h': 40, 'j': 40, 'g': 40, 'K': 36, 'M': 48, 'J': 48, 'G': 48,
	0x8a: 100, 'I': 48, 'L': 100, 'F': 48, 'U': 60, 'T': 60, 'X': 60, 'S': 60, 'V': 60,
	')': 70, 't': 340, 0x85: 80, 0x86: 100, 0x87: 120, ']': 140, 'l': 340, '}': 200, 'd': 200,
	'c': 120, 'R': 200, 0x81: 200, 'r': 120, 'p': 120,
}

// skip returns the offset after an argument of this kind.
func skip(data []byte, at, kind int) (next int, ok bool) {
	switch kind {
	case length1:
		if at >= len(data) {
			return 0, false
		}
		next = at + 1 + int(data[at])
	case length4:
		if at+4 > len(data) {
			return 0, false
		}
		next = at + 4 + int(binary.LittleEndian.Uint32(data[at:]))
	case oneLine, twoLines:
		next = at
		for lines := kind / oneLine; lines > 0; next++ {
			if next >= len(data) {
				return 0, false
			}
			if data[next] == '\n' {
				lines--
			}
		}
	default:
		next = at + kind
	}
	return next, next <= len(data)
}
