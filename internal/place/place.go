// Package place is where parts of a problem lie for the processes that share it: a folder that all see, or what a
// program has registered for a scheme, such as s3.
package place

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Files are those of a place. Names are paths with slashes. All methods may be called at the same time.
type Files interface {
	// Open reads a file. The error is fs.ErrNotExist if there is none.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Write replaces a file by what write writes: whoever reads sees the old one or the new one, and never a part of it.
	Write(ctx context.Context, name string, write func(io.Writer) error) error
	// Remove removes a file, which need not be there.
	Remove(ctx context.Context, name string) error
	// Address is that of a file, for messages.
	Address(name string) string
}

// Opener returns the files at an address such as s3://bucket/prefix.
type Opener func(ctx context.Context, address string) (Files, error)

var (
	schemes = make(map[string]Opener)
	mu      sync.RWMutex
)

// Register has Open call an opener for addresses of a scheme.
func Register(scheme string, open Opener) {
	mu.Lock()
	defer mu.Unlock()
	schemes[scheme] = open
}

// Open returns the files at an address; one without a scheme is a folder.
func Open(ctx context.Context, address string) (Files, error) {
	scheme, _, remote := strings.Cut(address, "://")
	if !remote {
		return Folder(address), nil
	}
	mu.RLock()
	open := schemes[scheme]
	mu.RUnlock()
	if open == nil {
		var diags source.Diagnostics
		diags.Errorf("place-scheme", source.Span{},
			"the program of cloud/ reads and writes s3:// (for Python, DEEPPSL_BINARY names it); others take folders",
			"this program has no access to %s", address)
		return nil, diags.Err()
	}
	return open(ctx, address)
}

// Folder is a folder of this machine, or one that it sees. Folders within it are made where they are written to.
type Folder string

// Address is the path of a file.
func (f Folder) Address(name string) string {
	return filepath.Join(string(f), filepath.FromSlash(name))
}

// Open implements Files.
func (f Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(f.Address(name))
}

// Write implements Files.
func (f Folder) Write(_ context.Context, name string, write func(io.Writer) error) error {
	path := f.Address(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return report.WriteFileFunc(path, write)
}

// Remove implements Files.
func (f Folder) Remove(_ context.Context, name string) error {
	err := os.Remove(f.Address(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Read returns all of a file.
func Read(ctx context.Context, f Files, name string) ([]byte, error) {
	file, err := f.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(file)
	return text, errors.Join(err, file.Close())
}
