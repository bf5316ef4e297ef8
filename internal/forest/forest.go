// Package forest keeps groups of numbers that grow together (union and find).
package forest

// Forest has for each of the numbers 0 … n-1 its parent, which is of its group and not greater. The root of a group is
// its least number, and its own parent. A number whose parent is None is of no group.
type Forest []int32

// None is the parent of what is of no group.
const None = -1

// New returns the forest in which each of n numbers is a group.
func New(n int) Forest { return make(Forest, 0, n).Grow(n) }

// Grow appends n numbers, a group each.
func (f Forest) Grow(n int) Forest {
	for range n {
		f = append(f, int32(len(f)))
	}
	return f
}

// Root returns the root of i's group, and halves the way to it for the next one who asks.
func (f Forest) Root(i int32) int32 {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

// Join makes the groups of i and k one, and returns its root.
func (f Forest) Join(i, k int32) int32 {
	i, k = f.Root(i), f.Root(k)
	if i > k {
		i, k = k, i
	}
	f[k] = i
	return i
}

// Number replaces each parent by the number of its group, and returns how many there are, in the order of their roots.
// The forest is one no more.
func (f Forest) Number() (of []int32, count int) {
	for i, parent := range f {
		switch {
		case parent == None:
		case int(parent) == i:
			f[i] = int32(count)
			count++
		default:
			f[i] = f[parent] // a parent is less, so that it has its group's number already
		}
	}
	return f, count
}
