package report

import (
	"fmt"
	"io"
	"math"
)

// Waterfall is a chart of parts that add up: each bar begins where the one before it ended.
type Waterfall struct {
	Title string
	Parts []Part
	Total string // the name of the sum
}

// Part is one bar.
type Part struct {
	Name  string
	Value float64
}

// The sizes of a waterfall in pixels: a bar's row, the room above, the plot's width, and the most that names take.
const (
	waterfallRow, waterfallTop, waterfallPlot, waterfallNames = 20, 34, 360, 420
)

// SVG writes the chart. Its bytes are a function of the chart alone. The error is the writer's, or says that a part
// is no number.
func (c *Waterfall) SVG(w io.Writer) error {
	low, high, sum, names := 0.0, 0.0, 0.0, textWidth(c.Total, 10)
	for _, p := range c.Parts {
		if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			return fmt.Errorf("waterfall %q: the part %q is %v", c.Title, p.Name, p.Value)
		}
		sum += p.Value
		low, high = min(low, sum), max(high, sum)
		names = max(names, textWidth(p.Name, 10))
	}
	if low == high {
		high = low + 1
	}
	left := min(names, waterfallNames) + 10
	d := newDrawing(left+waterfallPlot+80, waterfallTop+(len(c.Parts)+1)*waterfallRow+10)
	d.text(10, 20, 12, "start", c.Title)
	place := func(v float64) float64 { return float64(left) + (v-low)/(high-low)*waterfallPlot }
	bar := func(k int, name string, from, to float64, colour string) {
		y := waterfallTop + k*waterfallRow
		d.text(left-6, y+13, 10, "end", clipped(name, waterfallNames*10/60))
		x, width := min(place(from), place(to)), math.Abs(place(to)-place(from))
		d.printf(`<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x, y+3, max(width, 1),
			waterfallRow-6, colour)
		d.text(int(x+width)+4, y+13, 9, "start", fmt.Sprintf("%+.4g", to-from))
	}
	at := 0.0
	for k, p := range c.Parts {
		colour := palette[0]
		if p.Value < 0 {
			colour = palette[1]
		}
		bar(k, p.Name, at, at+p.Value, colour)
		at += p.Value
	}
	bar(len(c.Parts), c.Total, 0, at, palette[6])
	bottom := waterfallTop + (len(c.Parts)+1)*waterfallRow
	d.printf(`<path d="M%.1f %dV%d" stroke="#999"/>`+"\n", place(0), waterfallTop, bottom)
	return d.end(w)
}

// clipped is the beginning of a name that is too long.
func clipped(name string, most int) string {
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return name
}
