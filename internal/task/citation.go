// Package task has the projects of two tasks, as files that `deeppsl run` takes: classifying documents that cite each
// other, and adding numbers whose digits are pictures. The demonstrations run them on data that they generate.
package task

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
var citationRules string

//go:embed citation.json
var citationConfig string

// The measures of classes that evaluators have: the share of documents that are right, and the mean over the classes of
// each one's share.
const (
	Accuracy     = "Accuracy"
	ClassAverage = "ClassAveragedAccuracy"
)

// Citation is a project of document classification, as files that `deeppsl run` takes.
type Citation struct {
	*dataset.Citation
	// Hidden, Dropout, InputDropout and Normalize describe the classifier.
	Hidden                int
	Dropout, InputDropout float64
	Normalize             string
	Measure               string // of the classes, by which the best epoch is chosen
	ThirdHop              string // the weight of what is seen three hops away, where other rules have 1.0
	Options               []Option
}

// Write writes the project's files into a folder and returns the configuration's path. Any split will do; experiments
// over many splits replace the truth.
func (c *Citation) Write(dir string, split dataset.Split) (config string, err error) {
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o777); err != nil {
		return "", err
	}
	text, err := c.fill("citation.json", citationConfig)
	if err != nil {
		return "", err
	}
	rules, err := c.fill("citation.psl", citationRules)
	if err != nil {
		return "", err
	}
	config = filepath.Join(dir, "citation.json")
	for _, file := range []struct {
		name string
		data []byte
	}{
		{"citation.json", text},
		{"citation.psl", rules},
		{"data/features.tsv", c.features()},
		{"data/cite.tsv", c.cites()},
		{"data/labels.tsv", c.labels()},
		{"data/train.tsv", Table(c.Truth(split.Train))},
		{"data/validation.tsv", Table(c.Truth(split.Validation))},
		{"data/test.tsv", Table(c.Truth(split.Test))},
	} {
		if err := report.WriteFile(filepath.Join(dir, file.name), file.data); err != nil {
			return "", err
		}
	}
	return config, nil
}

// fill writes what describes this project into one of its files.
func (c *Citation) fill(name, text string) ([]byte, error) {
	t, err := template.New(name).Funcs(Functions).Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, c)
	return b.Bytes(), err
}

// cites writes each link in both directions, as the paper counts them.
func (c *Citation) cites() []byte {
	var b bytes.Buffer
	for _, link := range c.Links {
		fmt.Fprintf(&b, "%d\t%d\n%d\t%d\n", link[0], link[1], link[1], link[0])
	}
	return b.Bytes()
}

// labels writes every document with every class: the targets.
func (c *Citation) labels() []byte {
	var b bytes.Buffer
	for d := range c.Documents {
		for _, class := range c.Classes {
			fmt.Fprintf(&b, "%d\t%s\n", d, class)
		}
	}
	return b.Bytes()
}

// Truth returns rows (document, class) for the labels of some documents.
func (c *Citation) Truth(documents []int32) [][]string {
	rows := make([][]string, len(documents))
	for k, d := range documents {
		rows[k] = []string{strconv.Itoa(int(d)), c.Classes[c.Labels[d]]}
	}
	return rows
}

// Table writes rows as tab-separated text.
func Table(rows [][]string) []byte {
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

// features returns the table of features: without another, a line of words per document.
func (c *Citation) features() []byte {
	var b bytes.Buffer
	for d := range c.Documents {
		fmt.Fprintf(&b, "%d\t", d)
		for e := c.WordStart[d]; e < c.WordStart[d+1]; e++ {
			if e > c.WordStart[d] {
				b.WriteByte(' ')
			}
			fmt.Fprint(&b, c.Word[e])
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}
