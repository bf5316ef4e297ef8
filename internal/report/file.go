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
	if old, err := os.Stat(path); err == nil && !old.Mode().IsRegular() {
		return writeDirectly(path, write)
	}
	next, err := Beside(path)
	if err != nil {
		return err
	}
	err = fill(next.File, write)
	if closed := next.Close(); err == nil { // the first error tells what went wrong; those after it follow from it
		err = closed
	}
	if err == nil {
		err = next.Rename()
	}
	if err != nil {
		return errors.Join(err, next.Remove())
	}
	return nil
}

// Unfinished is a file that is to take another one's place. Rename gives it that, Remove gives it up; either is called
// once.
type Unfinished struct {
	*os.File
	path string // the other's
}

// Beside begins a file beside that at path, which need not be there. It is locked until it is closed. What a process
// that was killed has left there goes.
func Beside(path string) (*Unfinished, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	old, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	dir := filepath.Dir(path)
	sweep(dir)
	file, err := os.OpenFile(filepath.Join(dir, unfinished+rand.Text()), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, &fs.PathError{Op: "write", Path: path, Err: failed.Err} // the name beside it tells nobody anything
	} else if err != nil {
		return nil, err
	}
	_ = Lock(file) // where that cannot be, nobody takes the file for abandoned
	next := &Unfinished{file, path}
	if old == nil {
		return next, nil
	}
	if err := file.Chmod(old.Mode().Perm()); err != nil {
		return nil, errors.Join(err, file.Close(), next.Remove())
	}
	return next, nil
}

// Rename lets the file, which is on the disk, take its place.
func (u *Unfinished) Rename() error {
	err := os.Rename(u.Name(), u.path)
	if err == nil {
		syncDir(filepath.Dir(u.path))
	}
	return err
}

// Remove removes the file.
func (u *Unfinished) Remove() error { return os.Remove(u.Name()) }

// fill writes, flushes and syncs file.
func fill(file *os.File, write func(w io.Writer) error) error {
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
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
