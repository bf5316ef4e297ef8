package learn

import "github.com/deeppsl/deeppsl/internal/named"

// Schedule gives the learning rate of an epoch (from 0) as a factor of the initial one.
type Schedule uint8

const (
	// Constant keeps the initial rate.
	Constant Schedule = iota
	// Inverse divides the initial rate by epoch+1: the paper's schedule for T1.
	Inverse
	// Linear goes from the initial rate in the first epoch to nothing after the last one.
	Linear
)

var scheduleNames = []string{"constant", "inverse", "linear"}

// String returns the schedule's name as configurations write it.
func (s Schedule) String() string { return scheduleNames[s] }

// ParseSchedule returns the schedule with the given name.
func ParseSchedule(name string) (Schedule, error) {
	return named.Of[Schedule](len(scheduleNames), name)
}

// rate returns the learning rate of an epoch, counted from 0, of so many.
func (s Schedule) rate(initial float64, epoch, epochs int) float64 {
	switch s {
	case Inverse:
		return initial / float64(epoch+1)
	case Linear:
		return initial * float64(epochs-epoch) / float64(epochs)
	}
	return initial
}
