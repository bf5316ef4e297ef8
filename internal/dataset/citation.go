package dataset

import (
	"cmp"
	"fmt"
	"slices"
)

// Citation is a network of documents with binary words, a class for most of them, and links.
type Citation struct {
	Name string
	// Documents and Words count the rows and columns of the features.
	Documents, Words int
	// Names are the documents' identifiers, Classes the classes' names.
	Names, Classes []string
	// Labels holds each document's class, -1 if it has none.
	Labels []int
	// Word lists the words of document d in Word[WordStart[d]:WordStart[d+1]], ascending.
	WordStart, Word []int32
	// Links are the unique pairs {a, b} with a < b, ascending; no document is linked with itself.
	Links [][2]int32
	// DirectedLinks are the citations {citing, cited} as they were published, in that order; nil if only Links are known.
	DirectedLinks [][2]int32
	// Public is the split that was published with the data; nil if there is none.
	Public *Split
}

// WordsOf returns the words of a document, ascending.
func (c *Citation) WordsOf(document int) []int32 {
	return c.Word[c.WordStart[document]:c.WordStart[document+1]]
}

// AddWords appends the next document's words, in any order and perhaps repeated.
func (c *Citation) AddWords(words []int32) {
	if len(c.WordStart) == 0 {
		c.WordStart = append(c.WordStart, 0)
	}
	begin := len(c.Word)
	c.Word = append(c.Word, words...)
	slices.Sort(c.Word[begin:])
	c.Word = c.Word[:begin+len(slices.Compact(c.Word[begin:]))]
	c.WordStart = append(c.WordStart, int32(len(c.Word)))
}

// Undirected makes Links of pairs in either direction.
func Undirected(pairs [][2]int32) [][2]int32 {
	links := make([][2]int32, 0, len(pairs))
	for _, p := range pairs {
		if p[0] != p[1] {
			links = append(links, [2]int32{min(p[0], p[1]), max(p[0], p[1])})
		}
	}
	slices.SortFunc(links, comparePairs)
	return slices.Compact(links)
}

func comparePairs(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }

// Check returns what of a Citation's promises does not hold.
func (c *Citation) Check() error {
	if len(c.Labels) != c.Documents || len(c.Names) != c.Documents || len(c.WordStart) != c.Documents+1 {
		return fmt.Errorf("%d documents, %d labels, %d names, %d rows", c.Documents, len(c.Labels), len(c.Names),
			len(c.WordStart))
	}
	for d, label := range c.Labels {
		words := c.WordsOf(d)
		unique := slices.Compact(slices.Clone(words))
		if label < -1 || label >= len(c.Classes) || !slices.IsSorted(words) || len(unique) != len(words) {
			return fmt.Errorf("document %d of class %d has words %v", d, label, words)
		}
		if len(words) > 0 && (words[0] < 0 || int(words[len(words)-1]) >= c.Words) {
			return fmt.Errorf("document %d has words %v of %d", d, words, c.Words)
		}
	}
	for k, link := range c.Links {
		inOrder := k == 0 || comparePairs(c.Links[k-1], link) < 0
		if link[0] < 0 || link[0] >= link[1] || int(link[1]) >= c.Documents || !inOrder {
			return fmt.Errorf("link %d is %v", k, link)
		}
	}
	return nil
}
