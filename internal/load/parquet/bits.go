package parquet

import "encoding/binary"

// unpack returns the value of so many bits, 64 at most, from the bit at on; the lowest bit of a byte is its first.
func unpack(data []byte, at, width int) (value uint64) {
	for have := 0; have < width; {
		n := min(8-at%8, width-have)
		value |= uint64(data[at/8]>>(at%8)) & (1<<n - 1) << have
		have += n
		at += n
	}
	return value
}

// runs reads values of so many bits, 32 at most, each of which comes many times or is packed with others.
type runs struct {
	data     []byte // the runs that are still to come
	width    int
	repeated uint64 // how often value comes again
	value    uint64
	pack     []byte // values side by side
	at       int    // bits of pack that are read
	packed   int    // bits of pack that are values
}

func (r *runs) next() (uint64, error) {
	for r.repeated == 0 && r.at+r.width > r.packed {
		if !r.turn() {
			return 0, errValues
		}
	}
	if r.repeated > 0 {
		r.repeated--
		return r.value, nil
	}
	r.at += r.width
	return unpack(r.pack, r.at-r.width, r.width), nil
}

// turn begins with the next run.
func (r *runs) turn() bool {
	head, n := binary.Uvarint(r.data)
	if n <= 0 {
		return false
	}
	r.data, r.repeated, r.packed, r.at = r.data[n:], 0, 0, 0
	count := head >> 1
	if head&1 == 0 {
		length := (r.width + 7) / 8
		if length > len(r.data) {
			return false
		}
		r.repeated, r.value, r.data = count, unpack(r.data, 0, 8*length), r.data[length:]
		return true
	}
	// Groups of eight values, each of which has as many bytes as a value has bits; the last may be cut short.
	length := len(r.data)
	if r.width > 0 {
		length = int(min(count, uint64(length/r.width+1))) * r.width
	}
	length = min(length, len(r.data))
	r.pack, r.data, r.packed = r.data[:length], r.data[length:], 8*length
	return true
}

// deltas reads integers, each by its difference to the one before: in blocks, which have the least difference, of
// parts, which have what the others are more, packed.
type deltas struct {
	data   []byte // what is still to come
	left   int    // values
	value  int64  // the next one
	length int    // of a part, in values
	parts  int    // of a block
	least  int64  // difference of the block
	widths []byte // of the block's parts that are still to come
	width  int    // of the differences of the part
	pack   []byte // the part
	at     int    // values of the part that are read
}

// newDeltas begins with values that are most at most.
func newDeltas(data []byte, most int) (d deltas, err error) {
	var head [3]uint64 // values of a block, parts of a block, values
	for k := range head {
		n := 0
		if head[k], n = binary.Uvarint(data); n <= 0 {
			return d, errValues
		}
		data = data[n:]
	}
	first, n := binary.Varint(data)
	const longest = 1 << 16 // values of a block; writers have 128
	block, parts, total := head[0], head[1], head[2]
	if n <= 0 || parts == 0 || block > longest || parts > block || total > uint64(most) {
		return d, errValues
	}
	length := int(block / parts)
	return deltas{data: data[n:], left: int(total), value: first, length: length, parts: int(parts), at: length}, nil
}

func (d *deltas) next() (int64, error) {
	if d.left == 0 {
		return 0, errValues
	}
	value := d.value
	if d.left--; d.left == 0 {
		return value, nil
	}
	if d.at == d.length && !d.turn() {
		return 0, errValues
	}
	from := d.at * d.width
	if d.at++; from+d.width > 8*len(d.pack) {
		return 0, errValues
	}
	d.value += d.least + int64(unpack(d.pack, from, d.width))
	return value, nil
}

// turn begins with the next part.
func (d *deltas) turn() bool {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.data)
		if n <= 0 || n+d.parts > len(d.data) {
			return false
		}
		d.least, d.widths, d.data = least, d.data[n:n+d.parts], d.data[n+d.parts:]
	}
	d.width, d.widths, d.at = int(d.widths[0]), d.widths[1:], 0
	if d.width > 64 {
		return false
	}
	length := min(d.length*d.width/8, len(d.data)) // the last one may be cut short
	d.pack, d.data = d.data[:length], d.data[length:]
	return true
}
