package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Chart is a line chart of several series over common axes.
type Chart struct {
	Title         string
	XLabel        string
	YLabel        string
	LogX, LogY    bool // logarithmic axes; all their values must be positive
	Series        []Series
	Width, Height float64 // in points; zero means 480 × 300
}

// Series is one line, through the points (X, Y) in order. A Y that is not finite interrupts the line.
type Series struct {
	Name string
	X, Y []float64
	// Low and High bound a band around the line, such as a 95 % confidence interval; nil: no band.
	Low, High []float64
}

// palette holds the colours that Okabe and Ito chose to be told apart with any kind of colour vision, without the
// yellow, which is too pale for lines on white. Glyphs and dashes differ as well, so that charts survive grey printing.
var palette = []color.NRGBA{
	{R: 0x00, G: 0x72, B: 0xB2, A: 0xFF}, // blue
	{R: 0xD5, G: 0x5E, B: 0x00, A: 0xFF}, // vermilion
	{R: 0x00, G: 0x9E, B: 0x73, A: 0xFF}, // bluish green
	{R: 0xCC, G: 0x79, B: 0xA7, A: 0xFF}, // reddish purple
	{R: 0xE6, G: 0x9F, B: 0x00, A: 0xFF}, // orange
	{R: 0x56, G: 0xB4, B: 0xE9, A: 0xFF}, // sky blue
	{R: 0x00, G: 0x00, B: 0x00, A: 0xFF}, // black
}

// glyphs mark the points; with 7 colours and 5 glyphs, 35 series differ.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{},
}

// bandAlpha makes overlapping bands readable.
const bandAlpha = 0x30

// SVG writes the chart as an SVG document. Its bytes are a function of the chart alone. The error is the writer's, or
// says what in the chart cannot be drawn.
func (c *Chart) SVG(w io.Writer) error {
	if err := c.check(); err != nil {
		return err
	}
	p := c.axes()
	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.TextStyle.Font = sans(10)
	legend.Padding = vg.Points(4)
	thumbs := make([][]plot.Thumbnailer, len(c.Series))
	for k := range c.Series {
		thumbs[k] = drawBand(p, &c.Series[k], k) // all bands first, so that none covers a line
	}
	for k := range c.Series {
		thumbs[k] = append(thumbs[k], drawLine(p, &c.Series[k], k)...)
		legend.Add(c.Series[k].Name, thumbs[k]...)
	}
	document := vgsvg.New(c.size())
	drawBeside(p, &legend, draw.New(document))
	var b bytes.Buffer
	if _, err := document.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte(fallback)))
	return err
}

// fallback lists fonts of the same widths, for viewers without the one that the text was measured with.
const fallback = "font-family:Liberation Sans,Arial,Helvetica,sans-serif;"

// size returns the chart's width and height.
func (c *Chart) size() (width, height vg.Length) {
	width, height = vg.Points(c.Width), vg.Points(c.Height)
	if width <= 0 {
		width = 480
	}
	if height <= 0 {
		height = 300
	}
	return width, height
}

// legendSlack is room for viewers whose fonts are wider than the one that the legend was measured with.
const legendSlack = 1.15

// drawBeside draws the plot and, on its right and outside the data, the legend.
func drawBeside(p *plot.Plot, legend *plot.Legend, canvas draw.Canvas) {
	const margin = 8
	canvas = draw.Crop(canvas, margin, -margin, margin, -margin)
	box := legend.Rectangle(canvas).Size()
	box.X *= legendSlack
	left := draw.Crop(canvas, 0, -box.X-2*margin, 0, 0)
	p.Draw(left)
	right := draw.Crop(canvas, canvas.Size().X-box.X, 0, 0, 0)
	legend.Draw(right)
}

// axes returns an empty plot with the chart's labels, scales and grid.
func (c *Chart) axes() *plot.Plot {
	p := plot.New()
	p.Title.Text = c.Title
	p.Title.TextStyle.Font = sans(12)
	p.Title.Padding = vg.Points(8)
	style(&p.X, c.XLabel, c.LogX)
	style(&p.Y, c.YLabel, c.LogY)
	grid := plotter.NewGrid()
	grid.Horizontal.Color = color.Gray{Y: 0xDD}
	grid.Vertical.Color = color.Gray{Y: 0xEE}
	p.Add(grid)
	return p
}

// style labels an axis and sets its scale.
func style(axis *plot.Axis, label string, log bool) {
	axis.Label.Text = label
	axis.Label.TextStyle.Font = sans(11)
	axis.Label.Padding = vg.Points(4)
	axis.Tick.Label.Font = sans(9)
	axis.Tick.Marker = plot.TickerFunc(linearTicks)
	if log {
		axis.Scale = plot.LogScale{}
		axis.Tick.Marker = plot.TickerFunc(logTicks)
	}
}

// sans is the font of all text at size points.
func sans(size font.Length) font.Font {
	return font.Font{Typeface: plot.DefaultFont.Typeface, Variant: "Sans", Size: size}
}

