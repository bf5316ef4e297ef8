package repro

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"text/template"

	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/task"
	"github.com/deeppsl/deeppsl/paper/published"
)

//go:embed resolution.psl
var resolutionRules []byte

//go:embed resolution.json
var resolutionConfig string

// pair is an unordered pair of references or of papers, the smaller number first.
type pair [2]int

func newPair(a, b int) pair { return pair{min(a, b), max(a, b)} }

// similarities are how a method compares strings.
type similarities struct {
	Name  string // measure of authors' names
	Title string // measure of titles; "" takes the cosine of their mean word vectors
}

// resolution is a project of entity resolution on one fold, as files that `deeppsl run` takes.
type resolution struct {
	*published.Fold
	similarities
	// authors and papers are the candidates: ordered pairs within blocks, each reference with itself included.
	authors, papers [][2]int
	block           map[int]string // of an author reference
	title           map[int]string // of a paper
	vectors         wordMeans
	Options         []task.Option
}

// newResolution finds the candidates of a fold. references are those of the whole data set: a fold does not have the
// normalised names, by which references fall into blocks.
func newResolution(fold *published.Fold, references []published.Reference) *resolution {
	r := &resolution{Fold: fold, block: map[int]string{}, title: map[int]string{}}
	normalized := map[int]string{}
	for _, reference := range references {
		normalized[reference.ID] = reference.NormalizedName
	}
	members := map[string][]int{}
	for _, author := range fold.AuthorName {
		block := firstLetters(normalized[author.ID])
		r.block[author.ID] = block
		members[block] = append(members[block], author.ID)
	}
	r.authors = r.authorPairs(members)
	for _, paper := range fold.PaperTitle {
		r.title[paper.ID] = paper.Text
	}
	r.papers = r.paperPairs()
	return r
}

// blockLetters is how many letters of a normalised name, which begins with the family name, make an author's block.
const blockLetters = 2

func firstLetters(name string) string { return name[:min(blockLetters, len(name))] }

// authorPairs returns all ordered pairs within blocks, in the order of the fold.
func (r *resolution) authorPairs(members map[string][]int) (pairs [][2]int) {
	for _, author := range r.AuthorName {
		for _, other := range members[r.block[author.ID]] {
			pairs = append(pairs, [2]int{author.ID, other})
		}
	}
	return pairs
}

// shortWord is the length up to which a word of a title makes no block.
const shortWord = 3

// paperPairs returns all ordered pairs of papers whose titles share a word that is not short, and each with itself.
func (r *resolution) paperPairs() (pairs [][2]int) {
	having := map[string][]int{}
	for _, paper := range r.PaperTitle {
		for _, word := range longWords(paper.Text) {
			having[word] = append(having[word], paper.ID)
		}
	}
	for _, paper := range r.PaperTitle {
		near := []int{paper.ID}
		for _, word := range longWords(paper.Text) {
			near = append(near, having[word]...)
		}
		slices.Sort(near)
		for _, other := range slices.Compact(near) {
			pairs = append(pairs, [2]int{paper.ID, other})
		}
	}
	return pairs
}

// allPapers returns all ordered pairs.
func (r *resolution) allPapers() (pairs [][2]int) {
	for _, paper := range r.PaperTitle {
		for _, other := range r.PaperTitle {
			pairs = append(pairs, [2]int{paper.ID, other.ID})
		}
	}
	return pairs
}

// longWords returns a title's different words that are not short.
func longWords(title string) (words []string) {
	for _, word := range published.TextWords(title) {
		if len(word) > shortWord {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// write writes the project's files into a folder and returns the configuration's path.
func (r *resolution) write(dir string) (config string, err error) {
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o777); err != nil {
		return "", err
	}
	t, err := template.New("resolution.json").Funcs(task.Functions).Parse(resolutionConfig)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	if err := t.Execute(&text, r); err != nil {
		return "", err
	}
	files := map[string][]byte{
		"resolution.json":      text.Bytes(),
		"resolution.psl":       resolutionRules,
		"data/authorName.tsv":  named(r.AuthorName),
		"data/paperTitle.tsv":  named(r.PaperTitle),
		"data/authorOf.tsv":    pairTable(r.AuthorOf),
		"data/authorBlock.tsv": r.blocks(),
		"data/paperBlock.tsv":  pairTable(r.papers),
		"data/sameAuthor.tsv":  pairTable(r.authors),
	}
	if r.Title == "" {
		files["data/simTitle.tsv"] = r.vectorSimilarities()
	}
	for name, data := range files {
		if err := report.WriteFile(filepath.Join(dir, name), data); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "resolution.json"), nil
}

// named writes a number and a text per line.
func named(rows []published.Named) []byte {
	var b bytes.Buffer
	for _, row := range rows {
		fmt.Fprintf(&b, "%d\t%s\n", row.ID, row.Text)
	}
	return b.Bytes()
}

func pairTable(pairs [][2]int) []byte {
	var b bytes.Buffer
	for _, p := range pairs {
		fmt.Fprintf(&b, "%d\t%d\n", p[0], p[1])
	}
	return b.Bytes()
}

func (r *resolution) blocks() []byte {
	var b bytes.Buffer
	for _, author := range r.AuthorName {
		fmt.Fprintf(&b, "%d\t%s\n", author.ID, r.block[author.ID])
	}
	return b.Bytes()
}

// vectorSimilarities writes the cosines, where they are positive, of the mean word vectors of candidate papers' titles.
func (r *resolution) vectorSimilarities() []byte {
	mean := map[string][]float32{}
	for _, title := range r.title {
		mean[title] = make([]float32, r.vectors.columns())
		r.vectors.row(title, func(column int, value float64) { mean[title][column] = float32(value) })
	}
	var b bytes.Buffer
	seen := map[[2]string]bool{}
	for _, p := range r.papers {
		titles := [2]string{r.title[p[0]], r.title[p[1]]}
		if seen[titles] {
			continue
		}
		seen[titles] = true
		if c := cosine(mean[titles[0]], mean[titles[1]]); c > 0 {
			b.WriteString(titles[0] + "\t" + titles[1] + "\t" + strconv.FormatFloat(c, 'g', 6, 64) + "\n")
		}
	}
	return b.Bytes()
}

// cosine is at most 1; of a vector without length it is 0.
func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for k := range a {
		x, y := float64(a[k]), float64(b[k])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return math.Min(1, ab/math.Sqrt(aa*bb))
}
