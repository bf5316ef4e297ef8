package presolve

import "slices"

// constraints are the variables of inequalities a·y ≤ c, and of equations.
type constraints struct {
	rows  []int // constraint k has the entries rows[k]..rows[k+1]
	vars  []int32
	up    []bool // a > 0
	equal []bool // of each constraint
}

func (c *constraints) of(k int32) []int32 { return c.vars[c.rows[k]:c.rows[k+1]] }

// byVariable lists the constraints of each of n variables, as of[start[i]:start[i+1]].
func (c *constraints) byVariable(n int) (start []int, of []int32) {
	start, of = make([]int, n+1), make([]int32, len(c.vars))
	for _, i := range c.vars {
		start[i+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	next := slices.Clone(start)
	for k := range c.equal {
		for _, i := range c.of(int32(k)) {
			of[next[i]] = int32(k)
			next[i]++
		}
	}
	return start, of
}

// arrange makes an order of the constraints in which those that share a variable follow each other as far as that
// goes: chains from one end to the other, trees by branches. Visits in the order of a chain, forth and back, find all
// bounds along it; in any other order, each link passes a bound on again and again. Where ways part and meet, what
// hands bounds on comes before what takes them: see handed.
func (c *constraints) arrange(start []int, of []int32) []int32 {
	return c.handed(c.walk(start, of), start, of)
}

// walk makes an order in which constraints follow those that they share a variable with.
func (c *constraints) walk(start []int, of []int32) []int32 {
	order := make([]int32, 0, len(c.equal))
	seen, met := make([]bool, len(c.equal)), make([]bool, len(start)-1)
	var stack []int32
	meet := func(i int32) {
		if !met[i] {
			met[i] = true
			stack = append(stack, of[start[i]:start[i+1]]...)
		}
	}
	for _, most := range []int{1, len(of)} { // from the ends of chains, if there are any
		for i := range met {
			if rows := start[i+1] - start[i]; rows <= most {
				meet(int32(i))
			}
			for len(stack) > 0 {
				k := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if seen[k] {
					continue
				}
				seen[k], order = true, append(order, k)
				for _, v := range c.of(k) {
					meet(v)
				}
			}
		}
	}
	return order
}

// handed puts inequalities behind all that hand bounds on to them, as far as they are not in a cycle. An implication,
// an order or a wait hands on the lower bounds of variables with a > 0, as lower bounds of those with a < 0, and upper
// bounds back: so a visit forth finds all lower bounds, and one back all upper ones.
func (c *constraints) handed(order []int32, start []int, of []int32) []int32 {
	out, placed := make([]int32, 0, len(order)), make([]bool, len(order))
	givers := make([]int32, len(start)-1) // of each variable: those that hand bounds to it and are not placed
	missing := make([]int32, len(order))  // of each inequality: variables that have givers
	for k := range order {
		c.takers(int32(k), func(i int32) { givers[i]++ })
	}
	for k := range order {
		c.sources(int32(k), func(i int32) {
			if givers[i] > 0 {
				missing[k]++
			}
		})
	}
	var stack []int32
	place := func(k int32) {
		for stack = append(stack, k); len(stack) > 0; {
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if placed[k] {
				continue
			}
			placed[k], out = true, append(out, k)
			c.takers(k, func(i int32) {
				if givers[i]--; givers[i] > 0 {
					return
				}
				for _, other := range of[start[i]:start[i+1]] {
					if missing[other]--; missing[other] == 0 {
						stack = append(stack, other)
					}
				}
			})
		}
	}
	for _, k := range order {
		if missing[k] <= 0 {
			place(k)
		}
	}
	for _, k := range order {
		place(k)
	}
	return out
}

// takers visits the variables that an inequality hands lower bounds to, and sources those that it hands them on from;
// none of others and of equations.
func (c *constraints) takers(k int32, visit func(i int32))  { c.visit(k, false, visit) }
func (c *constraints) sources(k int32, visit func(i int32)) { c.visit(k, true, visit) }

func (c *constraints) visit(k int32, up bool, visit func(i int32)) {
	ways := c.up[c.rows[k]:c.rows[k+1]]
	if c.equal[k] || !slices.Contains(ways, true) || !slices.Contains(ways, false) {
		return
	}
	for n, i := range c.of(k) {
		if ways[n] == up {
			visit(i)
		}
	}
}
