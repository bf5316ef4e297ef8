package deeppsl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// alarms is a program about sensors in a row of rooms, with all kinds of potentials, whose reports are given.
const alarms = `
	4: Reports(R) -> Fire(R) ^2
	2: Next(R, S) & Fire(R) -> Fire(S)
	1: !Fire(R) ^2
	Fire(R) + Safe(R) = 1 .
	0.5: Safe(R)`

// rooms returns data of n rooms.
func rooms(p *deeppsl.Program, n int, report func(room int) float64) *deeppsl.Data {
	data := deeppsl.NewData(p)
	var next, targets deeppsl.Rows
	for r := range n {
		targets = append(targets, deeppsl.Rows{{room(r)}}...)
		if r > 0 {
			next = append(next, []string{room(r - 1), room(r)})
		}
	}
	data.Given("Reports", deeppsl.Values(func(yield func([]string, float64) bool) {
		for r := range n {
			if !yield([]string{room(r)}, report(r)) {
				return
			}
		}
	}))
	data.Observe("Next", next)
	data.Target("Fire", targets)
	data.Target("Safe", targets)
	return data
}

func room(r int) string { return fmt.Sprintf("room%03d", r) }

func parse(t *testing.T, rules string, predicates ...deeppsl.Predicate) *deeppsl.Program {
	t.Helper()
	p, err := deeppsl.Parse(rules, predicates...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func begin(t *testing.T, p *deeppsl.Program, data *deeppsl.Data, options deeppsl.Options) *deeppsl.Session {
	t.Helper()
	s, err := deeppsl.NewSession(ctx, p, data, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func infer(t *testing.T, s *deeppsl.Session) *deeppsl.Answer {
	t.Helper()
	answer, err := s.Infer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// An answer after changes of given values and weights must be that of a new session with these, to within both gaps,
// and take fewer iterations.
func TestWarmAnswersAreColdOnes(t *testing.T) {
	const n = 200
	p := parse(t, alarms)
	reports := make([]float64, n)
	value := func(r int) float64 { return reports[r] }
	live := begin(t, p, rooms(p, n, value), deeppsl.Options{})
	first := infer(t, live)
	if first.Status != deeppsl.Optimal {
		t.Fatal(first.Status)
	}
	for step, change := range []struct {
		room   int
		value  float64
		weight float64
	}{{20, 1, 0}, {21, 0.5, 0}, {100, 0.9, 3}, {20, 0, 3}} {
		reports[change.room] = change.value
		if err := live.SetValue(change.value, "Reports", room(change.room)); err != nil {
			t.Fatal(err)
		}
		cold := begin(t, p, rooms(p, n, value), deeppsl.Options{})
		if change.weight > 0 {
			for _, s := range []*deeppsl.Session{live, cold} {
				if err := s.SetWeight(1, change.weight); err != nil {
					t.Fatal(err)
				}
			}
		}
		warm, want := infer(t, live), infer(t, cold)
		if warm.Status != deeppsl.Optimal || want.Status != deeppsl.Optimal {
			t.Fatalf("step %d: %s and %s", step, warm.Status, want.Status)
		}
		tolerance := (warm.Gap + want.Gap + 1e-12) * math.Max(1, math.Abs(want.Objective))
		if math.Abs(warm.Objective-want.Objective) > tolerance {
			t.Errorf("step %d: objective %v, want %v to within %v", step, warm.Objective, want.Objective, tolerance)
		}
		t.Logf("step %d: %d iterations, cold %d", step, warm.Iterations, want.Iterations)
		for atom := range want.Atoms() {
			got, ok := warm.Value(atom.Predicate, atom.Arguments...)
			if !ok || math.Abs(got-atom.Value) > 0.02 {
				t.Errorf("step %d: %v is %v, %v; want %v", step, atom, got, ok, atom.Value)
			}
		}
	}
	if v, ok := first.Value("Reports", room(20)); !ok || v != 0 {
		t.Errorf("the first answer now says %v", v)
	}
}

// What is given must neither be folded away nor pruned, and what is not given must not change.
func TestGiven(t *testing.T) {
	p := parse(t, alarms)
	s := begin(t, p, rooms(p, 3, func(int) float64 { return 0 }), deeppsl.Options{})
	if rules := s.Rules(); rules[0].Ground != 3 {
		t.Errorf("%d ground rules of %s", rules[0].Ground, rules[0].Text)
	}
	for want, err := range map[string]error{
		"only given ones": s.SetValue(1, "Fire", room(0)),
		"Next('room000', 'room001') is not given but observed": s.SetValue(1, "Next", room(0), room(1)),
		"no atom Reports('elsewhere')":                         s.SetValue(1, "Reports", "elsewhere"),
		"did you mean":                                         s.SetValue(1, "Report", room(0)),
		"1 arguments":                                          s.SetValue(1, "Reports", room(0), room(1)),
		"not in [0, 1]":                                        s.SetValue(math.NaN(), "Reports", room(0)),
		"there is no rule":                                     s.SetWeight(9, 1),
		"is hard":                                              s.SetWeight(3, 1),
		"at least 0":                                           s.SetWeight(0, -1),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Any number of goroutines may read answers and ask the session while it infers, evaluates and changes.
func TestConcurrentReaders(t *testing.T) {
	const n = 30
	p := parse(t, alarms, deeppsl.Predicate{Name: "Fire", Evaluators: []string{"continuous"}})
	data := rooms(p, n, func(r int) float64 { return float64(r) / n })
	data.Truth("Fire", deeppsl.Rows{{room(1), "0"}, {"a room that nobody knows", "1"}})
	s := begin(t, p, data, deeppsl.Options{})
	answer := infer(t, s)
	want, _ := answer.Value("Fire", room(7))
	var readers sync.WaitGroup
	for k := range 4 {
		readers.Go(func() {
			for i := range 50 {
				if got, ok := answer.Value("Fire", room(7)); !ok || got != want {
					t.Errorf("the answer says %v, want %v", got, want)
				}
				for atom := range answer.Atoms("Safe") {
					_ = atom.Value
				}
				if i%10 == k {
					s.Rules()
				}
			}
		})
	}
	for k := range 20 {
		if err := s.SetValue(float64(k)/20, "Reports", room(k)); err != nil {
			t.Fatal(err)
		}
		next := infer(t, s)
		if _, err := s.Evaluate(next); err != nil {
			t.Fatal(err)
		}
	}
	readers.Wait()
}

// A closed session must say so, and its answers must stay.
func TestClose(t *testing.T) {
	p := parse(t, alarms)
	s, err := deeppsl.NewSession(ctx, p, rooms(p, 3, func(int) float64 { return 1 }), deeppsl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	answer := infer(t, s)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if v, ok := answer.Value("Fire", room(0)); !ok || v == 0 {
		t.Errorf("the answer says %v, %v", v, ok)
	}
	_, inferring := s.Infer(ctx)
	_, learning := s.Learn(ctx)
	_, evaluating := s.Evaluate(answer)
	for _, err := range []error{inferring, learning, evaluating, s.SetWeight(0, 1), s.SetValue(0, "Reports", room(0)),
		s.WriteRules(new(bytes.Buffer))} {
		if !errors.Is(err, deeppsl.ErrClosed) {
			t.Errorf("error %v", err)
		}
	}
}

// A session with a bound for its memory keeps its ground rules in a file, and sets nothing for the whole process.
func TestNothingIsProcessWide(t *testing.T) {
	limit, procs := debug.SetMemoryLimit(-1), runtime.GOMAXPROCS(0)
	p := parse(t, `
		2: Near(A, B) & Near(B, C) -> Far(A, C) ^2
		1: Far(A, B) & Far(B, C) -> Far(A, C) ^2
		1: !Far(A, B) ^2`)
	data := deeppsl.NewData(p)
	var pairs deeppsl.Rows
	for a := range 40 {
		for b := range 40 {
			pairs = append(pairs, []string{room(a), room(b)})
		}
	}
	data.Observe("Near", pairs)
	data.Target("Far", pairs)
	bounded := begin(t, p, data, deeppsl.Options{Memory: 3 << 20, Threads: 2, Gap: 1e-4})
	whole := begin(t, p, data, deeppsl.Options{Gap: 1e-4})
	a, b := infer(t, bounded), infer(t, whole)
	if math.Abs(a.Objective-b.Objective) > 2e-4*b.Objective {
		t.Errorf("objective %v, in memory %v", a.Objective, b.Objective)
	}
	if debug.SetMemoryLimit(-1) != limit || runtime.GOMAXPROCS(0) != procs {
		t.Error("a session changed the process")
	}
}

// What is wrong with data is said all at once, with the row.
func TestWrongData(t *testing.T) {
	p := parse(t, alarms)
	data := rooms(p, 2, func(int) float64 { return 1.5 })
	data.Observe("Next", deeppsl.Rows{{"a"}, {"b", "c", "2"}})
	data.Observe("Next", deeppsl.File{Path: "nowhere.csv"})
	data.Observe("Next", deeppsl.File{FS: os.DirFS("docs"), Path: "nowhere.csv"})
	_, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{})
	var wrong *deeppsl.Error
	if !errors.As(err, &wrong) || len(wrong.Problems) < 5 {
		t.Fatal(err)
	}
	for _, want := range []string{"row 1 of the given values of Reports", "row 1 of the observations of Next: ",
		"row 2 of the observations of Next: ", "nowhere.csv"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
	data = rooms(p, 2, func(int) float64 { return 1 })
	data.Observe("Nxt", deeppsl.Rows{})
	data.Observe("Next", deeppsl.Reader("broken.csv", broken{}))
	data.Features("Fire", nil)
	data.Target("Safe", nil)
	_, err = deeppsl.NewSession(ctx, p, data, deeppsl.Options{})
	for _, want := range []string{"no predicate Nxt; did you mean Next?", "cannot be read", "no network Fire", "no rows"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
	if _, err := deeppsl.NewSession(ctx, parse(t, alarms), data, deeppsl.Options{}); err == nil {
		t.Error("data of another program were taken")
	}
}

// Columns by name and targets by a rule are those of configurations, by phase too, and what is wrong with them is said.
func TestColumnsAndRules(t *testing.T) {
	p := parse(t, `1: Knows(A, B) -> Likes(A, B) ^2`)
	files := fstest.MapFS{"met.csv": {Data: []byte("day,who,whom,value\n1,ann,bob,0.5\n2,bob,cid,1\n2,cid,,1\n")}}
	met := deeppsl.File{FS: files, Path: "met.csv", Columns: []string{"who", "whom", "value"}}
	data := deeppsl.NewData(p)
	data.Observe("Knows", met)
	data.During(deeppsl.Inference).Target("Likes", deeppsl.Derived("Likes(A, B) <- Knows(A, B)"))
	session, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	answer, err := session.Infer(ctx)
	if err != nil || len(answer.Values()) != 2 {
		t.Errorf("%v, %v", answer, err)
	}
	if v, ok := answer.Value("Likes", "ann", "bob"); !ok || math.Abs(v-0.5) > 1e-6 {
		t.Errorf("%v, %v", v, ok)
	}
	met.Columns = []string{"who", "whon"}
	for _, test := range []struct {
		want string
		add  func(*deeppsl.Data)
	}{
		{"met.csv has no column \"whon\"", func(d *deeppsl.Data) { d.Observe("Knows", met) }},
		{"makes targets", func(d *deeppsl.Data) { d.Observe("Knows", deeppsl.Derived("Knows(A, B) <- Knows(B, A)")) }},
		{"targets:1:", func(d *deeppsl.Data) { d.Target("Likes", deeppsl.Derived("Likes(A, B) <- Knows(A")) }},
		{"Knwos", func(d *deeppsl.Data) { d.Target("Likes", deeppsl.Derived("Likes(A, B) <- Knwos(A, B)")) }},
		{"Knows", func(d *deeppsl.Data) { d.Target("Likes", deeppsl.Derived("Knows(A, B) <- Knows(B, A)")) }},
	} {
		data := deeppsl.NewData(p)
		data.Observe("Knows", deeppsl.Rows{{"a", "b"}})
		data.Target("Likes", deeppsl.Rows{{"a", "b"}})
		test.add(data)
		if _, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{}); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("no %q in\n%v", test.want, err)
		}
	}
}

// A program without Parquet says what to import.
func TestMissingFormat(t *testing.T) {
	const line = `import _ "github.com/deeppsl/deeppsl/parquet"`
	p := parse(t, alarms)
	data := rooms(p, 2, func(int) float64 { return 1 })
	data.Observe("Next", deeppsl.Reader("next.parquet", strings.NewReader("PAR1")))
	_, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{})
	for _, want := range []string{"next.parquet", "[data-format]", line} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
	_, err = features.Read(features.Parquet, "features", strings.NewReader("PAR1"), 0)
	if err == nil || !strings.Contains(err.Error(), line) {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("this cannot be read") }

// What is wrong with rules, declarations and options is said with its place.
func TestWrongPrograms(t *testing.T) {
	for want, predicates := range map[string][]deeppsl.Predicate{
		"is not a name":      {{Name: "no name"}},
		"how many arguments": {{Name: "Unused"}},
		"no evaluator":       {{Name: "A", Evaluators: []string{"perfect"}}},
		"not an argument":    {{Name: "A", Similar: &deeppsl.Similar{Measure: "JaroWinkler", Column: "B", Threshold: 0.5}}},
		"a threshold":        {{Name: "A", Similar: &deeppsl.Similar{Measure: "JaroWinkler", Column: "B:0"}}},
		"predicate A:1:":     {{Name: "A", Derive: []string{"A(X) <- "}}},
		"declared already":   {{Name: "A"}, {Name: "B"}, {Name: "a"}},
	} {
		if _, err := deeppsl.Parse("1: A(X) -> B(X)", predicates...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	_, err := deeppsl.Parse("1: A(X) -> B(X)\n1: A(X -> B(X)")
	var wrong *deeppsl.Error
	if !errors.As(err, &wrong) || wrong.Problems[0].Line != 2 {
		t.Errorf("error %v", err)
	}
	p := parse(t, alarms)
	for _, options := range []deeppsl.Options{{Gap: -1}, {Method: "guess"}, {Epochs: new(-1)}, {Learning: "by heart"},
		{Memory: -5}, {Threads: -2}, {Gap: math.NaN()}, {Set: map[string]string{"random.sead": "1"}}} {
		if _, err := deeppsl.NewSession(ctx, p, rooms(p, 2, func(int) float64 { return 1 }), options); err == nil {
			t.Errorf("%+v: no error", options)
		}
	}
	if _, _, err := deeppsl.Open("nowhere.json"); err == nil {
		t.Error("a program that is not there was opened")
	}
	looks := deeppsl.Predicate{Name: "A", Types: make([]deeppsl.Type, 2),
		Network: &deeppsl.Network{Classes: []string{"x", "y"}}}
	for rules, want := range map[string]string{"1: A(X, K) -> B(X, K)": "network A has no features",
		"1: C(X, K) -> B(X, K)": "unknown predicate C [unknown-predicate]\n    1: C(X, K) -> B(X, K)\n       ^\n" +
			"    hint: give it rows, or declare it"} {
		p := parse(t, rules, looks)
		data := deeppsl.NewData(p)
		data.Target("B", deeppsl.Rows{{"a", "x"}})
		if strings.HasPrefix(want, "unknown") {
			data.Features("A", vectors(t, 2))
		}
		if _, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", rules, err, want)
		}
	}
}

// vectors are features of items that are round or not.
func vectors(t *testing.T, n int) *features.Table {
	t.Helper()
	var ids []string
	var values []float32
	for k := range n {
		ids = append(ids, fmt.Sprintf("item%d", k))
		values = append(values, float32(k%2)+float32(k%5)/10, float32(1-k%2), float32(k%3)/10)
	}
	features, err := features.NewDense(ids, 3, values)
	if err != nil {
		t.Fatal(err)
	}
	return features
}

// perceiving is a program with a network, and its data, of which only some truth is known.
func perceiving(t *testing.T, spec neural.Spec) (*deeppsl.Program, *deeppsl.Data) {
	t.Helper()
	p := parse(t, "1: Looks(A, K) -> Is(A, K) ^2\n1: !Is(A, K) ^2\nIs(A, +K) = 1 .",
		deeppsl.Predicate{Name: "Looks", Network: &deeppsl.Network{Spec: spec, Classes: []string{"round", "square"}}},
		deeppsl.Predicate{Name: "Is", Evaluators: []string{"categorical"}})
	data := deeppsl.NewData(p)
	data.Features("Looks", vectors(t, 30))
	var all, known, held deeppsl.Rows
	for k := range 30 {
		for c, class := range []string{"round", "square"} {
			row := []string{fmt.Sprintf("item%d", k), class}
			all = append(all, row)
			truth := append(row[:2:2], fmt.Sprint(1-(k+c)%2))
			if k < 20 {
				known = append(known, truth)
			} else {
				held = append(held, truth)
			}
		}
	}
	data.Target("Is", all)
	data.During(deeppsl.Learning).Truth("Is", known)
	data.During(deeppsl.Inference).Truth("Is", held)
	return p, data
}

// Networks in code, of a kind and of one's own, must learn what they see, and can be saved.
func TestNetworks(t *testing.T) {
	for name, spec := range map[string]neural.Spec{"mlp": {Hidden: []int{4}}, "own": {Function: linear{}}} {
		t.Run(name, func(t *testing.T) {
			p, data := perceiving(t, spec)
			s := begin(t, p, data, deeppsl.Options{Seed: 1, Learning: "implicit", Epochs: new(15)})
			training, err := s.Learn(ctx)
			if err != nil || training.Early || len(training.Epochs) == 0 {
				t.Fatal(training, err)
			}
			answer := infer(t, s)
			scored, err := s.Evaluate(answer)
			if err != nil || len(scored) != 1 || scored[0].Values["Accuracy"] != 1 {
				t.Fatalf("%+v, %v", scored, err)
			}
			var saved bytes.Buffer
			if err := s.SaveNetworks(&saved); err != nil {
				t.Fatal(err)
			}
			fresh := begin(t, p, data, deeppsl.Options{Seed: 2})
			if err := fresh.LoadNetworks(&saved); err != nil {
				t.Fatal(err)
			}
			infer(t, fresh)
			want, _ := answer.Value("Looks", "item25", "round")
			if got, ok := infer(t, fresh).Value("Looks", "item25", "round"); !ok || got != want {
				t.Errorf("the loaded network says %v, want %v", got, want)
			}
		})
	}
}

// linear is a network as a program would bring it along: W·u + b.
type linear struct{}

func (linear) Tensors(features, outputs int) []neural.Tensor {
	return []neural.Tensor{{Name: "matrix", Shape: []int{features, outputs}}, {Name: "shift", Shape: []int{outputs}}}
}

func (linear) Forward(p [][]float32, features, outputs []float32) {
	linear{}.each(p, len(outputs), func(out, feature, weight int) {
		outputs[out] += features[feature] * p[0][weight]
	})
	for k := range outputs {
		outputs[k] += p[1][k%len(p[1])]
	}
}

func (linear) Backward(p [][]float32, features, upstream []float32, gradients [][]float32) {
	linear{}.each(p, len(upstream), func(out, feature, weight int) {
		gradients[0][weight] += features[feature] * upstream[out]
	})
	for k, u := range upstream {
		gradients[1][k%len(p[1])] += u
	}
}

func (linear) each(p [][]float32, outputs int, visit func(out, feature, weight int)) {
	classes := len(p[1])
	width := len(p[0]) / classes
	for out := range outputs {
		for f := range width {
			visit(out, out/classes*width+f, f*classes+out%classes)
		}
	}
}

// A program that is learned in one world and used in another grounds both, and adopts what was learned.
func TestLearnElsewhere(t *testing.T) {
	p := parse(t, "1: Near(A, B) -> Knows(A, B) ^2\n1: !Knows(A, B) ^2",
		deeppsl.Predicate{Name: "Knows", Evaluators: []string{"discrete"}})
	data := deeppsl.NewData(p)
	learning, inference := data.During(deeppsl.Learning), data.During(deeppsl.Inference)
	learning.Observe("Near", deeppsl.Rows{{"a", "b"}, {"b", "c"}})
	learning.Target("Knows", deeppsl.Rows{{"a", "b"}, {"b", "c"}, {"c", "a"}})
	learning.Truth("Knows", deeppsl.Rows{{"a", "b"}, {"b", "c"}})
	inference.Observe("Near", deeppsl.Rows{{"x", "y"}})
	inference.Target("Knows", deeppsl.Rows{{"x", "y"}})
	s := begin(t, p, data, deeppsl.Options{Seed: 1, Learning: "perceptron"})
	before, _ := infer(t, s).Value("Knows", "x", "y")
	if _, err := s.Learn(ctx); err != nil {
		t.Fatal(err)
	}
	after, ok := infer(t, s).Value("Knows", "x", "y")
	if !ok || after <= before {
		t.Errorf("%v before learning, %v after", before, after)
	}
	if _, known := infer(t, s).Value("Knows", "a", "b"); known {
		t.Error("an atom of learning is inferred")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if training, err := s.Learn(ended); err == nil && !training.Early {
		t.Errorf("%+v after the context ended", training)
	}
}

// Files, configurations and classic programs are readers of the same values.
func TestOpen(t *testing.T) {
	p, data, err := deeppsl.Open("examples/acquaintances/model.json")
	if err != nil {
		t.Fatal(err)
	}
	opened := infer(t, begin(t, p, data, deeppsl.Options{}))
	again := parse(t, p.String(), deeppsl.Predicate{Name: "Knows"})
	folder := os.DirFS("examples/acquaintances/data")
	own := deeppsl.NewData(again)
	for _, predicate := range []string{"Lives", "Member"} {
		own.Observe(predicate, file(t, folder, strings.ToLower(predicate)))
	}
	own.Observe("Knows", file(t, folder, "known"))
	own.Target("Knows", file(t, folder, "targets"))
	same := infer(t, begin(t, again, own, deeppsl.Options{}))
	if same.Objective != opened.Objective || same.Gap != opened.Gap {
		t.Errorf("objective %v, opened %v", same.Objective, opened.Objective)
	}
	if _, err := deeppsl.Check(ctx, p, deeppsl.NewData(p), deeppsl.Options{}); err != nil {
		t.Errorf("a program without data: %v", err)
	}
}

// file is the table of a name, whatever its extension.
func file(t *testing.T, folder fs.FS, name string) deeppsl.File {
	t.Helper()
	paths, err := fs.Glob(folder, name+".*")
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	return deeppsl.File{FS: folder, Path: paths[0]}
}
