package neural

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
)

// ReadFile reads a feature table from a file, decompressing it if its name ends in .gz; see Read. The empty format is
// DenseText.
func ReadFile(format Format, path string, width int) (*Features, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading features: %w", err)
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		unzipped, err := gzip.NewReader(file)
		if err != nil {
			return nil, fmt.Errorf("reading features: %s: %w", path, err)
		}
		r = unzipped
	}
	setDefault(&format, DenseText)
	return Read(format, path, r, width)
}
