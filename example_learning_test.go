package deeppsl_test

import (
	"bytes"
	"fmt"
	"log"
	"log/slog"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// fruits is a program whose network sees what fruits are, of which a rule says that neighbours are alike.
func fruits() (*deeppsl.Program, *deeppsl.Data) {
	p := must(deeppsl.Parse(`
		1: Looks(F, K) -> Is(F, K) ^2
		1: Beside(F, G) & Is(F, K) -> Is(G, K) ^2
		Is(F, +K) = 1 .`,
		deeppsl.Predicate{Name: "Looks", Network: &deeppsl.Network{
			Spec: neural.Spec{Hidden: []int{4}}, Classes: []string{"apple", "pear"}, Teacher: "Is"}},
		deeppsl.Predicate{Name: "Is", Evaluators: []string{"categorical"}}))
	data := deeppsl.NewData(p)
	var names []string
	var vectors []float32 // how long, how green
	var targets, known, held deeppsl.Rows
	for k := range 20 {
		name := fmt.Sprintf("fruit%d", k)
		names = append(names, name)
		vectors = append(vectors, float32(k%2)+0.1*float32(k%3), 0.1*float32(k%5))
		targets = append(targets, []string{name, "apple"}, []string{name, "pear"})
		kind := []string{"apple", "pear"}[k%2]
		if k < 12 {
			known = append(known, []string{name, kind})
		} else {
			held = append(held, []string{name, kind})
		}
	}
	data.Features("Looks", must(features.NewDense(names, 2, vectors)))
	data.Observe("Beside", deeppsl.Rows{{"fruit0", "fruit12"}})
	data.Target("Is", targets)
	data.During(deeppsl.Learning).Truth("Is", known)
	data.During(deeppsl.Inference).Truth("Is", held)
	return p, data
}

// A network and the weights of rules are learned together from some truth, and scored by other truth.
func ExampleSession_Evaluate() {
	p, data := fruits()
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{
		Seed: 1, Threads: 2, Learning: "implicit", Epochs: new(15), Set: map[string]string{"learn.ridge": "0.01"},
		Log:       slog.New(slog.DiscardHandler),
		OnWarning: func(p deeppsl.Problem) { fmt.Println("warning:", p) },
		OnEpoch: func(e deeppsl.Epoch) {
			if e.Number == 15 {
				fmt.Println("the loss is small:", e.Loss < 0.1)
			}
		},
	}))
	defer session.Close()
	training := must(session.Learn(ctx))
	fmt.Println(len(training.Epochs) > 10, training.Kept <= 15, training.Ended != "", len(training.Warnings))
	for _, e := range must(session.Evaluate(must(session.Infer(ctx)))) {
		fmt.Printf("%s of %d %s: %s %v\n", e.Evaluator, e.Count, e.Predicate, e.Primary, e.Values[e.Primary])
	}
	// Output:
	// the loss is small: true
	// true true true 0
	// categorical of 8 Is: Accuracy 1
}

