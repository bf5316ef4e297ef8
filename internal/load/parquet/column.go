package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// column is what a file says about one of its columns.
type column struct {
	name     string
	kind     format.Type
	width    int  // bytes of each value; 0 of texts
	unsigned bool // its integers are
	optional bool // it says of each row whether it has a value
}

// columns returns those of a flat schema. Values that mean something else than what is stored are refused: a date is
// stored as a number of days, and a decimal number as one without its point, or as bytes.
func columns(schema []format.SchemaElement) (all []column, err error) {
	if len(schema) == 0 || int(schema[0].NumChildren.V) != len(schema)-1 {
		err = errDamaged
	}
	for k := range schema[min(1, len(schema)):] {
		element := &schema[k+1]
		if element.NumChildren.V != 0 || element.RepetitionType.V == format.Repeated {
			return nil, fmt.Errorf("column %q is nested: only text, numbers and booleans can be read", element.Name)
		}
		unsigned, plain := meaning(element)
		if !plain {
			return nil, fmt.Errorf("column %q is of a type for times, decimals or bytes: write it as text or as a number",
				element.Name)
		}
		width, ok := width(element)
		if !ok {
			err = errDamaged
		}
		all = append(all, column{element.Name, element.Type.V, width, unsigned, element.RepetitionType.V == format.Optional})
	}
	return all, err
}

// meaning tells whether a column's values are text, booleans or numbers as they are stored, and if its integers have no
// sign. Old files have the converted type alone.
func meaning(element *format.SchemaElement) (unsigned, plain bool) {
	switch logical := element.LogicalType.Value.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType, *format.NullType:
		return false, true
	case *format.IntType:
		return !logical.IsSigned, true
	case nil:
		switch old := element.ConvertedType; {
		case !old.Valid:
			return false, element.Type.V != format.Int96 // which are times
		case deprecated.Uint8 <= old.V && old.V <= deprecated.Uint64:
			return true, true
		case deprecated.Int8 <= old.V && old.V <= deprecated.Json, old.V == deprecated.UTF8, old.V == deprecated.Enum:
			return false, true
		}
	}
	return false, false
}

// width returns how many bytes each value has.
func width(element *format.SchemaElement) (bytes int, ok bool) {
	switch element.Type.V {
	case format.Boolean, format.ByteArray:
		return 0, element.Type.Valid
	case format.Int32, format.Float:
		return 4, true
	case format.Int64, format.Double:
		return 8, true
	case format.FixedLenByteArray:
		return int(element.TypeLength.V), element.TypeLength.V > 0
	}
	return 0, false
}

// names are those of the columns.
func names(all []column) []string {
	out := make([]string, len(all))
	for k, c := range all {
		out[k] = c.name
	}
	return out
}

// text writes a value, which has the column's width, as a table of text would have it.
func (c *column) text(value []byte) string {
	switch {
	case len(value) == 0 || c.kind == format.ByteArray || c.kind == format.FixedLenByteArray:
		return string(value)
	case c.kind == format.Float:
		number := math.Float32frombits(binary.LittleEndian.Uint32(value))
		return strconv.FormatFloat(float64(number), 'g', -1, 32)
	case c.kind == format.Double:
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(value)), 'g', -1, 64)
	case c.kind == format.Int32 && c.unsigned:
		return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(value)), 10)
	case c.kind == format.Int32:
		return strconv.FormatInt(int64(int32(binary.LittleEndian.Uint32(value))), 10)
	case c.unsigned:
		return strconv.FormatUint(binary.LittleEndian.Uint64(value), 10)
	}
	return strconv.FormatInt(int64(binary.LittleEndian.Uint64(value)), 10)
}

// checked is text of a value that has a length of its own.
func (c *column) checked(value []byte) (string, error) {
	if c.width > 0 && len(value) != c.width {
		return "", errValues
	}
	return string(value), nil
}
