package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/half"
)

// The types of elements, as files number them.
const (
	typeFloat    = 1
	typeUint8    = 2
	typeInt8     = 3
	typeUint16   = 4
	typeInt16    = 5
	typeInt32    = 6
	typeInt64    = 7
	typeBool     = 9
	typeHalf     = 10
	typeDouble   = 11
	typeUint32   = 12
	typeUint64   = 13
	typeBFloat16 = 16
)

// realTypes and intTypes are those that are read, with how an element lies in memory.
var realTypes = map[int]struct {
	size int
	read func(b []byte) float32
}{
	typeFloat:  {4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }},
	typeDouble: {8, func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) }},
	typeHalf:   {2, func(b []byte) float32 { return half.Float32(binary.LittleEndian.Uint16(b)) }},
	typeBFloat16: {2, func(b []byte) float32 {
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)
	}},
}

var intTypes = map[int]struct {
	size int
	read func(b []byte) int64
}{
	typeUint8:  {1, func(b []byte) int64 { return int64(b[0]) }},
	typeInt8:   {1, func(b []byte) int64 { return int64(int8(b[0])) }},
	typeUint16: {2, func(b []byte) int64 { return int64(binary.LittleEndian.Uint16(b)) }},
	typeInt16:  {2, func(b []byte) int64 { return int64(int16(binary.LittleEndian.Uint16(b))) }},
	typeInt32:  {4, func(b []byte) int64 { return int64(int32(binary.LittleEndian.Uint32(b))) }},
	typeUint32: {4, func(b []byte) int64 { return int64(binary.LittleEndian.Uint32(b)) }},
	typeInt64:  {8, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }},
	typeUint64: {8, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }},
	typeBool:   {1, func(b []byte) int64 { return int64(min(b[0], 1)) }},
}

// typeNames are the types by their names in the standard, those that are not read too.
var typeNames = map[int]string{
	1: "FLOAT", 2: "UINT8", 3: "INT8", 4: "UINT16", 5: "INT16", 6: "INT32", 7: "INT64", 8: "STRING", 9: "BOOL",
	10: "FLOAT16", 11: "DOUBLE", 12: "UINT32", 13: "UINT64", 14: "COMPLEX64", 15: "COMPLEX128", 16: "BFLOAT16",
}

func typeName(kind int) string {
	if name := typeNames[kind]; name != "" {
		return name
	}
	return "number " + strconv.Itoa(kind)
}

// decode reads n elements that lie one after the other.
func decode(kind, n int, data []byte) (*tensor, error) {
	if real, known := realTypes[kind]; known {
		if len(data)/real.size != n || len(data)%real.size != 0 {
			return nil, fmt.Errorf("%d bytes are not %d elements of type %s", len(data), n, typeName(kind))
		}
		t := &tensor{reals: make([]float32, n)}
		for k := range t.reals {
			t.reals[k] = real.read(data[k*real.size:])
		}
		return t, nil
	}
	whole, known := intTypes[kind]
	if !known {
		return nil, fmt.Errorf("elements of type %s are not supported", typeName(kind))
	}
	if len(data)/whole.size != n || len(data)%whole.size != 0 {
		return nil, fmt.Errorf("%d bytes are not %d elements of type %s", len(data), n, typeName(kind))
	}
	t := &tensor{ints: make([]int64, n)}
	for k := range t.ints {
		t.ints[k] = whole.read(data[k*whole.size:])
	}
	return t, nil
}
