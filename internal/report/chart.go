package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Chart is a line chart of several series over common axes.
type Chart struct {
	Title         string
	XLabel        string
	YLabel        string
	LogX, LogY    bool // logarithmic axes; all their values must be positive
	Series        []Series
	Width, Height float64 // in pixels; zero means 480 × 300
}

// Series is one line, through the points (X, Y) in order. A Y that is not finite interrupts the line.
type Series struct {
	Name string
	X, Y []float64
	// Low and High bound a band around the line, such as a 95 % confidence interval; nil: no band.
	Low, High []float64
}

// palette holds the colours that Okabe and Ito chose to be told apart with any kind of colour vision, without the
// yellow, which is too pale for lines on white. Marks and dashes differ as well, so that charts survive grey printing.
var palette = []string{
	"#0072b2", // blue
	"#d55e00", // vermilion
	"#009e73", // bluish green
	"#cc79a7", // reddish purple
	"#e69f00", // orange
	"#56b4e9", // sky blue
	"#000000", // black
}

// marks show the points, as paths around one; with 7 colours and 5 marks, 35 series differ. The last two are hollow.
var marks = []struct {
	path   string
	hollow bool
}{
	{"m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z", false},
	{"m-2.5-2.5h5v5h-5z", false},
	{"m0-3l2.9 5h-5.8z", false},
	{"m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z", true},
	{"m-2.5-2.5h5v5h-5z", true},
}

// SVG writes the chart as an SVG document. Its bytes are a function of the chart alone. The error is the writer's, or
// says what in the chart cannot be drawn.
func (c *Chart) SVG(w io.Writer) error {
	if err := c.check(); err != nil {
		return err
	}
	f := c.frame()
	d := newDrawing(f.width, f.height)
	d.text((f.left+f.right)/2, 20, 12, "middle", c.Title)
	f.axes(d, c)
	for k := range c.Series {
		f.band(d, &c.Series[k], k) // all bands first, so that none covers a line
	}
	for k := range c.Series {
		f.line(d, &c.Series[k], k)
		f.legend(d, &c.Series[k], k)
	}
	return d.end(w)
}

// frame is where a chart's data are drawn, in pixels: the plot has the legend on its right, outside of the data.
type frame struct {
	width, height            int
	left, right, top, bottom int
	x, y                     axis
}

// frame measures a chart.
func (c *Chart) frame() *frame {
	f := &frame{width: 480, height: 300, top: 32, x: axis{log: c.LogX}, y: axis{log: c.LogY}}
	if c.Width > 0 {
		f.width = int(c.Width)
	}
	if c.Height > 0 {
		f.height = int(c.Height)
	}
	names, labels := 0, 0
	for k := range c.Series {
		s := &c.Series[k]
		names = max(names, textWidth(s.Name, 10))
		for _, run := range s.runs() {
			f.x.cover(s.X[run[0]:run[1]])
			f.y.cover(s.Y[run[0]:run[1]])
			if s.Low != nil {
				f.y.cover(s.Low[run[0]:run[1]])
				f.y.cover(s.High[run[0]:run[1]])
			}
		}
	}
	f.x.widen()
	f.y.widen()
	for _, tick := range f.y.ticks() {
		labels = max(labels, textWidth(tick.label, 9))
	}
	f.left = 14 + labels
	if c.YLabel != "" {
		f.left += 16
	}
	f.right = max(f.left+1, f.width-names-40)
	f.bottom = max(f.top+1, f.height-40)
	return f
}

// place returns where a point is drawn.
func (f *frame) place(x, y float64) (px, py float64) {
	return float64(f.left) + f.x.share(x)*float64(f.right-f.left), float64(f.bottom) - f.y.share(y)*float64(f.bottom-f.top)
}

