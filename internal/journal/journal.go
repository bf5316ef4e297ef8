// Package journal keeps what must not be lost: records, one per line with a checksum, that are on the disk before
// anybody is told that they are there. A checksum is that of all records so far, so that none can be missing. What a
// process that was killed has left of a last record is dropped; damage before that is an error.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/deeppsl/deeppsl/internal/report"
)

// Journal is an open file of records. It is not safe for concurrent use.
type Journal struct {
	path string
	file *os.File
	size int64 // of what is whole
	sum  uint32
}

// ErrLocked is the error of a journal that another process writes.
var ErrLocked = errors.New("another process writes this journal")

// Damage is the error of a record that is not what was written.
type Damage struct {
	Path string
	Line int // from 1
}

// Error names the line.
func (d *Damage) Error() string {
	return fmt.Sprintf("%s:%d: the record is damaged; what comes before it is whole", d.Path, d.Line)
}

// table is that of the checksums, which most processors compute themselves.
var table = crc32.MakeTable(crc32.Castagnoli)

// sumLength is how long a checksum is, in hexadecimal digits.
const sumLength = 8

// Open opens the journal at path, or makes it, and returns its records.
func Open(path string) (j *Journal, records []json.RawMessage, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	if err := report.Lock(file); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, nil, fmt.Errorf("%s: %w", path, ErrLocked)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, nil, err
	}
	j = &Journal{path: path, file: file}
	for line := 1; ; line++ {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			break // the rest is of a last one, which nobody was told of
		}
		record, whole := j.read(text[:end])
		if !whole {
			return nil, nil, &Damage{path, line}
		}
		records = append(records, record)
		j.size += int64(end) + 1
		text = text[end+1:]
	}
	return j, records, j.cut()
}

// read returns the record of the next line, and whether it is whole.
func (j *Journal) read(line []byte) (record json.RawMessage, whole bool) {
	if len(line) <= sumLength || line[sumLength] != ' ' {
		return nil, false
	}
	record = bytes.Clone(line[sumLength+1:])
	if next := crc32.Update(j.sum, table, record); string(line[:sumLength]) == fmt.Sprintf("%0*x", sumLength, next) {
		j.sum = next
		return record, true
	}
	return nil, false
}

// cut drops what is behind the whole records.
func (j *Journal) cut() error {
	if err := j.file.Truncate(j.size); err != nil {
		return err
	}
	_, err := j.file.Seek(j.size, io.SeekStart)
	return err
}

// write writes records as lines behind those with a checksum, and returns the next one.
func write(w io.Writer, sum uint32, records []any) (uint32, error) {
	for _, record := range records {
		text, err := json.Marshal(record)
		if err != nil {
			return 0, err
		}
		sum = crc32.Update(sum, table, text)
		if _, err := fmt.Fprintf(w, "%0*x %s\n", sumLength, sum, text); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// Append adds records, all of them or, with an error, none, and returns when they are on the disk.
func (j *Journal) Append(records ...any) error {
	var b bytes.Buffer
	sum, err := write(&b, j.sum, records)
	if err != nil {
		return err
	}
	_, err = j.file.Write(b.Bytes())
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return errors.Join(err, j.cut())
	}
	j.size, j.sum = j.size+int64(b.Len()), sum
	return nil
}

// Size is how many bytes the journal has.
func (j *Journal) Size() int64 { return j.size }

// Replace makes the journal one of these records alone: of a snapshot of what it had come to. Whatever happens, the
// file is the old one or the new one.
func (j *Journal) Replace(records ...any) error {
	next, err := j.Next()
	if err != nil {
		return err
	}
	if err := next.Write(records...); err != nil {
		return err
	}
	return j.Take(next)
}

// Next is a file that is to take a journal's place.
type Next struct {
	file *report.Unfinished
	from int64 // what the journal has behind that is not in the file
	size int64
	sum  uint32
}

// Next begins a file that is to take the journal's place, with a snapshot of what the journal comes to now. Either Take
// or a Write that fails ends it.
func (j *Journal) Next() (*Next, error) {
	file, err := report.Beside(j.path)
	if err != nil {
		return nil, err
	}
	return &Next{file: file, from: j.size}, nil
}

// Write writes the records, and returns when they are on the disk. Records may be appended to the journal meanwhile.
func (n *Next) Write(records ...any) error {
	counted := &counter{to: bufio.NewWriter(n.file)}
	sum, err := write(counted, n.sum, records)
	if err == nil {
		err = counted.to.Flush()
	}
	if err == nil {
		err = n.file.Sync()
	}
	if err != nil {
		return errors.Join(err, n.Drop())
	}
	n.sum, n.size = sum, n.size+counted.size
	return nil
}

// Drop gives the file up.
func (n *Next) Drop() error { return errors.Join(n.file.Close(), n.file.Remove()) }

// counter counts what is written.
type counter struct {
	to   *bufio.Writer
	size int64
}

func (c *counter) Write(text []byte) (int, error) {
	n, err := c.to.Write(text)
	c.size += int64(n)
	return n, err
}

// Take lets a file take the journal's place, with all records that have been appended since it was begun. On an error
// the journal is what it was.
func (j *Journal) Take(n *Next) error {
	later, err := j.since(n.from)
	if err == nil {
		err = n.Write(later...) // which drops it, if it cannot
	} else {
		err = errors.Join(err, n.Drop())
	}
	if err != nil {
		return err
	}
	if err := n.file.Rename(); err != nil {
		return errors.Join(err, n.Drop())
	}
	err = j.file.Close()
	j.file, j.size, j.sum = n.file.File, n.size, n.sum
	return err
}

// since reads the records behind a place.
func (j *Journal) since(place int64) (records []any, err error) {
	text := make([]byte, j.size-place)
	if _, err := j.file.ReadAt(text, place); err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		records = append(records, json.RawMessage(line[sumLength+1:len(line)-1]))
	}
	return records, nil
}

// Records reads all records.
func (j *Journal) Records() (records []json.RawMessage, err error) {
	all, err := j.since(0)
	for _, record := range all {
		records = append(records, record.(json.RawMessage))
	}
	return records, err
}

// Write writes a journal of records to a file, which is the whole one, or what it was.
func Write(path string, records ...any) error {
	return report.WriteFileFunc(path, func(w io.Writer) error {
		_, err := write(w, 0, records)
		return err
	})
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
