package repro

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

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
		return []string{name("")}, r.course().write(name(""))
	case "network":
		return []string{name("")}, r.accuracies().write(name(""))
	}
	loss, validation := r.courses()
	if err := loss.write(name("-loss")); err != nil {
		return nil, err
	}
	return []string{name("-loss"), name("-accuracy")}, validation.write(name("-accuracy"))
}

// drawing is a chart that writes itself to a file.
type drawing struct{ report.Chart }

func (d *drawing) write(path string) error {
	return report.WriteFileFunc(path, func(w io.Writer) error { return d.SVG(w) })
}

// course draws loss and validation accuracy of the first setting in one chart, as the paper does.
func (r *HyperResult) course() *drawing {
	s := &r.Settings[0]
	return &drawing{report.Chart{Title: r.how(), XLabel: "epoch", YLabel: "loss, share right", Series: []report.Series{
		band("cross-entropy loss", s.Loss, 1, math.Inf(1)), band("validation accuracy", s.Validations, 0.01, 1),
	}}}
}

// courses draws loss and validation accuracy, each with a line for each setting.
func (r *HyperResult) courses() (loss, validation *drawing) {
	loss = &drawing{report.Chart{Title: r.how(), XLabel: "epoch", YLabel: "cross-entropy loss"}}
	validation = &drawing{report.Chart{Title: r.how(), XLabel: "epoch", YLabel: "validation accuracy, %"}}
	for _, s := range r.Settings {
		loss.Series = append(loss.Series, band(s.Name, s.Loss, 1, math.Inf(1)))
		validation.Series = append(validation.Series, band(s.Name, s.Validations, 1, 100))
	}
	return loss, validation
}

// band draws means by epoch, in units of their own, with the intervals if there are any, as far as these are between 0
// and most: those of few runs go beyond what is possible.
func band(name string, means []Mean, unit, most float64) report.Series {
	s := report.Series{Name: name}
	for epoch, m := range means {
		s.X, s.Y = append(s.X, float64(epoch)), append(s.Y, unit*m.Mean)
		if !math.IsNaN(m.CI95) {
			s.Low = append(s.Low, max(0, unit*(m.Mean-m.CI95)))
			s.High = append(s.High, min(most, unit*(m.Mean+m.CI95)))
		}
	}
	return s
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
