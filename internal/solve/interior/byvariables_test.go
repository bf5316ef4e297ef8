package interior_test

import (
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// Where four times as many orders as variables link these at random, a basis of the orders and of the variables' bounds
// takes a third of the work that one of variables and slacks takes.
func TestBasesByVariables(t *testing.T) {
	field := randomLinks(2000, 3, 0, -1)
	s := interior.New(field, solve.Settings{Gap: 1e-6, Threads: 1})
	r, left := s.Try(t.Context(), 5*s.Cost().Early)
	if r == nil || r.Status != solve.Optimal {
		t.Fatalf("not solved without factorisations; %v is left of the work", left)
	}
	again := interior.New(field, solve.Settings{Gap: 1e-6, Threads: 3})
	if other, _ := again.Try(t.Context(), 5*again.Cost().Early); other == nil || !slices.Equal(r.Y, other.Y) {
		t.Error("threads change bits")
	}
}
