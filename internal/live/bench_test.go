//go:build unix

package live

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// baseline starts a session of one of the models in the folder that DEEPPSL_BASELINES names.
func baseline(b *testing.B, name string) *Session {
	b.Helper()
	folder := os.Getenv("DEEPPSL_BASELINES")
	if folder == "" {
		b.Skip("DEEPPSL_BASELINES names no folder")
	}
	return begun(b, name, filepath.Join(folder, "models", name, name+".json"))
}

// begun starts a session of a configuration.
func begun(b *testing.B, name, file string) *Session {
	b.Helper()
	loaded, err := project.Load(file, project.Options{Set: []string{"inference.gap=1e-4"}})
	if err != nil {
		b.Fatal(err)
	}
	g, err := engine.Ground(context.Background(), loaded, load.Infer)
	if err != nil {
		b.Fatal(err)
	}
	answer, err := g.InferAgain(context.Background(), nil)
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	s, err := New(g, answer)
	if err != nil {
		b.Fatal(err)
	}
	occurrences := 0
	for _, block := range g.Model.Blocks {
		occurrences += len(block.Vars)
	}
	all, index := s.state.Bytes()
	b.Logf("%s lives after %v; %.2f bytes an occurrence for the index, %.2f for all beside the model", name,
		time.Since(start), float64(index)/float64(occurrences), float64(all)/float64(occurrences))
	return s
}

// observations changes random observed atoms of a predicate: another value, removal, and back again, in turns.
type observations struct {
	*Session
	rng       *rand.Rand
	predicate string
	removed   []change.Change
	turn      int
}

func (o *observations) draw(b *testing.B) change.Change {
	k, err := o.grounding.Project.Predicate(o.predicate)
	if err != nil {
		b.Fatal(err)
	}
	r := o.grounding.Tables.Store.Relations[k]
	if o.turn++; o.turn%3 == 0 && len(o.removed) > 0 {
		back := o.removed[0]
		o.removed = o.removed[1:]
		return back
	}
	row := o.rng.Int32N(int32(r.Observed))
	for !r.Has(row) {
		row = o.rng.Int32N(int32(r.Observed))
	}
	atom := make([]string, r.Arity)
	for column := range atom {
		atom[column] = o.grounding.Tables.Store.Symbols.Name(r.Columns[column][row])
	}
	if o.turn%3 == 1 {
		o.removed = append(o.removed, change.Observe(r.Value(row), o.predicate, atom...))
		return change.Remove(o.predicate, atom...)
	}
	return change.Observe(o.rng.Float64(), o.predicate, atom...)
}

// targets fixes random targets, at another value or for the first time, and frees them again, as the clients of
// bench/load do.
type targets struct {
	rng       *rand.Rand
	predicate string
	atoms     [][]string
	fixed     []bool
}

// manyTargets is how many atoms are fixed and freed.
const manyTargets = 10_000

func newTargets(b *testing.B, s *Session, predicate string) *targets {
	k, err := s.grounding.Project.Predicate(predicate)
	if err != nil {
		b.Fatal(err)
	}
	r, t := s.grounding.Tables.Store.Relations[k], &targets{rng: rand.New(rand.NewPCG(1, 1)), predicate: predicate}
	var rows []int32
	for row := int32(r.Observed); row < int32(r.Len()); row++ {
		if r.Has(row) && r.Columns[0][row] != r.Columns[1][row] { // hard rules may say what an atom of one thing is
			rows = append(rows, row)
		}
	}
	for _, at := range t.rng.Perm(len(rows))[:min(manyTargets, len(rows))] {
		atom := make([]string, r.Arity)
		for column := range atom {
			atom[column] = s.grounding.Tables.Store.Symbols.Name(r.Columns[column][rows[at]])
		}
		t.atoms = append(t.atoms, atom)
	}
	t.fixed = make([]bool, len(t.atoms))
	return t
}

func (t *targets) draw(*testing.B) change.Change {
	k := t.rng.IntN(len(t.atoms))
	if t.fixed[k] && t.rng.IntN(2) == 0 {
		t.fixed[k] = false
		return change.Target(t.predicate, t.atoms[k]...)
	}
	t.fixed[k] = true
	return change.Observe(float64(t.rng.IntN(11))/10, t.predicate, t.atoms[k]...)
}

