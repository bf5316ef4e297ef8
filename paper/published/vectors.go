package published

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
)

// Vectors are word vectors of one space, such as GloVe's.
type Vectors struct {
	Dimensions int
	rows       map[string]int
	values     []float32
}

// ReadVectors reads lines of a word and its numbers between spaces, as GloVe publishes them. Words that keep refuses
// are left out; a nil keep takes all. Of a word that is there twice, the first vector counts.
func ReadVectors(r io.Reader, keep func(word string) bool) (*Vectors, error) {
	v := &Vectors{rows: make(map[string]int)}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		word, rest, _ := strings.Cut(strings.TrimRight(lines.Text(), " \r"), " ")
		if _, known := v.rows[word]; known || keep != nil && !keep(word) {
			continue
		}
		if err := v.add(word, rest); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", number+1, err)
	}
	return v, nil
}

// add appends a word's vector; the first line says how many numbers a vector has.
func (v *Vectors) add(word, numbers string) error {
	fields := strings.Fields(numbers)
	if v.Dimensions == 0 {
		v.Dimensions = len(fields)
	}
	if len(fields) != v.Dimensions || v.Dimensions == 0 {
		return fmt.Errorf("%d numbers, but %d in the lines before", len(fields), v.Dimensions)
	}
	for _, field := range fields {
		x, err := strconv.ParseFloat(field, 32)
		if err != nil {
			return fmt.Errorf("%q is not a number", field)
		}
		v.values = append(v.values, float32(x))
	}
	v.rows[strings.Clone(word)] = len(v.rows)
	return nil
}

// Of returns the vector of a word, nil if it has none. The caller must not change it.
func (v *Vectors) Of(word string) []float32 {
	row, ok := v.rows[word]
	if !ok {
		return nil
	}
	return v.values[row*v.Dimensions : (row+1)*v.Dimensions]
}

// Mean returns the mean vector of the words that have one, and how many of them do; without any it is 0.
func (v *Vectors) Mean(words []string) (mean []float32, known int) {
	mean = make([]float32, v.Dimensions)
	for _, word := range words {
		vector := v.Of(word)
		if vector == nil {
			continue
		}
		known++
		for k, x := range vector {
			mean[k] += x
		}
	}
	for k := range mean {
		mean[k] /= float32(max(known, 1))
	}
	return mean, known
}

// TextWords splits a text into words of letters, in lower case.
func TextWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}

// Vectors reads word vectors: the table wordvectors/NAME.txt, compressed or not, or, for names such as glove.6B.300d,
// that file of the archive wordvectors/glove.6B.zip.
func (c *Cache) Vectors(name string, keep func(word string) bool) (*Vectors, error) {
	f, err := openPlain(c.folder("wordvectors"), name+".txt")
	if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(name, "glove.6B.") {
		return c.gloveVectors(name+".txt", keep)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v, err := ReadVectors(f, keep)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

// gloveVectors reads a table inside the published archive.
func (c *Cache) gloveVectors(member string, keep func(word string) bool) (*Vectors, error) {
	name, err := c.Find(glove.Files[0].Path)
	if err != nil {
		return nil, err
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer archive.Close()
	f, err := archive.Open(member)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	return ReadVectors(f, keep)
}
