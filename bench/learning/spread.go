package main

import "math"

// spread is an independent method to compare with: labels that spread over the links (Zhou and others, 2004), until
// they settle. It returns the points of the test rows.
func (c *classification) spread() float64 {
	const (
		alpha  = 0.9 // the share of what neighbours say
		rounds = 50
	)
	neighbour := make([][]int, len(c.y))
	for _, link := range c.links {
		a, b := link[0], link[1]
		neighbour[a], neighbour[b] = append(neighbour[a], b), append(neighbour[b], a)
	}
	known := make([][]float64, len(c.y))
	says := make([][]float64, len(c.y))
	for k := range known {
		known[k], says[k] = make([]float64, c.classes), make([]float64, c.classes)
	}
	for _, k := range c.train {
		known[k][c.y[k]] = 1
	}
	for range rounds {
		next := make([][]float64, len(says))
		for a := range says {
			next[a] = make([]float64, c.classes)
			for class := range c.classes {
				sum := 0.0
				for _, b := range neighbour[a] {
					sum += says[b][class]
				}
				next[a][class] = alpha*sum/max(1, float64(len(neighbour[a]))) + (1-alpha)*known[a][class]
			}
		}
		says = next
	}
	return c.points(says)
}

// points returns the score of test rows by what was said of each class.
func (c *classification) points(says [][]float64) float64 {
	right, total := make([]float64, c.classes), make([]float64, c.classes)
	for _, k := range c.test {
		total[c.y[k]]++
		if best(says[k]) == c.y[k] {
			right[c.y[k]]++
		}
	}
	return c.average(right, total)
}

// average returns the share that is right, of all or by class, as the task is scored.
func (c *classification) average(right, total []float64) float64 {
	all, of, classes, shares := 0.0, 0.0, 0.0, 0.0
	for class := range total {
		all, of = all+right[class], of+total[class]
		if total[class] > 0 {
			classes, shares = classes+1, shares+right[class]/total[class]
		}
	}
	if c.value == averaged {
		return 100 * shares / classes
	}
	return 100 * all / of
}

// best is the score of the best possible answer. Where classes count the same, rare ones are as likely as others.
func (c *classification) best() float64 {
	odds := c.odds
	if c.value == averaged {
		shares := make([]float64, c.classes)
		for _, class := range c.y {
			shares[class]++
		}
		odds = make([][]float64, len(c.y))
		for k := range odds {
			odds[k] = make([]float64, c.classes)
			for class, value := range c.odds[k] {
				odds[k][class] = value - math.Log(max(1, shares[class]))
			}
		}
	}
	return c.points(odds)
}
