package published

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/nlpodyssey/gopickle/types"

	"github.com/deeppsl/deeppsl/internal/dataset"
)

// readPlanetoid reads the files ind.NAME.{y,tx,ty,allx,ally,graph,test.index} of a folder as Planetoid published them:
// documents 0 … len(ally)-1 come from all*, the others from t* at the numbers in test.index. A number that occurs
// nowhere (CiteSeer has 15) is a document without words and label. The public split is the one that Planetoid
// describes: training on y's documents, the next 500 for validation, test.index for the test.
func readPlanetoid(folder fs.FS, name string) (*dataset.Citation, error) {
	p := planetoid{folder: folder, name: name}
	all, allLabels := p.matrix("allx"), p.labels("ally")
	test, testLabels := p.matrix("tx"), p.labels("ty")
	training := p.labels("y")
	index := p.index()
	graph := p.dictionary("graph")
	if p.err != nil {
		return nil, p.err
	}
	if all.rows != len(allLabels) || test.rows != len(testLabels) || test.rows != len(index) ||
		test.columns != all.columns {
		return nil, fmt.Errorf("%s: the files ind.%s.* do not fit each other", name, name)
	}
	// Gaps make documents, and so a single wrong number could make any number of them.
	last := slices.Max(append(index, -1))
	if last >= 2*(all.rows+test.rows) {
		return nil, fmt.Errorf("ind.%s.test.index: document %d, but there are %d only", name, last, all.rows+test.rows)
	}
	c := &dataset.Citation{Name: name, Words: all.columns, Documents: max(all.rows, last+1)}
	if err := fill(c, all, test, allLabels, testLabels, index); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := readGraph(c, graph); err != nil {
		return nil, fmt.Errorf("ind.%s.graph: %w", name, err)
	}
	c.Public = publicSplit(len(training), index, c.Documents)
	return c, nil
}

// planetoid reads one data set's files and keeps the first error, so that a reader is a list of its parts.
type planetoid struct {
	folder fs.FS
	name   string
	err    error
}

// open calls read with the content of a part, unless there was an error before.
func (p *planetoid) open(part string, read func(io.Reader) error) {
	if p.err != nil {
		return
	}
	name := "ind." + p.name + "." + part
	f, err := p.folder.Open(name)
	if err != nil {
		p.err = err
		return
	}
	defer f.Close()
	if err := read(f); err != nil {
		p.err = fmt.Errorf("%s: %w", name, err)
	}
}

// load unpickles a part, which must be of type T.
func load[T any](p *planetoid, part string) (value T) {
	p.open(part, func(r io.Reader) error {
		content, err := unpickle(r)
		if err != nil {
			return err
		}
		var ok bool
		if value, ok = content.(T); !ok {
			return fmt.Errorf("holds a %T", content)
		}
		return nil
	})
	return value
}

func (p *planetoid) matrix(part string) *sparse         { return load[*sparse](p, part) }
func (p *planetoid) dictionary(part string) *types.Dict { return load[*types.Dict](p, part) }

// labels reads rows of which each has a 1 in the column of its class, or none.
func (p *planetoid) labels(part string) (labels []int) {
	a := load[*array](p, part)
	if p.err != nil {
		return nil
	}
	if len(a.shape) != 2 || a.shape[1] == 0 || len(a.values) != a.shape[0]*a.shape[1] {
		p.err = fmt.Errorf("ind.%s.%s: a table of classes has two dimensions", p.name, part)
		return nil
	}
	for row := range a.shape[0] {
		labels = append(labels, slices.Index(a.values[row*a.shape[1]:(row+1)*a.shape[1]], 1))
	}
	return labels
}

// index reads the numbers of the test documents, in the order of tx. They are not sorted, and CiteSeer's have gaps.
func (p *planetoid) index() (index []int) {
	p.open("test.index", func(r io.Reader) error {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			n, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
			if err != nil || n < 0 {
				return fmt.Errorf("line %d is not a document's number", len(index)+1)
			}
			index = append(index, n)
		}
		return lines.Err()
	})
	return index
}

// fill puts together words and labels; documents of neither source stay empty and unlabelled.
func fill(c *dataset.Citation, all, test *sparse, allLabels, testLabels, index []int) error {
	words := make([][]int32, c.Documents)
	c.Labels = slices.Repeat([]int{-1}, c.Documents)
	row := 0
	err := all.each(func(columns []int32) {
		words[row], c.Labels[row] = columns, allLabels[row]
		row++
	})
	if err != nil {
		return err
	}
	row = 0
	err = test.each(func(columns []int32) {
		words[index[row]], c.Labels[index[row]] = columns, testLabels[row]
		row++
	})
	for d, list := range words {
		c.AddWords(list)
		c.Names = append(c.Names, strconv.Itoa(d))
	}
	for class := range 1 + slices.Max(append(c.Labels, -1)) {
		c.Classes = append(c.Classes, strconv.Itoa(class))
	}
	return err
}

// readGraph makes links of a dictionary from each document to the list of its neighbours. The lists have repetitions
// and documents linked with themselves, which make no links.
func readGraph(c *dataset.Citation, graph *types.Dict) error {
	var pairs [][2]int32
	for _, entry := range *graph {
		from, okFrom := entry.Key.(int)
		neighbours, okList := entry.Value.(*types.List)
		if !okFrom || !okList {
			return fmt.Errorf("holds a %T for %v", entry.Value, entry.Key)
		}
		for _, neighbour := range *neighbours {
			to, ok := neighbour.(int)
			if !ok || from < 0 || to < 0 || from >= c.Documents || to >= c.Documents {
				return fmt.Errorf("%v - %v is not a link between documents 0 to %d", entry.Key, neighbour, c.Documents-1)
			}
			pairs = append(pairs, [2]int32{int32(from), int32(to)})
		}
	}
	c.Links = dataset.Undirected(pairs)
	return nil
}

// publicValidation is the size of Planetoid's validation set, which comes right after the training documents.
const publicValidation = 500

// publicSplit makes the split of Planetoid: test documents keep their published numbers.
func publicSplit(training int, test []int, documents int) *dataset.Split {
	s := &dataset.Split{}
	for d := range min(training+publicValidation, documents) {
		if d < training {
			s.Train = append(s.Train, int32(d))
		} else {
			s.Validation = append(s.Validation, int32(d))
		}
	}
	for _, d := range test {
		s.Test = append(s.Test, int32(d))
	}
	slices.Sort(s.Test)
	return s
}
