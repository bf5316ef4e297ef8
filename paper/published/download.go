package published

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// partSuffix marks a download that is not complete, or not checked yet.
const partSuffix = ".part"

// Get downloads the files of a set that are nowhere yet. A file appears under its name only when it is complete and its
// content is the published one; a download that was cut short goes on where it stopped.
func (c *Cache) Get(ctx context.Context, set Set) error {
	for _, file := range set.Files {
		if where, err := c.Find(file.Path); err == nil && checkFile(where, file) == nil {
			continue
		}
		if err := c.download(ctx, file); err != nil {
			return err
		}
	}
	return nil
}

// download tries a file's addresses in turn. The error tells, in one line, what went wrong with each.
func (c *Cache) download(ctx context.Context, file File) error {
	var problems []string
	for _, url := range file.URLs {
		err := c.downloadFrom(ctx, file, url)
		if err == nil {
			return nil
		}
		var disk *diskError
		if errors.As(err, &disk) || ctx.Err() != nil {
			return fmt.Errorf("cannot download %s: %w", file.Path, err)
		}
		problems = append(problems, err.Error())
	}
	return fmt.Errorf("cannot download %s: %s", file.Path, strings.Join(problems, "; "))
}

// diskError is an error of this machine's disk, which no other address would mend.
type diskError struct{ error }

// Unwrap returns the error itself.
func (e *diskError) Unwrap() error { return e.error }

// downloadFrom appends to the partial file what the server still has, and checks the whole.
func (c *Cache) downloadFrom(ctx context.Context, file File, url string) error {
	part, err := c.createPart(file, os.O_APPEND)
	if err != nil {
		return err
	}
	err = c.fetch(ctx, file, url, part)
	return c.finish(file, part, err)
}

// createPart opens a file's partial file, which lies beside it so that renaming it stays within one disk.
func (c *Cache) createPart(file File, flag int) (*os.File, error) {
	name := c.place(file) + partSuffix
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, &diskError{err}
	}
	part, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|flag, 0o644)
	if err != nil {
		return nil, &diskError{err}
	}
	return part, nil
}

// fetch asks for the bytes after those that part has. A server that does not know ranges sends all from the start.
func (c *Cache) fetch(ctx context.Context, file File, url string, part *os.File) error {
	info, err := part.Stat()
	if err != nil {
		return &diskError{err}
	}
	have := info.Size()
	response, err := c.request(ctx, url, have)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusPartialContent:
	case http.StatusRequestedRangeNotSatisfiable:
		return nil // the part has all there is, and its checksum decides
	case http.StatusOK:
		have = 0
		if err := part.Truncate(0); err != nil {
			return &diskError{err}
		}
	default:
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	w := &progressWriter{file: part, done: have, total: -1}
	if response.ContentLength >= 0 {
		w.total = have + response.ContentLength
	}
	w.report = func() {
		if c.Progress != nil {
			c.Progress(file, w.done, w.total)
		}
	}
	if _, err := io.Copy(w, response.Body); err != nil {
		if w.failed {
			return &diskError{err}
		}
		return fmt.Errorf("%s: stopped after %d bytes: %w; run again to go on", url, w.done, err)
	}
	return nil
}

// request asks for a file from the byte after those that are there already.
func (c *Cache) request(ctx context.Context, url string, have int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	client := c.Client
	if client == nil {
		client = http.DefaultClient
	}
	return client.Do(request)
}

// progressWriter writes to the partial file and reports how far it is.
type progressWriter struct {
	file        *os.File
	done, total int64
	failed      bool
	report      func()
}

// Write implements io.Writer.
func (w *progressWriter) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	w.done += int64(n)
	w.failed = err != nil
	w.report()
	return n, err
}

// finish makes the partial file the file, if nothing went wrong and its content is right. A wrong content is removed,
// an incomplete one kept, to go on from, unless it is empty.
func (c *Cache) finish(file File, part *os.File, err error) error {
	info, statErr := part.Stat()
	// Without this, a power failure after the rename could leave a file of the right name without content.
	if syncErr := part.Sync(); err == nil && syncErr != nil {
		err = &diskError{syncErr}
	}
	if closeErr := part.Close(); err == nil && closeErr != nil {
		err = &diskError{closeErr}
	}
	switch {
	case err != nil && statErr == nil && info.Size() == 0:
		return errors.Join(err, os.Remove(part.Name()))
	case err != nil:
		return err
	}
	if err := checkFile(part.Name(), file); err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	if err := os.Rename(part.Name(), c.place(file)); err != nil {
		return &diskError{err}
	}
	return nil
}
