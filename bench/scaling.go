package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/stat"

	"github.com/deeppsl/deeppsl/internal/report"
)

// scaling is how a model's cost grows with the number of ground rules.
type scaling struct {
	Model   string    `json:"model"`
	Machine machine   `json:"machine"`
	Results []*result `json:"results"`
	// Exponents holds k of the fits c·nᵏ to the measured quantities over n ground rules; 1 is linear.
	Exponents exponents `json:"exponents"`
}

type exponents struct {
	Ground float64 `json:"ground"`
	Solve  float64 `json:"solve"`
	Total  float64 `json:"total"` // of grounding and solving
	RSS    float64 `json:"peak_rss"`
}

// The quantities that are plotted and fitted.
func groundTime(r *result) float64 { return r.Seconds.Ground }
func solveTime(r *result) float64  { return r.Seconds.Solve }
func totalTime(r *result) float64  { return r.Seconds.Ground + r.Seconds.Solve }
func peakRSS(r *result) float64    { return float64(r.PeakRSS) }

func newScaling(results []*result) *scaling {
	return &scaling{Model: results[0].Model, Results: results, Exponents: exponents{
		Ground: exponent(results, groundTime), Solve: exponent(results, solveTime),
		Total: exponent(results, totalTime), RSS: exponent(results, peakRSS),
	}}
}

// exponent fits a power of the number of ground rules to a quantity, by least squares of the logarithms. It is NaN if
// there are not two different sizes, or the quantity is not known.
func exponent(results []*result, of func(*result) float64) float64 {
	var x, y []float64
	for _, r := range results {
		x, y = append(x, math.Log(float64(r.GroundRules))), append(y, math.Log(of(r)))
	}
	_, k := stat.LinearRegression(x, y, nil, false)
	if math.IsInf(k, 0) {
		return math.NaN()
	}
	return k
}

// plot writes time.svg and memory.svg into a folder, which is made if need be. Systems that do not say what memory a
// process used have no memory.svg.
func (s *scaling) plot(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	time := s.chart("seconds", map[string]func(*result) float64{
		"ground": groundTime, "solve": solveTime, "ground and solve": totalTime,
	}, "ground", "solve", "ground and solve")
	if err := report.WriteFileFunc(filepath.Join(dir, "time.svg"), time.SVG); err != nil {
		return err
	}
	if s.Results[0].PeakRSS == 0 {
		return nil
	}
	memory := s.chart("bytes", map[string]func(*result) float64{"peak resident set": peakRSS}, "peak resident set")
	return report.WriteFileFunc(filepath.Join(dir, "memory.svg"), memory.SVG)
}

// chart draws quantities over the number of ground rules, with their exponents in the legend.
func (s *scaling) chart(unit string, quantities map[string]func(*result) float64, order ...string) *report.Chart {
	c := &report.Chart{Title: s.Model, XLabel: "ground rules", YLabel: unit, LogX: true, LogY: true}
	for _, name := range order {
		of := quantities[name]
		line := report.Series{Name: fmt.Sprintf("%s, exponent %.2f", name, exponent(s.Results, of))}
		for _, r := range s.Results {
			line.X, line.Y = append(line.X, float64(r.GroundRules)), append(line.Y, of(r))
		}
		c.Series = append(c.Series, line)
	}
	return c
}

// Text prints the measurements as a table, and the exponents below it.
func (s *scaling) Text(w io.Writer) error {
	t := report.NewTable("ground rules", "variables", "generate s", "ground s", "solve s", "rules/s", "objective", "gap",
		"bytes/rule", "peak RSS")
	for _, r := range s.Results {
		t.Row(r.GroundRules, r.Variables, digits(r.Seconds.Generate), digits(r.Seconds.Ground), digits(r.Seconds.Solve),
			digits(r.PerSecond), report.Number(fmt.Sprintf("%.8g", r.Objective)), digits(r.Gap), digits(r.Bytes),
			report.FormatBytes(float64(r.PeakRSS)))
	}
	first := s.Results[0]
	_, err := fmt.Fprintf(w, "%s, seed %d, %d threads, medians of %d\n\n", s.Model, first.Seed, first.Threads,
		first.Repeats)
	if err == nil {
		err = t.Text(w)
	}
	if err == nil && len(s.Results) > 1 {
		_, err = fmt.Fprintf(w, "\nexponents: ground %.2f, solve %.2f, both %.2f, peak RSS %.2f\n", s.Exponents.Ground,
			s.Exponents.Solve, s.Exponents.Total, s.Exponents.RSS)
	}
	return err
}
