package oracle

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/session"
)

// TestMain sets how many programs each property tries: some hundreds, or what -rapid.checks says.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "300"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// files writes the program as a configuration.
func (p *prog) write(path string) error {
	rows := map[string][][]any{"O": {}, "P": {}, "T": {}, "S": {}}
	for atom, value := range p.observed {
		rows[atom[:1]] = append(rows[atom[:1]], append(rowOf(atom), value))
	}
	for _, atom := range p.targets() {
		rows[atom[:1]] = append(rows[atom[:1]], rowOf(atom))
	}
	for _, list := range rows {
		slices.SortFunc(list, func(a, b []any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	var rules []string
	for k := range p.rules {
		rules = append(rules, p.rules[k].String())
	}
	config := map[string]any{"rules": rules, "predicates": map[string]any{
		"O/1": map[string]any{"observations": rows["O"]}, "P/2": map[string]any{"observations": rows["P"]},
		"T/1": map[string]any{"targets": rows["T"]}, "S/2": map[string]any{"targets": rows["S"]},
	}}
	text, err := json.MarshalIndent(config, "", " ")
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	return err
}

func arguments(atom string) []string { return strings.Split(strings.TrimSuffix(atom[2:], ")"), ",") }

// rowOf is an atom's row of a table.
func rowOf(atom string) (row []any) {
	for _, arg := range arguments(atom) {
		row = append(row, arg)
	}
	return row
}

// solved is what the program answers.
type solved struct {
	*session.Answer
	y []float64 // in the order of prog.targets
}

// String prints what a test compares.
func (s *solved) String() string {
	if s == nil {
		return "no answer"
	}
	return fmt.Sprintf("%s with objective %v, gap %v, violation %v: %v", s.Status, s.Objective, s.Gap, s.MaxViolation, s.y)
}

// grounding writes the program to files, and grounds what they say.
func (p *prog) grounding(ctx context.Context, dir string, options project.Options) (*session.Grounding, error) {
	path := filepath.Join(dir, "model.json")
	if err := p.write(path); err != nil {
		return nil, err
	}
	loaded, err := project.Load(path, options)
	if err != nil {
		return nil, err
	}
	return engine.Ground(ctx, loaded, load.Infer)
}

// run solves a program as a user does.
func (p *prog) run(dir string, options project.Options) (*solved, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	grounding, err := p.grounding(ctx, dir, options)
	if err != nil {
		return nil, err
	}
	answer, err := grounding.Infer(ctx)
	if err != nil {
		return nil, err
	}
	out := &solved{Answer: answer}
	values := make(map[string]float64)
	grounding.Each(answer, false, func(a session.Atom) {
		values[key(strings.ToUpper(a.Predicate), a.Arguments...)] = a.Value
	})
	for _, atom := range p.targets() {
		out.y = append(out.y, values[atom])
	}
	return out, nil
}

// patience is how long a program of a few atoms may take before it counts as one that does not end; most take a
// thousandth of a second.
const patience = 20 * time.Second

// gap is what is asked for, and tolerance what objectives may differ by.
const gap, tolerance = 1e-6, 2e-6

var asked = []string{fmt.Sprint("inference.gap=", gap)}

// unsure tells whether there may be other states that are better or worse, by more than nothing beside a unit of cost.
func (best *optimum) unsure(unit float64) bool {
	return best.cost-best.bound > 1e-7*unit || best.off > 1e-9 || best.far > tolerance
}

// wrong says what is wrong with an answer, or "".
func (p *prog) wrong(rows []row, best optimum, got *solved) string {
	// Where coefficients are large the reference finds the least violation to some part of what is accepted, so that
	// between the two either verdict may be right: 0.001 + 0.001 T(a) + 10000 T(b) <= 0 cannot hold, and it says 1e-7.
	const feasibility, none = 1e-6, 1e-9
	switch {
	case got.Status == "infeasible":
		if best.violation < none {
			return fmt.Sprintf("called infeasible, but a state violates no rule by more than %v", best.violation)
		}
		return ""
	case got.Status != "optimal":
		return fmt.Sprintf("ended with %q: gap %v, violation %v; least violation %v", got.Status, got.Gap, got.MaxViolation,
			best.violation)
	}
	cost, violation := energy(rows, got.y)
	switch {
	case best.violation > 2*feasibility && violation > feasibility*1.01: // else this state shows the reference wrong
		return fmt.Sprintf("called optimal, but every state violates a rule by %v", best.violation)
	case best.violation > none:
		return ""
	}
	unit := max(leastWeight(rows), math.Abs(best.cost))
	slack, weights := best.push*feasibility, 0.0
	for _, r := range rows {
		weights += max(0, r.w)
	}
	switch {
	case violation > feasibility*1.01:
		return fmt.Sprintf("violates a rule by %v", violation)
	case math.Abs(cost-got.Objective) > 5e-7*(unit+weights):
		return fmt.Sprintf("costs %v, and says %v", cost, got.Objective)
	case best.unsure(unit):
		return "" // the reference does not know better
	case cost > best.cost+tolerance*unit+slack:
		return fmt.Sprintf("costs %v, the optimum is %v (unit %v)", cost, best.cost, unit)
	case got.DualBound > best.cost+5e-7*unit+slack:
		return fmt.Sprintf("bound %v, the optimum is %v", got.DualBound, best.cost)
	case cost < best.bound-5e-7*unit-slack:
		return fmt.Sprintf("costs %v, less than any state can: %v", cost, best.bound)
	}
	return ""
}

// Programs drawn at random must have the verdict and the objective of their definition.
func TestProgramsHaveTheirOptimum(t *testing.T) {
	dir := t.TempDir()
	verdicts := make(map[string]int)
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		rows := p.ground()
		best := solveRows(rows, len(p.targets()))
		got, err := p.run(dir, project.Options{Threads: 1, Set: asked})
		if got = refused(got, err); got == nil {
			t.Fatalf("%v\n%v", err, p)
		}
		verdicts[got.Status]++
		if best.violation <= 1e-9 && best.unsure(max(leastWeight(rows), best.cost)) {
			verdicts["not known"]++
		}
		if wrong := p.wrong(rows, best, got); wrong != "" {
			t.Fatalf("%s\n%v", wrong, p)
		}
	})
	t.Log(verdicts)
}

// variants change what must not change an answer: each returns the program to solve, and the options.
var variants = []struct {
	name   string
	change func(p *prog, options *project.Options) *prog
}{
	{"without presolving", func(p *prog, o *project.Options) *prog { return p.with(o, "inference.presolve=false") }},
	{"in one piece", func(p *prog, o *project.Options) *prog { return p.with(o, "inference.split=false") }},
	{"in little memory", func(p *prog, o *project.Options) *prog { return p.with(o, "ground.memory=4000") }},
	{"with other weights", func(p *prog, _ *project.Options) *prog { return p.times(7e5) }},
	{"with smaller weights", func(p *prog, _ *project.Options) *prog { return p.times(1e-9) }},
	{"in another order", func(p *prog, _ *project.Options) *prog {
		q := *p
		q.rules = slices.Clone(p.rules)
		slices.Reverse(q.rules)
		for k := range q.rules {
			q.rules[k].clause, q.rules[k].terms = slices.Clone(q.rules[k].clause), slices.Clone(q.rules[k].terms)
			slices.Reverse(q.rules[k].clause)
			slices.Reverse(q.rules[k].terms)
		}
		return &q
	}},
	{"with hard rules times powers of two", func(p *prog, _ *project.Options) *prog {
		q := *p
		q.rules = slices.Clone(p.rules)
		for k := range q.rules {
			r := &q.rules[k]
			if r.weight >= 0 || r.terms == nil {
				continue
			}
			power := math.Ldexp(1, []int{30, -30, 11, -17, 20, -9}[k])
			r.bound *= power
			r.terms = slices.Clone(r.terms)
			for l := range r.terms {
				r.terms[l].coef *= power
			}
		}
		return &q
	}},
	{"with rules that always hold", func(p *prog, _ *project.Options) *prog {
		q := *p
		q.rules = append(slices.Clone(p.rules), rule{weight: -1, op: "<=", bound: 1,
			terms: []term{{coef: 1, atom: literal{name: "T", args: []string{"A"}}}}})
		return &q
	}},
}

// with adds an option.
func (p *prog) with(o *project.Options, set string) *prog {
	o.Set = append(o.Set, set)
	return p
}

// times multiplies all weights.
func (p *prog) times(c float64) *prog {
	q := *p
	q.rules = slices.Clone(p.rules)
	for k := range q.rules {
		if q.rules[k].weight >= 0 {
			q.rules[k].weight *= c
		}
	}
	return &q
}

// Programs that mean the same must have an answer that is right for each other.
func TestVariantsHaveTheOptimum(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(variants).Draw(t, "variant")
		p := draw(t)
		options := project.Options{Threads: rapid.IntRange(1, 3).Draw(t, "threads"), Set: slices.Clone(asked)}
		q := v.change(p, &options)
		rows := q.ground()
		best := solveRows(rows, len(q.targets()))
		got, err := q.run(dir, options)
		if err != nil && strings.Contains(err.Error(), "[paged-memory]") {
			return // too little memory
		}
		if got = refused(got, err); got == nil {
			t.Fatalf("%s: %v\n%v", v.name, err, q)
		}
		if wrong := q.wrong(rows, best, got); wrong != "" {
			t.Fatalf("%s: %s\n%v", v.name, wrong, q)
		}
	})
}

