package ground

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
)

// shown is how many examples of one rule's problems are kept.
const shown = 3

// discards is which ground rules are left out that would otherwise be errors.
type discards struct{ missing, violated bool }

// problems collects what is wrong with ground rules of one rule.
type problems struct {
	missing  tally // atoms of an open predicate without a row
	violated tally // hard ground rules that no values of the targets satisfy
	broken   tally // coefficients that are not finite numbers
	// senseless counts the times that a value was asked for which its function does not give
	senseless tally
	// perceived is a predicate of a rule with missing atoms whose truth a network gives
	perceived string
	// observed tells whether a rule with violated ground rules has atoms that may be observed
	observed bool
}

// tally counts and keeps the first few different examples.
type tally struct {
	count    int64
	sampled  bool // count is an estimate
	examples []string
}

// add counts a problem; example is called only if one more is wanted.
func (t *tally) add(example func() string) {
	t.count++
	if len(t.examples) < shown {
		t.examples = appendNew(t.examples, example())
	}
}

// merge adds a later tally: the examples stay the first ones in the order of the pieces, whoever found them.
func (t *tally) merge(other *tally) {
	t.count += other.count
	for _, example := range other.examples {
		if len(t.examples) < shown {
			t.examples = appendNew(t.examples, example)
		}
	}
}

// appendNew appends s unless the list has it: one missing target is often missed by many ground rules.
func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// merge adds the problems of a later piece.
func (p *problems) merge(other *problems) {
	p.missing.merge(&other.missing)
	p.violated.merge(&other.violated)
	p.broken.merge(&other.broken)
	p.senseless.merge(&other.senseless)
	p.perceived, p.observed = cmp.Or(p.perceived, other.perceived), p.observed || other.observed
}

// reportMissing counts a grounding whose atom k is neither observed nor a target although its predicate is open.
func (m *machine) reportMissing(k int) {
	m.counts.Missing++
	m.problems.missing.add(func() string { return m.atomText(&m.rule.Atoms[k]) })
	if m.problems.missing.count > 1 {
		return
	}
	for _, a := range m.rule.Atoms {
		if r := m.scope.store.Relations[a.Predicate]; r.Free == relation.Perceived {
			m.problems.perceived = r.Name
		}
	}
}

// reportViolated counts a hard ground rule that no values of the variables can satisfy.
func (m *machine) reportViolated() {
	m.counts.Violated++
	m.problems.violated.add(m.groundText)
	for _, a := range m.rule.Atoms {
		r := m.scope.store.Relations[a.Predicate]
		m.problems.observed = m.problems.observed || r.Observed > 0 || !r.Open
	}
}

// reportBroken counts a ground rule with a coefficient that is needed and is not finite.
func (m *machine) reportBroken() { m.problems.broken.add(m.groundText) }

// diagnose turns a rule's problems into diagnostics, but for what is to be discarded.
func (p *problems) diagnose(rule *program.Rule, discard discards, out *source.Diagnostics) {
	if !discard.missing {
		p.missing.diagnose(out, rule, "missing-target", p.hintOfMissing(),
			"a ground rule needs %s, which is neither observed nor a target",
			"%s ground rules need atoms that are neither observed nor targets, such as %s")
	}
	if !discard.violated {
		who, what := "no values of the targets satisfy", "the rule, give it"
		if p.observed {
			who, what = "the observations violate", "the observations, give the rule"
		}
		p.violated.diagnose(out, rule, "violated-by-observations",
			"correct "+what+" a weight, or leave such ground rules out with -D ground.discardviolated=true",
			who+" the hard ground rule %s",
			who+" %s hard ground rules, such as %s")
	}
	p.broken.diagnose(out, rule, "coefficient-not-finite",
		"guard the division: @Max[|B|, 1]",
		"a coefficient is not a finite number in %s",
		"%s ground rules have a coefficient that is not a finite number, such as %s")
	p.senseless.diagnose(out, rule, "function-value",
		"a function must return a number in [0, 1]",
		"the value of %s is no number in [0, 1]",
		"%s times a value is no number in [0, 1], such as that of %s")
}

