package ground

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// What two comparisons in both orders leave is what == does, which joins before it compares.
func TestEqualityJoins(t *testing.T) {
	same := func(b *builder, rule, comparison string) {
		x, y, _ := strings.Cut(comparison, " == ")
		slowly := "!(" + x + " % " + y + ") & !(" + y + " % " + x + ")"
		text := func(comparison string) string {
			lines := strings.Split(b.rules(t, strings.Replace(rule, "?", comparison, 1)).text(t,
				Options{DiscardMissing: true}, 0), "\n")
			slices.Sort(lines)
			return strings.Join(lines, "\n")
		}
		if diff := cmp.Diff(text(slowly), text("("+comparison+")")); diff != "" {
			t.Errorf("%s with %s: %s", rule, comparison, diff)
		}
	}
	for _, comparison := range []string{"A == B", "B == C", "D == A", "X == 'tea'", "'ann' == B", "A == 'nobody'"} {
		same(small(), "2: Knows(A, B) & Knows(C, D) & Likes(A, X) & ? -> Likes(D, X) ^2", comparison)
		same(small(), "0.5 * Knows(A, B): Knows(A, B) & Net(C) & Net(D) & ? & !Likes(C, 'ale') -> Likes(A, X) | !Likes(D, X)",
			strings.ReplaceAll(comparison, "X", "D"))
	}
}

// small is data for the tests of text: three people, one of whom nothing is asked about.
func small() *builder {
	b := newBuilder()
	b.add("Knows", 2, false, observed("ann bob", 1), observed("bob cy", 0.5), observed("cy ann", 0))
	b.add("Likes", 2, true, target("ann tea"), target("bob tea"), observed("cy tea", 1), target("ann ale"))
	b.add("Net", 1, false, perceived("ann"), perceived("bob"))
	return b
}

