package published

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/dataset"
)

// maxLine bounds a line of a text data set.
const maxLine = 1 << 20

// readLINQS reads the two files of a citation network as LINQS publishes them. A line of content is a document's name,
// a 0 or 1 for each word, and its class, between tabs; a line of cites is the cited and then the citing document.
// Classes are numbered in alphabetical order. A document that occurs in cites only, as 15 of CiteSeer do, comes after
// the others, without words and label.
func readLINQS(name string, content, cites io.Reader) (*dataset.Citation, error) {
	r := linqs{citation: &dataset.Citation{Name: name, Words: -1}, numbers: make(map[string]int32)}
	if err := eachLine(content, r.document); err != nil {
		return nil, fmt.Errorf("%s.content: %w", name, err)
	}
	if err := eachLine(cites, r.cite); err != nil {
		return nil, fmt.Errorf("%s.cites: %w", name, err)
	}
	r.finish()
	return r.citation, nil
}

// eachLine calls read with the fields, between tabs, of each line that is not blank.
func eachLine(r io.Reader, read func(fields []string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		if line := strings.TrimSpace(lines.Text()); line != "" {
			if err := read(strings.Split(line, "\t")); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	return nil
}

// linqs collects a network while its two files are read.
type linqs struct {
	citation *dataset.Citation
	numbers  map[string]int32 // of documents by name
	classes  []string         // of documents
}

// document reads a line of content.
func (r *linqs) document(fields []string) error {
	c := r.citation
	words := len(fields) - 2
	switch {
	case words < 0:
		return fmt.Errorf("want a name, words and a class, found %d columns", len(fields))
	case c.Words >= 0 && c.Words != words:
		return fmt.Errorf("%d words, but %d in the lines before", words, c.Words)
	}
	c.Words = words
	name := strings.Clone(fields[0])
	if _, ok := r.numbers[name]; ok {
		return fmt.Errorf("document %s is there twice", name)
	}
	var present []int32
	for word, mark := range fields[1 : 1+words] {
		switch mark {
		case "1":
			present = append(present, int32(word))
		case "0":
		default:
			return fmt.Errorf("word %d is %q, not 0 or 1", word, mark)
		}
	}
	r.add(name, present)
	r.classes = append(r.classes, strings.Clone(fields[1+words]))
	return nil
}

// add appends a document and returns its number.
func (r *linqs) add(name string, words []int32) int32 {
	number := int32(len(r.citation.Names))
	r.numbers[name] = number
	r.citation.Names = append(r.citation.Names, name)
	r.citation.AddWords(words)
	return number
}

// cite reads a line of cites. The file has the cited document first, "from right to left" as its authors say.
func (r *linqs) cite(fields []string) error {
	if len(fields) != 2 {
		return fmt.Errorf("want two documents, found %d columns", len(fields))
	}
	var ends [2]int32
	for k, name := range fields {
		number, ok := r.numbers[name]
		if !ok {
			number = r.add(strings.Clone(name), nil)
		}
		ends[k] = number
	}
	r.citation.DirectedLinks = append(r.citation.DirectedLinks, [2]int32{ends[1], ends[0]})
	return nil
}

// finish numbers the classes and derives what follows from the rest.
func (r *linqs) finish() {
	c := r.citation
	c.Words = max(c.Words, 0)
	c.Documents = len(c.Names)
	c.Classes = slices.Compact(slices.Sorted(slices.Values(r.classes)))
	for _, class := range r.classes {
		number, _ := slices.BinarySearch(c.Classes, class)
		c.Labels = append(c.Labels, number)
	}
	for len(c.Labels) < c.Documents {
		c.Labels = append(c.Labels, -1)
	}
	c.Links = dataset.Undirected(c.DirectedLinks)
	if c.WordStart == nil {
		c.WordStart = []int32{0}
	}
}
