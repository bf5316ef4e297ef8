package repro

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/task"
)

// paperT1 is what the paper prints, for sums of one digit each.
var paperT1 = Mean{96.2, 0.2}

// WriteT1 writes the result as a Markdown table beside the paper's number, the learning curve and, of the last run, a
// confusion matrix of the test pictures and a page of those that were misread. It returns the files' paths.
func WriteT1(dir string, r *T1Result) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	last := &r.runs[len(r.runs)-1]
	name := fmt.Sprintf("t1-%d-%s-%d", r.Digits, r.Net, r.TrainPairs)
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{name + ".md", r.markdown},
		{name + "-curve.svg", func(w io.Writer) error { return task.DrawCurve(w, r.title(), r.runs) }},
		{name + "-confusion.svg", func(w io.Writer) error { return last.DrawConfusion(w, r.test) }},
		{name + "-misread.svg", func(w io.Writer) error { return last.DrawMisread(w, r.test) }},
	} {
		path := filepath.Join(dir, file.name)
		if err := report.WriteFileFunc(path, file.write); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// markdown writes the table.
func (r *T1Result) markdown(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("# T1: addition of handwritten digits\n\nPairs of consecutive pictures in MNIST's order, learned " +
		"from their sums alone; means over runs with 95 % intervals (Student's t).\n\n")
	paper := "-"
	if r.Digits == 1 && r.TrainPairs == 30000 {
		paper = paperT1.String()
	}
	table := report.NewTable("digits", "network", "pairs", "runs", "sums %", "the paper's", "digits %", "training s",
		"rules' share %", "peak MiB")
	table.Row(r.Digits, r.Net, r.TrainPairs, r.Runs, r.SumAccuracy.String(), paper, r.DigitAccuracy.String(),
		decimals(r.TrainSeconds.Median, 1), decimals(100*r.RulesShare.Median, 1), r.PeakRSS>>20)
	if err := table.Markdown(&b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
