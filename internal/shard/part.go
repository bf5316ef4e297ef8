package shard

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/place"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// parts writes the cells of a plan.
type parts struct {
	dir    string // of this machine, where the cells are written
	g      *session.Grounding
	groups *components
	of     []int32 // the cell of each component
	cells  []Cell
}

// out is a file of a cell while it is written.
type out struct {
	file   *os.File
	sum    *digest
	buffer *bufio.Writer
}

// create opens a file of a cell.
func (w *parts) create(cell int, name string) (*out, error) {
	file, err := os.Create(filepath.Join(w.dir, filepath.FromSlash(w.cells[cell].file(name))))
	if err != nil {
		return nil, err
	}
	o := &out{file: file, sum: newDigest()}
	o.buffer = bufio.NewWriterSize(io.MultiWriter(file, o.sum), 1<<16)
	return o, nil
}

// close brings it to the disk, and notes it.
func (w *parts) close(cell int, name string, o *out) error {
	err := errors.Join(o.buffer.Flush(), o.file.Sync(), o.file.Close())
	w.cells[cell].Files = append(w.cells[cell].Files, o.sum.file(name))
	return err
}

// inEach writes a file of each cell: write gets the cells' writers.
func (w *parts) inEach(name string, write func(to []*bufio.Writer) error) (err error) {
	files, to := make([]*out, len(w.cells)), make([]*bufio.Writer, len(w.cells))
	for k := range files {
		if files[k], err = w.create(k, name); err != nil {
			break
		}
		to[k] = files[k].buffer
	}
	if err == nil {
		err = write(to)
	}
	for k, file := range files {
		if file != nil {
			err = errors.Join(err, w.close(k, name, file))
		}
	}
	return err
}

