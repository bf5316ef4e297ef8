package published

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/deeppsl/deeppsl/internal/dataset"
)

// openPlain opens a file of a folder, or the same name with .gz, and uncompresses it if it begins as gzip does.
func openPlain(folder fs.FS, name string) (io.ReadCloser, error) {
	f, err := folder.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		var second error
		if f, second = folder.Open(name + ".gz"); second != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	return uncompressed(f)
}

// uncompressed reads f through gzip if it begins so. Closing the result closes f.
func uncompressed(f io.ReadCloser) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(f, 1<<16)
	if magic, err := buffered.Peek(2); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return readCloser{buffered, f}, nil
	}
	plain, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return readCloser{plain, f}, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// readLINQSFolder reads NAME.content and NAME.cites of a folder, compressed or not, or NAME.tgz, which has both.
func readLINQSFolder(folder fs.FS, name string) (*dataset.Citation, error) {
	content, err := openPlain(folder, name+".content")
	if errors.Is(err, fs.ErrNotExist) {
		return readLINQSArchive(folder, name)
	}
	if err != nil {
		return nil, err
	}
	defer content.Close()
	cites, err := openPlain(folder, name+".cites")
	if err != nil {
		return nil, err
	}
	defer cites.Close()
	return readLINQS(name, content, cites)
}

// readLINQSArchive opens the archive twice, because its two files can come in any order.
func readLINQSArchive(folder fs.FS, name string) (*dataset.Citation, error) {
	content, err := openMember(folder, name+".tgz", name+"/"+name+".content")
	if err != nil {
		return nil, err
	}
	defer content.Close()
	cites, err := openMember(folder, name+".tgz", name+"/"+name+".cites")
	if err != nil {
		return nil, err
	}
	defer cites.Close()
	return readLINQS(name, content, cites)
}

// openMember opens one file of a tar archive.
func openMember(folder fs.FS, archive, member string) (io.ReadCloser, error) {
	f, err := openPlain(folder, archive)
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(f); ; {
		header, err := files.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, errors.Join(fmt.Errorf("%s holds no %s", archive, member), f.Close())
		case err != nil:
			return nil, errors.Join(fmt.Errorf("%s: %w", archive, err), f.Close())
		case header.Name == member || header.Name == "./"+member:
			return readCloser{files, f}, nil
		}
	}
}
