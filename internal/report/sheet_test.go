package report

import (
	"bytes"
	"image"
	"image/color"
	"io"
	"strings"
	"testing"
)

// misread returns a page of n pictures of 28×28 pixels, all grey but for a dot.
func misread(n int) *Sheet {
	s := &Sheet{Title: "misread"}
	for range n {
		picture := image.NewGray(image.Rect(0, 0, 28, 28))
		for i := range picture.Pix {
			picture.Pix[i] = 100
		}
		picture.SetGray(3, 5, color.Gray{Y: 250})
		s.Pictures = append(s.Pictures, Picture{picture, "4 as 9"})
	}
	return s
}

func TestSheetSVG(t *testing.T) {
	var b bytes.Buffer
	if err := misread(11).SVG(&b); err != nil {
		t.Fatal(err)
	}
	if got := elements(t, b.Bytes()); got["image"] != 11 || got["text"] != 12 {
		t.Errorf("elements %v", got)
	}
}

func TestSheetErrors(t *testing.T) {
	for _, empty := range []image.Image{nil, image.NewGray(image.Rectangle{})} {
		s := misread(1)
		s.Pictures = append(s.Pictures, Picture{empty, "1 as 7"})
		if err := s.SVG(io.Discard); err == nil || !strings.Contains(err.Error(), `picture 2, "1 as 7", is empty`) {
			t.Errorf("error %v", err)
		}
	}
	if err := (&Sheet{Title: "none"}).SVG(io.Discard); err != nil {
		t.Errorf("an empty sheet: %v", err)
	}
}
