package inspect

import (
	"cmp"
	"slices"
)

// ranked returns the places of the keys that would be from one place to another if all were sorted, without sorting
// the rest: a page of a million atoms has a hundred. Equal keys stay in their order.
func ranked(keys []float64, from, to int) []int32 {
	if from >= to {
		return nil
	}
	order := slices.Clone(keys)
	low, high := nth(order, from), nth(order, to-1)
	skip, take := from, to // of those that are equal to low, and to high
	for _, key := range keys {
		if key < low {
			skip--
		}
		if key < high {
			take--
		}
	}
	found := make([]int32, 0, to-from)
	for at, key := range keys {
		if key < low || key > high {
			continue
		}
		if key == high {
			if take--; take < 0 {
				continue
			}
		}
		if key == low {
			if skip--; skip >= 0 {
				continue
			}
		}
		found = append(found, int32(at))
	}
	slices.SortStableFunc(found, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	return found
}

// nth returns the number that would be in a place if all were sorted, which it begins to do.
func nth(numbers []float64, place int) float64 {
	lo, hi := 0, len(numbers)-1
	for lo < hi {
		pivot := numbers[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for numbers[i] < pivot {
				i++
			}
			for numbers[j] > pivot {
				j--
			}
			if i <= j {
				numbers[i], numbers[j] = numbers[j], numbers[i]
				i++
				j--
			}
		}
		switch {
		case place <= j:
			hi = j
		case place >= i:
			lo = i
		default:
			return numbers[place]
		}
	}
	return numbers[place]
}
