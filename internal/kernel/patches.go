package kernel

import "fmt"

// A Patch is the part of an image that a filter sees: Lines runs of Width values, which begin Stride elements apart.
type Patch struct{ Lines, Width, Stride int }

// A Picked grid has factors that belong to patches of an image: the one in row i and column j is
// Factors[i·Row + j·Column], and its patch begins at the image's element Places[i·Row + j·Column].
type Picked struct {
	Factors       []float32
	Places        []int32
	Rows, Columns int
	Row, Column   int
}

// Gather adds each factor times its patch of the image to sums, a matrix [Lines, Width]: a product with a matrix of
// which only what is picked is not 0. Sums go down the columns of the grid, one after the other. Patches that leave the
// image are a mistake of the program, and unless they are the grid's sizes that say so it is not found.
func Gather(sums, image []float32, patch Patch, at Picked) {
	if at.check(sums, image, patch) {
		gather(sums, image, patch, at)
	}
}

// Scatter adds each factor times the weights, a matrix [Lines, Width], to its patch of the image, in the order of
// Gather.
func Scatter(image, weights []float32, patch Patch, at Picked) {
	if at.check(weights, image, patch) {
		scatter(image, weights, patch, at)
	}
}

// check tells whether there is anything to do.
func (at *Picked) check(matrix, image []float32, patch Patch) bool {
	if min(at.Rows, at.Columns, patch.Lines, patch.Width) <= 0 {
		return false
	}
	last := (at.Rows-1)*at.Row + (at.Columns-1)*at.Column
	if last >= len(at.Factors) || last >= len(at.Places) || patch.Lines*patch.Width > len(matrix) ||
		(patch.Lines-1)*patch.Stride+patch.Width > len(image) {
		panic(fmt.Sprintf("kernel: %+v of a grid of %d×%d does not fit %d, %d, %d and %d elements", patch, at.Rows,
			at.Columns, len(matrix), len(image), len(at.Factors), len(at.Places)))
	}
	return true
}

// each calls body with each factor and the line of its patch that begins at start.
func (at *Picked) each(image []float32, start, width int, body func(factor float32, line []float32)) {
	for j := range at.Columns {
		for i := range at.Rows {
			k := i*at.Row + j*at.Column
			body(at.Factors[k], image[int(at.Places[k])+start:][:width])
		}
	}
}

func gatherPortably(sums, image []float32, patch Patch, at Picked) {
	for l := range patch.Lines {
		sum := sums[l*patch.Width:][:patch.Width]
		at.each(image, l*patch.Stride, patch.Width, func(factor float32, line []float32) {
			for j, v := range line {
				sum[j] += factor * v
			}
		})
	}
}

func scatterPortably(image, weights []float32, patch Patch, at Picked) {
	for l := range patch.Lines {
		w := weights[l*patch.Width:][:patch.Width]
		at.each(image, l*patch.Stride, patch.Width, func(factor float32, line []float32) {
			for j, v := range w {
				line[j] += factor * v
			}
		})
	}
}
