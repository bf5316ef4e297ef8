package main

import (
	"math"
	"sync"

	"github.com/deeppsl/deeppsl/internal/dataset"
)

// A picture has 8 rows of 8 pixels, from 0 to 16, as scanners of the nineties made them.
const side = 8

// drawn is a set of pictures with what they show.
type drawn struct {
	pixels [][]float64
	digit  []int
}

// allDigits are drawn once.
var allDigits = sync.OnceValue(func() *drawn {
	images := dataset.DrawDigits(7_000, 8)
	d := new(drawn)
	for k := range images.Len() {
		d.pixels = append(d.pixels, shrink(images.Pixel(k), images.Columns))
		d.digit = append(d.digit, int(images.Labels[k]))
	}
	return d
})

// shrink fits the ink into a square of side pixels: its height fills the square, its width is in proportion, or fills
// it too. Each pixel is the mean of what it covers.
func shrink(pixels []byte, columns int) []float64 {
	top, left, bottom, right := columns, columns, 0, 0
	for k, ink := range pixels {
		if ink > 64 {
			row, column := k/columns, k%columns
			top, bottom = min(top, row), max(bottom, row+1)
			left, right = min(left, column), max(right, column+1)
		}
	}
	const fine = 6 // samples of a pixel in each direction
	high := float64(bottom-top) / (side * fine)
	wide := max(high, float64(right-left)/(side*fine))
	small := make([]float64, side*side)
	for k := range side * fine * side * fine {
		down, across := k/(side*fine), k%(side*fine)
		row := top + int((float64(down)+0.5)*high)
		column := int(math.Floor(float64(left+right)/2 + (float64(across)+0.5-side*fine/2)*wide))
		if column >= 0 && column < columns && row < columns {
			small[down/fine*side+across/fine] += float64(pixels[row*columns+column]) / 255 * 16 / (fine * fine)
		}
	}
	for k := range small {
		small[k] = math.Round(small[k])
	}
	return small
}

// digitsTask is the classification of 1,797 pictures, 50 of which have labels.
func digitsTask(change func(*classification)) func(seed uint64) (*problem, error) {
	return func(seed uint64) (*problem, error) {
		const n = 1797
		random := newRandom("digits", seed)
		all := allDigits()
		c := &classification{classes: 10, hidden: []int{32}}
		for _, k := range random.Perm(len(all.digit))[:n] {
			c.x, c.y = append(c.x, all.pixels[k]), append(c.y, all.digit[k])
		}
		c.links = neighbours(c.x, 5)
		c.split(random, 50, 0)
		change(c)
		p := c.problem()
		p.reference = c.spread()
		return p, nil
	}
}
