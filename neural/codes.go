package neural

import (
	"slices"

	"github.com/deeppsl/deeppsl/neural/features"
)

// A column of whole numbers that are names, such as postcodes, says little by its order. A network can see its values
// one by one, too: each as one feature more, which is 1 where the column has that value. The table itself stays as it
// is; that values are coded is a matter of the network, and its checkpoints have it.

// Codes are the values of a column, ascending, that a network sees one by one beside the column itself.
type Codes struct {
	Column int       `json:"column"`
	Values []float32 `json:"values"`
}

// equal tells whether they are the same.
func (c Codes) equal(other Codes) bool {
	return c.Column == other.Column && slices.Equal(c.Values, other.Values)
}

// coded returns a dense table with the features that stand for values behind its columns.
func coded(table *features.Table, codes []Codes) *features.Table {
	if len(codes) == 0 {
		return table
	}
	columns := table.Width()
	width := columns
	for _, c := range codes {
		width += len(c.Values)
	}
	values := make([]float32, table.Len()*width)
	for r := range table.Len() {
		to := values[r*width:][:width]
		at := copy(to, table.Values()[r*columns:][:columns])
		for _, c := range codes {
			if k, is := slices.BinarySearch(c.Values, to[c.Column]); is {
				to[at+k] = 1
			}
			at += len(c.Values)
		}
	}
	return table.Of(width, values)
}