// axes draws the labels, the grid and what the ticks say.
func (f *frame) axes(d *drawing, c *Chart) {
	d.text((f.left+f.right)/2, f.height-8, 11, "middle", c.XLabel)
	if c.YLabel != "" {
		d.printf(`<g transform="translate(14,%d) rotate(-90)">`, (f.top+f.bottom)/2)
		d.text(0, 0, 11, "middle", c.YLabel)
		d.printf("</g>\n")
	}
	for _, tick := range f.x.ticks() {
		x, _ := f.place(tick.value, f.y.low)
		d.printf(`<path d="M%.1f %dV%d" stroke="#eee"/>`+"\n", x, f.top, f.bottom)
		d.text(int(math.Round(x)), f.bottom+14, 9, "middle", tick.label)
	}
	for _, tick := range f.y.ticks() {
		_, y := f.place(f.x.low, tick.value)
		d.printf(`<path d="M%d %.1fH%d" stroke="#ddd"/>`+"\n", f.left, y, f.right)
		d.text(f.left-5, int(math.Round(y))+3, 9, "end", tick.label)
	}
	d.printf(`<path d="M%d %dV%dH%d" fill="none" stroke="#000"/>`+"\n", f.left, f.top, f.bottom, f.right)
}

// line draws the line and the points of series k.
func (f *frame) line(d *drawing, s *Series, k int) {
	for _, run := range s.runs() {
		var line, points strings.Builder
		for i := run[0]; i < run[1]; i++ {
			x, y := f.place(s.X[i], s.Y[i])
			fmt.Fprintf(&line, "%.1f,%.1f ", x, y)
			fmt.Fprintf(&points, "M%.1f %.1f%s", x, y, marks[k%len(marks)].path)
		}
		d.printf(`<polyline points="%s" %s/>`+"\n", strings.TrimSuffix(line.String(), " "), stroke(k))
		d.printf(`<path d="%s" %s/>`+"\n", points.String(), ink(k))
	}
}

// band draws the band of series k, if it has one.
func (f *frame) band(d *drawing, s *Series, k int) {
	if s.Low == nil {
		return
	}
	for _, run := range s.runs() {
		var outline strings.Builder
		for i := run[0]; i < run[1]; i++ {
			x, y := f.place(s.X[i], s.Low[i])
			fmt.Fprintf(&outline, "%.1f,%.1f ", x, y)
		}
		for i := run[1] - 1; i >= run[0]; i-- {
			x, y := f.place(s.X[i], s.High[i])
			fmt.Fprintf(&outline, "%.1f,%.1f ", x, y)
		}
		d.printf(`<polygon points="%s" fill="%s" fill-opacity="0.19"/>`+"\n", strings.TrimSuffix(outline.String(), " "),
			palette[k%len(palette)])
	}
}

// legend draws the name of series k, with its line and its mark.
func (f *frame) legend(d *drawing, s *Series, k int) {
	x, y := f.right+10, f.top+6+14*k
	if s.Low != nil {
		d.printf(`<rect x="%d" y="%d" width="20" height="10" fill="%s" fill-opacity="0.19"/>`+"\n", x, y-5,
			palette[k%len(palette)])
	}
	d.printf(`<path d="M%d %dh20" %s/>`+"\n", x, y, stroke(k))
	d.printf(`<path d="M%d %d%s" %s/>`+"\n", x+10, y, marks[k%len(marks)].path, ink(k))
	d.text(x+25, y+3, 10, "start", s.Name)
}

// stroke is how the line of series k is drawn, and ink how its marks are.
func stroke(k int) string {
	dashes := ""
	if k >= len(palette) {
		dashes = ` stroke-dasharray="4 3"`
	}
	return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.5"%s`, palette[k%len(palette)], dashes)
}

func ink(k int) string {
	colour := palette[k%len(palette)]
	if marks[k%len(marks)].hollow {
		return fmt.Sprintf(`fill="none" stroke="%s"`, colour)
	}
	return fmt.Sprintf(`fill="%s"`, colour)
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
