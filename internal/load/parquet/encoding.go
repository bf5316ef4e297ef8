package parquet

import (
	"encoding/binary"
	"errors"
)

// slack is by how many values the runs of a page may exceed those that it has: writers fill up the last of them.
const slack = 1024

var errRuns = errors.New("the file is damaged: a page does not have the values that it says")

// checkRuns checks that runs of values of so many bits, each repeated or packed, hold from least to most values. A run
// of any length has a few bytes, and the library allocates by what they say.
func checkRuns(data []byte, width, least, most int) error {
	held := uint64(0)
	for len(data) > 0 {
		head, n := binary.Uvarint(data)
		if n <= 0 {
			return errRuns
		}
		count, length := head>>1, uint64(width+7)/8
		if head&1 == 1 {
			length = count * uint64(width) // groups of eight
			count *= 8
		}
		if count > uint64(most)+slack || length > uint64(len(data)-n) {
			return errRuns
		}
		if held += count; held > uint64(most)+slack {
			return errRuns
		}
		data = data[n+int(length):]
	}
	if held < uint64(least) {
		return errRuns
	}
	return nil
}

// checkDeltas checks that the differences at the start of data are those of so many values at most, and returns what
// comes after them.
func checkDeltas(data []byte, values int) (rest []byte, err error) {
	var head [4]uint64 // values of a block, parts of a block, values, first value
	for k := range head {
		n := 0
		if head[k], n = binary.Uvarint(data); n <= 0 {
			return nil, errRuns
		}
		data = data[n:]
	}
	const most = 1 << 16 // values of a block: the library's limit too
	block, parts, total := head[0], head[1], head[2]
	if parts == 0 || block > most || parts > block || total > uint64(values) {
		return nil, errRuns
	}
	for left := int64(total) - 1; left > 0; {
		_, n := binary.Uvarint(data)
		if n <= 0 || n+int(parts) > len(data) {
			return nil, errRuns
		}
		widths := data[n : n+int(parts)]
		data = data[n+int(parts):]
		for _, width := range widths {
			if left <= 0 {
				break // the widths of parts that are not there mean nothing
			}
			length := block / parts * uint64(width) / 8
			data = data[min(length, uint64(len(data))):] // the last one may be cut short
			left -= int64(block / parts)
		}
	}
	return data, nil
}