// What would make it more likely that ann sleeps? The derivative of an answer tells, so that it can be a layer of
// something larger.
func ExampleSession_Gradient() {
	p := must(deeppsl.Parse(`
		1: Tired(A) -> Sleeps(A) ^2
		1: Noise(A) -> !Sleeps(A) ^2`))
	data := deeppsl.NewData(p)
	data.Given("Tired", deeppsl.Rows{{"ann", "0.9"}})
	data.Given("Noise", deeppsl.Rows{{"ann", "0.7"}})
	data.Target("Sleeps", deeppsl.Rows{{"ann"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{Gap: 1e-12}))
	defer session.Close()
	answer := must(session.Infer(ctx)) // (0.9 + 1 - 0.7) / 2
	slope := make([]float64, len(answer.Values()))
	at := 0
	for atom := range answer.Atoms() {
		if atom.Predicate == "Sleeps" {
			slope[at] = 1
		}
		at++
	}
	gradient := must(session.Gradient(answer, slope))
	at = 0
	for atom := range answer.Atoms() {
		fmt.Printf("%v = %.2f: %.2f\n", atom, atom.Value, gradient.Values[at])
		at++
	}
	fmt.Printf("weights: %.2f\n", gradient.Weights)
	// Unordered output:
	// Tired(ann) = 0.90: 0.50
	// Noise(ann) = 0.70: -0.50
	// Sleeps(ann) = 0.60: 0.00
	// weights: [0.15 -0.15]
}

// All given values can change at once, in the order of the answers' values.
func ExampleSession_SetValues() {
	p := must(deeppsl.Parse("1: Tired(A) -> Sleeps(A) ^2   1: !Sleeps(A) ^2"))
	data := deeppsl.NewData(p)
	data.Given("Tired", deeppsl.Rows{{"ann", "0.5"}, {"bob", "0.5"}})
	data.Target("Sleeps", deeppsl.Rows{{"ann"}, {"bob"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{Gap: 1e-12}))
	defer session.Close()
	values := must(session.Infer(ctx)).Values()
	for k := range values {
		values[k] *= 1.6 // of the given atoms; targets are inferred
	}
	if err := session.SetValues(values); err != nil {
		fmt.Println(err)
	}
	for atom := range must(session.Infer(ctx)).Atoms() {
		fmt.Printf("%v = %.2f\n", atom, atom.Value)
	}
	// Unordered output:
	// Tired(ann) = 0.80
	// Tired(bob) = 0.80
	// Sleeps(ann) = 0.40
	// Sleeps(bob) = 0.40
}

// What networks have learned can be kept, and used by another session.
func ExampleSession_SaveNetworks() {
	p, data := fruits()
	learned := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{Seed: 1, Learning: "implicit", Epochs: new(15)}))
	defer learned.Close()
	must(learned.Learn(ctx))
	var saved bytes.Buffer // or a file
	if err := learned.SaveNetworks(&saved); err != nil {
		log.Fatal(err)
	}
	fresh := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer fresh.Close()
	if err := fresh.LoadNetworks(&saved); err != nil {
		log.Fatal(err)
	}
	value, _ := must(fresh.Infer(ctx)).Value("Looks", "fruit19", "pear")
	fmt.Println(value > 0.5)
	// Output:
	// true
}

// With truth to choose by, the parameters of the best epoch are kept.
func ExampleData_During() {
	p, data := fruits()
	data.During(deeppsl.Validation).Truth("Is", deeppsl.Rows{{"fruit12", "apple"}, {"fruit13", "pear"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{Seed: 1, Learning: "implicit", Epochs: new(15)}))
	defer session.Close()
	training := must(session.Learn(ctx))
	fmt.Println(training.Epochs[training.Kept].Validation, training.Elapsed > 0)
	// Output:
	// 1 true
}

// Names are compared by a measure, and only pairs that are similar enough are looked at.
func ExamplePredicate_similar() {
	p := must(deeppsl.Parse(`
		1: Name(A, N) & Name(B, M) & Close(N, M) & Alike(N, M) & Aged(A, X) & Aged(B, Y) & (A % B) -> Same(A, B) ^2
		1: !Same(A, B) ^2`,
		deeppsl.Predicate{Name: "Close", Similar: &deeppsl.Similar{Measure: "JaroWinkler", Column: "Name:1", Threshold: 0.8}},
		deeppsl.Predicate{Name: "Alike", Measure: "Levenshtein"},
		deeppsl.Predicate{Name: "Aged", Types: []deeppsl.Type{deeppsl.String, deeppsl.Float}},
		deeppsl.Predicate{Name: "Pair", Derive: []string{"Pair(A, B) <- Name(A, N) & Name(B, M) & (A % B)"}}))
	data := deeppsl.NewData(p)
	data.Observe("Name", deeppsl.Rows{{"1", "Martha"}, {"2", "Marhta"}, {"3", "Bob"}})
	data.Observe("Aged", deeppsl.Rows{{"1", "3.50"}, {"2", "3.5"}, {"3", "7"}})
	data.Target("Same", deeppsl.Rows{{"1", "2"}})
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{}))
	defer session.Close()
	value, _ := must(session.Infer(ctx)).Value("Same", "1", "2")
	fmt.Printf("%.2f\n", value)
	// Output:
	// 0.31
}

// A program about examples, each with its own digits, predicts their labels.
func ExampleSession_Predict() {
	p, data, err := deeppsl.Open("examples/digits/numbers.json")
	if err != nil {
		log.Fatal(err)
	}
	session := must(deeppsl.NewSession(ctx, p, data, deeppsl.Options{Seed: 1}))
	defer session.Close()
	predictions := must(session.Predict(ctx))
	first := predictions[0]
	fmt.Println(len(predictions) > 0, first.Label, first.Example != "", first.Predicted != "", first.Known != "",
		first.Value <= 1)
	// Output:
	// true Result(0) true true true true
}
