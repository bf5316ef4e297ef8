package local

// pressure is what a variable adds to the gap.
type pressure struct {
	i    int32
	rest float64
}

// isHeavier tells whether one of two pressures goes first: the larger one, or else that of the first variable.
func isHeavier(a, b pressure) bool { return a.rest > b.rest || a.rest == b.rest && a.i < b.i }

// pressures are a heap of them, the heaviest first.
type pressures struct {
	heap []pressure
	at   []int32 // of each variable: its place in the heap, from 1, or 0; nil where nobody asks
}

func (h *pressures) len() int { return len(h.heap) }

// order makes a heap of what there is.
func (h *pressures) order() {
	for k := h.len()/2 - 1; k >= 0; k-- {
		h.sink(k)
	}
}

// drop takes the first out.
func (h *pressures) drop() {
	last := h.len() - 1
	h.set(0, pressure{h.heap[0].i, 0}, 0)
	if last > 0 {
		h.set(0, h.heap[last], 1)
	}
	if h.heap = h.heap[:last]; last > 0 {
		h.sink(0)
	}
}

// set puts a pressure at a place, which is numbered from 1, or 0 for nowhere.
func (h *pressures) set(k int, a pressure, number int32) {
	if h.heap[k] = a; h.at != nil {
		h.at[a.i] = number
	}
}

// sink lets the one at k sink to its place.
func (h *pressures) sink(k int) {
	for a := h.heap[k]; ; {
		next := 2*k + 1
		if next+1 < h.len() && isHeavier(h.heap[next+1], h.heap[next]) {
			next++
		}
		if next >= h.len() || !isHeavier(h.heap[next], a) {
			h.set(k, a, int32(k+1))
			return
		}
		h.set(k, h.heap[next], int32(k+1))
		k = next
	}
}

// rise lets the one at k rise to its place.
func (h *pressures) rise(k int) {
	a := h.heap[k]
	for ; k > 0 && isHeavier(a, h.heap[(k-1)/2]); k = (k - 1) / 2 {
		h.set(k, h.heap[(k-1)/2], int32(k+1))
	}
	h.set(k, a, int32(k+1))
}

// note adds a variable, of which there are so many, or raises what it has.
func (h *pressures) note(a pressure, variables int) {
	if n := variables - len(h.at); n > 0 {
		h.at = append(h.at, make([]int32, n)...)
	}
	k := int(h.at[a.i]) - 1
	switch {
	case k < 0:
		h.heap = append(h.heap, a)
		k = h.len() - 1
	case h.heap[k].rest >= a.rest:
		return
	default:
		h.heap[k].rest = a.rest
	}
	h.rise(k)
}

// replace makes the heap another one.
func (h *pressures) replace(heap []pressure) {
	for _, a := range h.heap {
		h.at[a.i] = 0
	}
	h.heap = heap
	for k, a := range heap {
		h.at[a.i] = int32(k + 1)
	}
}