// BenchmarkOneChange applies a change of an observation and infers, again and again, and BenchmarkOneTarget one that
// fixes or frees a target: the 50th and 99th percentiles of the processor time count, the garbage collector's included,
// and, where nothing else runs, those of the time by the wall.
func BenchmarkOneChange(b *testing.B) {
	for name, predicate := range map[string]string{"friendship-1m": "Similar", "er-eval": "SimName"} {
		b.Run(name, func(b *testing.B) {
			s := baseline(b, name)
			o := &observations{Session: s, rng: rand.New(rand.NewPCG(1, 1)), predicate: predicate}
			changesOneByOne(b, s, o.draw)
		})
	}
}

func BenchmarkOneTarget(b *testing.B) {
	for name, predicate := range map[string]string{"friendship-1m": "Friends", "er-eval": "SameAuthor"} {
		b.Run(name, func(b *testing.B) {
			s := baseline(b, name)
			changesOneByOne(b, s, newTargets(b, s, predicate).draw)
		})
	}
}

func changesOneByOne(b *testing.B, s *Session, draw func(*testing.B) change.Change) {
	var times, walls []time.Duration
	whole, apply := 0, time.Duration(0)
	for b.Loop() {
		c := draw(b)
		began, start := time.Now(), processor()
		if _, err := s.Apply(context.Background(), []change.Change{c}); err != nil {
			b.Fatal(err)
		}
		apply += processor() - start
		answer, err := s.Infer(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		times, walls = append(times, processor()-start), append(walls, time.Since(began))
		if answer.Method != "local" {
			whole++
		}
		if answer.Gap > 1e-4 {
			b.Fatalf("gap %v", answer.Gap)
		}
	}
	b.Log(histogram(times))
	sum := time.Duration(0)
	for _, d := range times {
		sum += d
	}
	at := func(times []time.Duration, q float64) float64 {
		return float64(times[int(q*float64(len(times)-1))].Microseconds())
	}
	for name, times := range map[string][]time.Duration{"": times, "-wall": walls} {
		slices.Sort(times)
		b.ReportMetric(at(times, 0.5), "µs-median"+name)
		b.ReportMetric(at(times, 0.99), "µs-p99"+name)
	}
	b.ReportMetric(float64(sum.Microseconds())/float64(len(times)), "µs-mean")
	b.ReportMetric(float64(whole), "whole")
	b.ReportMetric(float64(apply.Microseconds())/float64(len(times)), "µs-apply")
}

// BenchmarkOneChangeWithin applies a change and infers what is near, with a budget, again and again, and proves it
// where that does not count. The gaps are those that answers have which are not proven.
func BenchmarkOneChangeWithin(b *testing.B) {
	for name, predicate := range map[string]string{"friendship-1m": "Similar", "er-eval": "SimName"} {
		for _, budget := range []time.Duration{2 * time.Millisecond, 5 * time.Millisecond} {
			b.Run(fmt.Sprint(name, "/", budget), func(b *testing.B) {
				s := baseline(b, name)
				o := &observations{Session: s, rng: rand.New(rand.NewPCG(1, 1)), predicate: predicate}
				var times []time.Duration
				gaps := []float64{0}
				for b.Loop() {
					c := o.draw(b)
					limited, done := context.WithTimeout(b.Context(), budget)
					start := processor()
					if _, err := s.Apply(b.Context(), []change.Change{c}); err != nil {
						b.Fatal(err)
					}
					answer, err := s.InferNear(limited)
					times = append(times, processor()-start)
					done()
					if err != nil {
						b.Fatal(err)
					}
					if answer.Status != solve.Optimal.String() {
						gaps = append(gaps, answer.Gap)
					}
					if answer, err = s.Infer(b.Context()); err != nil || answer.Gap > 1e-4 {
						b.Fatalf("gap %v: %v", answer.Gap, err)
					}
				}
				slices.Sort(times)
				slices.Sort(gaps)
				at := func(q float64) float64 { return float64(times[int(q*float64(len(times)-1))].Microseconds()) }
				b.ReportMetric(at(0.5), "µs-median")
				b.ReportMetric(at(0.99), "µs-p99")
				b.ReportMetric(float64(len(gaps)-1)/float64(len(times)), "unproven")
				b.ReportMetric(gaps[len(gaps)/2], "gap-median")
				b.ReportMetric(gaps[len(gaps)-1], "gap-max")
			})
		}
	}
}

// processor is the processor time of the process: on a machine that is shared, time says little.
func processor() time.Duration {
	return time.Duration(report.ProcessorSeconds() * float64(time.Second))
}

// histogram counts times by powers of two of a microsecond.
func histogram(times []time.Duration) (text string) {
	counts := make([]int, 24)
	for _, d := range times {
		k := 0
		for us := d.Microseconds(); us > 1; us /= 2 {
			k++
		}
		counts[min(k, len(counts)-1)]++
	}
	for k, n := range counts {
		if n > 0 {
			text += fmt.Sprintf("%d µs: %d, ", 1<<k, n) // in one line: more than ten are cut
		}
	}
	return text
}

// BenchmarkThousandChanges applies 1,000 changes at once and infers.
func BenchmarkThousandChanges(b *testing.B) {
	for name, predicate := range map[string]string{"friendship-1m": "Similar", "er-eval": "SimName"} {
		b.Run(name, func(b *testing.B) {
			s := baseline(b, name)
			o := &observations{Session: s, rng: rand.New(rand.NewPCG(1, 1)), predicate: predicate, turn: 1}
			used, n := time.Duration(0), 0
			for b.Loop() {
				b.StopTimer()
				var changes []change.Change
				for range 1000 {
					o.turn = 1 // values alone
					changes = append(changes, o.draw(b))
				}
				b.StartTimer()
				start := processor()
				if _, err := s.Apply(context.Background(), changes); err != nil {
					b.Fatal(err)
				}
				if _, err := s.Infer(context.Background()); err != nil {
					b.Fatal(err)
				}
				used, n = used+processor()-start, n+1
			}
			b.ReportMetric(float64(used.Milliseconds())/float64(n), "ms-processor")
		})
	}
}

// largest is the rule with most ground rules of the models: transitivity.
var largest = map[string]int{"friendship-1m": 1, "er-eval": 3}

// BenchmarkOneWeight gives a large rule another weight and infers, forth and back, and BenchmarkOneRule deactivates it
// and activates it again.
func BenchmarkOneWeight(b *testing.B) {
	for name, rule := range largest {
		b.Run(name, func(b *testing.B) {
			s := baseline(b, name)
			was := s.grounding.Theta[rule]
			forthAndBack(b, s, change.Weight(rule, 1.2*was), change.Weight(rule, was))
		})
	}
}

func BenchmarkOneRule(b *testing.B) {
	for name, rule := range largest {
		b.Run(name, func(b *testing.B) {
			forthAndBack(b, baseline(b, name), change.Deactivate(rule), change.Activate(rule))
		})
	}
}

func forthAndBack(b *testing.B, s *Session, forth, back change.Change) {
	gone := false
	changesOneByOne(b, s, func(*testing.B) change.Change {
		if gone = !gone; gone {
			return forth
		}
		return back
	})
}

// BenchmarkManyRules changes random observed atoms of a model with a rule for each of 1,000 words, one by one.
func BenchmarkManyRules(b *testing.B) {
	const words, documents = 1000, 3000
	rng, folder := rand.New(rand.NewPCG(1, 1)), b.TempDir()
	var rules, has, linked, labels []string
	for k := range words {
		not, weight := []string{"", "!"}[k%2], 0.1+rng.Float64()
		rules = append(rules, fmt.Sprintf(`"%.3f: Has(A, 'w%d') -> %sLabel(A) ^2"`, weight, k, not))
	}
	rules = append(rules, `"1: Linked(A, B) & Label(A) -> Label(B) ^2"`, `"0.1: !Label(A) ^2"`)
	for a := range documents {
		labels = append(labels, fmt.Sprintf("a%d", a))
		for _, k := range rng.Perm(words)[:10] {
			has = append(has, fmt.Sprintf("a%d\tw%d", a, k))
		}
		for _, step := range []int{1 + rng.IntN(9), 10 + rng.IntN(90), 100 + rng.IntN(900)} {
			linked = append(linked, fmt.Sprintf("a%d\ta%d", a, (a+step)%documents))
		}
	}
	write := func(name string, lines ...string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	write("has.tsv", has...)
	write("linked.tsv", linked...)
	write("label.tsv", labels...)
	write("model.json", `{"rules": [`+strings.Join(rules, ",\n")+`], "predicates": {"Has/2": {"observations": ["has.tsv"]},
		"Linked/2": {"observations": ["linked.tsv"]}, "Label/1": {"targets": ["label.tsv"]}}}`)
	s := begun(b, "model of many rules", filepath.Join(folder, "model.json"))
	o := &observations{Session: s, rng: rng, predicate: "Has"}
	changesOneByOne(b, s, o.draw)
}
