package main

import (
	"bufio"
	"encoding/json"
	"io"
	"path/filepath"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/report"
)

// config is a configuration as Java PSL reads it.
type config struct {
	Rules      []string               `json:"rules"`
	Predicates map[string]*tableFiles `json:"predicates"`
}

// tableFiles names a predicate's tables.
type tableFiles struct {
	Observations []string `json:"observations,omitempty"`
	Targets      []string `json:"targets,omitempty"`
}

// write writes the program and its relations into a folder that exists, and returns the configuration's path.
func (d *data) write(dir string, compiled *program.Program) (string, error) {
	c := config{Predicates: make(map[string]*tableFiles)}
	for _, rule := range compiled.Rules {
		c.Rules = append(c.Rules, rule.Text)
	}
	for _, r := range d.store.Relations {
		files := new(tableFiles)
		c.Predicates[r.Name+"/"+strconv.Itoa(r.Arity)] = files
		if r.Observed > 0 {
			files.Observations = []string{r.Name + "_obs.txt"}
			if err := d.writeRows(filepath.Join(dir, files.Observations[0]), r, 0, r.Observed); err != nil {
				return "", err
			}
		}
		if r.Observed < r.Len() {
			files.Targets = []string{r.Name + "_targets.txt"}
			if err := d.writeRows(filepath.Join(dir, files.Targets[0]), r, r.Observed, r.Len()); err != nil {
				return "", err
			}
		}
	}
	path := filepath.Join(dir, "config.json")
	return path, report.WriteFileFunc(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(&c) })
}

// writeRows writes the rows [lo,hi) as a table between tabs, observed ones with their value.
func (d *data) writeRows(path string, r *relation.Relation, lo, hi int) error {
	return report.WriteFileFunc(path, func(w io.Writer) error {
		buffer := bufio.NewWriter(w)
		for row := lo; row < hi; row++ {
			for k, column := range r.Columns {
				if k > 0 {
					buffer.WriteByte('\t')
				}
				buffer.WriteString(d.store.Symbols.Name(column[row]))
			}
			if row < r.Observed {
				buffer.WriteString("\t" + strconv.FormatFloat(r.Value(int32(row)), 'g', -1, 64))
			}
			buffer.WriteByte('\n')
		}
		return buffer.Flush() // reports the first error of all writes before it
	})
}