// TestTextHasPresentWeights writes ground rules whose weights are no more those that the rules are written with.
func TestTextHasPresentWeights(t *testing.T) {
	f := small().rules(t, "3: Likes(A, X)")
	model, _ := f.made(t, Options{})
	var out strings.Builder
	if err := Write(&out, []float64{0.5}, f.store, model, 1); err != nil || !strings.HasPrefix(out.String(), "0.5: ") {
		t.Errorf("%q: %v", out.String(), err)
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ name, rule, want string }{
		{"hinge", "2: Knows(A, B) & Likes(A, 'tea') -> Likes(B, 'tea') ^2", `
2.0: 1.0 * Likes('ann', 'tea') - 1.0 * Likes('bob', 'tea') <= 0.0 ^2`},
		{"inputs", "1: Net(A) -> Likes(A, 'tea')", `
1.0: -1.0 * Likes('ann', 'tea') + 1.0 * Net('ann') <= 0.0
1.0: -1.0 * Likes('bob', 'tea') + 1.0 * Net('bob') <= 0.0`},
		{"scaled", "2 * Knows(A, B): Net(A) & Likes(B, X) -> Likes(A, X)", `
2.0: 1.0 * Likes('bob', 'tea') - 1.0 * Likes('ann', 'tea') + 1.0 * Net('ann') <= 1.0
1.0: -1.0 * Likes('bob', 'tea') + 1.0 * Net('bob') <= 0.0`},
		{"sum", "Likes(A, +X) = 1 .", `
1.0 * Likes('ann', 'tea') + 1.0 * Likes('ann', 'ale') = 1.0 .
1.0 * Likes('bob', 'tea') = 1.0 .`},
		{"average", "1: Likes(+A, X) / |A| <= 0.5", `
1.0: 0.333333 * Likes('ann', 'tea') + 0.333333 * Likes('bob', 'tea') <= 0.166667
1.0: 1.0 * Likes('ann', 'ale') <= 0.5`},
		{"linear", "3: Likes(A, X)", `
3.0: -1.0 * Likes('ann', 'tea') <= -1.0
3.0: -1.0 * Likes('bob', 'tea') <= -1.0
3.0: -1.0 * Likes('ann', 'ale') <= -1.0`},
		{"merged", "1: 2 * Likes(A, X) + Likes(B, X) <= 1 + Knows(A, 'bob')", `
1.0: 3.0 * Likes('ann', 'tea') <= 2.0
1.0: 2.0 * Likes('ann', 'tea') + 1.0 * Likes('bob', 'tea') <= 2.0
1.0: 3.0 * Likes('ann', 'ale') <= 2.0
1.0: 2.0 * Likes('ann', 'tea') <= 1.0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := small().rules(t, c.rule).text(t, Options{DiscardMissing: true}, 0)
			if diff := cmp.Diff(lines(c.want), lines(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// lines splits a text into a set of lines: which shape of a rule comes first is no part of its meaning.
func lines(text string) map[string]bool {
	set := make(map[string]bool)
	for line := range strings.Lines(strings.TrimSpace(text)) {
		set[strings.TrimSpace(line)] = true
	}
	return set
}

func TestWriteStopsAtTheLimit(t *testing.T) {
	got := small().rules(t, "3: Likes(A, X)").text(t, Options{}, 1)
	if want := "3.0: -1.0 * Likes('ann', 'tea') <= -1.0\n... and 2 more ground rules\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWriteBlocksAndCounts(t *testing.T) {
	f := small().rules(t, `
		2: Knows(A, B) & Likes(A, X) -> Likes(B, X) ^2
		Likes(A, +X) = 1 .
		1: Net(A) -> Likes(A, 'tea')`)
	model, report := f.made(t, Options{DiscardMissing: true})
	var out strings.Builder
	if err := WriteBlocks(&out, model); err != nil {
		t.Fatal(err)
	}
	want := `
3 variables, 2 inputs, 5 potentials and constraints
rule  kind      pattern               count  bytes
1     hinge ^2  1.0 y - 1.0 y + 0.0   1      24
2     equal 0   ragged, 3 terms       2      48
3     hinge     -1.0 y + 1.0 x + 0.0  2      24
`
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(out.String())); diff != "" {
		t.Error(diff)
	}
	counts, bytes := []Counts{report.Total}, []int64{report.Bytes}
	for _, rule := range report.Rules {
		counts, bytes = append(counts, rule.Counts), append(bytes, rule.Bytes)
	}
	wantCounts := []Counts{{Groundings: 9, Potentials: 5, Trivial: 3, Missing: 1},
		{Groundings: 4, Potentials: 1, Trivial: 2, Missing: 1},
		{Groundings: 3, Potentials: 2, Trivial: 1},
		{Groundings: 2, Potentials: 2}}
	if diff := cmp.Diff(wantCounts, counts) + cmp.Diff([]int64{96, 24, 48, 24}, bytes); diff != "" {
		t.Error(diff)
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ name, rule, want string }{
		{"missing", "1: Knows(A, B) & Likes(A, X) -> Likes(B, X)", "missing-target|Likes('bob', 'ale')"},
		{"violated", "Likes(A, X) & Knows(B, A) & (A == 'cy') -> Knows(A, 'tea') .",
			"violated-by-observations|Likes('cy', 'tea') + 1.0 * Knows('bob', 'cy') - 1.0 * Knows('cy', 'tea') <= 1.0"},
		{"violated by little", "0 * Knows(B, A) + Likes(A, 'tea') >= 1.000002 .",
			"violated-by-observations|such as -1.0 * Likes('bob', 'tea') <= -1.000002 for Knows('ann', 'bob')"},
		{"broken", "1: Likes(A, +X) + 1 / (|X| - 1) * Net(A) <= 1", "coefficient-not-finite|Likes('bob', +X)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, report, err := small().rules(t, c.rule).ground(Options{})
			if err == nil {
				t.Fatalf("no error; %+v", report.Total)
			}
			for want := range strings.SplitSeq(c.want, "|") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in\n%v", want, err)
				}
			}
		})
	}
}

func TestProblemsAreCountedBeyondTheExamples(t *testing.T) {
	b := newBuilder()
	var people []data
	for name := range strings.FieldsSeq("a b c d e f g") {
		people = append(people, observed(name, 1))
	}
	b.add("Person", 1, false, people...)
	b.add("Happy", 1, true)
	f := b.rules(t, "1: Person(A) -> Happy(A)")
	_, report, err := f.ground(Options{})
	if err == nil || report.Total.Missing != 7 {
		t.Fatalf("%v, %+v", err, report.Total)
	}
	want := "7 ground rules need atoms that are neither observed nor targets, such as " +
		"Happy('a'); Happy('b'); Happy('c') [missing-target]"
	if text := err.Error(); strings.Count(text, "error:") != 1 || !strings.Contains(text, want) {
		t.Errorf("the message is\n%s", text)
	}
	if _, _, err := f.ground(Options{DiscardMissing: true}); err != nil {
		t.Error(err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := transitivity(t, 10)
	if _, _, err := Ground(ctx, f.program, f.store, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Ground returns %v", err)
	}
	b := small()
	b.add("Linked", 2, false)
	rule := b.definition(t, "Linked(A, B) <- Knows(A, C) & Knows(C, B)")
	if _, _, err := Derive(ctx, b.store, rule, Options{Threads: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Derive returns %v", err)
	}
}

// TestOrderOfTypes compares -1, 9 and 10 with %: as texts by their bytes, as numbers by their values. The bound may be
// a constant that no atom has.
func TestOrderOfTypes(t *testing.T) {
	for _, c := range []struct {
		kind  program.Type
		bound string
		want  int64
	}{
		{program.String, "9", 2}, {program.Int, "9", 1}, {program.Float, "9", 1},
		{program.String, "2", 2}, {program.Int, "2", 1}, {program.Float, "9.5", 2},
		{program.String, "95", 3}, {program.Int, "95", 3}, {program.Float, "-2", 0},
	} {
		b := newBuilder()
		b.add("P", 1, true, target("10"), target("9"), target("-1"))
		b.predicates[0].Types[0] = c.kind
		f := b.rules(t, "1: P(A) & (A % '"+c.bound+"') -> !P('9')")
		_, report := f.made(t, Options{})
		if report.Total.Groundings != c.want {
			t.Errorf("type %d: %d are before %s, want %d", c.kind, report.Total.Groundings, c.bound, c.want)
		}
	}
}

func TestArenasAreSmall(t *testing.T) {
	_, report := transitivity(t, 20).made(t, Options{})
	rule := report.Rules[1]
	if perPotential := float64(rule.Bytes) / float64(rule.Potentials); perPotential > 12.1 {
		t.Errorf("a potential of three variables takes %.1f bytes, want 12", perPotential)
	}
	if prior := report.Rules[3]; prior.Potentials != 20*19 || prior.Bytes > 16 {
		t.Errorf("a prior over %d targets takes %d bytes, want but its coefficient", prior.Potentials, prior.Bytes)
	}
}

// TestGroundingStopsWithinARow ends the context while one row of the first step has 27 thousand million groundings to
// make.
func TestGroundingStopsWithinARow(t *testing.T) {
	const members = 3000
	b := newBuilder()
	var in, targets []data
	for k := range members {
		in = append(in, observed(fmt.Sprint("club p", k), 1))
		targets = append(targets, target(fmt.Sprint("p", k)))
	}
	b.add("In", 2, false, in...)
	b.add("T", 1, true, targets...)
	f := b.rules(t, "1: In(S, A) & In(S, B) & In(S, C) & In(S, D) -> T(A)")
	for name, run := range map[string]func(ctx context.Context) error{
		"ground": func(ctx context.Context) error {
			_, _, err := Ground(ctx, f.program, f.store, Options{})
			return err
		},
		"sample": func(ctx context.Context) error {
			_, err := sampled(ctx, f, 1, 1<<40)
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		if err := run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v", name, err)
		}
		cancel()
	}
}

func planned(t *testing.T, rule *program.Rule, store *relation.Store) *plan.Plan {
	p, err := plan.New(context.Background(), rule, store)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMachinesDoNotAllocate runs pieces again on a machine whose buffers have grown: joins, look-ups, sums, filters and
// merging must take no memory of their own.
func TestMachinesDoNotAllocate(t *testing.T) {
	for name, f := range map[string]*fixture{
		"joins":  transitivity(t, 12),
		"sums":   citations(t, 60, 150, 3),
		"merged": small().rules(t, "1: 2 * Likes(A, X) + Likes(B, X) <= 1 + Knows(A, 'bob')"),
	} {
		f.store.Number()
		s := newScope(f.store)
		for _, rule := range f.program.Rules {
			s.declare(rule)
			m := newMachine(compile(1, planned(t, rule, f.store), s), new(atomic.Bool))
			run := func() {
				m.run(cut{row: m.routine.lo}, cut{row: m.routine.hi})
				for _, b := range m.batches {
					b.reset()
				}
			}
			if n := testing.AllocsPerRun(3, run); n != 0 {
				t.Errorf("%s: %v allocations in %s", name, n, rule.Text)
			}
		}
	}
}
