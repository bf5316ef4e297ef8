package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/goldentest"
)

func TestChartForms(t *testing.T) {
	accuracy := &Chart{
		Title: "Accuracy on MNIST", XLabel: "training digits", YLabel: "accuracy",
		Series: []Series{
			{Name: "DeepPSL", X: []float64{1, 2, 3, 4}, Y: []float64{0.7, 0.8, 0.85, 0.9},
				Low: []float64{0.65, 0.77, 0.83, 0.89}, High: []float64{0.75, 0.83, 0.87, 0.91}},
			{Name: "network <alone>", X: []float64{1, 2, 3, 4}, Y: []float64{0.5, math.NaN(), 0.7, 0.75}},
		},
	}
	scaling := &Chart{
		Title: "Time to ground", XLabel: "atoms", YLabel: "seconds", LogX: true, LogY: true, Width: 360, Height: 240,
	}
	for k := range 8 {
		slope := 1 + 0.1*float64(k)
		scaling.Series = append(scaling.Series, Series{
			Name: "series " + string(rune('a'+k)), X: []float64{1e3, 1e4, 1e5, 1e6},
			Y: []float64{1e-3, math.Pow(10, slope-3), math.Pow(10, 2*slope-3), math.Pow(10, 3*slope-3)},
		})
	}
	narrow := &Chart{Title: "Within a decade", LogY: true,
		Series: []Series{{Name: "one", X: []float64{0, 1}, Y: []float64{2, 9}}}}
	point := &Chart{Title: "A single point", Series: []Series{{Name: "only", X: []float64{3}, Y: []float64{4}}}}
	for name, chart := range map[string]*Chart{
		"accuracy.svg": accuracy, "scaling.svg": scaling, "narrow.svg": narrow, "point.svg": point,
	} {
		t.Run(name, func(t *testing.T) {
			svg := render(t, chart)
			goldentest.File(t, "testdata/"+name, svg)
			if again := render(t, chart); !bytes.Equal(svg, again) {
				t.Error("a second rendering differs")
			}
			wellFormed(t, svg)
		})
	}
}

func render(t *testing.T, c *Chart) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.SVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal("the SVG is broken:", err)
		}
	}
}

func TestChartErrors(t *testing.T) {
	two := []float64{1, 2}
	for _, test := range []struct {
		name, want string
		chart      Chart
	}{
		{"empty", "no finite point", Chart{}},
		{"not finite", "no finite point", Chart{Series: []Series{{X: two, Y: []float64{math.NaN(), math.Inf(1)}}}}},
		{"lengths", "2 x, 1 y", Chart{Series: []Series{{X: two, Y: two[:1]}}}},
		{"half a band", "2 low and 0 high", Chart{Series: []Series{{X: two, Y: two, Low: two}}}},
		{"log x", "x = 0", Chart{LogX: true, Series: []Series{{X: []float64{1, 0}, Y: two}}}},
		{"log band", "y = -1", Chart{LogY: true, Series: []Series{{X: two, Y: two, Low: []float64{1, -1}, High: two}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.chart.SVG(io.Discard)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// Extreme but finite values must be drawn, within the picture and with ticks that end.
func TestChartExtremes(t *testing.T) {
	for _, y := range [][]float64{{0, 0}, {-1e300, 1e300}, {1e-300, 2e-300}, {5, 5}, {-math.MaxFloat64, math.MaxFloat64},
		{5e-324, 1e-323}, {5e-324, 1e308}, {1e16, 1e16 + 2}, {math.MaxFloat64, math.MaxFloat64}} {
		chart := Chart{Series: []Series{{Name: "s", X: []float64{1, 2}, Y: y}}}
		svg := render(t, &chart)
		wellFormed(t, svg)
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) || len(svg) > 1<<14 {
			t.Errorf("%v: %s", y, svg)
		}
		chart.LogY = y[0] > 0
		wellFormed(t, render(t, &chart))
	}
}
