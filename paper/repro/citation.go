// Package repro repeats the experiments of the paper and holds their results against the printed ones.
package repro

import "github.com/deeppsl/deeppsl/internal/task"

// citation is a project of document classification.
type citation struct{ task.Citation }

// rowNormalized returns the documents' words as a sparse matrix whose rows sum to 1.
func (c *citation) rowNormalized() csr {
	m := csr{start: c.WordStart, index: c.Word, value: make([]float32, len(c.Word)), width: c.Words}
	for d := range c.Documents {
		lo, hi := c.WordStart[d], c.WordStart[d+1]
		for e := lo; e < hi; e++ {
			m.value[e] = 1 / float32(hi-lo)
		}
	}
	return m
}