// hintOfMissing says what to do about atoms that are neither observed nor targets. A network gives the truth of all
// that its features have a row for, be it of this phase or of another.
func (p *problems) hintOfMissing() string {
	hint := `ask for it under "targets", or observe it with the value 0 if it is false, or keep the rule from it by one ` +
		"more atom or (A != B); -D pam.throw=false discards such ground rules"
	if p.perceived == "" {
		return hint
	}
	return fmt.Sprintf("%s is about all rows of its network's features, of whatever phase: ", p.perceived) +
		`give it "targets" by phase, too, if these have such; or ` + hint
}

// diagnose makes a diagnostic of the problem, if there is any: in the words of one for a single example, and else of
// many, which takes the number too.
func (t *tally) diagnose(out *source.Diagnostics, rule *program.Rule, id, hint, one, many string) {
	var message string
	switch {
	case len(t.examples) == 0:
		return
	case len(t.examples) > 1:
		message = fmt.Sprintf(many, Amount(float64(t.count), !t.sampled), strings.Join(t.examples, "; "))
	case t.count > 1:
		message = fmt.Sprintf(one+" (%s times)", t.examples[0], Amount(float64(t.count), !t.sampled))
	default:
		message = fmt.Sprintf(one, t.examples[0])
	}
	out.Add(source.Diagnostic{ID: id, Severity: source.Error, Span: rule.Span, Message: message, Hint: hint})
}

// Amount prints a count with separators; of an estimate, two digits, or the power of ten alone if there are too many.
func Amount(count float64, exact bool) string {
	if count >= 1e15 {
		return fmt.Sprintf("about 10^%.0f", math.Log10(count))
	}
	if exact || count < 1 {
		return grouped(fmt.Sprintf("%.0f", count))
	}
	unit := math.Pow(10, max(0, math.Floor(math.Log10(count))-1))
	return "about " + grouped(fmt.Sprintf("%.0f", math.Round(count/unit)*unit))
}

// grouped separates the thousands of a whole number.
func grouped(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// groundText prints the current grounding of the rule, with summation variables as they are. Atoms of coefficient 0
// come behind it: they say which one it is.
func (m *machine) groundText() string {
	var b strings.Builder
	var of []string
	for k := range m.rule.Atoms {
		a := &m.rule.Atoms[k]
		if coef, _ := m.coefficient(a.Coef, m.atoms[k].coef); coef != 0 {
			b.WriteString(signedTo(telling, coef, b.Len() == 0) + " * " + m.atomText(a))
		} else {
			of = append(of, m.atomText(a))
		}
	}
	if b.Len() == 0 {
		b.WriteString(number(0))
	}
	d, _ := m.coefficient(m.rule.Constant, m.constant)
	text := b.String() + " " + equality(m.rule.Comparator) + " " + numberTo(telling, 0-d)
	if len(of) > 0 {
		text += " for " + strings.Join(of, ", ")
	}
	return text
}

// equality prints a comparator.
func equality(c program.Comparator) string {
	if c == program.Equal {
		return "="
	}
	return "<="
}

// atomText prints an atom with the current values of its variables.
func (m *machine) atomText(a *program.Atom) string {
	args := make([]string, len(a.Args))
	for k, arg := range a.Args {
		switch {
		case !arg.IsVariable():
			args[k] = quote(arg.Constant)
		case m.rule.Variables[arg.Variable].Summation:
			args[k] = "+" + m.rule.Variables[arg.Variable].Name
		default:
			args[k] = quote(m.scope.name(m.slots[arg.Variable]))
		}
	}
	return m.scope.store.Relations[a.Predicate].Name + "(" + strings.Join(args, ", ") + ")"
}

func quote(constant string) string { return "'" + constant + "'" }
