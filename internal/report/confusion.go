package report

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
)

// Confusion is a table of how often each class was taken for each.
type Confusion struct {
	Title   string
	Classes []string
	Counts  [][]int // by true class, then by the one it was taken for
}

// SVG writes the table as a picture: the darker a cell, the larger its share of the row. Cells of 0 stay empty.
func (c *Confusion) SVG(w io.Writer) error {
	const cell, left, top = 34, 60, 64
	d := newDrawing(left+cell*len(c.Classes)+16, top+cell*len(c.Classes)+16)
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

// Sheet is a page of small pictures with captions.
type Sheet struct {
	Title    string
	Pictures []Picture
}

// Picture is an image with a line of text below it.
type Picture struct {
	Image   image.Image
	Caption string
}

// SVG writes the page as one document, with the pictures in it.
func (s *Sheet) SVG(w io.Writer) error {
	const columns, size, gap, top, line = 10, 56, 12, 36, 16
	rows := (len(s.Pictures) + columns - 1) / columns
	d := newDrawing(gap+columns*(size+gap), top+rows*(size+line+gap))
	d.text(gap, 22, 13, "start", s.Title)
	for k, p := range s.Pictures {
		var b bytes.Buffer
		if err := png.Encode(&b, p.Image); err != nil {
			return err
		}
		x, y := gap+k%columns*(size+gap), top+k/columns*(size+line+gap)
		d.printf(`<image x="%d" y="%d" width="%d" height="%[3]d" style="image-rendering:pixelated" `+
			`href="data:image/png;base64,%s"/>`+"\n", x, y, size, base64.StdEncoding.EncodeToString(b.Bytes()))
		d.text(x+size/2, y+size+line-4, 10, "middle", p.Caption)
	}
	return d.end(w)
}

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
	d.printf(`<text x="%d" y="%d" font-size="%d" text-anchor="%s" style="font-family:sans-serif">`, x, y, size, anchor)
	_ = xml.EscapeText(&d.Buffer, []byte(line)) // a buffer takes everything
	d.printf("</text>\n")
}

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
		`style="font-family:sans-serif">%d</text>`+"\n", x+size/2, y+size/2+4, ink, count)
}

func (d *drawing) end(w io.Writer) error {
	d.printf("</svg>\n")
	_, err := w.Write(d.Bytes())
	return err
}
