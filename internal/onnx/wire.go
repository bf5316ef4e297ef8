package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a protobuf message: bytes, or a number.
type field struct {
	number protowire.Number
	kind   protowire.Type
	bytes  []byte
	value  uint64
	whole  []byte // with its tag, as it stands in the message
}

// fields calls visit with each field of a message.
func fields(message []byte, visit func(f field) error) error {
	for len(message) > 0 {
		f, n, err := nextField(message)
		if err != nil {
			return err
		}
		if err := visit(f); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}

// nextField reads the field that a message begins with, and returns how many bytes it takes.
func nextField(message []byte) (f field, size int, err error) {
	number, kind, tag := protowire.ConsumeTag(message)
	if tag < 0 {
		return f, 0, damaged(protowire.ParseError(tag))
	}
	f.number, f.kind = number, kind
	rest, n := message[tag:], 0
	switch kind {
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(rest)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(rest)
		f.value = uint64(v)
	case protowire.Fixed64Type:
		f.value, n = protowire.ConsumeFixed64(rest)
	case protowire.BytesType:
		f.bytes, n = protowire.ConsumeBytes(rest)
	default:
		n = protowire.ConsumeFieldValue(number, kind, rest)
	}
	if n < 0 {
		return f, 0, damaged(protowire.ParseError(n))
	}
	f.whole = message[:tag+n]
	return f, tag + n, nil
}

// damaged says that a file is not what it should be.
func damaged(err error) error { return fmt.Errorf("the file is damaged, or is not ONNX: %w", err) }

// count returns how many fields of a number a message has, so that what they become is allocated once.
func count(message []byte, number protowire.Number) (n int, err error) {
	err = fields(message, func(f field) error {
		if f.number == number {
			n++
		}
		return nil
	})
	return n, err
}

// integers adds the numbers of a repeated field, which may be packed or not, to list, of which there may be most.
func integers(list []int64, f field, most int) ([]int64, error) {
	if f.kind == protowire.VarintType {
		return append(list, int64(f.value)), nil
	}
	packed := f.bytes
	if len(list) == 0 {
		numbers := 0
		for _, b := range packed {
			if b < 0x80 {
				numbers++
			}
		}
		list = make([]int64, 0, min(numbers, most))
	}
	for len(packed) > 0 {
		v, n := protowire.ConsumeVarint(packed)
		if n < 0 {
			return nil, damaged(protowire.ParseError(n))
		}
		if len(list) >= most {
			return nil, fmt.Errorf("a list of more than %d numbers is not expected here", most)
		}
		list, packed = append(list, int64(v)), packed[n:]
	}
	return list, nil
}

// reals adds the float32 numbers of a repeated field, which may be packed or not, to list.
func reals(list []float32, f field) ([]float32, error) {
	if f.kind == protowire.Fixed32Type {
		return append(list, math.Float32frombits(uint32(f.value))), nil
	}
	if len(f.bytes)%4 != 0 {
		return nil, damaged(fmt.Errorf("%d bytes of numbers of four bytes", len(f.bytes)))
	}
	if len(list) == 0 {
		list = make([]float32, 0, len(f.bytes)/4)
	}
	for k := 0; k < len(f.bytes); k += 4 {
		list = append(list, math.Float32frombits(binary.LittleEndian.Uint32(f.bytes[k:])))
	}
	return list, nil
}

// doubles adds the float64 numbers of a repeated field to list, in single precision.
func doubles(list []float32, f field) ([]float32, error) {
	if f.kind == protowire.Fixed64Type {
		return append(list, float32(math.Float64frombits(f.value))), nil
	}
	if len(f.bytes)%8 != 0 {
		return nil, damaged(fmt.Errorf("%d bytes of numbers of eight bytes", len(f.bytes)))
	}
	if len(list) == 0 {
		list = make([]float32, 0, len(f.bytes)/8)
	}
	for k := 0; k < len(f.bytes); k += 8 {
		list = append(list, float32(math.Float64frombits(binary.LittleEndian.Uint64(f.bytes[k:]))))
	}
	return list, nil
}
