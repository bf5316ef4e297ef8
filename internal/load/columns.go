package load

import "fmt"

// Columns is a table in memory by columns.
type Columns struct {
	Constants [][]string // by argument
	Rows      [][]int32  // by argument: the index of each row's constant
	Truth     []float64  // of each row; nil if all are 1
}

// check finds rows that are not whole, and indices of no constant.
func (c *Columns) check() error {
	if len(c.Constants) != len(c.Rows) {
		return fmt.Errorf("there are rows of %d arguments, and constants of %d", len(c.Rows), len(c.Constants))
	}
	for k, rows := range c.Rows {
		if len(rows) != c.len() {
			return fmt.Errorf("argument %d has %d rows, and argument 1 has %d", k+1, len(rows), c.len())
		}
		for row, at := range rows {
			if at < 0 || int(at) >= len(c.Constants[k]) {
				return fmt.Errorf("row %d has constant %d as argument %d, of %d that are numbered from 0", row+1, at, k+1,
					len(c.Constants[k]))
			}
		}
	}
	if c.Truth != nil && len(c.Truth) != c.len() {
		return fmt.Errorf("there are %d truth values for %d rows", len(c.Truth), c.len())
	}
	return nil
}

// len returns how many rows there are. Without arguments, truth values alone tell.
func (c *Columns) len() int {
	if len(c.Rows) == 0 {
		return len(c.Truth)
	}
	return len(c.Rows[0])
}

func (c *Columns) truth(row int) float64 {
	if c.Truth == nil {
		return 1
	}
	return c.Truth[row]
}

// many tells whether there are at least so many rows, and not far more constants, each of which takes memory where rows
// are read at once.
func (c *Columns) many(least int) bool {
	for _, constants := range c.Constants {
		if len(constants) > 4*c.len() {
			return false
		}
	}
	return len(c.Rows) > 0 && c.len() >= least
}
