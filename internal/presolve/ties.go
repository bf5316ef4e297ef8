package presolve

// balance gives every tied variable the mean gradient of its group. The ties of a group are a tree: from its leaves on,
// each variable passes what it has too much to the next.
func (d *decisions) balance(g, restored []float64) {
	if len(d.ties) == 0 {
		return
	}
	mean := d.slopes(g)
	size := make([]float64, len(g))
	for i := range g {
		size[d.root(int32(i))]++
	}
	degree, across := d.incidence()
	for k := range degree {
		for i := int32(k); degree[i] == 1; {
			e := across[i]
			t := d.ties[e]
			other, coef := t.k, t.coef
			if t.k == i {
				other, coef = t.i, -t.coef
			}
			root := d.root(i)
			mu := (mean[root]/size[root] - g[i]) / coef
			restored[t.place] += mu
			g[i], g[other] = mean[root]/size[root], g[other]-mu*coef
			degree[i], degree[other] = 0, degree[other]-1
			across[other] ^= e
			i = other
		}
	}
}

// incidence returns the number of ties of each variable and the exclusive or of their numbers, which is the number of
// the last one when the others are taken away.
func (d *decisions) incidence() (degree []int32, across []int) {
	degree, across = make([]int32, len(d.lo)), make([]int, len(d.lo))
	for e, t := range d.ties {
		for _, i := range [...]int32{t.i, t.k} {
			degree[i]++
			across[i] ^= e
		}
	}
	return degree, across
}
