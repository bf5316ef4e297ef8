package dataset

import (
	"math"
	"math/rand/v2"
)

// drawnSize is the number of rows and columns of a drawn digit: MNIST's.
const drawnSize = 28

// point is a place in a picture, right and down from the middle of a square of size 2.
type point struct{ x, y float64 }

// stroke is a line through points.
type stroke []point

// glyphs are ways to write each digit, in strokes within the square.
var glyphs = [10][][]stroke{
	{{arc(0, 0, 0.55, 0.9, 0, 360)}, {arc(0, 0, 0.7, 0.8, 20, 375)}},
	{{{{0, -0.9}, {0, 0.9}}}, {{{-0.35, -0.55}, {0.05, -0.9}, {0.05, 0.9}}}, {{{0.15, -0.9}, {-0.1, 0.9}}}},
	{
		{append(arc(0, -0.4, 0.5, 0.5, 180, 400), point{-0.55, 0.9}, point{0.6, 0.9})},
		{append(arc(0, -0.4, 0.55, 0.5, 200, 410), stroke{{-0.3, 0.6}, {-0.5, 0.85}, {-0.1, 0.7}, {0.6, 0.9}}...)},
	},
	{
		{append(arc(-0.05, -0.45, 0.5, 0.45, 200, 450), arc(-0.05, 0.42, 0.58, 0.48, -90, 160)...)},
		{{{-0.5, -0.9}, {0.5, -0.9}, {0, -0.1}}, arc(-0.05, 0.4, 0.55, 0.5, -90, 150)},
	},
	{
		{{{-0.3, -0.9}, {-0.55, 0.2}, {0.6, 0.2}}, {{0.3, -0.5}, {0.2, 0.9}}},
		{{{0.25, 0.9}, {0.25, -0.9}, {-0.6, 0.3}, {0.6, 0.3}}},
	},
	{
		{append(stroke{{0.5, -0.9}, {-0.4, -0.9}, {-0.45, -0.1}}, arc(-0.02, 0.38, 0.55, 0.5, -130, 150)...)},
		{
			append(stroke{{-0.35, -0.85}, {-0.4, -0.1}}, arc(-0.02, 0.38, 0.5, 0.5, -120, 140)...),
			{{-0.35, -0.85}, {0.55, -0.9}},
		},
	},
	{
		{append(stroke{{0.3, -0.9}, {-0.25, -0.3}, {-0.5, 0.3}}, arc(0, 0.42, 0.48, 0.46, 180, -190)...)},
		{append(stroke{{0.1, -0.9}, {-0.4, 0}}, arc(-0.02, 0.4, 0.45, 0.5, 190, 560)...)},
	},
	{
		{{{-0.5, -0.85}, {0.5, -0.85}, {-0.1, 0.9}}},
		{{{-0.5, -0.8}, {0.5, -0.85}, {0, 0.9}}, {{-0.25, 0.05}, {0.4, 0}}},
		{{{-0.5, -0.55}, {-0.45, -0.85}, {0.5, -0.85}, {0.15, 0}, {0.05, 0.9}}},
	},
	{
		{append(arc(0, -0.44, 0.42, 0.44, 90, 450), arc(0, 0.45, 0.5, 0.45, -90, 270)...)},
		{{{0.4, -0.7}, {0, -0.9}, {-0.4, -0.6}, {0, -0.1}, {0.45, 0.5}, {0, 0.9}, {-0.45, 0.5}, {0, -0.1}, {0.4, -0.7}}},
	},
	{
		{arc(-0.05, -0.4, 0.45, 0.46, 0, 360), {{0.4, -0.4}, {0.35, 0.9}}},
		{append(arc(-0.02, -0.42, 0.45, 0.44, 20, 380), point{0.35, 0.3}, point{-0.1, 0.9})},
	},
}

// arc is a piece of an ellipse from one angle to another, in degrees clockwise from the right.
func arc(x, y, width, height, from, to float64) stroke {
	const steps = 16
	s := make(stroke, steps+1)
	for k := range s {
		at := (from + (to-from)*float64(k)/steps) * math.Pi / 180
		s[k] = point{x + width*math.Cos(at), y + height*math.Sin(at)}
	}
	return s
}

// DrawDigits draws pictures of digits as someone writes them who has several ways for each: strokes that are turned,
// sheared, stretched, moved and bent at random, with a pen of some width and uneven ink. They look like MNIST's
// and need no download. Classes are drawn at random; the seed decides everything.
func DrawDigits(n int, seed uint64) *Images {
	random := rand.New(rand.NewPCG(seed, 0x646967697473))
	m := &Images{Rows: drawnSize, Columns: drawnSize, Labels: make([]byte, n)}
	m.Pixels = make([]byte, n*drawnSize*drawnSize)
	for k := range n {
		m.Labels[k] = byte(random.IntN(10))
		drawDigit(m.Pixel(k), int(m.Labels[k]), random)
	}
	return m
}

// drawDigit draws a digit.
func drawDigit(pixels []byte, digit int, random *rand.Rand) {
	ways := glyphs[digit]
	strokes := ways[random.IntN(len(ways))]
	place := distort(random)
	width := 0.09 + 0.09*random.Float64()
	lines := make([]stroke, len(strokes))
	for k, s := range strokes {
		lines[k] = make(stroke, len(s))
		for i, p := range s {
			p.x += 0.035 * random.NormFloat64()
			p.y += 0.035 * random.NormFloat64()
			lines[k][i] = place(p)
		}
	}
	const unit = 2.0 / 20 // the square of size 2 has 20 pixels, as the digits of MNIST have
	for row := range drawnSize {
		for column := range drawnSize {
			p := point{(float64(column) - 13.5) * unit, (float64(row) - 13.5) * unit}
			ink := (width-distance(p, lines))/unit + 0.5 // the share of the pixel that is within the pen's width
			grey := min(max(ink, 0), 1) * (1 - 0.1*math.Abs(random.NormFloat64()))
			pixels[row*drawnSize+column] = byte(255 * min(max(grey, 0), 1))
		}
	}
}

// distort returns a random affine map.
func distort(random *rand.Rand) func(point) point {
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*random.Float64() }
	sin, cos := math.Sincos(between(-0.26, 0.26))
	shear, wide, high := between(-0.3, 0.3), between(0.7, 1.15), between(0.8, 1.1)
	right, down := between(-0.2, 0.2), between(-0.2, 0.2)
	return func(p point) point {
		p.x, p.y = wide*(p.x-shear*p.y), high*p.y
		return point{cos*p.x - sin*p.y + right, sin*p.x + cos*p.y + down}
	}
}

// distance returns how far a point is from the lines.
func distance(p point, lines []stroke) float64 {
	least := math.Inf(1)
	for _, line := range lines {
		for k := 1; k < len(line); k++ {
			least = min(least, toSegment(p, line[k-1], line[k]))
		}
	}
	return least
}

// toSegment returns how far a point is from the line between two others.
func toSegment(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	along := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		along = min(max(((p.x-a.x)*dx+(p.y-a.y)*dy)/length, 0), 1)
	}
	return math.Hypot(p.x-a.x-along*dx, p.y-a.y-along*dy)
}
