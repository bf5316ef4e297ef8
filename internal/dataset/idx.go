package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
)

// IDX is an array of bytes in the format of MNIST's files; the last dimension varies fastest.
type IDX struct {
	Shape []int
	Data  []byte
}

// maxIDX bounds the number of elements that a file's header can ask for.
const maxIDX = 1 << 30

// ReadIDX reads an array of unsigned bytes. A file that holds less, or more, than its header says is an error.
func ReadIDX(r io.Reader) (*IDX, error) {
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
	return &IDX{Shape: shape, Data: data}, nil
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

// Images are pictures in grey with a label each.
type Images struct {
	Rows, Columns int
	Pixels        []byte // Rows · Columns per picture, row by row; 0 is the background
	Labels        []byte
}

// Len returns the number of pictures.
func (m *Images) Len() int { return len(m.Labels) }

// Pixel returns the pixels of one picture.
func (m *Images) Pixel(k int) []byte {
	size := m.Rows * m.Columns
	return m.Pixels[k*size : (k+1)*size]
}

// ReadMNIST reads the four files of MNIST from a folder, compressed with gzip or not.
func ReadMNIST(folder fs.FS) (train, test *Images, err error) {
	if train, err = readImages(folder, "train"); err != nil {
		return nil, nil, err
	}
	test, err = readImages(folder, "t10k")
	return train, test, err
}

func readImages(folder fs.FS, part string) (*Images, error) {
	pixels, err := readIDXFile(folder, part+"-images-idx3-ubyte")
	if err != nil {
		return nil, err
	}
	labels, err := readIDXFile(folder, part+"-labels-idx1-ubyte")
	if err != nil {
		return nil, err
	}
	if len(pixels.Shape) != 3 || len(labels.Shape) != 1 || pixels.Shape[0] != labels.Shape[0] {
		return nil, fmt.Errorf("mnist: images %v and labels %v do not fit", pixels.Shape, labels.Shape)
	}
	return &Images{Rows: pixels.Shape[1], Columns: pixels.Shape[2], Pixels: pixels.Data, Labels: labels.Data}, nil
}

func readIDXFile(folder fs.FS, name string) (array *IDX, err error) {
	f, err := openPlain(folder, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if array, err = ReadIDX(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return array, nil
}
