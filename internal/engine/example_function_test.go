package engine_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/engine"
)

// Houses in one street are near each other if their numbers are; the function says how near.
func ExampleRegisterFunction() {
	engine.RegisterFunction("NearNumbers", 2, func(args ...string) float64 {
		a, errA := strconv.ParseFloat(args[0], 64)
		b, errB := strconv.ParseFloat(args[1], 64)
		if errA != nil || errB != nil {
			return 0
		}
		return max(0, 1-max(a-b, b-a)/10)
	})
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "houses.json")
	if err := os.WriteFile(path, []byte(`{
  "rules": ["1: House(A, N) & House(B, M) & Near(N, M) & (A % B) -> Neighbours(A, B)"],
  "predicates": {
    "House/2": {"observations": [["red", 3], ["green", 4], ["blue", 40]]},
    "Near/2": {"function": "NearNumbers"},
    "Neighbours/2": {"targets": [["green", "red"], ["blue", "green"], ["blue", "red"]]}
  }
}`), 0o644); err != nil {
		log.Fatal(err)
	}
	project, err := engine.Load(path, engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	grounding, err := project.Ground(context.Background(), engine.Infer)
	if err != nil {
		log.Fatal(err)
	}
	if err := grounding.Write(os.Stdout, engine.GroundView, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println(grounding.Potentials(), "ground rule")
	// Output:
	// 1.0: -1.0 * Neighbours('green', 'red') <= -0.9
	// 1 ground rule
}
