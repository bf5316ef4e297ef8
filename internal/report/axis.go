package report

import (
	"math"
	"slices"
	"strconv"
)

// axis is the range of one coordinate of a chart.
type axis struct {
	log       bool
	low, high float64
	known     bool // something is covered
}

// cover extends the axis to values, which are finite.
func (a *axis) cover(values []float64) {
	low, high := slices.Min(values), slices.Max(values)
	if a.known {
		low, high = min(a.low, low), max(a.high, high)
	}
	a.low, a.high, a.known = low, high, true
}

// widen gives an axis of a single value a width.
func (a *axis) widen() {
	switch {
	case a.high > a.low:
	case a.log:
		a.low, a.high = max(a.low/2, math.SmallestNonzeroFloat64), min(2*a.high, math.MaxFloat64)
	default:
		by := max(1, math.Abs(a.low)/2)
		a.low, a.high = max(a.low-by, -math.MaxFloat64), min(a.high+by, math.MaxFloat64)
	}
}

// share returns where a value stands between the ends: 0 is the lower one, 1 the upper one. Halves keep the difference
// of large ends finite.
func (a *axis) share(v float64) float64 {
	if a.log {
		return (math.Log(v) - math.Log(a.low)) / (math.Log(a.high) - math.Log(a.low))
	}
	return (v/2 - a.low/2) / (a.high/2 - a.low/2)
}

// A tick is a value of an axis that is marked.
type tick struct {
	value float64
	label string // may be ""
}

// ticks returns what the axis marks.
func (a *axis) ticks() []tick {
	if a.log {
		return logTicks(a.low, a.high)
	}
	return linearTicks(a.low, a.high)
}

// maxTicks ends the ticks of axes whose values floating point can hardly tell apart.
const maxTicks = 12

// linearTicks marks and labels about five multiples of 1, 2 or 5 times a power of ten between low and high.
func linearTicks(low, high float64) []tick {
	span := high/5 - low/5
	decade := math.Pow10(int(math.Floor(math.Log10(span))))
	if !(span > 0 && decade > 0) {
		return []tick{{low, strconv.FormatFloat(low, 'g', 4, 64)}}
	}
	step := decade
	for _, multiple := range []float64{2, 5, 10} {
		if 5*(span/step) > 6 {
			step = multiple * decade
		}
	}
	var ticks []tick
	for first, k := math.Ceil(low/step-1e-9), 0; k < maxTicks; k++ {
		// Rounding to the step's own precision keeps 0.30000000000000004 off the axis; adding 0 makes 0 of -0.
		value := (first+float64(k))*step + 0
		if !(value-high <= 1e-9*step) {
			break
		}
		ticks = append(ticks, tick{value, strconv.FormatFloat(value, 'g', 6, 64)})
	}
	return ticks
}

// logTicks marks 1, 2, … 9 in each decade between low and high. Powers of ten are labelled, and if there are less than
// two of them, 2 and 5 as well, so that an axis within one decade can be read.
func logTicks(low, high float64) []tick {
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	narrow := math.Log10(high)-math.Log10(low) < 2
	every := 1 + (last-first)/maxTicks // of very many decades, not each one
	var ticks []tick
	for decade := first; decade <= last; decade += every {
		for digit := 1; digit <= 9; digit++ {
			value := float64(digit) * math.Pow10(decade)
			if value < low*(1-1e-9) || value > high*(1+1e-9) || every > 1 && digit > 1 {
				continue
			}
			t := tick{value: value}
			if digit == 1 || narrow && (digit == 2 || digit == 5) {
				t.label = strconv.FormatFloat(value, 'g', 3, 64)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}
