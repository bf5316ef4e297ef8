package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

// plainDictionary is the old name of RLEDictionary, which files still have.
const plainDictionary = format.Encoding(2)

var errValues = errors.New("the file is damaged: a page does not have the values that it says")

// empty is the cursor of a page without values.
func empty() (string, error) { return "", errValues }

// cursor returns what reads the values of a page.
func (c *chunk) cursor(page []byte, encoding format.Encoding) (cursor, error) {
	switch kind := c.column.kind; {
	case encoding == format.Plain:
		return c.column.plain(page), nil
	case encoding == plainDictionary || encoding == format.RLEDictionary:
		return c.looked(page)
	case encoding == format.RLE && kind == format.Boolean && len(page) >= 4:
		return booleans(&runs{data: page[4:], width: 1}), nil // four bytes say how many there are
	case encoding == format.DeltaBinaryPacked && (kind == format.Int32 || kind == format.Int64):
		d, err := newDeltas(page, c.left)
		return c.column.differences(&d), err
	case encoding == format.DeltaLengthByteArray && kind == format.ByteArray:
		return c.measured(page)
	case encoding == format.DeltaByteArray && (kind == format.ByteArray || kind == format.FixedLenByteArray):
		return c.continued(page)
	case encoding == format.ByteStreamSplit && c.column.width > 0 && kind != format.Boolean:
		return c.split(page), nil
	}
	return nil, fmt.Errorf("values of type %s in the encoding %s cannot be read", c.column.kind, encoding)
}

// plain reads values as they are.
func (c *column) plain(page []byte) cursor {
	if c.kind == format.Boolean {
		return booleans(&runs{pack: page, packed: 8 * len(page), width: 1})
	}
	return func() (string, error) {
		value, rest, err := c.cut(page)
		page = rest
		return c.text(value), err
	}
}

// cut takes the first value, with its length if not all have the same.
func (c *column) cut(page []byte) (value, rest []byte, err error) {
	width := int64(c.width)
	if c.kind == format.ByteArray {
		const prefix = 4
		if len(page) < prefix {
			return nil, nil, errValues
		}
		width, page = int64(binary.LittleEndian.Uint32(page)), page[prefix:]
	}
	if width > int64(len(page)) {
		return nil, nil, errValues
	}
	return page[:width], page[width:], nil
}

// booleans reads one for each bit.
func booleans(r *runs) cursor {
	return func() (string, error) {
		bit, err := r.next()
		if bit == 1 {
			return "true", err
		}
		return "false", err
	}
}

// lookup returns a value of a dictionary, whose places it has.
type lookup func(place uint64) (string, error)

// dictionary reads one of n values. Texts are made once, numbers when they are looked up: their text is longer.
func (c *column) dictionary(page []byte, n int) (lookup, error) {
	if c.kind == format.Boolean || n < 0 {
		return nil, errDamaged
	}
	if c.kind != format.ByteArray {
		if n > len(page)/c.width {
			return nil, errValues
		}
		return func(place uint64) (string, error) {
			if place >= uint64(n) {
				return "", errValues
			}
			return c.text(page[int(place)*c.width:][:c.width]), nil
		}, nil
	}
	var texts []string
	for range n {
		value, rest, err := c.cut(page)
		if err != nil {
			return nil, err
		}
		texts, page = append(texts, string(value)), rest
	}
	return func(place uint64) (string, error) {
		if place >= uint64(n) {
			return "", errValues
		}
		return texts[place], nil
	}, nil
}

// looked reads places in the dictionary, which begin with how many bits each has.
func (c *chunk) looked(page []byte) (cursor, error) {
	if c.dictionary == nil || page[0] > 32 {
		return nil, errValues
	}
	r := &runs{data: page[1:], width: int(page[0])}
	return func() (string, error) {
		place, err := r.next()
		if err != nil {
			return "", err
		}
		return c.dictionary(place)
	}, nil
}

// differences reads integers, each by its difference to the one before.
func (c *column) differences(d *deltas) cursor {
	return func() (string, error) {
		value, err := d.next()
		if c.kind == format.Int32 {
			return c.text(binary.LittleEndian.AppendUint32(nil, uint32(value))), err
		}
		return c.text(binary.LittleEndian.AppendUint64(nil, uint64(value))), err
	}
}

// measured reads texts whose lengths come before all of them.
func (c *chunk) measured(page []byte) (cursor, error) {
	next, err := c.pieces(page)
	return func() (string, error) {
		value, err := next()
		return string(value), err
	}, err
}

// pieces cuts what follows lengths, by them.
func (c *chunk) pieces(page []byte) (func() ([]byte, error), error) {
	lengths, data, err := c.numbers(page)
	return func() ([]byte, error) {
		n, err := lengths.next()
		if err != nil || n < 0 || n > int64(len(data)) {
			return nil, errValues
		}
		value := data[:n]
		data = data[n:]
		return value, nil
	}, err
}

// numbers are at the start of a page, as differences, and something else follows them.
func (c *chunk) numbers(page []byte) (d deltas, rest []byte, err error) {
	d, err = newDeltas(page, c.left)
	all := d
	for err == nil && all.left > 0 {
		_, err = all.next()
	}
	return d, all.data, err
}

// continued reads texts that begin as the ones before them do. Together they must not be longer than a page may be.
func (c *chunk) continued(page []byte) (cursor, error) {
	prefixes, rest, err := c.numbers(page)
	if err != nil {
		return nil, err
	}
	suffix, err := c.pieces(rest)
	var value []byte
	total := int64(0)
	return func() (string, error) {
		n, err := prefixes.next()
		if err != nil || n < 0 || n > int64(len(value)) {
			return "", errValues
		}
		end, err := suffix()
		if err != nil {
			return "", err
		}
		value = append(value[:n], end...)
		if total += int64(len(value)); total > pageSize+expansion*c.size {
			return "", errDamaged
		}
		return c.column.checked(value)
	}, err
}

// split reads values whose first bytes come first, then all second ones, and so on.
func (c *chunk) split(page []byte) cursor {
	n, k, value := len(page)/c.column.width, 0, make([]byte, c.column.width)
	return func() (string, error) {
		if k == n {
			return "", errValues
		}
		for i := range value {
			value[i] = page[i*n+k]
		}
		k++
		return c.column.text(value), nil
	}
}
