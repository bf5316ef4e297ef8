package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/journal"
)

// Journal is a file of changes, a record for each Apply, which is on the disk before Apply returns: so that no change
// is lost that was made, however the process ends. It may begin with a snapshot of what earlier ones had come to.
type Journal struct {
	file *journal.Journal
	path string
}

// Record is the changes of an Apply, in a journal: a list, or an object if it has the key that they were sent with.
type Record struct {
	Key     string
	Changes []change.Change
}

// keyed is a record with a key as the journal has it.
type keyed struct {
	Key     string          `json:"key,omitempty"`
	Changes []change.Change `json:"changes"`
}

// MarshalJSON writes a record.
func (r Record) MarshalJSON() ([]byte, error) {
	if r.Key == "" {
		return json.Marshal(r.Changes)
	}
	return json.Marshal(keyed(r))
}

// UnmarshalJSON reads a record.
func (r *Record) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, &r.Changes)
	}
	if err := json.Unmarshal(text, (*keyed)(r)); err != nil {
		return err
	}
	if r.Changes == nil {
		return errors.New("it has no changes")
	}
	return nil
}

// OpenJournal opens a journal, or begins one, and returns what it has.
func OpenJournal(path string) (*Journal, *History, error) {
	file, texts, err := journal.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("journal %w", err)
	}
	j := &Journal{file, path}
	history, err := j.read(texts)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return j, history, nil
}

// Read returns what OpenJournal would, if the process had just been killed.
func (j *Journal) Read() (*History, error) {
	texts, err := j.file.Records()
	if err != nil {
		return nil, err
	}
	return j.read(texts)
}

func (j *Journal) read(texts []json.RawMessage) (*History, error) {
	snapshot, texts, err := readSnapshot(texts)
	records := make([]Record, len(texts))
	for k, text := range texts {
		if err != nil {
			break
		}
		if err = json.Unmarshal(text, &records[k]); err != nil {
			err = fmt.Errorf("record %d: %w", k+1, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", j.path, err)
	}
	return &History{snapshot, records}, nil
}

// Append adds records, and returns when all are on the disk; on an error none is.
func (j *Journal) Append(records ...Record) error {
	all := make([]any, len(records))
	for k := range records {
		all[k] = records[k]
	}
	if err := j.file.Append(all...); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}

// Path is where the journal is.
func (j *Journal) Path() string { return j.path }

// Size is how many bytes the journal has.
func (j *Journal) Size() int64 { return j.file.Size() }

// Compaction is a file that is to take a journal's place: it begins with a snapshot of what the journal had come to.
type Compaction struct {
	snapshot *Snapshot
	journal  *Journal
	next     *journal.Next
}

// Compact begins one with what the journal comes to now. Write writes the snapshot, beside Append if need be, and then
// Take gives the file the journal's place, with all records since. An error of either ends it.
func (j *Journal) Compact(s *Snapshot) (*Compaction, error) {
	next, err := j.file.Next()
	return &Compaction{s, j, next}, err
}

// Write writes the snapshot and returns when it is on the disk.
func (c *Compaction) Write() error { return c.next.Write(c.snapshot.records()...) }

// Take gives the file the journal's place.
func (c *Compaction) Take() error { return c.journal.file.Take(c.next) }

// Save writes a snapshot of the session to a file, which can be the journal that it has: this then begins with it, and
// has nothing of before. The file is whole, or as it was.
func (s *Session) Save(path string) error {
	records := s.Snapshot().records()
	if s.Journal != nil && same(s.Journal.path, path) {
		return s.Journal.file.Replace(records...)
	}
	return journal.Write(path, records...)
}

// same tells whether two paths are of one file.
func same(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
