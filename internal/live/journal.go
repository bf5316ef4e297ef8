package live

import (
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

// OpenJournal opens a journal, or begins one, and returns the snapshot that it begins with, nil for none, and the
// changes that it has behind that, by Apply.
func OpenJournal(path string) (*Journal, *Snapshot, [][]change.Change, error) {
	file, records, err := journal.Open(path)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("journal %w", err)
	}
	snapshot, records, err := readSnapshot(records)
	all := make([][]change.Change, len(records))
	for k, record := range records {
		if err == nil {
			err = json.Unmarshal(record, &all[k])
		}
	}
	if err != nil {
		return nil, nil, nil, errors.Join(fmt.Errorf("journal %s: %w", path, err), file.Close())
	}
	return &Journal{file, path}, snapshot, all, nil
}

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

// add writes the changes of an Apply. If it fails, what was written of them is taken back, as far as can be.
func (j *Journal) add(changes []change.Change) error {
	if err := j.file.Append(changes); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
