package repro

import (
	"bytes"
	"fmt"
	"slices"
)

// smoothed returns the documents' words, averaged so many times over a document and those that it cites or that
// cite it, so that the network alone sees the neighbourhood (simplified graph convolutions; Wu et al., 2019).
func (c *citation) smoothed(hops int) csr {
	words := csr{start: c.WordStart, index: c.Word, value: make([]float32, len(c.Word)), width: c.Words}
	for e := range words.value {
		words.value[e] = 1
	}
	links := normalizedLinks(c.Documents, c.Links)
	for range hops {
		words = links.timesSparse(&words)
	}
	return words
}

// timesSparse returns m·b with the columns of each row ascending.
func (m *csr) timesSparse(b *csr) csr {
	product := csr{start: make([]int32, 1, len(m.start)), width: b.width}
	row := make([]float32, b.width)
	var columns []int32
	for r := range m.rows() {
		columns = columns[:0]
		for e := m.start[r]; e < m.start[r+1]; e++ {
			k := m.index[e]
			for f := b.start[k]; f < b.start[k+1]; f++ {
				column := b.index[f]
				if row[column] == 0 {
					columns = append(columns, column)
				}
				row[column] += m.value[e] * b.value[f]
			}
		}
		slices.Sort(columns)
		for _, column := range columns {
			product.index, product.value = append(product.index, column), append(product.value, row[column])
			row[column] = 0
		}
		product.start = append(product.start, int32(len(product.index)))
	}
	return product
}

// smoothedFeatures writes one sparse line per document, in which a word without a number counts as 1.
func (c *citation) smoothedFeatures() []byte {
	words := c.smoothed(c.Smooth)
	var b bytes.Buffer
	for d := range c.Documents {
		fmt.Fprintf(&b, "%d\t", d)
		for e := words.start[d]; e < words.start[d+1]; e++ {
			if e > words.start[d] {
				b.WriteByte(' ')
			}
			fmt.Fprint(&b, words.index[e])
			if words.value[e] != 1 {
				fmt.Fprintf(&b, ":%g", words.value[e])
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}
