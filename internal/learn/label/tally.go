package label

import "math"

// A Tally is how many labels there are, how many classes they name, and how many name the most frequent one.
type Tally struct{ Labels, Classes, Largest int }

// Count tallies how often each class is named.
func Count[K comparable](counts map[K]int) (t Tally) {
	for _, count := range counts {
		t.Labels, t.Classes, t.Largest = t.Labels+count, t.Classes+1, max(t.Largest, count)
	}
	return t
}

// Majority is the share of labels that always saying the most frequent class tells right.
func (t Tally) Majority() float64 { return float64(t.Largest) / float64(t.Labels) }

// Guess is the share of labels told right that is no more than by always saying the most frequent class, to within half
// of the deviation that its share has by chance.
func (t Tally) Guess() float64 {
	majority := t.Majority()
	return majority + math.Sqrt(majority*(1-majority)/float64(t.Labels))/2
}

// Guessed tells whether so many labels told right are no more than that.
func (t Tally) Guessed(right int) bool { return float64(right)/float64(t.Labels) <= t.Guess() }
