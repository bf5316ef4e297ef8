package repro

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/paper/published"
)

// paperCora is the paper's table of run time for Cora.
var paperCora = []printedScale{
	{500, 418, 30352, 1.98, 0.10}, {1000, 1476, 69664, 3.26, 0.17}, {1500, 3334, 120176, 6.06, 0.36},
	{2000, 6572, 190008, 9.15, 0.7}, {2708, 10556, 280476, 10.73, 1.02},
}

// paperResolution is the paper's table of run time for entity resolution.
var paperResolution = []printedScale{
	{0, 0, 551220, 12.1, 1.5}, {0, 0, 1011922, 25, 2.5}, {0, 0, 2083797, 60.7, 4.8}, {0, 0, 3143623, 81.8, 5.5},
}

// coraSampler draws documents of Cora at random, with the citations between them. The paper does not say how it drew
// its own, but its numbers of edges are what this gives. Half of a sample's documents have a label, so that the
// gradient concerns nearly all ground rules at every size.
func coraSampler() (sampler, error) {
	data, err := readPlanetoid("cora")
	if err != nil {
		return nil, err
	}
	return func(size int, seed uint64) (*sample, error) {
		paper := paperCora[size]
		part := subgraph(data, draw(data.Documents, paper.Nodes, seed))
		split, err := dataset.RandomSplit(part.Labels, dataset.SplitOptions{Train: part.Documents / 2,
			Validation: part.Documents / 4, Seed: seed})
		if err != nil {
			return nil, err
		}
		c := (&T2{Dataset: "cora", Split: 1, Method: "deeppsl", Faithful: true}).citation(part)
		return &sample{
			nodes: part.Documents, edges: 2 * len(part.Links), counted: countedCitation(part), paper: paper,
			write: func(dir string) (string, error) { return c.Write(dir, split) },
			truth: func(*project.Project) error { return nil },
		}, nil
	}, nil
}

// countedCitation is the number of ground rules as the paper counts them: of a document and class seven (four rules,
// its sum of classes, and the box's two sides), and of a directed citation and class two.
func countedCitation(c *dataset.Citation) int {
	return len(c.Classes) * (7*c.Documents + 2*2*len(c.Links))
}

// draw chooses k of n, ascending.
func draw(n, k int, seed uint64) []int32 {
	chosen := make([]int32, k)
	for i, at := range rand.New(rand.NewPCG(seed, 0)).Perm(n)[:k] {
		chosen[i] = int32(at)
	}
	slices.Sort(chosen)
	return chosen
}

// subgraph returns the given documents, which ascend, with the links between them.
func subgraph(c *dataset.Citation, documents []int32) *dataset.Citation {
	part := &dataset.Citation{Name: c.Name, Documents: len(documents), Words: c.Words, Classes: c.Classes,
		WordStart: make([]int32, 1, len(documents)+1)}
	place := make([]int32, c.Documents)
	for i := range place {
		place[i] = -1
	}
	for i, d := range documents {
		place[d] = int32(i)
		part.Names, part.Labels = append(part.Names, c.Names[d]), append(part.Labels, c.Labels[d])
		part.Word = append(part.Word, c.WordsOf(int(d))...)
		part.WordStart = append(part.WordStart, int32(len(part.Word)))
	}
	for _, link := range c.Links {
		if a, b := place[link[0]], place[link[1]]; a >= 0 && b >= 0 {
			part.Links = append(part.Links, [2]int32{a, b})
		}
	}
	return part
}

// resolutionShares are the shares of the paper mentions in the samples: those with which the numbers of ground rules
// stand in about the ratios of the paper's.
var resolutionShares = []float64{0.42, 0.57, 0.81, 1}

// resolutionSampler draws papers of the test fold at random, with the references to their authors. The rules are those
// of the third task, with Soft-TFIDF for both similarities; all candidate pairs have a label, and rule weights learn.
func resolutionSampler() (sampler, error) {
	cache, err := published.NewCache()
	if err != nil {
		return nil, err
	}
	references, err := cache.References()
	if err != nil {
		return nil, err
	}
	fold, err := cache.Fold("big", 1)
	if err != nil {
		return nil, err
	}
	return func(size int, seed uint64) (*sample, error) {
		papers := len(fold.PaperTitle)
		part := subfold(fold, draw(papers, int(resolutionShares[size]*float64(papers)), seed))
		r := newResolution(part, references)
		r.similarities = resolutionMethods["psl-a"]
		return &sample{
			nodes: len(part.PaperTitle), edges: len(part.AuthorName), paper: paperResolution[size],
			write: r.write, truth: r.setTruth, options: []string{"learn.method=deeppsl", "learn.rate.rules=1e-2"},
		}, nil
	}, nil
}

// subfold returns the papers at the given places, with the references to their authors.
func subfold(fold *published.Fold, places []int32) *published.Fold {
	part := new(published.Fold)
	chosen := map[int]bool{}
	for _, at := range places {
		part.PaperTitle = append(part.PaperTitle, fold.PaperTitle[at])
		chosen[fold.PaperTitle[at].ID] = true
	}
	authors := map[int]bool{}
	for _, of := range fold.AuthorOf {
		if chosen[of[1]] {
			part.AuthorOf = append(part.AuthorOf, of)
			authors[of[0]] = true
		}
	}
	for _, author := range fold.AuthorName {
		if authors[author.ID] {
			part.AuthorName = append(part.AuthorName, author)
		}
	}
	part.SameAuthor, part.SamePaper = within(fold.SameAuthor, authors), within(fold.SamePaper, chosen)
	return part
}

// within keeps the pairs whose members are both chosen.
func within(pairs [][2]int, chosen map[int]bool) (kept [][2]int) {
	for _, p := range pairs {
		if chosen[p[0]] && chosen[p[1]] {
			kept = append(kept, p)
		}
	}
	return kept
}

// setTruth labels all candidate pairs of different references.
func (r *resolution) setTruth(project *project.Project) error {
	for _, kind := range []struct {
		predicate        string
		candidates, same [][2]int
	}{{"SameAuthor", r.authors, r.SameAuthor}, {"SamePaper", r.papers, r.SamePaper}} {
		same := truePairs(kind.same)
		var rows [][]string
		for _, p := range kind.candidates {
			if p[0] == p[1] {
				continue
			}
			value := "0"
			if same[newPair(p[0], p[1])] {
				value = "1"
			}
			rows = append(rows, []string{strconv.Itoa(p[0]), strconv.Itoa(p[1]), value})
		}
		if err := project.SetTruth(load.Learn, kind.predicate, rows); err != nil {
			return err
		}
	}
	return nil
}
