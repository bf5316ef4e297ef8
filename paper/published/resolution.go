package published

import (
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// Reference is one line of CiteSeer-ER: an author's name on a paper, with the true author and paper.
type Reference struct {
	ID             int    // of the reference: the line's own number
	Author         string // the true author
	NormalizedName string
	Name           string // as printed
	Position       int    // among the paper's authors, from 0
	Paper          int    // this mention of a paper
	PaperEntity    string // the true paper, such as "660" or "825-2"
	Title          string
}

// readReferences reads citeseer.dat: eight fields between vertical bars per line, of which the last may contain bars.
func readReferences(r io.Reader) (out []Reference, err error) {
	err = eachLine(r, func(fields []string) error {
		reference, err := parseReference(strings.Join(fields, "\t"))
		out = append(out, reference)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("citeseer.dat: %w", err)
	}
	return out, nil
}

// parseReference reads one line; entities are names, not numbers, for those that were split later ("825-2").
func parseReference(line string) (ref Reference, err error) {
	fields := strings.SplitN(line, "|", 8)
	if len(fields) != 8 {
		return ref, fmt.Errorf("want 8 fields between bars, found %d", len(fields))
	}
	for k := range fields {
		fields[k] = strings.TrimSpace(fields[k])
	}
	numbers := [...]*int{0: &ref.ID, 4: &ref.Position, 5: &ref.Paper}
	for k, number := range numbers {
		if number == nil {
			continue
		}
		if *number, err = strconv.Atoi(fields[k]); err != nil {
			return ref, fmt.Errorf("field %d is %q, not a number", k+1, fields[k])
		}
	}
	ref.Author, ref.NormalizedName, ref.Name = fields[1], fields[2], fields[3]
	ref.PaperEntity, ref.Title = fields[6], fields[7]
	return ref, nil
}

// Named is a reference, or a mention of a paper, with its text.
type Named struct {
	ID   int
	Text string
}

// Fold is one part of CiteSeer-ER as published for learning (0) or for testing (1). Pairs are of references (authors)
// or of mentions (papers); SameAuthor and SamePaper hold the pairs that are truly the same, each with itself included.
type Fold struct {
	AuthorName, AuthorNormName, PaperTitle []Named
	AuthorOf                               [][2]int // author reference, paper mention
	Coauthor                               [][2]int
	SameAuthor, SamePaper                  [][2]int
}

// readFold reads the files *.FOLD.txt of a folder.
func readFold(folder fs.FS, fold int) (*Fold, error) {
	f := &Fold{}
	for _, part := range [...]struct {
		name  string
		named *[]Named
		pairs *[][2]int
	}{
		{name: "authorName", named: &f.AuthorName},
		{name: "authorNormName", named: &f.AuthorNormName},
		{name: "paperTitle", named: &f.PaperTitle},
		{name: "authorOf", pairs: &f.AuthorOf},
		{name: "coauthor", pairs: &f.Coauthor},
		{name: "sameAuthor", pairs: &f.SameAuthor},
		{name: "samePaper", pairs: &f.SamePaper},
	} {
		read := func(fields []string) error { return readNamed(part.named, fields) }
		if part.pairs != nil {
			read = func(fields []string) error { return readPair(part.pairs, fields) }
		}
		if err := readFoldFile(folder, fmt.Sprintf("%s.%d.txt", part.name, fold), read); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func readFoldFile(folder fs.FS, name string, read func(fields []string) error) error {
	file, err := openPlain(folder, name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := eachLine(file, read); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readNamed reads a number and a text, in which further tabs are spaces.
func readNamed(out *[]Named, fields []string) error {
	id, err := strconv.Atoi(fields[0])
	if err != nil {
		return fmt.Errorf("%q is not a number", fields[0])
	}
	*out = append(*out, Named{ID: id, Text: strings.Join(fields[1:], " ")})
	return nil
}

// readPair reads two numbers. A third column is the truth value, and pairs that are not true are left out.
func readPair(out *[][2]int, fields []string) error {
	if len(fields) != 2 && len(fields) != 3 {
		return fmt.Errorf("want two numbers and perhaps a truth value, found %d columns", len(fields))
	}
	var pair [2]int
	for k := range pair {
		n, err := strconv.Atoi(fields[k])
		if err != nil {
			return fmt.Errorf("%q is not a number", fields[k])
		}
		pair[k] = n
	}
	if len(fields) == 3 {
		truth, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			return fmt.Errorf("%q is not a truth value", fields[2])
		}
		if truth == 0 {
			return nil
		}
	}
	*out = append(*out, pair)
	return nil
}
