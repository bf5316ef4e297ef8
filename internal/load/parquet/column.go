package parquet

import (
	"fmt"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// column is what a file says about one of its columns.
type column struct {
	name     string
	unsigned bool // its integers are
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
		all = append(all, column{element.Name, unsigned})
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
			return false, true
		case deprecated.Uint8 <= old.V && old.V <= deprecated.Uint64:
			return true, true
		case deprecated.Int8 <= old.V && old.V <= deprecated.Json, old.V == deprecated.UTF8, old.V == deprecated.Enum:
			return false, true
		}
	}
	return false, false
}

// integer writes an integer as a table of text would have it.
func (c *column) integer(value parquet.Value) string {
	switch short := value.Kind() == parquet.Int32; {
	case short && c.unsigned:
		return strconv.FormatUint(uint64(value.Uint32()), 10)
	case short:
		return strconv.FormatInt(int64(value.Int32()), 10)
	case c.unsigned:
		return strconv.FormatUint(value.Uint64(), 10)
	}
	return strconv.FormatInt(value.Int64(), 10)
}
