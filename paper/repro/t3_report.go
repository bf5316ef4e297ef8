package repro

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/deeppsl/deeppsl/internal/report"
)

// WriteT3 writes the results as a Markdown table beside the paper's numbers and, if asked for, each method's resolved
// entities. It returns the files' paths.
func WriteT3(dir string, results []*T3Result, clusters bool) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := markdownT3(&b, results); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "t3.md")
	if err := report.WriteFile(path, b.Bytes()); err != nil {
		return nil, err
	}
	paths = []string{path}
	for _, r := range results {
		for _, kind := range []struct {
			name string
			of   *Resolved
		}{{"authors", r.Authors}, {"papers", r.Papers}} {
			if !clusters {
				continue
			}
			path := filepath.Join(dir, fmt.Sprintf("t3-%s-%s.tsv", r.Method, kind.name))
			if err := report.WriteFile(path, kind.of.table()); err != nil {
				return paths, err
			}
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// table writes lines of a reference and its entity, in the order of the references.
func (r *Resolved) table() []byte {
	ids := make([]int, 0, len(r.entities))
	for id := range r.entities {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var b bytes.Buffer
	b.WriteString("reference\tentity\n")
	for _, id := range ids {
		fmt.Fprintf(&b, "%d\t%d\n", id, r.entities[id])
	}
	return b.Bytes()
}

// fraction prints a mean of numbers from 0 to 1, with its interval if there is one.
func (m Mean) fraction() string {
	if math.IsNaN(m.CI95) {
		return fmt.Sprintf("%.4f", m.Mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", m.Mean, m.CI95)
}

// markdownT3 writes the table of results.
func markdownT3(b *bytes.Buffer, results []*T3Result) error {
	b.WriteString("# T3: entity resolution\n\nF1 over unordered pairs of different references of the test fold; true " +
		"pairs outside the blocks count as missed.\n\n")
	table := report.NewTable("method", "authors", "papers", "the paper's", "authors, chosen threshold",
		"papers, chosen threshold", "unseen papers", "authors, within clusters", "papers, within clusters",
		"authors, B-cubed", "papers, B-cubed", "ground rules", "inference s")
	for _, r := range results {
		method, printed := r.Method, "-"
		if r.Faithful {
			method += ", as printed"
		}
		if f1, ok := paperT3[r.Method]; ok {
			printed = fmt.Sprintf("%.4f / %.4f", f1[0], f1[1])
		}
		table.Row(method, r.AuthorF1.fraction(), r.PaperF1.fraction(), printed,
			r.AuthorChosen.fraction(), r.PaperChosen.fraction(), r.PaperUnseen.fraction(),
			r.AuthorClustered.fraction(), r.PaperClustered.fraction(),
			decimals(r.Authors.Clusters.BCubed.F1, 4),
			decimals(r.Papers.Clusters.BCubed.F1, 4), r.GroundRules.Test, decimals(r.InferenceSeconds.Median, 2))
	}
	return table.Markdown(b)
}
