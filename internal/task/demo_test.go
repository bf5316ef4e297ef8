package task

import (
	"context"
	"testing"
)

// The same seed gives the same numbers, whatever the number of threads; another seed gives other ones.
func TestDemoIsDeterministic(t *testing.T) {
	rows := func(seed uint64, threads int) [3]float64 {
		demo := Demo{Seed: seed, Threads: threads, Documents: 60, Dir: t.TempDir()}
		result, err := demo.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return [3]float64{result.Rows[0].Gap, result.Rows[1].Gap, result.Rows[2].Gap}
	}
	one := rows(1, 1)
	if three := rows(1, 3); three != one {
		t.Errorf("gaps %v with three threads, %v with one", three, one)
	}
	if other := rows(2, 1); other == one {
		t.Errorf("seeds 1 and 2 both give the gaps %v", one)
	}
}

func TestSmallDemosAreRefused(t *testing.T) {
	if _, err := (&Demo{Documents: 10, Dir: t.TempDir()}).Run(t.Context()); err == nil {
		t.Error("a demo of 10 documents ran")
	}
	if _, err := (&DigitsDemo{Pairs: 10, Dir: t.TempDir()}).Run(t.Context()); err == nil {
		t.Error("a demo of 10 pairs ran")
	}
}
