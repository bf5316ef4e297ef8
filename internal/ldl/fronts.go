package ldl

// cut finds the fronts: runs of columns that have the pattern of the next one, and itself, and of these those that are
// less work as one.
func (s *Symbolic) cut() {
	s.run()
	s.link()
	s.join()
}

// run finds the runs of columns that have the pattern of the next one, and itself.
func (s *Symbolic) run() {
	t := s.tree
	n := len(t.place)
	for k := 0; k < n; {
		f := front{first: k, width: 1, order: int(t.count[k]), parent: nobody}
		for k++; k < n && t.parent[k-1] == int32(k) && t.count[k-1] == t.count[k]+1; k++ {
			f.width++
		}
		s.fronts = append(s.fronts, f)
	}
}

// link finds the parents of runs.
func (s *Symbolic) link() {
	t := s.tree
	of := make([]int32, len(t.place))
	for k := range s.fronts {
		f := &s.fronts[k]
		for c := f.first; c < f.first+f.width; c++ {
			of[c] = int32(k)
		}
	}
	for k := range s.fronts {
		f := &s.fronts[k]
		if up := t.parent[f.first+f.width-1]; up != nobody {
			f.parent = of[up]
		}
	}
	s.adopt()
}

// adopt lists the children of all fronts, ascending.
func (s *Symbolic) adopt() {
	start := make([]int32, len(s.fronts)+1)
	for k := range s.fronts {
		if up := s.fronts[k].parent; up != nobody {
			start[up+1]++
		}
	}
	for k := range s.fronts {
		start[k+1] += start[k]
	}
	all := make([]int32, start[len(s.fronts)])
	for k := range s.fronts {
		f := &s.fronts[k]
		f.children = all[start[k]:start[k]:start[k+1]]
	}
	for k := range s.fronts {
		if up := s.fronts[k].parent; up != nobody {
			s.fronts[up].children = append(s.fronts[up].children, int32(k))
		}
	}
}

// join joins fronts with their parents where that is less work: it has zeros in L, but a front of its own takes time
// whatever its size, and leaves an update that is written, and read, once more. Columns of joined fronts come to lie
// side by side.
func (s *Symbolic) join() {
	into := make([]int32, len(s.fronts))
	for k := range s.fronts {
		into[k] = int32(k)
		s.absorb(int32(k), into)
	}
	number, kept := make([]int32, len(s.fronts)), int32(0)
	for k, to := range into {
		if int(to) == k {
			number[k] = kept
			kept++
		}
	}
	if int(kept) == len(s.fronts) {
		s.adopt() // anew, as absorb has turned the lists around
		return
	}
	for k := len(into) - 1; k >= 0; k-- {
		into[k] = into[into[k]] // which is a later one, and the last
	}
	parent := make([]int32, kept)
	for k, to := range into {
		if int(to) == k {
			parent[number[k]] = nobody
			if up := s.fronts[k].parent; up != nobody {
				parent[number[k]] = number[into[up]]
			}
		}
	}
	s.arrange(into, number, parent)
}

// absorb joins children of a front, and theirs, with it.
func (s *Symbolic) absorb(k int32, into []int32) {
	f := &s.fronts[k]
	var kept []int32
	for open := f.children; len(open) > 0; {
		c := open[len(open)-1]
		open = open[:len(open)-1]
		child := &s.fronts[c]
		joined := front{width: child.width + f.width, order: child.width + f.order}
		if len(kept)+len(open)+len(child.children) > 0 {
			joined.children = f.children[:1]
		}
		if joined.work() >= child.work()+f.work() {
			kept = append(kept, c)
			continue
		}
		f.width, f.order = joined.width, joined.order
		into[c] = k
		open = append(open, child.children...)
	}
	f.children = kept
}

// arrange renumbers the fronts that are left, in postorder, and puts their columns side by side.
func (s *Symbolic) arrange(into, number, parent []int32) {
	order := postorder(parent)
	fronts, old := make([]front, len(parent)), s.fronts
	for k, to := range into {
		if int(to) == k {
			f := &fronts[order[number[k]]]
			*f = front{width: old[k].width, order: old[k].order, parent: nobody}
			if up := parent[number[k]]; up != nobody {
				f.parent = order[up]
			}
		}
	}
	at, first := make([]int, len(fronts)), 0
	for k := range fronts {
		fronts[k].first, at[k] = first, first
		first += fronts[k].width
	}
	t := s.tree
	moved := make([]int32, len(t.place))
	for k, to := range into {
		own := order[number[to]]
		last := len(moved)
		if k+1 < len(old) {
			last = old[k+1].first
		}
		for c := old[k].first; c < last; c++ {
			moved[c] = int32(at[own])
			at[own]++
		}
	}
	for i, k := range t.place {
		t.place[i] = moved[k]
	}
	t.permute(s.pattern)
	t.parent, t.count = nil, nil
	s.fronts = fronts
	s.adopt()
}

// What a front takes, in about nanoseconds: for itself, little if it leaves no update, for a number of its panel and of
// its update, and for a flop, by tiles and otherwise.
const (
	perFront, perThin     = 60, 30
	perPanel, perUpdate   = 4, 1
	perFlop, perThinsFlop = 0.05, 0.5
)

// work is about how many nanoseconds a front takes.
func (f *front) work() float64 {
	w, o, b := float64(f.width), float64(f.order), float64(f.below())
	own := perPanel*w*(w+o) + perFlop*w*w*o
	if f.thin() {
		return perThin + own + perThinsFlop*w*b*b
	}
	return perFront + own + perUpdate*b*(b+perPanel) + perFlop*w*b*b
}
