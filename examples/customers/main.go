// Command customers finds customers who are in the books more than once: a program that brings its rules, its rows, a
// similarity and a network of its own, and no file. A clerk's word then changes one input, and what follows from it is
// inferred from where the last answer was.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// customer is a row of the books.
type customer struct {
	id, name, town string
	orders, hour   float32 // a year, and at what time of the day on average
	kind           string  // "shop" or "home"; "" if nobody has asked
}

var customers = []customer{
	{"c1", "Anna Schmidt", "Kiel", 3, 20, "home"},
	{"c2", "Schmidt, Anna", "Kiel", 4, 19, ""},
	{"c3", "A. Schmidt", "Kiel", 90, 10, "shop"},
	{"c4", "Bernd Maier", "Ulm", 2, 21, "home"},
	{"c5", "Bernd Meier", "Ulm", 3, 20, ""},
	{"c6", "Meier und Sohn", "Ulm", 120, 9, "shop"},
	{"c7", "B. Mayer", "Ulm", 5, 19, "home"},
	{"c8", "Meier & Sohn", "Ulm", 100, 11, ""},
	{"c9", "Carla Weiß", "Kiel", 1, 22, "home"},
	{"c10", "Weiß Moden", "Kiel", 75, 12, "shop"},
}

// rules say which pairs are the same customer.
const rules = `
	4: Pair(A, B) & Name(A, N) & Name(B, M) & Alike(N, M) -> Same(A, B) ^2
	3: Pair(A, B) & Kind(A, 'shop') & Kind(B, 'home') -> !Same(A, B) ^2
	4: Same(A, B) & Same(B, C) & (A != B) & (B != C) & (A != C) -> Same(A, C) ^2
	20: Confirmed(A, B) -> Same(A, B) ^2
	1: !Same(A, B) ^2
	Same(A, B) = Same(B, A) .`

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err) // all that is wrong, each with its place
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	program, err := deeppsl.Parse(rules,
		deeppsl.Predicate{Name: "Pair", Derive: []string{"Pair(A, B) <- Lives(A, T) & Lives(B, T) & (A != B)"}},
		deeppsl.Predicate{Name: "Alike", Function: alike},
		deeppsl.Predicate{Name: "Kind", Network: &deeppsl.Network{
			Spec: neural.Spec{Function: logistic{}}, Classes: []string{"shop", "home"}}})
	if err != nil {
		return err
	}
	data, err := books(program)
	if err != nil {
		return err
	}
	session, err := deeppsl.NewSession(ctx, program, data, deeppsl.Options{Seed: 1, Gap: 1e-6})
	if err != nil {
		return err
	}
	defer session.Close()
	if _, err := session.Learn(ctx); err != nil {
		return err
	}
	before, err := session.Infer(ctx)
	if err != nil {
		return err
	}
	show(before)
	if err := session.SetValue(1, "Confirmed", "c4", "c5"); err != nil {
		return err
	}
	after, err := session.Infer(ctx)
	if err != nil {
		return err
	}
	fmt.Println("The clerk says that c4 is c5.")
	show(after)
	return nil
}

// books are the rows that the rules are about.
func books(program *deeppsl.Program) (*deeppsl.Data, error) {
	var names, towns, kinds, pairs deeppsl.Rows
	var ids []string
	var vectors []float32
	for _, c := range customers {
		names, towns = append(names, []string{c.id, c.name}), append(towns, []string{c.id, c.town})
		ids, vectors = append(ids, c.id), append(vectors, c.orders, c.hour)
		for _, other := range customers {
			if c.town == other.town && c.id != other.id {
				pairs = append(pairs, []string{c.id, other.id})
			}
		}
		for _, kind := range []string{"shop", "home"} {
			if c.kind != "" {
				kinds = append(kinds, []string{c.id, kind, truth(kind == c.kind)})
			}
		}
	}
	table, err := features.NewDense(ids, 2, vectors)
	if err != nil {
		return nil, err
	}
	data := deeppsl.NewData(program)
	data.Observe("Name", names)
	data.Observe("Lives", towns)
	data.Target("Same", pairs)
	data.Truth("Kind", kinds)
	data.Features("Kind", table)
	// What a clerk may say later is not folded away as observed atoms are: its values can change.
	data.Given("Confirmed", deeppsl.Values(func(yield func([]string, float64) bool) {
		for _, pair := range pairs {
			if !yield(pair, 0) {
				return
			}
		}
	}))
	return data, nil
}

func truth(holds bool) string {
	if holds {
		return "1"
	}
	return "0"
}

// alike compares names as this shop knows them: words in any order, their vowels not heard, initials half a word.
func alike(arguments ...string) float64 {
	a, b := words(arguments[0]), words(arguments[1])
	sum := 0.0
	for _, word := range a {
		best := 0.0
		for _, other := range b {
			switch {
			case word == other:
				best = 1
			case word[0] == other[0] && (len(word) == 1 || len(other) == 1):
				best = max(best, 0.5)
			}
		}
		sum += best
	}
	return sum / float64(max(len(a), len(b)))
}

// words are those of a name, without what is not heard clearly.
func words(name string) []string {
	mute := strings.NewReplacer(".", "", ",", "", "e", "", "i", "", "y", "", "&", "und")
	return strings.Fields(mute.Replace(strings.ToLower(name)))
}

// logistic is a network of this program: one matrix and a shift.
type logistic struct{}

// Tensors describes the parameters.
func (logistic) Tensors(features, outputs int) []neural.Tensor {
	return []neural.Tensor{{Name: "matrix", Shape: []int{features, outputs}}, {Name: "shift", Shape: []int{outputs}}}
}

// Forward computes one row of outputs after the other.
func (logistic) Forward(p [][]float32, features, outputs []float32) {
	matrix, shift := p[0], p[1]
	classes, width := len(shift), len(matrix)/len(shift)
	for k := range outputs {
		row, class := k/classes, k%classes
		outputs[k] = shift[class]
		for f, u := range features[row*width : (row+1)*width] {
			outputs[k] += u * matrix[f*classes+class]
		}
	}
}

// Backward adds up the gradients.
func (logistic) Backward(p [][]float32, features, upstream []float32, gradients [][]float32) {
	matrix, shift := gradients[0], gradients[1]
	classes, width := len(shift), len(matrix)/len(shift)
	for k, g := range upstream {
		row, class := k/classes, k%classes
		shift[class] += g
		for f, u := range features[row*width : (row+1)*width] {
			matrix[f*classes+class] += g * u
		}
	}
}

// show prints the pairs that are probably one customer, the most probable first.
func show(answer *deeppsl.Answer) {
	if answer.Status != deeppsl.Optimal {
		log.Print(answer.Explanation)
	}
	var same []deeppsl.Atom
	for atom := range answer.Atoms("Same") {
		if atom.Value > 0.5 && atom.Arguments[0] < atom.Arguments[1] {
			same = append(same, atom)
		}
	}
	slices.SortFunc(same, func(a, b deeppsl.Atom) int {
		return cmp.Or(cmp.Compare(math.Round(100*b.Value), math.Round(100*a.Value)),
			strings.Compare(a.String(), b.String()))
	})
	for _, atom := range same {
		fmt.Printf("%.1f %v\n", atom.Value, atom)
	}
}
