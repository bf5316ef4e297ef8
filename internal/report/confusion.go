package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// Confusion is a table of how often each class was taken for each.
type Confusion struct {
	Title   string
	Classes []string
	Counts  [][]int // by true class, then by the one it was taken for
}

// SVG writes the table as a picture: the darker a cell, the larger its share of the row. Cells of 0 stay empty. The
// error is the writer's, or says why there is no such table.
func (c *Confusion) SVG(w io.Writer) error {
	if err := c.check(); err != nil {
		return err
	}
	const top, margin = 64, 16
	longest := c.longest()
	cell, left := max(34, longest+margin/2), max(60, longest+margin)
	side := cell * len(c.Classes)
	d := newDrawing(max(left+side, left+textWidth(c.Title, 13))+margin, top+side+margin)
	d.text(left, 20, 13, "start", c.Title)
	d.text(left, 38, 11, "start", "taken for")
	d.text(6, top-8, 11, "start", "true")
	for row, counts := range c.Counts {
		total := 0
		for _, n := range counts {
			total += n
		}
		y := top + cell*row
		d.text(left-8, y+cell/2+4, 11, "end", c.Classes[row])
		d.text(left+cell*row+cell/2, top-8, 11, "middle", c.Classes[row])
		for column, n := range counts {
			d.cell(left+cell*column, y, cell, n, float64(n)/float64(max(1, total)))
		}
	}
	return d.end(w)
}

// check returns the first reason why the table cannot be drawn.
func (c *Confusion) check() error {
	if len(c.Classes) == 0 || len(c.Counts) != len(c.Classes) {
		return fmt.Errorf("confusion %q: %d rows of counts for %d classes", c.Title, len(c.Counts), len(c.Classes))
	}
	for row, counts := range c.Counts {
		if len(counts) != len(c.Classes) {
			return fmt.Errorf("confusion %q: class %q has %d counts, one for each of %d classes is wanted", c.Title,
				c.Classes[row], len(counts), len(c.Classes))
		}
		for column, n := range counts {
			if n < 0 {
				return fmt.Errorf("confusion %q: class %q was taken for %q %d times", c.Title, c.Classes[row],
					c.Classes[column], n)
			}
		}
	}
	return nil
}

// longest returns the width of the longest name, so that no name is cut or runs into the next.
func (c *Confusion) longest() int {
	width := 0
	for _, name := range c.Classes {
		width = max(width, textWidth(name, 11))
	}
	return width
}

// textWidth estimates the width of a line: letters of common fonts are 0.6 of their size wide at most, on average.
func textWidth(line string, size int) int { return utf8.RuneCountInString(line) * size * 6 / 10 }

// drawing is an SVG document that is written piece by piece.
type drawing struct{ bytes.Buffer }

func newDrawing(width, height int) *drawing {
	d := new(drawing)
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+"\n",
		width, height)
	d.printf(`<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	return d
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.Buffer, format, args...) }

// text writes a line; x is where it starts or ends, or its middle.
func (d *drawing) text(x, y, size int, anchor, line string) {
	d.printf(`<text x="%d" y="%d" font-size="%d" text-anchor="%s" font-family="sans-serif">`, x, y, size, anchor)
	d.escape(line)
	d.printf("</text>\n")
}

// escape writes text or a value between quotes.
func (d *drawing) escape(text string) { _ = xml.EscapeText(&d.Buffer, []byte(text)) } // a buffer takes everything

// cell draws a square with a count, shaded by a share. The root keeps small shares visible.
func (d *drawing) cell(x, y, size, count int, share float64) {
	d.printf(`<rect x="%d" y="%d" width="%d" height="%[3]d" fill="#0072b2" fill-opacity="%.3f" stroke="#ddd"/>`+"\n", x, y,
		size, math.Sqrt(share))
	if count == 0 {
		return
	}
	ink := "#000"
	if share > 0.25 {
		ink = "#fff"
	}
	d.printf(`<text x="%d" y="%d" font-size="10" text-anchor="middle" fill="%s" `+
		`font-family="sans-serif">%d</text>`+"\n", x+size/2, y+size/2+4, ink, count)
}

func (d *drawing) end(w io.Writer) error {
	d.printf("</svg>\n")
	_, err := w.Write(d.Bytes())
	return err
}
