package label

// Renumber numbers variables from 0 as they first come: number has the numbers of those that have come, and gets the
// others.
func Renumber(variables []int32, number map[int32]int32) []int32 {
	anew := make([]int32, len(variables))
	for k, variable := range variables {
		at, known := number[variable]
		if !known {
			at = int32(len(number))
			number[variable] = at
		}
		anew[k] = at
	}
	return anew
}

// ByNumber returns what has the numbers, by these.
func ByNumber(number map[int32]int32) []int32 {
	variables := make([]int32, len(number))
	for variable, at := range number {
		variables[at] = variable
	}
	return variables
}

// Renumbered returns the labels with their variables numbered anew.
func (l *Labels) Renumbered(number map[int32]int32) *Labels {
	return &Labels{Truth: l.Truth, Losses: l.Losses, Variables: Renumber(l.Variables, number)}
}
