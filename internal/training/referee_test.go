package training

import "testing"

// A score that is plainly better decides, one that may be so by chance only where the loss does not say the opposite,
// and else the loss does. What was fitted has to be better by the loss, and by more than it is charged.
func TestWhatWins(t *testing.T) {
	for _, test := range []struct {
		name   string
		gain   gain
		charge float64
		wins   bool
	}{
		{"plainly", gain{0.05, 0.02, -0.03, 0.02}, 0, true},
		{"the loss is against it", gain{0.027, 0.021, -0.033, 0.033}, 0, false},
		{"the loss is for it", gain{0.027, 0.021, 0.001, 0.033}, 0, true},
		{"by chance", gain{0.01, 0.02, 0.001, 0.03}, 0, false},
		{"by the loss", gain{0.01, 0.02, 0.05, 0.03}, 0, true},
		{"the score is against it", gain{-0.03, 0.02, 0.05, 0.03}, 0, false},
		{"fitted", gain{0.05, 0.02, 0.03, 0.02}, 0.02, false},
		{"fitted well", gain{0.05, 0.02, 0.06, 0.02}, 0.02, true},
	} {
		if wins := test.gain.wins(test.charge); wins != test.wins {
			t.Errorf("%s: %v", test.name, wins)
		}
	}
}
