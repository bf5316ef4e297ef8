package repro

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/deeppsl/deeppsl/internal/report"
)

// WriteScaling writes the studies as Markdown tables beside the paper's numbers, and each as a chart with logarithmic
// axes. It returns the files' paths.
func WriteScaling(dir string, results []*ScalingResult) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("# Scaling\n\nSeconds of a cold inference to a proven gap, and of an epoch's ten gradient steps; " +
		"medians.\n")
	for _, r := range results {
		fmt.Fprintf(&b, "\n## %s\n\n", r.Dataset)
		if err := r.table().Markdown(&b); err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\n%s\n", r.exponents())
	}
	path := filepath.Join(dir, "scaling.md")
	if err := report.WriteFile(path, b.Bytes()); err != nil {
		return nil, err
	}
	paths = []string{path}
	for _, r := range results {
		path := filepath.Join(dir, fmt.Sprintf("scaling-%s.svg", r.Dataset))
		if err := report.WriteFileFunc(path, func(w io.Writer) error { return r.chart().SVG(w) }); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// table has a row per size.
func (r *ScalingResult) table() *report.Table {
	nodes, edges := "documents", "citations"
	if r.Dataset == "citeseer-er" {
		nodes, edges = "papers", "author references"
	}
	table := report.NewTable(nodes, edges, "ground rules", "counted as in the paper", "the paper's", "inference s",
		"of processors", "the paper's", "gradient steps s", "the paper's", "worst gap")
	for _, p := range r.Points {
		counted := report.Number("-")
		if p.Counted > 0 {
			counted = report.Number(fmt.Sprint(p.Counted))
		}
		table.Row(p.Nodes, p.Edges, p.GroundRules, counted, p.Paper.GroundRules, decimals(p.Inference, 4),
			decimals(p.Processor, 4), decimals(p.Paper.Inference, 2), decimals(p.Gradient, 4),
			decimals(p.Paper.Gradient, 2), report.Number(fmt.Sprintf("%.1e", p.Gap)))
	}
	return table
}

// chart draws the paper's series beside the measured ones, each over its own count of ground rules.
func (r *ScalingResult) chart() *report.Chart {
	ours := r.column(func(p ScalePoint) float64 { return float64(p.GroundRules) })
	paper := r.column(func(p ScalePoint) float64 { return float64(p.Paper.GroundRules) })
	series := func(name string, fit Power, x []float64, y func(ScalePoint) float64) report.Series {
		return report.Series{Name: fmt.Sprintf("%s, n^%.2f", name, fit.Exponent), X: x, Y: r.column(y)}
	}
	lines := []report.Series{
		series("inference", r.Inference, ours, func(p ScalePoint) float64 { return p.Inference }),
		series("gradient steps", r.Gradient, ours, func(p ScalePoint) float64 { return p.Gradient }),
		series("the paper's inference", r.PaperInference, paper, func(p ScalePoint) float64 { return p.Paper.Inference }),
		series("the paper's gradient steps", r.PaperGradient, paper,
			func(p ScalePoint) float64 { return p.Paper.Gradient }),
	}
	if r.Points[0].Processor > 0 { // otherwise the system does not say
		lines = append(lines, series("inference, processor time", r.Processor, ours,
			func(p ScalePoint) float64 { return p.Processor }))
	}
	return &report.Chart{Title: "Run time per epoch, " + r.Dataset, XLabel: "ground rules n", YLabel: "seconds",
		LogX: true, LogY: true, Width: 560, Series: lines}
}
