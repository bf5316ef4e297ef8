package live

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/deeppsl/deeppsl/change"
)

// Journal is a file of changes, a line of JSON for each Apply, which has a checksum and is on the disk before Apply
// returns: so that no change is lost that was made, however the process ends.
type Journal struct {
	file  *os.File
	count int
}

// record is a line of a journal.
type record struct {
	Number  int             `json:"number"` // from 1
	Changes json.RawMessage `json:"changes"`
	Sum     string          `json:"crc32c"` // of the number and the changes, as they are written
}

func (r *record) sum() string {
	table := crc32.MakeTable(crc32.Castagnoli)
	return fmt.Sprintf("%08x", crc32.Update(crc32.Checksum(fmt.Append(nil, r.Number), table), table, r.Changes))
}

// OpenJournal opens a journal, or begins one, and returns the changes that it has, by Apply. A last line that is not
// whole is cut off: its Apply did not return. Any other damage is an error.
func OpenJournal(path string) (*Journal, [][]change.Change, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, err
	}
	j := &Journal{file: file}
	changes, whole, err := j.read()
	if err == nil {
		err = file.Truncate(whole)
	}
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, fmt.Errorf("journal %s: %w", path, err)
	}
	return j, changes, nil
}

// read returns the changes, and how many bytes the whole lines have.
func (j *Journal) read() (all [][]change.Change, whole int64, err error) {
	lines := bufio.NewReader(j.file)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return all, whole, nil
		} else if err != nil {
			return nil, 0, err
		}
		changes, err := j.parse(line)
		if _, end := lines.Peek(1); err != nil && end == io.EOF {
			return all, whole, nil
		} else if err != nil {
			return nil, 0, fmt.Errorf("line %d is damaged: %w", j.count+1, err)
		}
		all, whole, j.count = append(all, changes), whole+int64(len(line)), j.count+1
	}
}

// parse reads a line.
func (j *Journal) parse(line []byte) (changes []change.Change, err error) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	switch {
	case r.Sum != r.sum():
		return nil, fmt.Errorf("the checksum is %s, and not %s", r.sum(), r.Sum)
	case r.Number != j.count+1:
		return nil, fmt.Errorf("it has the number %d", r.Number)
	}
	return changes, json.Unmarshal(r.Changes, &changes)
}

// add writes the changes of an Apply. If it fails, what was written of them is taken back, as far as can be.
func (j *Journal) add(changes []change.Change) error {
	text, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	r := record{Number: j.count + 1, Changes: text}
	r.Sum = r.sum()
	line, err := json.Marshal(&r)
	if err != nil {
		return err
	}
	at, err := j.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	_, err = io.Copy(j.file, bytes.NewReader(append(line, '\n')))
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		_ = j.file.Truncate(at)
		_, _ = j.file.Seek(at, io.SeekStart)
		return fmt.Errorf("writing the journal: %w", err)
	}
	j.count++
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
