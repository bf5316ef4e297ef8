package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/deeppsl/deeppsl/internal/engine"
)

// write puts a configuration into a new folder, which the caller removes.
func write(config string) (path string, remove func()) {
	folder, err := os.MkdirTemp("", "deeppsl-example-")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(folder, "model.json")
	if err := os.WriteFile(path, []byte(config), 0o666); err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(folder) }
}

// See before anything is ground what it will cost, and what is probably not meant.
func ExampleProject_Check() {
	project, err := engine.Load("examples/acquaintances/model.json", engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	summary, err := project.Check(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, rule := range summary.Rules {
		fmt.Println(rule.GroundRules, rule.Exact, rule.Rule)
	}
	fmt.Println(len(summary.Lints), "lints")
	// Output:
	// 118 true 4: Lives(A, S) & Lives(B, S) & (A != B) -> Knows(A, B) ^2
	// 94 true 8: Member(A, C) & Member(B, C) & (A != B) -> Knows(A, B) ^2
	// 7190 true 2: Knows(A, B) & Knows(B, C) & (A != C) -> Knows(A, C) ^2
	// 392 true Knows(A, B) = Knows(B, A) .
	// 392 true 2: !Knows(A, B) ^2
	// 0 lints
}

// Score answers that are already there, of this program or of another one, without inference: they are the values of
// the targets.
func ExampleGrounding_Evaluate() {
	path, remove := write(`{
		"rules": ["1: !Spam(A)"],
		"predicates": {"Spam/1": {
			"targets": [["a", 0.9], ["b", 0.2], ["c", 0.7]],
			"truth": [["a", 1], ["b", 0], ["c", 0]],
			"evaluations": ["DiscreteEvaluator", "AUCEvaluator"]
		}}
	}`)
	defer remove()
	project, err := engine.Load(path, engine.Options{Set: []string{"inference.skip=true"}})
	if err != nil {
		log.Fatal(err)
	}
	report, err := project.Run(context.Background(), engine.Stages{Infer: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range report.Evaluations {
		fmt.Printf("%s of %d: %s %.3f\n", e.Evaluator, e.Count, e.Primary, e.Values[e.Primary])
	}
	// Output:
	// discrete of 3: F1 0.667
	// auc of 3: AUROC 1.000
}

// Learn the weights of rules from known values, and print the rules with them.
func ExampleGrounding_Train() {
	path, remove := write(`{
		"rules": ["1: Near(A, B) -> Knows(A, B) ^2", "1: !Knows(A, B) ^2"],
		"predicates": {
			"Near/2": {"observations": [["ann", "bob"], ["bob", "cid"], ["cid", "dan"]]},
			"Knows/2": {
				"targets": [["ann", "bob"], ["bob", "cid"], ["cid", "dan"]],
				"truth": [["ann", "bob", 1], ["bob", "cid", 1], ["cid", "dan", 0]]
			}
		}
	}`)
	defer remove()
	project, err := engine.Load(path, engine.Options{Set: []string{"learn.method=perceptron"}})
	if err != nil {
		log.Fatal(err)
	}
	grounding, err := project.Ground(context.Background(), engine.Learn)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := grounding.Train(context.Background()); err != nil {
		log.Fatal(err)
	}
	if err := grounding.WriteModel(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1.2952051162719727: Near(A, B) -> Knows(A, B) ^2
	// 0.7047949433326721: !Knows(A, B) ^2
}

// Whatever ends an inference early, the answer is the best until then, and says how far it can be from the optimum.
func ExampleGrounding_Infer() {
	project, err := engine.Load("examples/acquaintances/model.json", engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	grounding, err := project.Ground(ctx, engine.Infer)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := grounding.Infer(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Status, answer.Gap <= 1e-4, answer.MaxViolation <= 1e-6)
	// Output:
	// optimal true true
}

// The error of an input without a meaning has everything that is wrong, each with its place and a hint.
func ExampleFailure() {
	path, remove := write(`{
		"rules": ["1: Lived(A, L) & Livd(B, L) -> Knows(A, B)"],
		"predicates": {"Lived/2": {}, "Knows/2": {"targets": [["ann", "bob"]]}},
		"options": {"random.sead": 1}
	}`)
	defer remove()
	_, err := engine.Load(path, engine.Options{})
	var failure *engine.Failure
	if errors.As(err, &failure) {
		for _, d := range engine.Lints(failure.Diagnostics) {
			fmt.Printf("%d:%d %s: %s; %s\n", d.Line, d.Column, d.ID, d.Message, d.Hint)
		}
	}
	// Output:
	// 2:31 unknown-predicate: unknown predicate Livd; did you mean Lived?
	// 4:15 option-unknown: there is no option random.sead; did you mean random.seed?
}