// writeTo writes all cells' files to a place. Where that is no folder of this machine, they are written here first: all
// are written at the same time, row by row.
func (w *parts) writeTo(ctx context.Context, at place.Files) (err error) {
	if here, is := at.(place.Folder); is {
		w.dir = string(here)
		return w.write()
	}
	if w.dir, err = os.MkdirTemp("", "deeppsl-parts-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(w.dir)) }()
	if err := w.write(); err != nil {
		return err
	}
	var names []string
	for k := range w.cells {
		for _, file := range w.cells[k].Files {
			names = append(names, w.cells[k].file(file.Path))
		}
	}
	errs := make([]error, len(names))
	parallel.For(mostSent, len(names), func(k int) {
		errs[k] = at.Write(ctx, names[k], func(to io.Writer) error {
			file, err := os.Open(filepath.Join(w.dir, filepath.FromSlash(names[k])))
			if err != nil {
				return err
			}
			_, err = io.Copy(to, file)
			return errors.Join(err, file.Close())
		})
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// mostSent is how many files go to another machine at a time.
const mostSent = 8

// write writes all cells' files.
func (w *parts) write() error {
	for k := range w.cells {
		if err := os.MkdirAll(filepath.Join(w.dir, filepath.FromSlash(w.cells[k].file(""))), 0o777); err != nil {
			return err
		}
	}
	tables := make([]tablesOf, len(w.g.Tables.Store.Relations))
	for p, r := range w.g.Tables.Store.Relations {
		var err error
		if tables[p], err = w.tables(p, r); err != nil {
			return fmt.Errorf("writing the rows of %s: %w", r.Name, err)
		}
	}
	if err := w.inEach(variablesName, w.numbers); err != nil {
		return err
	}
	model, err := w.model(tables)
	if err != nil {
		return err
	}
	err = w.inEach(modelName, func(to []*bufio.Writer) error {
		for _, writer := range to {
			writer.Write(model) // errors stay until Flush
		}
		return nil
	})
	for k := range w.cells {
		w.cells[k].Checksum = w.cells[k].sum()
	}
	return err
}

// tablesOf names the files of a predicate; "" for none.
type tablesOf struct{ observed, targets string }

// tables writes the rows of a predicate.
func (w *parts) tables(p int, r *relation.Relation) (names tablesOf, err error) {
	extension := ".txt"
	if w.awkward(r) {
		extension = ".jsonl"
	}
	stem := strings.ToUpper(r.Name)
	if r.Observed > 0 {
		names.observed = stem + ".observed" + extension
		if err := w.rows(names.observed, p, r, 0, r.Observed); err != nil {
			return names, err
		}
	}
	if !w.g.Program.Predicates[p].Closed {
		names.targets = stem + ".targets" + extension
		err = w.rows(names.targets, p, r, r.Observed, r.Len())
	}
	return names, err
}

// awkward tells whether a table between tabs would not give all constants of a relation back.
func (w *parts) awkward(r *relation.Relation) bool {
	for _, column := range r.Columns {
		for _, id := range column {
			name := w.g.Tables.Store.Symbols.Name(id)
			if strings.ContainsAny(name, "\t\n\r") || strings.TrimSpace(name) != name || name == "" ||
				strings.HasPrefix(name, "\ufeff") {
				return true
			}
		}
	}
	return false
}

// rows writes rows of a predicate into the cells where they lie.
func (w *parts) rows(name string, p int, r *relation.Relation, from, to int) error {
	return w.inEach(name, func(files []*bufio.Writer) error {
		write := writeText
		if strings.HasSuffix(name, ".jsonl") {
			write = writeJSON
		}
		fields, line := make([]string, r.Arity), []byte(nil)
		for row := from; row < to; row++ {
			for k, column := range r.Columns {
				fields[k] = w.g.Tables.Store.Symbols.Name(column[row])
			}
			value := 0.0
			if row < r.Observed {
				value = r.Value(int32(row))
			} else {
				value = r.GivenValue(int32(row))
			}
			var err error
			if line, err = write(line[:0], fields, value); err != nil {
				return err
			}
			if cell := w.cell(p, r, row); cell != none {
				files[cell].Write(line)
				w.cells[cell].Rows++
				continue
			}
			for k, file := range files {
				file.Write(line)
				w.cells[k].Rows++
			}
		}
		return nil
	})
}

// cell returns where a row lies; none means everywhere. Targets that no rule has are in the first cell.
func (w *parts) cell(p int, r *relation.Relation, row int) int {
	switch {
	case w.groups.cut.keyed(p):
		return int(w.of[w.groups.of(p, r, row)])
	case row < r.Observed:
		return none
	}
	return 0
}

// writeText appends a line between tabs.
func writeText(line []byte, fields []string, value float64) ([]byte, error) {
	for _, field := range fields {
		line = append(append(line, field...), '\t')
	}
	return append(strconv.AppendFloat(line, value, 'g', -1, 64), '\n'), nil
}

// writeJSON appends a list on a line.
func writeJSON(line []byte, fields []string, value float64) (_ []byte, err error) {
	line = append(line, '[')
	for _, field := range fields {
		if line, err = jsontext.AppendQuote(line, field); err != nil {
			return nil, fmt.Errorf("%q: %w", field, err)
		}
		line = append(line, ',')
	}
	return append(strconv.AppendFloat(line, value, 'g', -1, 64), ']', '\n'), nil
}

// numbers writes the numbers that the cells' variables have in the whole, in their order there: 4 bytes each.
func (w *parts) numbers(to []*bufio.Writer) error {
	for p, r := range w.g.Tables.Store.Relations {
		for row := r.Observed; row < r.Len(); row++ {
			cell := w.cell(p, r, row)
			w.cells[cell].Variables++
			if err := binary.Write(to[cell], binary.LittleEndian, r.Number(int32(row))); err != nil {
				return err
			}
		}
	}
	return nil
}

// model is the configuration of a cell: all have the same.
func (w *parts) model(tables []tablesOf) ([]byte, error) {
	config := w.g.Project.Config
	var predicates []string
	for p, declared := range config.Predicates {
		text, err := json.Marshal(settings(declared, w.g.Tables.Store.Relations[p], tables[p]), json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		predicates = append(predicates, fmt.Sprintf("  %q: %s", fmt.Sprintf("%s/%d", declared.Name, declared.Arity()), text))
	}
	common, err := section(config.Common)
	if err != nil {
		return nil, err
	}
	own, err := section(config.Phases[load.Infer])
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "{\n \"predicates\": {\n%s\n },\n%s,\n \"infer\": {\n%s\n }\n}\n",
		strings.Join(predicates, ",\n"), common, own), nil
}

// settings are those of a predicate of a cell: its atoms come from tables, wherever they came from.
func settings(declared *load.Predicate, r *relation.Relation, tables tablesOf) map[string]any {
	var types []string
	for _, t := range declared.Types {
		types = append(types, t.String())
	}
	out := map[string]any{"types": types}
	if declared.Function != "" {
		out["function"] = declared.Function
	}
	if tables.observed != "" {
		out["observations"] = []string{tables.observed}
	}
	switch {
	case tables.targets == "":
	case r.Open:
		out["targets"] = []string{tables.targets}
	default: // it has targets in another phase, and so is not closed
		out["targets"] = map[string]any{"learn": []string{tables.targets}}
	}
	return out
}

// section writes rules and options.
func section(s load.Section) (string, error) {
	rules := []string{}
	for _, rule := range s.Rules {
		rules = append(rules, syntax.Print(rule))
	}
	options := make(map[string]string)
	for _, o := range s.Options {
		options[o.Name] = o.Value
	}
	text, err := json.Marshal(map[string]any{"rules": rules, "options": options}, json.Deterministic(true),
		jsontext.WithIndent(" "))
	return strings.TrimSuffix(strings.TrimPrefix(string(text), "{\n"), "\n}"), err
}
