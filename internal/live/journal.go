package live

import (
	"encoding/json"
	"fmt"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/journal"
)

// Journal is a file of changes, a record for each Apply, which is on the disk before Apply returns: so that no change
// is lost that was made, however the process ends.
type Journal struct{ file *journal.Journal }

// OpenJournal opens a journal, or begins one, and returns the changes that it has, by Apply.
func OpenJournal(path string) (*Journal, [][]change.Change, error) {
	file, records, err := journal.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("journal %w", err)
	}
	all := make([][]change.Change, len(records))
	for k, record := range records {
		if err := json.Unmarshal(record, &all[k]); err != nil {
			_ = file.Close()
			return nil, nil, fmt.Errorf("journal %s: record %d: %w", path, k+1, err)
		}
	}
	return &Journal{file}, all, nil
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
