package session

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/deeppsl/deeppsl/internal/format"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Extensions are those of the files that WriteAtoms writes, by format; the option output.format chooses one. All can
// be read again as a table: txt is Java PSL's, json one list of arguments and value per line, parquet has the columns
// arg1, arg2, …, value.
var Extensions = map[string]string{"txt": ".txt", "json": ".jsonl", "parquet": ".parquet"}

// holders tell why a format cannot hold a constant; formats that are not here hold all.
var holders = map[string]func(constant string) error{"txt": heldBetweenTabs, "json": heldByJSON}

// heldBetweenTabs refuses a constant that would begin another column or row: nobody could tell it from one.
func heldBetweenTabs(constant string) error {
	if strings.ContainsAny(constant, "\t\n") {
		return fmt.Errorf("a .txt file cannot hold the tab or line break in %q; the formats json and parquet can", constant)
	}
	return nil
}

// heldByJSON refuses a constant that is not UTF-8: all such bytes would become the same character, and different
// constants one.
func heldByJSON(constant string) error {
	if !utf8.ValidString(constant) {
		return fmt.Errorf("a .jsonl file cannot hold %q, which is not UTF-8; the format txt can", constant)
	}
	return nil
}

// CheckAtoms tells beforehand that WriteAtoms will not be able to write the atoms of a store, as far as it has them.
func CheckAtoms(store *relation.Store, s *project.Settings) error {
	holds := holders[s.Outputs.Format]
	if holds == nil {
		return nil
	}
	refused := make(map[symbol.ID]error)
	for id := range symbol.ID(store.Symbols.Len()) {
		if err := holds(store.Symbols.Name(id)); err != nil {
			refused[id] = err
		}
	}
	for _, atoms := range store.Relations {
		if len(refused) == 0 || atoms.FreeLen() == 0 {
			continue
		}
		for _, column := range atoms.Columns {
			for _, id := range column[firstWritten(atoms, s):] {
				if err := refused[id]; err != nil {
					return fmt.Errorf("writing results: %w", err)
				}
			}
		}
	}
	return nil
}

// WriteAtoms writes an answer as Java PSL does: one file NAME.txt per open or neural predicate, with a tab-separated
// row of arguments and value per atom, or in the format that the options ask for. Each file is written beside and
// renamed. It returns the files' paths.
func (g *Grounding) WriteAtoms(dir string, answer *Answer) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("writing results: %w", err)
	}
	format := g.Settings.Outputs.Format
	var paths []string
	for k, atoms := range g.Tables.Store.Relations {
		if atoms.FreeLen() == 0 {
			continue
		}
		name := strings.ToUpper(g.Project.Config.Predicates[k].Name)
		path := filepath.Join(dir, name+Extensions[format])
		err := report.WriteFileFunc(path, func(w io.Writer) error { return g.writeAtoms(w, format, answer, atoms) })
		if err != nil {
			return paths, fmt.Errorf("writing results: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// writeAtoms writes one predicate's atoms: the free ones, and the observed ones too if the options ask for them.
func (g *Grounding) writeAtoms(w io.Writer, format string, answer *Answer, atoms *relation.Relation) error {
	buffered := bufio.NewWriter(w)
	out, err := newAtomWriter(buffered, format, atoms.Arity)
	if err != nil {
		return err
	}
	first := firstWritten(atoms, g.Settings)
	arguments := make([]string, atoms.Arity)
	for row := int32(first); int(row) < atoms.Len(); row++ {
		for k, column := range atoms.Columns {
			arguments[k] = g.Tables.Store.Symbols.Name(column[row])
		}
		if err := out.Write(arguments, valueOf(answer, atoms, row)); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return buffered.Flush()
}

// firstWritten is the first row of a relation that is written.
func firstWritten(atoms *relation.Relation, s *project.Settings) int {
	if s.AllAtoms {
		return 0
	}
	return atoms.Observed
}

// valueOf returns the value of any row's atom.
func valueOf(answer *Answer, atoms *relation.Relation, row int32) float64 {
	if atoms.Role(row) == relation.Observed {
		return atoms.Value(row)
	}
	return FreeValue(answer, atoms, row)
}

// newAtomWriter returns what writes atoms in one of the formats of Extensions.
func newAtomWriter(w *bufio.Writer, name string, arity int) (format.Writer, error) {
	switch name {
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return jsonAtoms{encoder}, nil
	case "txt":
		return textAtoms{w}, nil
	}
	registered, err := format.Of(Extensions[name])
	if err != nil {
		return nil, err
	}
	return registered.Writer(w, format.Arguments(arity), []string{"value"}), nil
}

// digits prints a value with as few digits as read back the same: fewer would break what is certified.
func digits(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// textAtoms writes rows between tabs.
type textAtoms struct{ *bufio.Writer }

// Write writes one row.
func (t textAtoms) Write(arguments []string, values ...float64) error {
	for _, argument := range arguments {
		if err := heldBetweenTabs(argument); err != nil {
			return err
		}
		t.WriteString(argument)
		t.WriteByte('\t')
	}
	_, err := t.WriteString(digits(values[0]) + "\n")
	return err
}

// Close has nothing to add.
func (t textAtoms) Close() error { return nil }

// jsonAtoms writes one list per line.
type jsonAtoms struct{ *json.Encoder }

// Write writes the arguments and the value as one list.
func (j jsonAtoms) Write(arguments []string, values ...float64) error {
	row := make([]any, 0, len(arguments)+1)
	for _, argument := range arguments {
		if err := heldByJSON(argument); err != nil {
			return err
		}
		row = append(row, argument)
	}
	return j.Encode(append(row, json.Number(digits(values[0]))))
}

// Close has nothing to add.
func (j jsonAtoms) Close() error { return nil }
