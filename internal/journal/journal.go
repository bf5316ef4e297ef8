// Package journal keeps what must not be lost: records, one per line with a checksum, that are on the disk before
// anybody is told that they are there. A checksum is that of all records so far, so that none can be missing. What a
// process that was killed has left of a last record is dropped; damage before that is an error.
package journal

import (
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
	j = &Journal{file: file}
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
	path := j.file.Name()
	if err := Write(path, records...); err != nil {
		return err
	}
	next, _, err := Open(path)
	if err != nil {
		return err
	}
	err = j.file.Close()
	*j = *next
	return err
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
