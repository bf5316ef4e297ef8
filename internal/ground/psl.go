package ground

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// WritePSL prints the ground rules of a model in the columns of Java PSL's file of ground rules: the weight, or a full
// stop for a hard rule, whether it is squared, and the rule. weights holds one per rule. Logical rules, too, are
// printed as the linear comparison that they stand for, because observed atoms are folded into its constant.
func WritePSL(w io.Writer, prog *program.Program, store *relation.Store, model *mrf.Model, weights []float64) error {
	out := bufio.NewWriter(w)
	out.WriteString("Weight\tSquared?\tRule\n")
	for _, b := range model.Blocks {
		for j := range b.Len {
			weight := "."
			if !b.Kind.Hard() {
				weight = javaNumber(weights[b.Rule] * scaleOf(b, j))
			}
			squared := !b.Kind.Hard() && b.Exponent == 2
			out.WriteString(weight + "\t" + strconv.FormatBool(squared) + "\t" + linear(store, b, j) + "\n")
		}
	}
	return out.Flush()
}

// linear prints a potential as "1.0 * P('a') + -1.0 * Q('a') <= 0.0".
func linear(store *relation.Store, b *mrf.Block, j int) string {
	var terms []string
	for _, s := range sides(b, j) {
		from, to := s.row(j)
		for k := from; k < to; k++ {
			r, row := store.Locate(s.role, s.index[k])
			atom := store.Atom(r, row)
			name := strings.ToUpper(r.Name)
			terms = append(terms, javaNumber(s.coefficient(k-from, k))+" * "+name+atom[len(r.Name):])
		}
	}
	return strings.Join(terms, " + ") + " " + relop(b.Kind) + " " + javaNumber(0-constantOf(b, j))
}

// scaleOf returns what multiplies the rule's weight in potential j.
func scaleOf(b *mrf.Block, j int) float64 {
	if b.Scale == nil {
		return 1
	}
	return float64(b.Scale[j])
}

// javaNumber prints a number as Java does: with a decimal point, whatever it is.
func javaNumber(x float64) string {
	text := strconv.FormatFloat(x, 'g', -1, 32)
	if !strings.ContainsAny(text, ".eN") {
		text += ".0"
	}
	return text
}
