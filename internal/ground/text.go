package ground

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// Write prints the ground rules of a model, one per line in the order of its blocks, as arithmetic rules: the free
// atoms on the left, the constant on the right. The weights are those of the rules. After limit ground rules it says
// how many there are besides; a limit of 0 or less prints all.
func Write(w io.Writer, weights []float64, store *relation.Store, model *mrf.Model, limit int) error {
	out := bufio.NewWriter(w)
	written := 0
	for _, b := range model.Blocks {
		for j := 0; j < b.Len && (limit <= 0 || written < limit); j++ {
			fmt.Fprintln(out, Text(weights, store, b, j))
			written++
		}
	}
	if rest := model.Potentials() - written; rest > 0 {
		fmt.Fprintf(out, "... and %d more ground rules\n", rest)
	}
	return out.Flush()
}

// Text prints potential j of a block as a ground rule.
func Text(weights []float64, store *relation.Store, b *mrf.Block, j int) string {
	var text strings.Builder
	if !b.Kind.Hard() {
		text.WriteString(number(weights[b.Rule]*scaleOf(b, j)) + ": ")
	}
	first := true
	for _, s := range sides(b, j) {
		from, to := s.row(j)
		for k := from; k < to; k++ {
			r, row := store.Locate(s.role, s.index[k])
			text.WriteString(signed(s.coefficient(k-from, k), first) + " * " + store.Atom(r, row))
			first = false
		}
	}
	text.WriteString(" " + relop(b.Kind) + " " + number(0-constantOf(b, j)))
	switch {
	case b.Kind.Hard():
		text.WriteString(" .")
	case b.Exponent == 2:
		text.WriteString(" ^2")
	}
	return text.String()
}

// side is the variables of a block's potentials, or the inputs, in either layout.
type side struct {
	role  relation.Role
	coef  []float64  // uniform
	start []int32    // ragged
	value *mrf.Reals // ragged
	index []int32
	first int // the potential that the index begins with
}

// sides returns both sides of a block for its potential j, so that each loop over terms is written once.
func sides(b *mrf.Block, j int) [2]side {
	variables := side{relation.Target, b.Coef, b.VarStart, &b.VarCoef, b.Vars, 0}
	if b.Vars == nil && len(b.Coef) == 1 {
		variables.index, variables.first = b.Variables(j), j
	}
	return [2]side{variables, {relation.Perceived, b.InputCoef, b.InputStart, &b.InputValue, b.Inputs, 0}}
}

// row returns where the terms of potential j are.
func (s *side) row(j int) (from, to int) {
	if s.start != nil {
		return int(s.start[j]), int(s.start[j+1])
	}
	j -= s.first
	return j * len(s.coef), (j + 1) * len(s.coef)
}

// coefficient returns that of the k-th term of a potential, which lies at place at.
func (s *side) coefficient(k, at int) float64 {
	if s.start != nil {
		return s.value.At(at)
	}
	return s.coef[k]
}

// signed prints a coefficient as the first term of a sum or as a later one.
func signed(coef float64, first bool) string { return signedTo(usual, coef, first) }

func signedTo(digits int, coef float64, first bool) string {
	switch {
	case first:
		return numberTo(digits, coef)
	case coef < 0:
		return " - " + numberTo(digits, -coef)
	}
	return " + " + numberTo(digits, coef)
}

// usual are the digits that numbers are printed with, and telling those where the last ones may be what is wrong.
const usual, telling = 6, 12

func number(x float64) string { return numberTo(usual, x) }

// numberTo prints a number with a decimal point, as rules do.
func numberTo(digits int, x float64) string {
	text := strconv.FormatFloat(x, 'g', digits, 64)
	if !strings.ContainsAny(text, ".eNI") {
		text += ".0"
	}
	return text
}

// WriteBlocks prints a model's blocks, one per line: their rule and kind, the pattern that their potentials share, and
// what they take. In a pattern, y stands for a variable and x for an input.
func WriteBlocks(w io.Writer, model *mrf.Model) error {
	fmt.Fprintf(w, "%d variables, %d inputs, %d potentials and constraints\n",
		model.Variables, model.Inputs, model.Potentials())
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "rule\tkind\tpattern\tcount\tbytes")
	for _, b := range model.Blocks {
		fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%d\n", b.Rule+1, kindName(b), pattern(b), b.Len, b.Bytes())
	}
	return table.Flush()
}

// kindName returns what a block's potentials do with their template.
func kindName(b *mrf.Block) string {
	name := [...]string{
		mrf.Hinge: "hinge", mrf.Absolute: "absolute", mrf.Linear: "linear", mrf.LessEqual: "at most 0", mrf.Equal: "equal 0",
	}[b.Kind]
	if b.Exponent == 2 && !b.Kind.Hard() {
		name += " ^2"
	}
	return name
}

// pattern prints what is common to a block's potentials: "1.0 y - 1.0 y - 1.0 + bias".
func pattern(b *mrf.Block) string {
	if b.VarStart != nil {
		return fmt.Sprintf("ragged, %d terms", len(b.Vars)+len(b.Inputs))
	}
	text := ""
	for _, coef := range b.Coef {
		text += signed(coef, text == "") + " y"
	}
	for _, coef := range b.InputCoef {
		text += signed(coef, text == "") + " x"
	}
	text += signed(b.Constant, text == "")
	if b.Varies() {
		text += " + bias"
	}
	if b.Scale != nil {
		text += ", scaled"
	}
	return text
}

// relop returns the relation that a potential penalises the violation of.
func relop(k mrf.Kind) string {
	if k == mrf.Equal || k == mrf.Absolute {
		return "="
	}
	return "<="
}

// constantOf returns c_j, what the observed atoms and the rule itself add to the template.
func constantOf(b *mrf.Block, j int) float64 {
	return b.Constant + b.Own(j)
}
