package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

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

// The page in pixels: pictures per row, a picture's side, the room between two, that of the title and of a caption.
const (
	sheetColumns = 10
	sheetSide    = 56
	sheetGap     = 24
	sheetTop     = 36
	sheetLine    = 16
)

// SVG writes the page as one document, with the pictures in it.
func (s *Sheet) SVG(w io.Writer) error {
	if err := s.check(); err != nil {
		return err
	}
	d := newDrawing(s.size())
	d.text(sheetGap, 22, 13, "start", s.Title)
	for k, p := range s.Pictures {
		var b bytes.Buffer
		if err := png.Encode(&b, p.Image); err != nil {
			return err
		}
		x, y := corner(k)
		d.printf(`<image x="%d" y="%d" width="%d" height="%[3]d" style="image-rendering:pixelated" `+
			`href="data:image/png;base64,%s"/>`+"\n", x, y, sheetSide, base64.StdEncoding.EncodeToString(b.Bytes()))
		d.text(x+sheetSide/2, y+sheetSide+sheetLine-4, 10, "middle", p.Caption)
	}
	return d.end(w)
}

// PNG writes the page as an image with a picture's pixels enlarged and not smoothed, for what cannot show an SVG.
func (s *Sheet) PNG(w io.Writer) error {
	if err := s.check(); err != nil {
		return err
	}
	width, height := s.size()
	const dpi = 72 // a pixel is a point
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(width), vg.Length(height)), vgimg.UseDPI(dpi))
	page := canvas.Image()
	canvas.SetColor(color.Black)
	// The canvas counts from the bottom, the page from the top.
	write := func(face font.Face, x vg.Length, y int, line string) {
		canvas.FillString(face, vg.Point{X: x, Y: vg.Length(height - y)}, line)
	}
	write(font.DefaultCache.Lookup(sans(13), 13), sheetGap, 22, s.Title)
	small := font.DefaultCache.Lookup(sans(10), 10)
	for k, p := range s.Pictures {
		x, y := corner(k)
		enlarge(page, image.Rect(x, y, x+sheetSide, y+sheetSide), p.Image)
		write(small, vg.Length(x)+(sheetSide-small.Width(p.Caption))/2, y+sheetSide+sheetLine-4, p.Caption)
	}
	return png.Encode(w, page)
}

// check returns the first reason why the page cannot be drawn.
func (s *Sheet) check() error {
	for k, p := range s.Pictures {
		if p.Image == nil || p.Image.Bounds().Empty() {
			return fmt.Errorf("sheet %q: picture %d, %q, is empty", s.Title, k+1, p.Caption)
		}
	}
	return nil
}

// size returns the page's width and height.
func (s *Sheet) size() (width, height int) {
	rows := (len(s.Pictures) + sheetColumns - 1) / sheetColumns
	return sheetGap + sheetColumns*(sheetSide+sheetGap), sheetTop + rows*(sheetSide+sheetLine+sheetGap)
}

// corner returns the left and upper corner of picture k.
func corner(k int) (x, y int) {
	return sheetGap + k%sheetColumns*(sheetSide+sheetGap), sheetTop + k/sheetColumns*(sheetSide+sheetLine+sheetGap)
}

// enlarge fills a part of the page with a picture; each pixel of the page takes the picture's nearest one.
func enlarge(page draw.Image, part image.Rectangle, picture image.Image) {
	from := picture.Bounds()
	for y := range part.Dy() {
		for x := range part.Dx() {
			nearest := picture.At(from.Min.X+x*from.Dx()/part.Dx(), from.Min.Y+y*from.Dy()/part.Dy())
			page.Set(part.Min.X+x, part.Min.Y+y, nearest)
		}
	}
}
