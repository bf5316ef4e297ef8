package dataset

import (
	"slices"
	"testing"
)

func TestDrawDigits(t *testing.T) {
	m := DrawDigits(600, 7)
	if m.Len() != 600 || len(m.Pixels) != 600*28*28 {
		t.Fatalf("%d digits of %d pixels", m.Len(), len(m.Pixels))
	}
	if again := DrawDigits(600, 7); !slices.Equal(again.Pixels, m.Pixels) || !slices.Equal(again.Labels, m.Labels) {
		t.Error("the same seed draws other digits")
	}
	if other := DrawDigits(600, 8); slices.Equal(other.Pixels, m.Pixels) {
		t.Error("another seed draws the same digits")
	}
	counts := make([]int, 10)
	for k, label := range m.Labels {
		counts[label]++
		ink := 0
		for _, v := range m.Pixel(k) {
			if v > 127 {
				ink++
			}
		}
		if ink < 20 || ink > 400 {
			t.Errorf("digit %d has %d dark pixels", label, ink)
		}
	}
	if least := slices.Min(counts); least < 35 {
		t.Errorf("counts of the digits: %v", counts)
	}
}

// The digits can be told apart, but not by a template for each: then there would be nothing to learn.
func TestDrawnDigitsAreNeitherTrivialNorNoise(t *testing.T) {
	train, test := DrawDigits(1000, 1), DrawDigits(500, 2)
	means, counts := make([][784]float64, 10), make([]float64, 10)
	for k, label := range train.Labels {
		counts[label]++
		for i, v := range train.Pixel(k) {
			means[label][i] += float64(v)
		}
	}
	right := 0
	for k, label := range test.Labels {
		best, nearest := 0.0, -1
		for c := range means {
			sum := 0.0
			for i, v := range test.Pixel(k) {
				d := float64(v) - means[c][i]/counts[c]
				sum += d * d
			}
			if nearest < 0 || sum < best {
				best, nearest = sum, c
			}
		}
		if nearest == int(label) {
			right++
		}
	}
	if right < 250 || right > 450 {
		t.Errorf("the nearest mean is right for %d of 500", right)
	}
}

// Pictures have paper, full ink and greys between, as MNIST's have, and more digits begin with those of fewer.
func TestDrawnDigitsHavePaperAndInk(t *testing.T) {
	m := DrawDigits(200, 3)
	for k := range m.Len() {
		paper, grey := 0, 0
		for _, v := range m.Pixel(k) {
			switch {
			case v == 0:
				paper++
			case v < 200:
				grey++
			}
		}
		if darkest := slices.Max(m.Pixel(k)); darkest < 230 || paper < 392 || grey < 10 {
			t.Errorf("digit %d: the darkest pixel is %d, %d are 0 and %d are grey", m.Labels[k], darkest, paper, grey)
		}
	}
	if few := DrawDigits(50, 3); !slices.Equal(few.Pixels, m.Slice(0, 50).Pixels) {
		t.Error("the first 50 of 200 digits are not the 50 of the same seed")
	}
	if none := DrawDigits(0, 3); none.Len() != 0 || none.Rows != 28 || none.Columns != 28 {
		t.Errorf("no digits are %d of %d×%d", none.Len(), none.Rows, none.Columns)
	}
}

// BenchmarkDrawDigits reports the time of a picture.
func BenchmarkDrawDigits(b *testing.B) {
	const n = 100
	for b.Loop() {
		DrawDigits(n, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n*b.N), "µs/picture")
}
