// Package idx reads arrays of bytes in the format of MNIST's files.
package idx

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Array is an array of bytes; the last dimension varies fastest.
type Array struct {
	Shape []int
	Data  []byte
}

// maxIDX bounds the number of elements that a file's header can ask for.
const maxIDX = 1 << 30

// Read reads an array of unsigned bytes. A file that holds less, or more, than its header says is an error.
func Read(r io.Reader) (*Array, error) {
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil {
		return nil, fmt.Errorf("idx: no header: %w", err)
	}
	if magic[0] != 0 || magic[1] != 0 || magic[2] != 0x08 || magic[3] == 0 {
		return nil, fmt.Errorf("idx: % x is not the header of an array of unsigned bytes", magic)
	}
	shape, size, err := readShape(r, int(magic[3]))
	if err != nil {
		return nil, err
	}
	// ReadAll grows with what is there: a header alone allocates nothing.
	data, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	if err != nil {
		return nil, fmt.Errorf("idx: %w", err)
	}
	if len(data) != size {
		return nil, fmt.Errorf("idx: the header %v asks for %d bytes, the file holds %s", shape, size, held(len(data), size))
	}
	return &Array{Shape: shape, Data: data}, nil
}

func held(got, want int) string {
	if got > want {
		return "more"
	}
	return fmt.Sprint(got)
}

// readShape reads the dimensions. Each could be 2³² - 1, and so their product is bounded before it is trusted.
func readShape(r io.Reader, dimensions int) (shape []int, size int, err error) {
	size = 1
	for range dimensions {
		var n uint32
		if err := binary.Read(r, binary.BigEndian, &n); err != nil {
			return nil, 0, fmt.Errorf("idx: a header cut short: %w", err)
		}
		shape = append(shape, int(n))
		if n > maxIDX || size*int(n) > maxIDX {
			return nil, 0, fmt.Errorf("idx: the header %v asks for more than %d bytes", shape, maxIDX)
		}
		size *= int(n)
	}
	return shape, size, nil
}

// Write writes an array in the format.
func (a *Array) Write(w io.Writer) error {
	header := []byte{0, 0, 0x08, byte(len(a.Shape))}
	for _, n := range a.Shape {
		header = binary.BigEndian.AppendUint32(header, uint32(n))
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	_, err := w.Write(a.Data)
	return err
}
