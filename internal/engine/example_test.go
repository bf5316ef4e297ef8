package engine_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/deeppsl/deeppsl/internal/engine"
)

// Infer with a program of two rules: friends of a smoker tend to smoke, most people do not.
func Example() {
	dir, err := os.MkdirTemp("", "deeppsl-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.json")
	err = os.WriteFile(path, []byte(`{
		"predicates": {
			"Friends/2": {"observations": [["ann", "bob"], ["bob", "cid"]]},
			"Smokes/1": {"observations": [["ann"]], "targets": [["bob"], ["cid"]]}
		},
		"rules": [
			"3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2",
			"1: !Smokes(A) ^2"
		]
	}`), 0o666)
	if err != nil {
		log.Fatal(err)
	}
	project, err := engine.Load(path, engine.Options{})
	if err != nil {
		log.Fatal(err) // everything that is wrong, each with its place
	}
	report, err := project.Run(context.Background(), engine.Stages{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.3f\n", report.Status, report.Objective)
	report.Grounding.Each(report.Answer, false, func(a engine.Atom) {
		fmt.Printf("%s%v = %.2f\n", a.Predicate, a.Arguments, a.Value)
	})
	// Output:
	// optimal: 1.105
	// Smokes[bob] = 0.63
	// Smokes[cid] = 0.47
}

// Train the networks and the rule weights of a project together, and score the answer on test data.
func ExampleProject_Run() {
	project, err := engine.Load("examples/citation/citation.json", engine.Options{
		Seed: 1,
		Set:  []string{"learn.epochs=25"},
	})
	if err != nil {
		log.Fatal(err)
	}
	report, err := project.Run(context.Background(), engine.Stages{Learn: true, Infer: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range report.Evaluations {
		fmt.Printf("%s: more than half of %d right: %v\n", e.Predicate, e.Count, e.Values["Accuracy"] > 0.5)
	}
	// Output:
	// Neural: more than half of 192 right: true
	// Label: more than half of 192 right: true
}

// Look at what a program is ground to before anything is inferred.
func ExampleProject_Ground() {
	project, err := engine.Load("examples/acquaintances/model.json", engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	grounding, err := project.Ground(context.Background(), engine.Infer)
	if err != nil {
		log.Fatal(err)
	}
	for _, count := range grounding.Counts() {
		fmt.Println(count.Kept, count.Rule)
	}
	if err := grounding.Write(os.Stdout, engine.GroundView, 1); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 118 4: Lives(A, S) & Lives(B, S) & (A != B) -> Knows(A, B) ^2
	// 94 8: Member(A, C) & Member(B, C) & (A != B) -> Knows(A, B) ^2
	// 7190 2: Knows(A, B) & Knows(B, C) & (A != C) -> Knows(A, C) ^2
	// 392 Knows(A, B) = Knows(B, A) .
	// 392 2: !Knows(A, B) ^2
	// 4.0: -1.0 * Knows('p00', 'p01') <= -1.0 ^2
	// ... and 8185 more ground rules
}
