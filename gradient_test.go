package deeppsl_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl"
)

// differences is a session of squared, linear, hard and summed rules, and what its answers are scored by.
type differences struct {
	t       *testing.T
	session *deeppsl.Session
	answer  *deeppsl.Answer // the last one
	slope   []float64
}

func newDifferences(t *testing.T, rules string) *differences {
	t.Helper()
	p := must(deeppsl.Parse(rules))
	data := deeppsl.NewData(p)
	var given, next, targets deeppsl.Rows
	for k := range 6 {
		given = append(given, []string{fmt.Sprint(k), fmt.Sprintf("%.3f", 0.15+0.11*float64(k))})
		next = append(next, []string{fmt.Sprint(k), fmt.Sprint((k + 1) % 6), fmt.Sprintf("%.3f", 0.5+0.07*float64(k))})
		targets = append(targets, []string{fmt.Sprint(k)})
	}
	data.Given("G", given)
	data.Observe("N", next)
	data.Target("T", targets)
	if strings.Contains(rules, "U(") {
		data.Target("U", targets)
	}
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{Gap: 1e-13}))
	t.Cleanup(func() { _ = session.Close() })
	return &differences{t: t, session: session}
}

// loss infers, and scores the answer.
func (d *differences) loss() float64 {
	answer := must(d.session.Infer(ctx))
	values := answer.Values()
	d.answer, d.slope = answer, d.slope[:0]
	loss := 0.0
	for k, v := range values {
		loss += float64(k%5-2) * v * v
		d.slope = append(d.slope, 2*float64(k%5-2)*v)
	}
	return loss
}

// compare compares a derivative with the difference that a change makes.
func (d *differences) compare(what string, got float64, change func(by float64)) {
	d.t.Helper()
	const step = 1e-4
	change(step)
	above := d.loss()
	change(-step)
	below := d.loss()
	change(0)
	if want := (above - below) / (2 * step); math.Abs(got-want) > 1e-3*max(1, math.Abs(want)) {
		d.t.Errorf("%s: %.6f, and by differences %.6f", what, got, want)
	}
}

// TestGradient compares gradients with differences, for each kind of rule.
func TestGradient(t *testing.T) {
	for name, rules := range map[string]string{
		"squared": "2: G(A) -> T(A) ^2   1: N(A, B) & T(A) -> T(B) ^2   0.7: !T(A) ^2",
		"linear":  "0.9: G(A) -> T(A)   1: N(A, B) & T(A) -> T(B) ^2   0.3: !T(A)   0.5: T(A) = 0.5 ^2",
		"hard":    "2: G(A) -> T(A) ^2\nN(A, B) & T(A) -> T(B) .\n1: U(A) = 0.2 ^2\nT(A) + U(A) = 1 .",
		"summed":  "2: G(A) -> T(A) ^2   1: T(+A) = 2 ^2   0.3: !T(A) ^2   0.4: N(A, B) & T(A) -> T(B) ^2",
	} {
		t.Run(name, func(t *testing.T) {
			d := newDifferences(t, rules)
			d.loss()
			gradient := must(d.session.Gradient(d.answer, d.slope))
			at := 0
			for atom := range must(d.session.Infer(ctx)).Atoms() {
				if atom.Predicate == "G" {
					d.compare(atom.String(), gradient.Values[at], func(by float64) {
						if err := d.session.SetValue(atom.Value+by, "G", atom.Arguments...); err != nil {
							t.Fatal(err)
						}
					})
				} else if gradient.Values[at] != 0 {
					t.Errorf("%v has the derivative %v", atom, gradient.Values[at])
				}
				at++
			}
			for k, rule := range d.session.Rules() {
				if rule.Hard {
					continue
				}
				d.compare(rule.Text, gradient.Weights[k], func(by float64) {
					if err := d.session.SetWeight(k, rule.Weight+by); err != nil {
						t.Fatal(err)
					}
				})
			}
			d.checkEarlier()
		})
	}
}

// checkEarlier looks at answers that are not the last one: given values may have changed since, weights may not.
func (d *differences) checkEarlier() {
	d.t.Helper()
	d.loss()
	earlier, slope := d.answer, append([]float64{}, d.slope...)
	want := must(d.session.Gradient(earlier, slope))
	values := earlier.Values()
	for k := range values {
		values[k] = 0.9 * values[k]
	}
	if err := d.session.SetValues(values); err != nil {
		d.t.Fatal(err)
	}
	d.loss()
	if g := must(d.session.Gradient(earlier, slope)); !slices.Equal(g.Values, want.Values) ||
		!slices.Equal(g.Weights, want.Weights) {
		d.t.Errorf("later, the gradient of an answer is %v, and was %v", g, want)
	}
	now := d.answer.Values()
	at := 0
	for atom := range d.answer.Atoms("G") {
		if atom.Value != values[at] {
			d.t.Errorf("%v, and its value was set to %v", atom, values[at])
		}
		at++
	}
	for k := range values {
		values[k] = math.NaN()
	}
	if err := d.session.SetValues(values); err != nil {
		d.t.Fatal(err)
	}
	d.loss()
	if !slices.EqualFunc(d.answer.Values(), now, func(a, b float64) bool { return math.Abs(a-b) < 1e-5 }) {
		d.t.Error("values that are left as they are change the answer")
	}
	values[0] = 1.5
	if d.session.SetValues(values) == nil || d.session.SetValues(values[1:]) == nil {
		d.t.Error("values that are none, or too few, are set")
	}
	if _, err := d.session.Gradient(d.answer, d.slope[1:]); err == nil {
		d.t.Error("a gradient of fewer values")
	}
	if err := d.session.SetWeight(0, 1.25); err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.session.Gradient(d.answer, d.slope); err == nil {
		d.t.Error("a gradient of an answer before a change of weights")
	}
}
