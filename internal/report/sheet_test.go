package report

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"path/filepath"
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

// pageOf writes a sheet to a file and reads it back.
func pageOf(t *testing.T, s *Sheet) image.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sheet.png")
	if err := WriteFileFunc(path, s.PNG); err != nil {
		t.Fatal(err)
	}
	wantAlone(t, path)
	var b bytes.Buffer
	if err := s.PNG(&b); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, b.String()) // the same bytes each time
	page, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func grey(page image.Image, x, y int) uint8 {
	return color.GrayModel.Convert(page.At(x, y)).(color.Gray).Y
}

// ink counts the dark pixels of a part of a page.
func ink(page image.Image, part image.Rectangle) int {
	dark := 0
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if grey(page, x, y) < 128 {
				dark++
			}
		}
	}
	return dark
}

func TestSheetPNG(t *testing.T) {
	s := misread(11)
	s.Pictures[1].Caption = ""
	page := pageOf(t, s)
	if got, want := page.Bounds(), image.Rect(0, 0, 24+10*80, 36+2*96); got != want {
		t.Fatalf("the page is %v, want %v", got, want)
	}
	for _, k := range []int{0, 9, 10} {
		x, y := corner(k)
		for _, dot := range []struct{ x, y, want int }{
			{x + 6, y + 10, 250}, {x + 7, y + 11, 250}, {x + 8, y + 10, 100}, {x + 55, y + 55, 100}, {x - 1, y, 255},
		} {
			if got := grey(page, dot.x, dot.y); int(got) != dot.want {
				t.Errorf("picture %d: pixel %d, %d is %d, want %d", k, dot.x, dot.y, got, dot.want)
			}
		}
		if caption := image.Rect(x, y+sheetSide, x+sheetSide, y+sheetSide+sheetLine); ink(page, caption) < 20 {
			t.Errorf("picture %d has no caption", k)
		}
	}
	x, y := corner(1)
	if dark := ink(page, image.Rect(x, y+sheetSide, x+sheetSide, y+sheetSide+sheetLine)); dark != 0 {
		t.Errorf("an empty caption has %d dark pixels", dark)
	}
	if ink(page, image.Rect(0, 0, 100, sheetTop)) < 20 {
		t.Error("the page has no title")
	}
}

func TestSheetErrors(t *testing.T) {
	for _, empty := range []image.Image{nil, image.NewGray(image.Rectangle{})} {
		s := misread(1)
		s.Pictures = append(s.Pictures, Picture{empty, "1 as 7"})
		for form, write := range map[string]func(io.Writer) error{"SVG": s.SVG, "PNG": s.PNG} {
			if err := write(io.Discard); err == nil || !strings.Contains(err.Error(), `picture 2, "1 as 7", is empty`) {
				t.Errorf("%s: error %v", form, err)
			}
		}
	}
	if page := pageOf(t, &Sheet{Title: "none"}); page.Bounds().Dy() != sheetTop {
		t.Errorf("an empty sheet is %v", page.Bounds())
	}
}
