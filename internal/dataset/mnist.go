package dataset

import (
	"fmt"
	"io/fs"

	"github.com/deeppsl/deeppsl/internal/idx"
)

// Images are pictures in grey with a label each.
type Images struct {
	Rows, Columns int
	Pixels        []byte // Rows · Columns per picture, row by row; 0 is the background
	Labels        []byte
}

// Len returns the number of pictures.
func (m *Images) Len() int { return len(m.Labels) }

// Slice returns the pictures from lo to hi, which shares their memory.
func (m *Images) Slice(lo, hi int) *Images {
	size := m.Rows * m.Columns
	return &Images{Rows: m.Rows, Columns: m.Columns, Pixels: m.Pixels[lo*size : hi*size], Labels: m.Labels[lo:hi]}
}

// Pixel returns the pixels of one picture.
func (m *Images) Pixel(k int) []byte {
	size := m.Rows * m.Columns
	return m.Pixels[k*size : (k+1)*size]
}

// readMNIST reads the four files of MNIST from a folder, compressed with gzip or not.
func readMNIST(folder fs.FS) (train, test *Images, err error) {
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

func readIDXFile(folder fs.FS, name string) (array *idx.Array, err error) {
	f, err := openPlain(folder, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if array, err = idx.Read(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return array, nil
}
