package published

import (
	"fmt"
	"io/fs"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/idx"
)

// readMNIST reads the four files of MNIST from a folder, compressed with gzip or not.
func readMNIST(folder fs.FS) (train, test *dataset.Images, err error) {
	if train, err = readImages(folder, "train"); err != nil {
		return nil, nil, err
	}
	test, err = readImages(folder, "t10k")
	return train, test, err
}

func readImages(folder fs.FS, part string) (*dataset.Images, error) {
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
	return &dataset.Images{Rows: pixels.Shape[1], Columns: pixels.Shape[2], Pixels: pixels.Data, Labels: labels.Data}, nil
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
