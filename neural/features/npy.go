package features

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/half"
)

// A file of NumPy is the magic word, two bytes of version, the header's length in two bytes or, as of version 2, four,
// the header, which is a Python dictionary of three keys, and the elements.

const npyMagic = "\x93NUMPY"

// maxElements bounds the elements that a header can ask for.
const maxElements = 1 << 30

// npyHeader finds the three keys, in any order.
var npyHeader = struct{ descr, fortran, shape *regexp.Regexp }{
	regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`), regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`),
	regexp.MustCompile(`'shape'\s*:\s*\(([0-9,\s]*)\)`),
}

// npyTypes are the types of elements, by their codes less the order of bytes.
var npyTypes = map[string]struct {
	size int
	read func(b []byte, order binary.ByteOrder) float64
}{
	"f8": {8, func(b []byte, o binary.ByteOrder) float64 { return math.Float64frombits(o.Uint64(b)) }},
	"f4": {4, func(b []byte, o binary.ByteOrder) float64 { return float64(math.Float32frombits(o.Uint32(b))) }},
	"f2": {2, func(b []byte, o binary.ByteOrder) float64 { return float64(half.Float32(o.Uint16(b))) }},
	"i8": {8, func(b []byte, o binary.ByteOrder) float64 { return float64(int64(o.Uint64(b))) }},
	"i4": {4, func(b []byte, o binary.ByteOrder) float64 { return float64(int32(o.Uint32(b))) }},
	"i2": {2, func(b []byte, o binary.ByteOrder) float64 { return float64(int16(o.Uint16(b))) }},
	"i1": {1, func(b []byte, _ binary.ByteOrder) float64 { return float64(int8(b[0])) }},
	"u8": {8, func(b []byte, o binary.ByteOrder) float64 { return float64(o.Uint64(b)) }},
	"u4": {4, func(b []byte, o binary.ByteOrder) float64 { return float64(o.Uint32(b)) }},
	"u2": {2, func(b []byte, o binary.ByteOrder) float64 { return float64(o.Uint16(b)) }},
	"u1": {1, func(b []byte, _ binary.ByteOrder) float64 { return float64(b[0]) }},
	"b1": {1, func(b []byte, _ binary.ByteOrder) float64 { return float64(b[0]) }},
}

// readNPY adds the rows of an array, whose first dimension counts them. Those of a further file are numbered on.
func (t *tableReader) readNPY(r io.Reader) error {
	header, err := npyText(r)
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	rows, width, kind, order, err := parseNPY(header)
	if err == nil && t.width > 0 && t.width != width {
		err = fmt.Errorf("its rows have %d values, %d are wanted", width, t.width)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	element := npyTypes[kind]
	size := rows * width * element.size
	// ReadAll grows with what is there: a header alone allocates nothing.
	data, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	if err == nil && len(data) != size {
		err = fmt.Errorf("%d rows of %d values need %d bytes, the file has %s", rows, width, size, held(len(data), size))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	t.width = width
	for row := range rows {
		id := strconv.Itoa(len(t.ids))
		t.ids = append(t.ids, id)
		for k := range width {
			v := float32(element.read(data[(row*width+k)*element.size:], order))
			if !isFinite(float64(v)) {
				return fmt.Errorf("%s: row %d has %v in column %d; finite numbers are wanted", t.name, row, v, k)
			}
			t.values = append(t.values, v)
		}
	}
	return nil
}

// held says how much a file has.
func held(got, want int) string {
	if got > want {
		return "more"
	}
	return strconv.Itoa(got)
}

// npyText returns the header.
func npyText(r io.Reader) (string, error) {
	start := make([]byte, len(npyMagic)+4)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:len(npyMagic)]) != npyMagic {
		return "", errors.New("this is no file of NumPy's format .npy")
	}
	length := int(binary.LittleEndian.Uint16(start[len(npyMagic)+2:]))
	if start[len(npyMagic)] > 1 {
		var high [2]byte
		if _, err := io.ReadFull(r, high[:]); err != nil {
			return "", errors.New("the header is cut short")
		}
		length |= int(binary.LittleEndian.Uint16(high[:])) << 16
	}
	text, err := io.ReadAll(io.LimitReader(r, int64(length)))
	if err != nil || len(text) != length {
		return "", errors.New("the header is cut short")
	}
	return string(text), nil
}

// parseNPY reads the header: an array of one dimension has rows of one value, and one of several is flattened.
func parseNPY(header string) (rows, width int, kind string, order binary.ByteOrder, err error) {
	descr, fortran := npyHeader.descr.FindStringSubmatch(header), npyHeader.fortran.FindStringSubmatch(header)
	shape := npyHeader.shape.FindStringSubmatch(header)
	if descr == nil || fortran == nil || shape == nil {
		return 0, 0, "", nil, errors.New("the header has no descr of a simple type, fortran_order and shape")
	}
	order = binary.LittleEndian
	if strings.HasPrefix(descr[1], ">") {
		order = binary.BigEndian
	}
	kind = strings.TrimLeft(descr[1], "<>|=")
	if _, known := npyTypes[kind]; !known {
		return 0, 0, "", nil, fmt.Errorf("elements of type %q; real numbers and truth values are read", descr[1])
	}
	var sizes []int
	total := 1
	for _, text := range strings.FieldsFunc(shape[1], func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 || n > maxElements/total {
			return 0, 0, "", nil, fmt.Errorf("an array of shape (%s) has no rows, or too many", shape[1])
		}
		total *= n
		sizes = append(sizes, n)
	}
	if len(sizes) == 0 {
		return 0, 0, "", nil, errors.New("a single number is no table")
	}
	if fortran[1] == "True" && len(sizes) > 1 {
		return 0, 0, "", nil, errors.New("it is in Fortran's order: save numpy.ascontiguousarray of it")
	}
	return sizes[0], total / sizes[0], kind, order, nil
}
