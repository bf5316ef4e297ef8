package explain

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Text writes the explanation as a tree that fits the width of w, if that is known.
func (e *Explanation) Text(w io.Writer) error {
	t := &tree{}
	if wide, ok := w.(report.Wide); ok {
		t.width = wide.Columns()
	}
	t.explanation(e, "")
	_, err := io.WriteString(w, t.out.String())
	return err
}

// tree is text in the making.
type tree struct {
	out   strings.Builder
	width int
}

// narrowest is the width that a line keeps however deep it is.
const narrowest = 30

// line writes a line, broken between words where it is too long; what follows stands below the text behind the head.
func (t *tree) line(indent, head, text string) {
	first := indent + head
	next := strings.Repeat(" ", len([]rune(first)))
	room := math.MaxInt
	if t.width > 0 {
		room = max(narrowest, t.width-len([]rune(first)))
	}
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) > room:
			t.out.WriteString(first + line + "\n")
			first, line = next, word
		default:
			line += " " + word
		}
	}
	t.out.WriteString(strings.TrimRight(first+line, " ") + "\n")
}

// number prints a number with its sign.
func number(v float64) string {
	text := fmt.Sprintf("%+.4g", v)
	if v == 0 {
		text = "0"
	}
	return fmt.Sprintf("%-10s ", text)
}

// explanation writes one explanation.
func (t *tree) explanation(e *Explanation, indent string) {
	t.line(indent, "", e.headline())
	if e.Words != "" {
		t.line(indent, "  ", e.Words)
	}
	t.balance(e, indent+"  ")
	t.leaves(e, indent+"  ")
	t.changes(e, indent+"  ")
	for _, below := range e.Because {
		t.out.WriteString("\n")
		t.explanation(below, indent+"    ")
	}
}

// headline is the atom with its value.
func (e *Explanation) headline() string {
	text := fmt.Sprintf("%s = %.6g", e.Atom, e.Value)
	switch {
	case e.Unique:
	case e.Interval[1]-e.Interval[0] <= 2*still:
		text += ", and nothing says what that is the sum of"
	default:
		text += fmt.Sprintf(", and anything from %.6g to %.6g costs the same", e.Interval[0], e.Interval[1])
	}
	return text
}

// shownLeaves is how many leaves are printed one by one, and shownAtoms how many atoms of a ground rule, of long sums
// those that add most.
const (
	shownLeaves = 20
	shownAtoms  = 6
)

func (t *tree) balance(e *Explanation, indent string) {
	t.line(indent, "", "what pushes it, up (+) or down (-):")
	for _, r := range e.Rules {
		t.line(indent, number(r.Push), fmt.Sprintf("%s  (%s)", r.Rule, source.Count(r.Count, "ground rule")))
		for k := range e.Pushes {
			if p := &e.Pushes[k]; p.Rule == r.Rule {
				t.push(p, indent+"  ")
			}
		}
	}
	if e.BoundForce != 0 {
		t.line(indent, number(e.BoundForce), fmt.Sprintf("the bound at %.0f", math.Round(e.Value)))
	}
	t.line(indent, number(e.Left()), "is left unexplained")
}

func (t *tree) push(p *Push, indent string) {
	if p.Count > 0 {
		t.line(indent, number(p.Push), fmt.Sprintf("%d more", p.Count))
		return
	}
	t.line(indent, number(p.Push), p.GroundRule)
	atoms := slices.Clone(p.Atoms)
	if len(atoms) > shownAtoms {
		slices.SortStableFunc(atoms, func(a, b Atom) int {
			return -cmp.Compare(math.Abs(a.coef*a.Value), math.Abs(b.coef*b.Value))
		})
	}
	for k := range atoms {
		if k == shownAtoms {
			t.line(indent, "           ", fmt.Sprintf("and %d more", len(atoms)-k))
			break
		}
		t.line(indent, "           ", atoms[k].text())
	}
}

// text is an atom with its value, role and place.
func (a *Atom) text() string {
	text := fmt.Sprintf("%s = %.4g, %s", a.Atom, a.Value, a.Role)
	if a.File != "" {
		text += fmt.Sprintf(" in %s:%d", a.File, a.Line)
	}
	if a.Words != "" {
		text += ": " + a.Words
	}
	return text
}

func (t *tree) leaves(e *Explanation, indent string) {
	if len(e.Leaves) == 0 {
		return
	}
	t.line(indent, "", "what it is the sum of:")
	rest, count := 0.0, 0
	for k, leaf := range e.Leaves {
		if k >= shownLeaves || leaf.Contribution == 0 {
			rest += leaf.Contribution
			count++
			continue
		}
		t.line(indent, number(leaf.Contribution), leaf.String())
	}
	if rest != 0 {
		t.line(indent, number(rest), fmt.Sprintf("%d more", count))
	}
	t.line(indent, number(e.sum()), "is the value")
}

// sum adds the leaves up.
func (e *Explanation) sum() (sum float64) {
	for _, leaf := range e.Leaves {
		sum += leaf.Contribution
	}
	return sum
}

// String names a leaf.
func (l *Leaf) String() string {
	switch l.Kind {
	case leafRule, leafPrior:
		return l.Kind + "  " + l.Name
	}
	text := fmt.Sprintf("%s  %s = %.4g", l.Kind, l.Name, l.Value)
	if l.Words != "" {
		text += ": " + l.Words
	}
	return text
}

func (t *tree) changes(e *Explanation, indent string) {
	if len(e.Counterfactuals) == 0 {
		return
	}
	t.line(indent, "", "what it would be:")
	for _, c := range e.Counterfactuals {
		t.line(indent, fmt.Sprintf("%-10.4g ", c.Value),
			fmt.Sprintf("%s  (objective %.6g, gap %.0e)", c.Change, c.Objective, c.Gap))
	}
}
