package latent

import "github.com/deeppsl/deeppsl/internal/learn/label"

// Choices are all choices of a class for each of some things, the last thing's changing fastest.
type Choices struct {
	Things [][]int32 // the inputs of each thing's classes
	Alone  []bool    // whether a thing has one input, and its choices are this or not
}

// renumbered returns them with inputs numbered anew.
func (c *Choices) renumbered(number map[int32]int32) Choices {
	anew := Choices{Things: make([][]int32, len(c.Things)), Alone: c.Alone}
	for t, inputs := range c.Things {
		anew.Things[t] = label.Renumber(inputs, number)
	}
	return anew
}

// Classes counts those of a thing; what has one input is it or not.
func (c *Choices) Classes(thing int) int {
	if c.Alone[thing] {
		return 2
	}
	return len(c.Things[thing])
}

// AllClasses counts those of each thing.
func (c *Choices) AllClasses() []int {
	classes := make([]int, len(c.Things))
	for t := range classes {
		classes[t] = c.Classes(t)
	}
	return classes
}

// Count counts the choices.
func (c *Choices) Count() int {
	count := 1
	for t := range c.Things {
		count *= c.Classes(t)
	}
	return count
}

// Next makes the next choice of a choice, which has a class of each thing.
func (c *Choices) Next(choice []int) {
	for t := len(choice) - 1; t >= 0; t-- {
		if choice[t]++; choice[t] < c.Classes(t) {
			return
		}
		choice[t] = 0
	}
}

// ChanceOf returns the probability of a thing's class, for some inputs.
func (c *Choices) ChanceOf(x []float64) func(thing, class int) float64 {
	return func(thing, class int) float64 {
		switch inputs := c.Things[thing]; {
		case !c.Alone[thing]:
			return x[inputs[class]]
		case class == 0:
			return x[inputs[0]]
		default:
			return 1 - x[inputs[0]]
		}
	}
}
