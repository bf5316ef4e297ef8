package dataset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The same seed makes the same file; some persons are there several times, and some persons share a telephone.
func TestCustomers(t *testing.T) {
	records := Customers{Seed: 1}.Generate()
	if !slices.Equal(records, Customers{Seed: 1}.Generate()) || slices.Equal(records, Customers{Seed: 2}.Generate()) {
		t.Error("the seed does not decide what is generated")
	}
	copies, phones := map[int]int{}, map[string]map[int]bool{}
	for _, r := range records {
		if r.ID == "" || r.Name() == " " || r.Street == "" || r.City == "" {
			t.Errorf("incomplete: %+v", r)
		}
		copies[r.Person]++
		if r.Phone != "" {
			if phones[r.Phone] == nil {
				phones[r.Phone] = map[int]bool{}
			}
			phones[r.Phone][r.Person] = true
		}
	}
	several, shared := 0, 0
	for _, n := range copies {
		if n > 1 {
			several++
		}
	}
	for _, persons := range phones {
		if len(persons) > 1 {
			shared++
		}
	}
	if len(copies) != 120 || several < 40 || shared < 15 {
		t.Errorf("%d persons, %d of them several times; %d shared telephones", len(copies), several, shared)
	}
}

func TestTypoKeepsShortWords(t *testing.T) {
	c := clerk{rand.New(rand.NewPCG(1, 0))}
	for range 50 {
		if got := c.typo("Ely"); got != "Ely" {
			t.Fatalf("Ely became %s", got)
		}
		if got := c.typo("Taylor"); got[0] != 'T' || len(got) < 5 || len(got) > 7 {
			t.Fatalf("Taylor became %s", got)
		}
	}
}
