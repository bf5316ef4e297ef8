package solve

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// repairs bounds the sweeps of Repair over the hard constraints: it is for points that are nearly feasible.
const repairs = 200

// Repair moves y, in the box, to a point near it that satisfies all hard constraints to within feasibility, and tells
// whether it got there; if not, y is as it was. It projects onto one violated constraint after the other, within the
// box (Bregman 1965), which is quick where few of them meet. It ends when stop returns true.
func Repair(field *mrf.Field, y []float64, feasibility float64, stop func() bool) bool {
	r := repair{field: field, y: append([]float64(nil), y...), margin: feasibility / 4}
	for range repairs {
		if stop() {
			return false
		}
		if r.sweep() <= feasibility/2 && field.MaxViolation(r.y) <= feasibility {
			copy(y, r.y)
			return true
		}
	}
	return false
}

// repair is a point on its way.
type repair struct {
	field  *mrf.Field
	y      []float64
	margin float64 // that inequalities are to hold with, so that neighbours have room
	row    mrf.RowBuffer
}

// sweep projects onto all constraints once, and returns the largest violation that it met.
func (r *repair) sweep() (worst float64) {
	for k, b := range r.field.Model.Blocks {
		if !b.Kind.Hard() {
			continue
		}
		constants := make([]float64, b.Len)
		r.field.Constants(k, 0, b.Len, constants)
		for j, c := range constants {
			vars, coef := b.Row(j, &r.row)
			d := r.slack(vars, coef, c)
			switch {
			case b.Kind == mrf.Equal:
				worst = max(worst, math.Abs(d))
			case d <= 0:
				continue
			default:
				worst = max(worst, d)
				d += r.margin
			}
			if d != 0 {
				r.project(vars, coef, d)
			}
		}
	}
	return worst
}

func (r *repair) slack(vars []int32, coef []float64, c float64) float64 {
	for k, i := range vars {
		c += coef[k] * r.y[i]
	}
	return c
}

// project takes d off a row's value: along its coefficients, but for variables that are at their bound already, and
// once more for what other bounds have kept.
func (r *repair) project(vars []int32, coef []float64, d float64) {
	for range len(vars) {
		room := 0.0
		for k, i := range vars {
			if a := coef[k]; r.y[i] > 0 && a*d > 0 || r.y[i] < 1 && a*d < 0 {
				room += a * a
			}
		}
		if room == 0 {
			return
		}
		step, left := d/room, d
		for k, i := range vars {
			y := min(max(r.y[i]-step*coef[k], 0), 1)
			left += coef[k] * (y - r.y[i])
			r.y[i] = y
		}
		if math.Abs(left) <= 1e-3*math.Abs(d) {
			return
		}
		d = left
	}
}
