package doubt

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// trust is how far labels that networks have not seen bear out what these see: the slope of the labels over it, with
// its standard error. It is 1 where networks are as right as they are sure.
type trust struct{ slope, deviation float64 }

// slopes is the number of slopes between 0 and 1 that are looked at, where it is not known for sure.
const slopes = 20

// chance returns the logarithm of how many times likelier it is by chance what ties show, if they would show so much
// more were networks right. What they show goes with the square of the slope, as there are two things to a tie.
func (t trust) chance(found, expected float64) float64 {
	if t.deviation == 0 {
		return -gained(found, expected)
	}
	held, all := 0.0, 0.0
	nearest := min(max(t.slope, 0), 1)
	for k := range slopes {
		slope := (float64(k) + 0.5) / slopes
		weight := math.Exp((square(nearest-t.slope) - square(slope-t.slope)) / (2 * square(t.deviation)))
		held += weight * math.Exp(gained(found, slope*slope*expected))
		all += weight
	}
	return -math.Log(held / all)
}

// gained is the logarithm of how much likelier a normal value is with a mean than without.
func gained(found, expected float64) float64 { return expected*found - square(expected)/2 }

func square(x float64) float64 { return x * x }

// regress returns the slope of labels over what each fold's networks see of things whose labels they do not know, both
// less what is common.
func (v *view) regress(by [][]float64, at map[int32]int, held []*label.Labels) trust {
	share := v.shares()
	slope, spread := 0.0, 0.0
	terms := make(map[int][2]float64) // by thing
	for k, labels := range held {
		common := make([]float64, v.classes)
		for place, x := range by[k] {
			common[place%v.classes] += x / float64(v.things)
		}
		for j, input := range labels.Variables {
			place, has := at[input]
			if !has {
				continue
			}
			seen := by[k][place] - common[place%v.classes]
			first := (labels.Truth[j] - share[place%v.classes]) * seen
			term := terms[place/v.classes]
			terms[place/v.classes] = [2]float64{term[0] + first, term[1] + square(seen)}
			slope += first
			spread += square(seen)
		}
	}
	if spread == 0 {
		return trust{}
	}
	slope /= spread
	variance := 0.0
	for thing := range v.things {
		term := terms[thing]
		variance += square(term[0] - slope*term[1])
	}
	return trust{slope, math.Sqrt(variance) / spread}
}
