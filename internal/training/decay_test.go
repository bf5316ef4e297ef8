package training

import (
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// More decay is taken where many labels are told a little better by it, of few not; and where labels are told plainly
// better at a temperature, though by values as they are, which are less sure, they are told worse.
func TestMoreDecaySuits(t *testing.T) {
	for _, test := range []struct {
		name         string
		labels       int
		better, sure int // how many labels of a hundred are told better, the others worse, and a hundredth of how sure it is
		want         bool
	}{
		{"few are told a little better", 100, 56, 100, false},
		{"many are told a little better", 400, 56, 100, true},
		{"many are told worse", 400, 40, 100, false},
		{"plainly better, but less sure", 200, 80, 30, true},
		{"hardly better, and less sure", 200, 55, 30, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			judge := func(surer func(k int) float64, sure float64) label.Verdict {
				labels, values := &label.Labels{}, make([]float64, test.labels)
				for k := range test.labels {
					right := 1.0
					if k%4 == 3 {
						right = -1 // as one in four is
					}
					labels.Variables = append(labels.Variables, int32(k))
					labels.Truth = append(labels.Truth, 1)
					labels.Entities = append(labels.Entities, int32(k))
					labels.Classes = append(labels.Classes, label.NoClass)
					values[k] = 1 / (1 + math.Exp(-sure*(right+surer(k))))
				}
				return labels.Judge(values)
			}
			standing := judge(func(int) float64 { return 0 }, 1)
			verdict := judge(func(k int) float64 {
				if k%100 < test.better {
					return 0.4
				}
				return -0.4
			}, float64(test.sure)/100)
			if got := suitsMore(verdict, standing); got != test.want {
				t.Errorf("it suits: %v", got)
			}
		})
	}
}
