package features

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ReadFiles reads the table that a form describes from files, one after the other, decompressing those whose names end
// in .gz; see Read.
func ReadFiles(form Form, paths []string) (*Table, error) {
	format := form.Format
	if format == "" && len(paths) > 0 {
		format = formatOf(paths[0])
	}
	if form.Width < 0 || form.Width > maxWidth {
		return nil, fmt.Errorf("width %d is not between 0 and %d", form.Width, maxWidth)
	}
	t := newTableReader(form)
	for _, path := range paths {
		if err := t.readFile(format, path); err != nil {
			return nil, err
		}
	}
	return t.finish(format)
}

// formatOf returns the format that an extension stands for: DenseText if none.
func formatOf(path string) Format {
	extension := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")), ".")
	switch extension := Format(extension); extension {
	case CSV, IDX, NPY, Parquet:
		return extension
	}
	return DenseText
}

// readFile adds the rows of a file.
func (t *tableReader) readFile(format Format, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading features: %w", err)
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		unzipped, err := gzip.NewReader(file)
		if err != nil {
			return fmt.Errorf("reading features: %s: %w", path, err)
		}
		r = unzipped
	}
	return t.readFrom(format, path, r)
}
