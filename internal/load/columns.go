package load

import (
	"fmt"
	"math"

	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Columns is a table in memory by columns.
type Columns struct {
	Constants [][]string // by argument
	Rows      [][]int32  // by argument: the index of each row's constant
	Truth     []float64  // of each row; nil if all are 1
}

// Data returns the table, or what is wrong with its columns.
func (c *Columns) Data() (Data, error) { return Data{Columns: c}, c.check() }

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

// addColumns reads a table by columns: all rows at once if there are at least so many and nothing is wrong with any, or
// one by one, which says what is.
func (t *table) addColumns(c *Columns, least int) {
	if c.many(max(least, t.builder.Len()/8)) && len(c.Rows) == len(t.tuple) && t.addAtOnce(c) {
		return
	}
	arguments := make([]string, len(c.Rows))
	for row := range c.len() {
		for k, rows := range c.Rows {
			arguments[k] = c.Constants[k][rows[row]]
		}
		t.addValued(arguments, c.truth(row), row)
	}
}

// manyRows is from how many rows on a table in memory is read at once: if it is not small beside the rows before it,
// since all of them are looked at again.
const manyRows = 1 << 12

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

// addAtOnce adds all rows, and returns false if one of them may not be as it should be. Constants have their IDs then,
// the same ones as row by row.
func (t *table) addAtOnce(c *Columns) bool {
	var truth relation.Values
	places := make([]relation.Place, c.len())
	for row := range places {
		value := c.truth(row)
		if !(value >= 0 && value <= 1) {
			return false
		}
		truth.Append(math.Abs(value))
		places[row] = relation.Place(len(t.origins)-1)<<offsetBits | relation.Place(row)
	}
	columns := t.internAll(c)
	return columns != nil && t.addAll(columns, truth, places)
}

// internAll returns the IDs of all arguments, in the order of the rows; nil where a constant is not written as that of
// its type is.
func (t *table) internAll(c *Columns) [][]symbol.ID {
	columns, next := make([][]symbol.ID, len(t.tuple)), make([][]symbol.ID, len(t.tuple))
	for k, constants := range c.Constants {
		columns[k] = make([]symbol.ID, c.len())
		next[k] = make([]symbol.ID, len(constants)) // behind its ID, 0 where that is not known yet
	}
	for row := range c.len() {
		for k, rows := range c.Rows {
			at := rows[row]
			if next[k][at] == 0 {
				if !isCanonical(t.predicate.Types[k], c.Constants[k][at]) {
					return nil
				}
				id, _ := t.constant(k, c.Constants[k][at], row)
				next[k][at] = id + 1
			}
			columns[k][row] = next[k][at] - 1
		}
	}
	return columns
}