// Any number of threads and all weights times a power of two must leave every bit as it is.
func TestBitsStay(t *testing.T) {
	timesAny(t, 4, func(t *rapid.T) float64 {
		return math.Ldexp(1, rapid.IntRange(-30, 30).Draw(t, "power of two"))
	}, func(c float64, got, want *solved) bool {
		return slices.Equal(got.y, want.y) && got.Gap == want.Gap && got.Objective == c*want.Objective
	})
}

// All weights times any number must leave each value as it is, to 1e-9.
func TestWeightsHaveNoUnit(t *testing.T) {
	timesAny(t, 1, func(t *rapid.T) float64 {
		return math.Pow(10, rapid.Float64Range(-12, 12).Draw(t, "power of ten"))
	}, func(_ float64, got, want *solved) bool {
		same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }
		return got.Status == want.Status && slices.EqualFunc(got.y, want.y, same)
	})
}

// timesAny solves programs, and again with so many threads and all weights times what is drawn; both must be alike.
func timesAny(t *testing.T, threads int, factor func(*rapid.T) float64, alike func(c float64, got, want *solved) bool) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		want, err := p.run(dir, project.Options{Threads: 1, Set: asked})
		if err != nil {
			return
		}
		c := factor(t)
		got, err := p.times(c).run(dir, project.Options{Threads: threads, Set: asked})
		if err != nil || !alike(c, got, want) {
			t.Fatalf("weights times %v: %v, %v and %v\n%v", c, err, got, want, p)
		}
	})
}

// refused is the verdict of programs that need not even be solved, for errors that say so.
func refused(got *solved, err error) *solved {
	says := func(id string) bool { return err != nil && strings.Contains(err.Error(), id) }
	if says("[infeasible-rule]") || says("[violated-by-observations]") {
		return &solved{Answer: &session.Answer{Status: "infeasible"}}
	}
	return got
}

// String prints the program.
func (p *prog) String() string {
	var b strings.Builder
	for k := range p.rules {
		fmt.Fprintln(&b, p.rules[k].String())
	}
	fmt.Fprintln(&b, p.names(), p.observed)
	return b.String()
}
