package deeppsl_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/change"
)

var ctx = context.Background()

// must ends an example that cannot go on.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err) // everything that is wrong, each with its place
	}
	return value
}

// Friends of a smoker tend to smoke, most people do not.
func Example() {
	p := must(deeppsl.Parse(`
		3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
		1: !Smokes(A) ^2`))
	data := deeppsl.NewData(p)
	data.Observe("Friends", deeppsl.Rows{{"ann", "bob"}, {"bob", "cid"}})
	data.Observe("Smokes", deeppsl.Rows{{"ann"}})
	data.Target("Smokes", deeppsl.Rows{{"bob"}, {"cid"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer session.Close()
	answer := must(session.Infer(ctx))
	fmt.Printf("%s: %.3f\n", answer.Status, answer.Objective)
	for atom := range answer.Atoms("Smokes") {
		fmt.Printf("%v = %.2f\n", atom, atom.Value)
	}
	// Output:
	// optimal: 1.105
	// Smokes(bob) = 0.63
	// Smokes(cid) = 0.47
}

// A session takes what is new without starting again, and answers what would be if.
func ExampleSession_Apply() {
	p := must(deeppsl.Parse(`
		3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
		1: !Smokes(A) ^2`))
	data := deeppsl.NewData(p)
	data.Observe("Friends", deeppsl.Rows{{"ann", "bob"}})
	data.Observe("Smokes", deeppsl.Rows{{"ann"}})
	data.Target("Smokes", deeppsl.Rows{{"bob"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer session.Close()
	applied := must(session.Apply(ctx, change.Target("Smokes", "cid"), change.Observe(1, "Friends", "bob", "cid")))
	fmt.Println(applied.Come, "ground rules come,", applied.Gone, "go")
	answer := must(session.Infer(ctx))
	value, _ := answer.Value("Smokes", "cid")
	fmt.Printf("cid: %.2f\n", value)
	without := must(session.WhatIf(ctx, change.Remove("Friends", "ann", "bob")))
	value, _ = without.Value("Smokes", "cid")
	fmt.Printf("if ann did not know bob: %.2f\n", value)
	must(session.Apply(ctx, change.Deactivate(1)))
	fmt.Println("the prior is inactive:", session.Rules()[1].Inactive)
	// Output:
	// 2 ground rules come, 0 go
	// cid: 0.47
	// if ann did not know bob: 0.00
	// the prior is inactive: true
}

// A session with a journal goes on from what was applied, whatever became of the one before.
func ExampleSession_Journal() {
	p := must(deeppsl.Parse(`1: !Smokes(A) ^2`))
	data := deeppsl.NewData(p)
	data.Target("Smokes", deeppsl.Rows{{"bob"}})
	path := filepath.Join(must(os.MkdirTemp("", "deeppsl")), "journal")
	for range 2 {
		session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
		fmt.Println("applied before:", must(session.Journal(ctx, path)))
		must(session.Apply(ctx, change.Observe(1, "Smokes", "ann")))
		if err := session.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// applied before: 0
	// applied before: 1
}

// What a session has come to begins another one, without the changes that led to it.
func ExampleSession_Save() {
	p := must(deeppsl.Parse(`1: !Smokes(A) ^2`))
	data := deeppsl.NewData(p)
	data.Target("Smokes", deeppsl.Rows{{"bob"}})
	path := filepath.Join(must(os.MkdirTemp("", "deeppsl")), "saved")
	for range 2 {
		session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
		fmt.Println("applied before:", must(session.Journal(ctx, path)), "weight:", session.Rules()[0].Weight)
		must(session.Apply(ctx, change.Weight(0, 4)))
		if err := errors.Join(session.Save(ctx, path), session.Close()); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// applied before: 0 weight: 1
	// applied before: 0 weight: 4
}

// Why has an atom its value? What pushes it, what it rests on, and what it would be without a fact.
func ExampleSession_Explain() {
	p := must(deeppsl.Parse(`
		3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
		1: !Smokes(A) ^2`))
	data := deeppsl.NewData(p)
	data.Observe("Friends", deeppsl.Rows{{"ann", "bob"}})
	data.Observe("Smokes", deeppsl.Rows{{"ann"}})
	data.Target("Smokes", deeppsl.Rows{{"bob"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer session.Close()
	e := must(session.Explain(ctx, deeppsl.Details{Changes: 1, Rules: true, WhyNot: 0.5}, "Smokes", "bob"))
	fmt.Printf("%s = %.2f, unique: %v\n", e.Atom, e.Value, e.Unique)
	for _, push := range e.Pushes {
		fmt.Printf("%+.2f %s\n", push.Push, push.GroundRule)
	}
	for _, leaf := range e.Leaves {
		fmt.Printf("%+.2f %s %s\n", leaf.Contribution, leaf.Kind, leaf.Name)
	}
	for _, c := range e.Counterfactuals {
		fmt.Printf("%.2f %s\n", c.Value, c.Change)
	}
	var page, chart strings.Builder
	if err := cmp.Or(e.WriteHTML(&page), e.WriteSVG(&chart)); err != nil {
		panic(err)
	}
	fmt.Println(strings.Count(page.String(), "<svg"), strings.Count(chart.String(), "<svg"))
	// Output:
	// Smokes('bob') = 0.75, unique: true
	// +1.50 3: Friends('ann', 'bob') & Smokes('ann') -> Smokes('bob') ^2
	// -1.50 1: !Smokes('bob') ^2
	// -0.75 rule 3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
	// +0.75 fact Friends('ann', 'bob')
	// +0.75 fact Smokes('ann')
	// 0.00 without Friends('ann', 'bob')
	// 0.00 without the rule 3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
	// 1.00 without the rule 1: !Smokes(A) ^2
	// 0.50 Friends('ann', 'bob') = 0.6666 instead of 1
	// 0.50 Smokes('ann') = 0.6666 instead of 1
	// 0.00 without the rule 3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
	// 1 1
}

// Rows come from tables of strings, columns, iterators, file systems and readers alike.
func ExampleData_Observe() {
	p := must(deeppsl.Parse(`1: Likes(A, B) -> Knows(A, B) ^2   1: !Knows(A, B) ^2`))
	data := deeppsl.NewData(p)
	data.Observe("Likes", deeppsl.Rows{{"ann", "bob", "0.9"}})
	data.Observe("Likes", deeppsl.Values(func(yield func([]string, float64) bool) {
		_ = yield([]string{"bob", "cid"}, 0.5) && yield([]string{"cid", "ann"}, 0.1)
	}))
	people := []string{"ann", "bob", "cid"}
	data.Observe("Likes", deeppsl.Columns{Constants: [][]string{people, people}, Rows: [][]int32{{2, 1}, {1, 0}},
		Truth: []float64{0.2, 0.3}})
	files := fstest.MapFS{"likes.csv": {Data: []byte("who,whom\ndan,ann\n")}}
	data.Observe("Likes", deeppsl.File{FS: files, Path: "likes.csv"})
	data.Observe("Likes", deeppsl.Reader("likes.tsv", strings.NewReader("dan\tbob\t0.3\n")))
	data.Target("Knows", deeppsl.Rows{{"ann", "bob"}, {"bob", "cid"}, {"cid", "ann"}, {"dan", "ann"}, {"dan", "bob"}})
	data.Target("Knows", deeppsl.Derived("Knows(A, B) <- Likes(A, B)"))
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer session.Close()
	answer := must(session.Infer(ctx))
	byValue := func(a, b deeppsl.Atom) int { return cmp.Compare(b.Value, a.Value) }
	for _, atom := range slices.SortedFunc(answer.Atoms("Knows"), byValue)[:3] {
		fmt.Printf("%v %.2f\n", atom, atom.Value)
	}
	// Output:
	// Knows(dan, ann) 0.50
	// Knows(ann, bob) 0.45
	// Knows(bob, cid) 0.25
}

// A table has more columns than a predicate takes, and a rule says what is asked for: here, which customers of one city
// are the same person.
func ExampleData_Target() {
	p := must(deeppsl.Parse(`
		2: City(A, C) & City(B, C) & (A % B) & First(A, X) & First(B, Y) & Alike(X, Y) -> Same(A, B) ^2
		1: !Same(A, B) ^2`,
		deeppsl.Predicate{Name: "Alike", Measure: "JaroWinkler"}))
	table := deeppsl.File{Path: "customers.csv", FS: fstest.MapFS{"customers.csv": {Data: []byte(
		"id,first,last,city\n1,Ann,Lee,Rome\n2,Anne,Lee,Rome\n3,Bob,Lee,Rome\n4,Ann,Ito,Oslo\n")}}}
	first, city := table, table
	first.Columns, city.Columns = []string{"id", "first"}, []string{"id", "city"}
	data := deeppsl.NewData(p)
	data.Observe("First", first)
	data.Observe("City", city)
	data.Target("Same", deeppsl.Derived("Same(A, B) <- City(A, C) & City(B, C) & (A % B)"))
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer session.Close()
	for atom := range must(session.Infer(ctx)).Atoms() {
		fmt.Printf("%v %.2f\n", atom, atom.Value)
	}
	// Output:
	// Same(1, 2) 0.63
	// Same(1, 3) 0.00
	// Same(2, 3) 0.00
}

// A sensor's value is given: when it changes, the answer starts from the one before.
func ExampleSession_SetValue() {
	p := must(deeppsl.Parse(`
		2: Smoke(R) -> Fire(R) ^2
		1: Next(R, S) & Fire(R) -> Fire(S) ^2
		1: !Fire(R) ^2`))
	data := deeppsl.NewData(p)
	data.Given("Smoke", deeppsl.Rows{{"kitchen", "0"}, {"hall", "0"}})
	data.Observe("Next", deeppsl.Rows{{"kitchen", "hall"}})
	data.Target("Fire", deeppsl.Rows{{"kitchen"}, {"hall"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer session.Close()
	for _, smoke := range []float64{0, 1} {
		if err := session.SetValue(smoke, "Smoke", "kitchen"); err != nil {
			log.Fatal(err)
		}
		answer := must(session.Infer(ctx))
		kitchen, _ := answer.Value("Fire", "kitchen")
		hall, _ := answer.Value("Fire", "hall")
		fmt.Printf("smoke %v: fire in the kitchen %.2f, in the hall %.2f\n", smoke, kitchen, hall)
	}
	// Output:
	// smoke 0: fire in the kitchen 0.00, in the hall 0.00
	// smoke 1: fire in the kitchen 0.57, in the hall 0.29
}

// Rules can be weighed otherwise while a session lives.
func ExampleSession_SetWeight() {
	p := must(deeppsl.Parse(`
		1: Said(A) -> True(A) ^2
		1: !True(A) ^2`))
	data := deeppsl.NewData(p)
	data.Observe("Said", deeppsl.Rows{{"it"}})
	data.Target("True", deeppsl.Rows{{"it"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer session.Close()
	for _, weight := range []float64{1, 3} {
		if err := session.SetWeight(0, weight); err != nil {
			log.Fatal(err)
		}
		value, _ := must(session.Infer(ctx)).Value("True", "it")
		fmt.Printf("%.2f\n", value)
	}
	for _, rule := range session.Rules() {
		fmt.Println(rule.Weight, rule.Hard, rule.Ground, rule.Text)
	}
	// Output:
	// 0.50
	// 0.75
	// 3 false 1 1: Said(A) -> True(A) ^2
	// 1 false 1 1: !True(A) ^2
}

// What needs a session that has been closed says so; its answers stay.
func ExampleSession_Close() {
	p := must(deeppsl.Parse("1: !Sad(A) ^2"))
	data := deeppsl.NewData(p)
	data.Target("Sad", deeppsl.Rows{{"ann"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	answer := must(session.Infer(ctx))
	if err := session.Close(); err != nil {
		log.Fatal(err)
	}
	_, err := session.Infer(ctx)
	fmt.Println(errors.Is(err, deeppsl.ErrClosed))
	fmt.Println(answer.Value("Sad", "ann"))
	// Output:
	// true
	// 0 true
}

// Learn the weights of rules from known values, and print the rules with them.
func ExampleSession_Learn() {
	p := must(deeppsl.Parse(`
		1: Near(A, B) -> Knows(A, B) ^2
		1: !Knows(A, B) ^2`, deeppsl.Predicate{Name: "Knows", Evaluators: []string{"discrete"}}))
	data := deeppsl.NewData(p)
	pairs := deeppsl.Rows{{"ann", "bob"}, {"bob", "cid"}, {"cid", "dan"}}
	data.Observe("Near", pairs)
	data.Target("Knows", pairs)
	data.Truth("Knows", deeppsl.Rows{{"ann", "bob", "1"}, {"bob", "cid", "1"}, {"cid", "dan", "0"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{Learning: "perceptron"}))
	defer session.Close()
	training := must(session.Learn(ctx))
	if err := session.WriteRules(os.Stdout); err != nil {
		log.Fatal(err)
	}
	fmt.Println(training.Early, len(training.Epochs) > 1)
	for _, e := range must(session.Evaluate(must(session.Infer(ctx)))) {
		fmt.Printf("%s of %d: %s %.2f\n", e.Evaluator, e.Count, e.Primary, e.Values[e.Primary])
	}
	// Output:
	// 1.2952051162719727: Near(A, B) -> Knows(A, B) ^2
	// 0.7047949433326721: !Knows(A, B) ^2
	// false true
	// discrete of 3: F1 0.80
}

// Whatever ends an inference early, the answer is the best until then, and says how far it can be from the optimum.
// An explanation goes as deep as is asked for. Each push is minus the multiplier of a ground rule times the coefficient
// of the atom in it; with what the bounds add, nothing is left of them.
func ExampleExplanation() {
	p := must(deeppsl.Parse(`
		3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
		1: !Smokes(A) ^2`))
	data := deeppsl.NewData(p)
	data.Observe("Friends", deeppsl.Rows{{"ann", "bob"}, {"bob", "cid"}})
	data.Observe("Smokes", deeppsl.Rows{{"ann"}})
	data.Target("Smokes", deeppsl.Rows{{"bob"}, {"cid"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer session.Close()
	e := must(session.Explain(ctx, deeppsl.Details{Shown: 1, Depth: 1}, "Smokes", "cid"))
	for e != nil {
		fmt.Printf("%s = %.2f in [%.2f, %.2f]\n", e.Atom, e.Value, e.Interval[0], e.Interval[1])
		sum := e.BoundForce
		for _, push := range e.Pushes {
			sum -= push.Multiplier * push.Coefficient
			for _, atom := range push.Atoms {
				fmt.Printf("    %s %s %.2f\n", atom.Role, atom.Atom, atom.Value)
			}
		}
		fmt.Println("    nothing is left:", math.Abs(sum-e.Unexplained) < 1e-6)
		if len(e.Because) == 0 {
			break
		}
		e = e.Because[0]
	}
	// Output:
	// Smokes('cid') = 0.47 in [0.47, 0.47]
	//     observed Friends('bob', 'cid') 1.00
	//     target Smokes('bob') 0.63
	//     target Smokes('cid') 0.47
	//     target Smokes('cid') 0.47
	//     nothing is left: true
	// Smokes('bob') = 0.63 in [0.63, 0.63]
	//     observed Friends('ann', 'bob') 1.00
	//     observed Smokes('ann') 1.00
	//     target Smokes('bob') 0.63
	//     target Smokes('bob') 0.63
	//     observed Friends('bob', 'cid') 1.00
	//     target Smokes('bob') 0.63
	//     target Smokes('cid') 0.47
	//     nothing is left: true
}

func ExampleAnswer() {
	p, data, err := deeppsl.Open("examples/acquaintances/model.json")
	if err != nil {
		log.Fatal(err)
	}
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	session := must(deeppsl.NewSession(limited, p, data, deeppsl.Options{Method: "newton", Memory: 1 << 30}))
	defer session.Close()
	switch answer := must(session.Infer(limited)); answer.Status {
	case deeppsl.Optimal:
		fmt.Println("proven:", answer.Gap <= 1e-4, answer.MaxViolation <= 1e-6, answer.AtomError > 0)
		fmt.Println(answer.DualBound <= answer.Objective, answer.Method, answer.Reason)
		fmt.Println(answer.Iterations > 0, answer.Elapsed < time.Minute)
	case deeppsl.TimeLimit, deeppsl.IterationLimit, deeppsl.Cancelled, deeppsl.Stalled:
		fmt.Println("the best until then:", answer.Explanation, answer.Gap)
	case deeppsl.Infeasible:
		fmt.Println("these cannot hold together:", answer.Conflict)
	case deeppsl.Skipped, deeppsl.NumericalError:
		fmt.Println("no answer:", answer.Explanation)
	}
	// Output:
	// proven: true true true
	// true newton It was asked for.
	// true true
}

// Values alone are quick to read where an answer follows another.
func ExampleAnswer_Values() {
	p := must(deeppsl.Parse("0.5: Sad(A) ^2   1: !Sad(A) ^2"))
	data := deeppsl.NewData(p)
	data.Target("Sad", deeppsl.Rows{{"ann"}, {"bob"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer session.Close()
	for _, weight := range []float64{1, 3} {
		if err := session.SetWeight(0, weight); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f\n", must(session.Infer(ctx)).Values("Sad"))
	}
	// Output:
	// [0.50 0.50]
	// [0.75 0.75]
}

// Houses in one street are near each other if their numbers are; a function says how near.
func ExamplePredicate_function() {
	p := must(deeppsl.Parse(`1: House(A, N) & House(B, M) & Near(N, M) & (A % B) -> Neighbours(A, B)`,
		deeppsl.Predicate{Name: "House", Types: []deeppsl.Type{deeppsl.String, deeppsl.Int}},
		deeppsl.Predicate{Name: "Near", Types: []deeppsl.Type{deeppsl.Int, deeppsl.Int},
			Function: func(arguments ...string) float64 {
				a, b := must(strconv.Atoi(arguments[0])), must(strconv.Atoi(arguments[1]))
				return max(0, 1-float64(max(a-b, b-a))/10)
			}}))
	data := deeppsl.NewData(p)
	data.Observe("House", deeppsl.Rows{{"red", "3"}, {"green", "4"}, {"blue", "40"}})
	data.Target("Neighbours", deeppsl.Rows{{"green", "red"}, {"blue", "green"}, {"blue", "red"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer session.Close()
	if err := session.WriteGround(os.Stdout, 0); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1.0: -1.0 * Neighbours('green', 'red') <= -0.9
}

// See before anything is ground what it will cost, and what is probably not meant.
func ExampleCheck() {
	p, data, err := deeppsl.Open("examples/acquaintances/model.json")
	if err != nil {
		log.Fatal(err)
	}
	summary := must(deeppsl.Check(ctx, p, data, deeppsl.Options{}))
	for _, rule := range summary.Rules[:3] {
		fmt.Println(rule.Ground, rule.Exact, rule.Bytes > 0, rule.Seconds < 1, rule.Rule)
	}
	fmt.Println(summary.Observations, "observed,", summary.Targets, "targets,", len(summary.Problems), "problems")
	// Output:
	// 118 true true true 4: Lives(A, S) & Lives(B, S) & (A != B) -> Knows(A, B) ^2
	// 94 true true true 8: Member(A, C) & Member(B, C) & (A != B) -> Knows(A, B) ^2
	// 7190 true true true 2: Knows(A, B) & Knows(B, C) & (A != C) -> Knows(A, C) ^2
	// 208 observed, 392 targets, 0 problems
}

// The error of an input without a meaning has everything that is wrong, each with its place and a hint.
func ExampleError() {
	p := must(deeppsl.Parse("1: Lived(A, L) & Livd(B, L) -> Knows(A, B)"))
	data := deeppsl.NewData(p)
	data.Observe("Lived", deeppsl.Rows{{"ann", "london"}, {"bob"}})
	data.Target("Knows", deeppsl.Rows{{"ann", "bob"}})
	_, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{})
	var wrong *deeppsl.Error
	if errors.As(err, &wrong) {
		for _, problem := range wrong.Problems {
			fmt.Printf("%s:%d:%d: %v\n", problem.File, problem.Line, problem.Column, problem)
			fmt.Printf("%s, a warning: %v; %s; %s\n", problem.ID, problem.Warning, problem.Message, problem.Hint)
		}
	}
	// Output:
	// rules:1:18: unknown predicate Livd; did you mean Lived?
	// unknown-predicate, a warning: false; unknown predicate Livd; did you mean Lived?
}
