package repro

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/internal/report"
)

// WriteHyper writes the studies as Markdown tables and as charts: the courses of loss and validation accuracy by epoch,
// and for the network's shape the accuracies by hidden nodes. It returns the files' paths.
func WriteHyper(dir string, results []*HyperResult) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("# Hyper-parameters\n\nThe second task with the paper's settings as printed but for what is varied; " +
		"means with 95 % intervals\n(Student's t).\n")
	for _, r := range results {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n", r.Title, r.how())
		if err := r.table().Markdown(&b); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(dir, "hyper.md")
	if err := report.WriteFile(path, b.Bytes()); err != nil {
		return nil, err
	}
	paths = []string{path}
	for _, r := range results {
		drawn, err := r.draw(dir)
		paths = append(paths, drawn...)
		if err != nil {
			return paths, err
		}
	}
	return paths, nil
}

// draw writes the study's charts.
func (r *HyperResult) draw(dir string) (paths []string, err error) {
	name := func(what string) string { return filepath.Join(dir, fmt.Sprintf("hyper-%s%s.svg", r.Study, what)) }
	switch r.Study {
	case "initialisation":
		return []string{name("")}, writeCurve(name(""), r.how(), r.Settings[0].curves)
	case "network":
		return []string{name("")}, r.accuracies().write(name(""))
	}
	loss := r.courses("cross-entropy loss", func(e deeppsl.Epoch) float64 { return e.Loss })
	if err := loss.write(name("-loss")); err != nil {
		return nil, err
	}
	validation := r.courses("validation accuracy", func(e deeppsl.Epoch) float64 { return e.Validation })
	return []string{name("-loss"), name("-accuracy")}, validation.write(name("-accuracy"))
}

// drawing is a chart that writes itself to a file.
type drawing struct{ report.Chart }

func (d *drawing) write(path string) error {
	return report.WriteFileFunc(path, func(w io.Writer) error { return d.SVG(w) })
}

// courses draws a number of each epoch, a line with a band for each setting.
func (r *HyperResult) courses(what string, of func(deeppsl.Epoch) float64) *drawing {
	d := &drawing{report.Chart{Title: r.how(), XLabel: "epoch", YLabel: what}}
	for _, s := range r.Settings {
		d.Series = append(d.Series, series(s.Name, s.curves, of))
	}
	return d
}

// accuracies draws the accuracy by hidden nodes, a line for each dropout, with the paper's.
func (r *HyperResult) accuracies() *drawing {
	d := &drawing{report.Chart{Title: r.how(), XLabel: "hidden nodes", YLabel: "accuracy, %"}}
	for _, printed := range []bool{false, true} {
		for k, dropout := range dropouts {
			line := report.Series{Name: fmt.Sprintf("dropout %g", dropout)}
			if printed {
				line.Name += ", the paper's"
			}
			for h, hidden := range hiddenNodes {
				accuracy := r.Settings[k*len(hiddenNodes)+h].Accuracy
				if printed {
					accuracy = paperNetwork[k][h]
				}
				line.X, line.Y = append(line.X, float64(hidden)), append(line.Y, accuracy.Mean)
			}
			d.Series = append(d.Series, line)
		}
	}
	return d
}
