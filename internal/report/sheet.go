package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io"
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
		d.printf(`<image x="%d" y="%d" width="%d" height="%[3]d" image-rendering="pixelated" `+
			`href="data:image/png;base64,%s"/>`+"\n", x, y, sheetSide, base64.StdEncoding.EncodeToString(b.Bytes()))
		d.text(x+sheetSide/2, y+sheetSide+sheetLine-4, 10, "middle", p.Caption)
	}
	return d.end(w)
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
