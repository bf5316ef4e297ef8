// Package repro repeats the experiments of the paper and holds their results against the printed ones.
package repro

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"text/template"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/report"
)

//go:embed citation.psl
var citationRules []byte

//go:embed citation.json
var citationConfig string

// citation is a project of document classification, as files that `deeppsl run` takes.
type citation struct {
	*dataset.Citation
	// Hidden, Dropout, InputDropout and Normalize describe the classifier.
	Hidden                int
	Dropout, InputDropout float64
	Normalize             string
	Smooth                int // hops over which words are averaged
	Options               []namedValue
}

// write writes the project's files into a folder and returns the configuration's path. Any split will do; experiments
// over many splits replace the truth.
func (c *citation) write(dir string, split dataset.Split) (config string, err error) {
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o777); err != nil {
		return "", err
	}
	text, err := c.config()
	if err != nil {
		return "", err
	}
	config = filepath.Join(dir, "citation.json")
	for _, file := range []struct {
		name string
		data []byte
	}{
		{"citation.json", text},
		{"citation.psl", citationRules},
		{"data/features.tsv", c.features()},
		{"data/cite.tsv", c.cites()},
		{"data/labels.tsv", c.labels()},
		{"data/train.tsv", table(c.truth(split.Train))},
		{"data/validation.tsv", table(c.truth(split.Validation))},
		{"data/test.tsv", table(c.truth(split.Test))},
	} {
		if err := report.WriteFile(filepath.Join(dir, file.name), file.data); err != nil {
			return "", err
		}
	}
	return config, nil
}

func (c *citation) config() ([]byte, error) {
	t, err := template.New("citation.json").Funcs(configFunctions).Parse(citationConfig)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, c)
	return b.Bytes(), err
}

// cites writes each link in both directions, as the paper counts them.
func (c *citation) cites() []byte {
	var b bytes.Buffer
	for _, link := range c.Links {
		fmt.Fprintf(&b, "%d\t%d\n%d\t%d\n", link[0], link[1], link[1], link[0])
	}
	return b.Bytes()
}

// labels writes every document with every class: the targets.
func (c *citation) labels() []byte {
	var b bytes.Buffer
	for d := range c.Documents {
		for _, class := range c.Classes {
			fmt.Fprintf(&b, "%d\t%s\n", d, class)
		}
	}
	return b.Bytes()
}

// truth returns rows (document, class) for the labels of some documents.
func (c *citation) truth(documents []int32) [][]string {
	rows := make([][]string, len(documents))
	for k, d := range documents {
		rows[k] = []string{strconv.Itoa(int(d)), c.Classes[c.Labels[d]]}
	}
	return rows
}

// table writes rows as tab-separated text.
func table(rows [][]string) []byte {
	var b bytes.Buffer
	for _, row := range rows {
		for k, field := range row {
			if k > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(field)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// rowNormalized returns the documents' words as a sparse matrix whose rows sum to 1.
func (c *citation) rowNormalized() csr {
	m := csr{start: c.WordStart, index: c.Word, value: make([]float32, len(c.Word)), width: c.Words}
	for d := range c.Documents {
		lo, hi := c.WordStart[d], c.WordStart[d+1]
		for e := lo; e < hi; e++ {
			m.value[e] = 1 / float32(hi-lo)
		}
	}
	return m
}
