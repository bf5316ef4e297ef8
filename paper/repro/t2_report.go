package repro

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/deeppsl/deeppsl/internal/report"
)

// WriteT2 writes the results as a Markdown table beside the paper's numbers, and the learning curves as SVG. It returns
// the files' paths.
func WriteT2(dir string, results []*T2Result) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "t2.md")
	text, err := markdownT2(results)
	if err == nil {
		err = report.WriteFile(path, text)
	}
	if err != nil {
		return nil, err
	}
	paths := []string{path}
	for _, r := range results {
		if r.Method != "deeppsl" {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("t2-%s-split%d.svg", r.Dataset, r.Split))
		title := fmt.Sprintf("%s, split %d, %d runs", r.Dataset, r.Split, r.Runs)
		if err := writeCurve(path, title, r.Curves); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// markdownT2 is the table of results.
func markdownT2(results []*T2Result) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# T2: semi-supervised document classification\n\n" +
		"Means over random splits with 95 % intervals (Student's t). Split 1 has 20 training documents of each class,\n" +
		"500 for validation and 1,000 for testing; split 2 has 500 each and trains on the rest.\n\n")
	table := report.NewTable("data", "split", "method", "runs", "accuracy", "class-averaged", "paper", "training s",
		"inference ms", "ground rules")
	for _, r := range results {
		paper := "-"
		if printed, ok := paperT2[fmt.Sprintf("%s/%d/%s", r.Dataset, r.Split, r.Method)]; ok {
			paper = printed.String()
		}
		table.Row(r.Dataset, r.Split, r.Method, r.Runs, r.Accuracy.String(), r.ClassAverage.String(), paper,
			decimals(r.TrainSeconds.Median, 1), decimals(1e3*r.InferenceSeconds.Median, 1), r.GroundRules)
	}
	err := table.Markdown(&b)
	return b.Bytes(), err
}

// String prints a mean with its interval, which one run alone has not.
func (m Mean) String() string {
	if math.IsNaN(m.CI95) {
		return fmt.Sprintf("%.2f", m.Mean)
	}
	return fmt.Sprintf("%.2f ± %.2f", m.Mean, m.CI95)
}
