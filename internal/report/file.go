package report

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces the file at path by data, whole or not at all: see WriteFileFunc.
func WriteFile(path string, data []byte) error {
	return WriteFileFunc(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFileFunc replaces the file at path by what write writes. The new content is written beside the file, brought to
// the disk and then renamed, so that a reader, a crash or a full disk sees the old file or the new one and never a part
// of it. On any error, write's included, the old file stays and nothing is left beside it; what a process that was
// killed has left beside it goes. An existing file keeps its permissions, and a symbolic link its target's place; a
// path that is no regular file, such as a pipe or a device, is written directly.
func WriteFileFunc(path string, write func(w io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	old, err := os.Stat(path)
	switch {
	case err == nil && !old.Mode().IsRegular():
		return writeDirectly(path, write)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	dir := filepath.Dir(path)
	sweep(dir)
	beside := filepath.Join(dir, unfinished+rand.Text())
	file, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_ = Lock(file) // where that cannot be, nobody takes the file for abandoned
	if old != nil {
		err = file.Chmod(old.Mode().Perm())
	}
	err = errors.Join(err, fill(file, write))
	if err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	return syncDir(dir)
}

// fill writes, flushes, syncs and closes file. The first error tells what went wrong; those after it follow from it.
func fill(file *os.File, write func(w io.Writer) error) (err error) {
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	buffer := bufio.NewWriter(file)
	if err := write(buffer); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	return file.Sync()
}

// writeDirectly writes to a pipe or a device, which cannot be replaced and need not be synced.
func writeDirectly(path string, write func(w io.Writer) error) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	return write(file)
}

// syncDir makes a rename in dir durable. Systems that cannot sync a directory lose nothing but that, so their refusal
// is no error.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	_ = d.Sync()
	return d.Close()
}
