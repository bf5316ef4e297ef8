package neural

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/neural/features"
)

// normalized returns a table with every row scaled; the table itself if rows are not what is scaled, or columns are
// before them.
func normalized(table *features.Table, how Normalization) *features.Table {
	if !how.byRows() || how.byColumns() {
		return table
	}
	scaled := table.Of(table.Width(), slices.Clone(table.Values()))
	scaleRows(scaled, 0, how)
	return scaled
}

// scaleRows scales rows of a table that is nobody else's, from one on.
func scaleRows(table *features.Table, from int, how Normalization) {
	for r := from; r < table.Len(); r++ {
		lo, hi := table.Span(r)
		scale(table.Values()[lo:hi], how)
	}
}

// textLength is the length of rows by tf-idf. Weight decay holds back more of what is learned from shorter ones, and
// few labels are learned by heart of longer ones.
const textLength = 2

// scale divides a row by its size. The sum is taken in float64, so that long rows come out as exact as short ones.
func scale(row []float32, normalization Normalization) {
	size := 0.0
	for _, v := range row {
		if normalization == RowsToUnitSum {
			size += math.Abs(float64(v))
		} else {
			size += float64(v) * float64(v)
		}
	}
	switch normalization {
	case RowsToUnitL2:
		size = math.Sqrt(size)
	case RowsByTFIDF:
		size = math.Sqrt(size) / textLength
	}
	if size == 0 {
		return
	}
	for i, v := range row {
		row[i] = float32(float64(v) / size)
	}
}