// linearTicks marks and labels about five multiples of 1, 2 or 5 times a power of ten between low and high.
func linearTicks(low, high float64) []plot.Tick {
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 4, 64)}}
	}
	decade := math.Pow10(int(math.Floor(math.Log10((high - low) / 5))))
	step := decade
	for _, multiple := range []float64{2, 5, 10} {
		if (high-low)/step > 6 {
			step = multiple * decade
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		// Rounding to the step's own precision keeps 0.30000000000000004 off the axis.
		value := k*step + 0 // adding 0 makes 0 of -0
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'g', 6, 64)})
	}
	return ticks
}

// logTicks marks 1, 2, … 9 in each decade between low and high. Powers of ten are labelled, and if there are less than
// two of them, 2 and 5 as well, so that an axis within one decade can be read.
func logTicks(low, high float64) []plot.Tick {
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	narrow := math.Log10(high/low) < 2
	var ticks []plot.Tick
	for decade := first; decade <= last; decade++ {
		for digit := 1; digit <= 9; digit++ {
			value := float64(digit) * math.Pow10(decade)
			if value < low*(1-1e-9) || value > high*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: value}
			if digit == 1 || narrow && (digit == 2 || digit == 5) {
				tick.Label = strconv.FormatFloat(value, 'g', 3, 64)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// drawLine adds the line and the points of series k, and returns their pictures for the legend.
func drawLine(p *plot.Plot, s *Series, k int) []plot.Thumbnailer {
	colour := palette[k%len(palette)]
	var thumbs []plot.Thumbnailer
	for _, run := range s.runs() {
		points := make(plotter.XYs, 0, run[1]-run[0])
		for i := run[0]; i < run[1]; i++ {
			points = append(points, plotter.XY{X: s.X[i], Y: s.Y[i]})
		}
		line := &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: colour, Width: vg.Points(1.5)}}
		if k >= len(palette) {
			line.LineStyle.Dashes = []vg.Length{4, 3}
		}
		marks := &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{
			Color: colour, Radius: vg.Points(2.5), Shape: glyphs[k%len(glyphs)],
		}}
		p.Add(line, marks)
		thumbs = []plot.Thumbnailer{line, marks}
	}
	return thumbs
}

// drawBand adds the band of series k, if it has one, and returns its picture for the legend.
func drawBand(p *plot.Plot, s *Series, k int) []plot.Thumbnailer {
	if s.Low == nil {
		return nil
	}
	colour := palette[k%len(palette)]
	colour.A = bandAlpha
	var thumbs []plot.Thumbnailer
	for _, run := range s.runs() {
		outline := make(plotter.XYs, 0, 2*(run[1]-run[0]))
		for i := run[0]; i < run[1]; i++ {
			outline = append(outline, plotter.XY{X: s.X[i], Y: s.Low[i]})
		}
		for i := run[1] - 1; i >= run[0]; i-- {
			outline = append(outline, plotter.XY{X: s.X[i], Y: s.High[i]})
		}
		band := &plotter.Polygon{XYs: []plotter.XYs{outline}, Color: colour}
		p.Add(band)
		thumbs = []plot.Thumbnailer{band}
	}
	return thumbs
}

// runs returns the half-open ranges of points between those that cannot be drawn.
func (s *Series) runs() [][2]int {
	var runs [][2]int
	start := 0
	for i := 0; i <= len(s.X); i++ {
		if i < len(s.X) && s.drawable(i) {
			continue
		}
		if i > start {
			runs = append(runs, [2]int{start, i})
		}
		start = i + 1
	}
	return runs
}

// drawable says whether all values of point i are finite.
func (s *Series) drawable(i int) bool {
	ok := finite(s.X[i]) && finite(s.Y[i])
	if s.Low != nil {
		ok = ok && finite(s.Low[i]) && finite(s.High[i])
	}
	return ok
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// check returns the first reason why the chart cannot be drawn.
func (c *Chart) check() error {
	drawn := 0
	for k := range c.Series {
		s := &c.Series[k]
		if len(s.Y) != len(s.X) || (s.Low == nil) != (s.High == nil) || s.Low != nil && len(s.Low) != len(s.X) ||
			len(s.Low) != len(s.High) {
			return fmt.Errorf("chart %q: series %q has %d x, %d y, %d low and %d high values", c.Title, s.Name,
				len(s.X), len(s.Y), len(s.Low), len(s.High))
		}
		for _, run := range s.runs() {
			drawn += run[1] - run[0]
			if err := c.checkLog(s, run); err != nil {
				return err
			}
		}
	}
	if drawn == 0 {
		return fmt.Errorf("chart %q: there is no finite point to draw", c.Title)
	}
	return nil
}

// checkLog refuses values that a logarithmic axis does not have.
func (c *Chart) checkLog(s *Series, run [2]int) error {
	smallest := func(columns ...[]float64) float64 {
		least := math.Inf(1)
		for _, column := range columns {
			if column != nil {
				least = min(least, slices.Min(column[run[0]:run[1]]))
			}
		}
		return least
	}
	if x := smallest(s.X); c.LogX && x <= 0 {
		return fmt.Errorf("chart %q: series %q has x = %g, but a logarithmic axis starts above 0", c.Title, s.Name, x)
	}
	if y := smallest(s.Y, s.Low, s.High); c.LogY && y <= 0 {
		return fmt.Errorf("chart %q: series %q has y = %g, but a logarithmic axis starts above 0", c.Title, s.Name, y)
	}
	return nil
}
