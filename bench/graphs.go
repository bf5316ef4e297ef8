package main

import (
	"math"
	"slices"
)

// linker draws a graph of n nodes, each link once.
type linker func(d *data, n int) [][2]int

// ladder has nodes in two rows, side by side.
func ladder(_ *data, n int) (all [][2]int) {
	for k := range n {
		if k%2 == 0 && k+1 < n {
			all = append(all, [2]int{k, k + 1})
		}
		if k+2 < n {
			all = append(all, [2]int{k, k + 2})
		}
	}
	return all
}

// lattice has the nodes of a square, as far as they go.
func lattice(_ *data, n int) (all [][2]int) {
	width := int(math.Sqrt(float64(n)))
	for k := range n {
		if k%width+1 < width && k+1 < n {
			all = append(all, [2]int{k, k + 1})
		}
		if k+width < n {
			all = append(all, [2]int{k, k + width})
		}
	}
	return all
}

// expander has a path through all nodes, and a link from each to any other: no few of them divide it.
func expander(d *data, n int) (all [][2]int) {
	return d.shortcuts(n, 1)
}

// smallWorld has few links to any other node.
func smallWorld(d *data, n int) (all [][2]int) {
	all = d.shortcuts(n, 0.05)
	for k := range n - 2 {
		all = append(all, [2]int{k, k + 2})
	}
	return all
}

// shortcuts makes a path, and a link from each node to a far one with a probability.
func (d *data) shortcuts(n int, probability float64) (all [][2]int) {
	for k := range n - 1 {
		all = append(all, [2]int{k, k + 1})
		if k+3 < n && d.rng.Float64() < probability {
			all = append(all, [2]int{k, k + 3 + d.rng.IntN(n-k-3)})
		}
	}
	return all
}

// path has each node beside the next one.
func path(_ *data, n int) (all [][2]int) {
	for k := range n - 1 {
		all = append(all, [2]int{k, k + 1})
	}
	return all
}

// highway is a path with links over its root and over the root of that.
func highway(_ *data, n int) (all [][2]int) {
	all = path(nil, n)
	for far := int(math.Sqrt(float64(n))); far > 3; far = int(math.Sqrt(float64(far))) {
		for k := 0; k+far < n; k += far {
			all = append(all, [2]int{k, k + far})
		}
	}
	return all
}

// bush is a tree of random shape.
func bush(d *data, n int) (all [][2]int) {
	for k := 1; k < n; k++ {
		all = append(all, [2]int{max(0, k/2-d.rng.IntN(3)), k})
	}
	return all
}

// deBruijn links each node to three whose numbers follow from its own: no few of them divide it.
func deBruijn(_ *data, n int) (all [][2]int) {
	for a := range n {
		for k := range 3 {
			if b := (3*a + k) % n; b != a {
				all = append(all, [2]int{a, b})
			}
		}
	}
	return all
}

// preferential links each node to up to three earlier ones, of which those with many links are drawn most.
func preferential(d *data, n int) (all [][2]int) {
	ends := []int{0}
	for a := 1; a < n; a++ {
		var own []int
		for range 3 {
			b := ends[d.rng.IntN(len(ends))]
			if !slices.Contains(own, b) {
				own = append(own, b)
				all = append(all, [2]int{a, b})
			}
		}
		ends = append(append(ends, own...), a)
	}
	return all
}
