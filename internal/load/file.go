package load

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/deeppsl/deeppsl/internal/format"
	"github.com/deeppsl/deeppsl/internal/source"
)

// readData reads the file of a table, which has lines unless it is in a registered format.
func (c *Config) readData(data *Data) (*source.File, error) {
	open := c.open
	if data.Open != nil {
		open = data.Open
	}
	if format.Registered(extension(data.Path)) {
		return readWith(data.Path, open, readBinary)
	}
	return readWith(data.Path, open, func(r io.Reader, size int64) (string, error) {
		return source.ReadText(r, size, source.LongestLine)
	})
}

// readBinary reads what is no text.
func readBinary(r io.Reader, size int64) (string, error) {
	var content strings.Builder
	content.Grow(int(size))
	_, err := io.Copy(&content, r)
	return content.String(), err
}

// readFile reads a configuration or rules: a text that need not have lines.
func (c *Config) readFile(path string) (*source.File, error) {
	c.texts = append(c.texts, path)
	return readWith(path, c.open, func(r io.Reader, size int64) (string, error) { return source.ReadText(r, size, 0) })
}

// readWith reads a file, whether it is compressed with gzip or not, in one string. The size of a text is known
// beforehand if it is that of a file.
func readWith(path string, open func(path string) (io.ReadCloser, error),
	read func(r io.Reader, size int64) (string, error)) (*source.File, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var size int64
	if sized, ok := f.(*os.File); ok {
		if info, err := sized.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	r, err := plain(f)
	if err != nil {
		return nil, err
	}
	text, err := read(r, size)
	if err != nil {
		return nil, err
	}
	return &source.File{Name: path, Text: strings.TrimPrefix(text, "\uFEFF")}, nil
}

// plain returns the content of r, uncompressed if it begins as gzip does.
func plain(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	start, _ := buffered.Peek(10) // where there is less, a reader says why
	if bytes.HasPrefix(start, []byte("\x1f\x8b")) {
		return gzip.NewReader(buffered)
	}
	for _, other := range compressions {
		if bytes.HasPrefix(start[min(other.at, len(start)):], []byte(other.magic)) {
			return nil, fmt.Errorf("it is compressed by %s: uncompress it, or compress it by gzip", other.name)
		}
	}
	return buffered, nil
}

// compressions are those that nothing here reads, by bytes of their start that no text has.
var compressions = []struct {
	name  string
	at    int
	magic string
}{
	{"xz", 0, "\xfd7zXZ\x00"},
	{"zstd", 0, "\x28\xb5\x2f\xfd"},
	{"lz4", 0, "\x04\x22\x4d\x18"},
	{"7z", 0, "7z\xbc\xaf\x27\x1c"},
	{"bzip2", 4, "1AY&SY"},
}

// Unreadable reports that a file cannot be read; span is where it was asked for.
func (c *Config) Unreadable(diags *source.Diagnostics, span source.Span, path string, err error) {
	defer func() { (*diags)[len(*diags)-1].Cause = err }()
	if errors.Is(err, fs.ErrNotExist) {
		diags.Errorf("file-missing", span, c.neighbour(path), "there is no file %s", path)
		return
	}
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	} else if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it is compressed, and its end is missing")
	}
	hint := ""
	if info, gone := os.Stat(path); c.Open == nil && gone == nil && info.IsDir() {
		hint = "name a file in it"
	}
	diags.Errorf("file-unreadable", span, hint, "cannot read %s: %v", path, err)
}

// neighbour suggests a file of a similar name in the folder where path should be.
func (c *Config) neighbour(path string) string {
	if c.Open != nil {
		return ""
	}
	if filepath.Separator == '/' && strings.Contains(path, `\`) {
		return "write / between folders, as all systems understand it"
	}
	if target, err := os.Readlink(path); err == nil {
		return "it is a link to " + target + ", which is not there"
	}
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no folder " + folder + " either"
	}
	names := make([]string, len(entries))
	for k, entry := range entries {
		names[k] = entry.Name()
	}
	return source.Suggest(filepath.Base(path), names)
}

// extension returns the extension that says a file's format, in lower case.
func extension(name string) string {
	return filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
}
