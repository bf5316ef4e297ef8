package similarity

import (
	"cmp"
	"slices"
)

// descending returns the places of x, those of the largest values first and equal ones in their order.
func descending(x []float64) []int32 {
	places := make([]int32, len(x))
	for k := range places {
		places[k] = int32(k)
	}
	slices.SortStableFunc(places, func(a, b int32) int { return cmp.Compare(x[b], x[a]) })
	return places
}

// numbersTo returns 0 … n-1.
func numbersTo(n int) []int32 {
	all := make([]int32, n)
	for k := range all {
		all[k] = int32(k)
	}
	return all
}
