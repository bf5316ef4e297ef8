package latent

import "math"

// diagram is a number for each choice of classes, one for each thing: a decision diagram, in which choices that agree
// in all that is still to come go on together. Of a dozen things of which rules only say how many there are, it has a
// hundred nodes for 4,096 choices.
type Diagram struct {
	classes []int     // of each thing
	next    [][]int32 // of each thing: by node and class, the next thing's node, or in the end the leaf
	leaves  []float64
	values  [][]float64 // of each thing's nodes and, last, the leaves, in expectation
	chances [][]float64 // of each thing's classes, as they were for that
	reached [][]float64 // the chances of each thing's nodes and, last, the leaves
}

// newDiagram makes that of numbers, the last thing's class changing fastest.
func NewDiagram(classes []int, numbers []float64) *Diagram {
	d := &Diagram{classes: classes, next: make([][]int32, len(classes)), values: make([][]float64, len(classes)+1),
		chances: make([][]float64, len(classes)), reached: make([][]float64, len(classes)+1)}
	level := make([]int32, len(numbers)) // by what is chosen so far, the node where that leads
	seen := make(map[uint64]int32)
	for z, number := range numbers {
		leaf, known := seen[math.Float64bits(number)]
		if !known {
			leaf = int32(len(d.leaves))
			seen[math.Float64bits(number)] = leaf
			d.leaves = append(d.leaves, number)
		}
		level[z] = leaf
	}
	d.values[len(classes)] = d.leaves
	for t := len(classes) - 1; t >= 0; t-- {
		level = d.merge(t, level)
		d.values[t], d.chances[t] = make([]float64, len(d.next[t])/classes[t]), make([]float64, classes[t])
	}
	for t, values := range d.values {
		d.reached[t] = make([]float64, len(values))
	}
	return d
}

// merge makes one node of a thing of all that lead to the same ones whatever its class, and returns the nodes by what
// is chosen before.
func (d *Diagram) merge(thing int, level []int32) []int32 {
	n := d.classes[thing]
	nodes, key := make(map[string]int32), make([]byte, 0, 4*n)
	above := make([]int32, len(level)/n)
	for k := range above {
		children := level[k*n : (k+1)*n]
		key = key[:0]
		for _, child := range children {
			key = append(key, byte(child), byte(child>>8), byte(child>>16), byte(child>>24))
		}
		node, known := nodes[string(key)]
		if !known {
			node = int32(len(nodes))
			nodes[string(key)] = node
			d.next[thing] = append(d.next[thing], children...)
		}
		above[k] = node
	}
	return above
}

// expect returns the expected number, by the chance of each thing's class.
func (d *Diagram) expect(chance func(thing, class int) float64) float64 {
	for t := len(d.classes) - 1; t >= 0; t-- {
		chances, children, below := d.chances[t], d.next[t], d.values[t+1]
		for class := range chances {
			chances[class] = chance(t, class)
		}
		for node := range d.values[t] {
			sum := 0.0
			for class, p := range chances {
				sum += p * below[children[class]]
			}
			d.values[t][node], children = sum, children[len(chances):]
		}
	}
	return d.values[0][0]
}

// slopes gives add the derivative of what expect returned last, by each chance.
func (d *Diagram) slopes(add func(thing, class int, slope float64)) {
	d.reached[0][0] = 1
	for t, chances := range d.chances {
		children, below := d.next[t], d.reached[t+1]
		clear(below)
		for _, at := range d.reached[t] {
			for class, p := range chances {
				child := children[class]
				add(t, class, at*d.values[t+1][child])
				below[child] += at * p
			}
			children = children[len(chances):]
		}
	}
}
