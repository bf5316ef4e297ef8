package engine

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// baselines returns the folder of models with known optima and answers of Java PSL.
func baselines(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("DEEPPSL_BASELINES")
	if folder == "" {
		t.Skip("DEEPPSL_BASELINES is not set: it names the folder of models that this test runs")
	}
	return folder
}

// largeModel takes longer than a test should.
const largeModel = "friendship-10m"

// optima reads optima.tsv in a folder, whose columns are models and the smallest objective that each has.
func optima(t *testing.T, folder string) map[string]float64 {
	t.Helper()
	known := make(map[string]float64)
	for line := range strings.SplitSeq(readText(t, filepath.Join(folder, "optima.tsv")), "\n") {
		fields := strings.Split(line, "\t")
		if len(fields) < 2 || strings.HasPrefix(line, "#") {
			continue
		}
		optimum, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		known[fields[0]] = optimum
	}
	return known
}

// Small models of known optima, ground and solved by another program (see the folder's make.py), by each method that
// proves its answers: the objective is the optimum, and the bound no more.
func TestSmallOptima(t *testing.T) {
	const folder = "internal/engine/testdata/optima"
	known := optima(t, folder)
	if len(known) < 8 {
		t.Fatalf("%d models", len(known))
	}
	for name, optimum := range known {
		for _, method := range []string{"auto", "newton", "interior"} {
			t.Run(name+"/"+method, func(t *testing.T) {
				options := project.Options{Set: []string{"inference.gap=1e-9", "inference.method=" + method}}
				r := run(t, loaded(t, filepath.Join(folder, name+".json"), options), Stages{Infer: true})
				if off := math.Abs(r.Objective/optimum - 1); off > 1e-8 || r.MaxViolation > 1e-6 || r.Status != "optimal" ||
					r.DualBound > optimum*(1+1e-9) {
					t.Errorf("%s: objective %.10g, bound %.10g, violation %.1e; the optimum is %.10g", r.Status, r.Objective,
						r.DualBound, r.MaxViolation, optimum)
				}
			})
		}
	}
}

// TestOptima runs large models, those of the baselines.
func TestOptima(t *testing.T) {
	t.Parallel()
	folder := baselines(t)
	for name, optimum := range optima(t, folder) {
		if name == largeModel {
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := runModel(t, filepath.Join(folder, "models", name, name+".json"))
			if excess := (r.Objective - optimum) / optimum; excess > 1e-6 || r.MaxViolation > 1e-6 {
				t.Errorf("objective %g is %.1e above the optimum, violation %.1e", r.Objective, excess, r.MaxViolation)
			}
			t.Logf("%s: objective %.8g, optimum %.8g, gap %.1e, violation %.1e", r.Status, r.Objective, optimum, r.Gap,
				r.MaxViolation)
		})
	}
}

// runModel infers with a model of the baselines.
func runModel(t *testing.T, path string) *Report {
	t.Helper()
	return run(t, loaded(t, path, project.Options{Seed: 1}), Stages{Infer: true})
}

// TestJavaAnswer compares an answer, atom by atom, with the one that Java PSL gave to a model with a unique optimum.
func TestJavaAnswer(t *testing.T) {
	folder := filepath.Join(baselines(t), "models", "acquaintances")
	r := runModel(t, filepath.Join(folder, "acquaintances.json"))
	paths, err := r.Grounding.WriteAtoms(t.TempDir(), r.Answer)
	if err != nil || len(paths) != 1 || filepath.Base(paths[0]) != "KNOWS.txt" {
		t.Fatal(paths, err)
	}
	java, ours := readAnswer(t, filepath.Join(folder, "java-psl", "KNOWS.txt")), readAnswer(t, paths[0])
	if len(java) != len(ours) || len(java) == 0 {
		t.Fatalf("%d atoms, Java PSL has %d", len(ours), len(java))
	}
	largest := 0.0
	for atom, want := range java {
		got, ok := ours[atom]
		if !ok {
			t.Fatalf("no answer for %q", atom)
		}
		largest = max(largest, math.Abs(got-want))
		if (got >= 0.5) != (want >= 0.5) {
			t.Errorf("%q is %g, in Java PSL %g", atom, got, want)
		}
	}
	if largest > 1e-2 {
		t.Errorf("the answers differ by up to %g", largest)
	}
	t.Logf("%d atoms, largest difference %.1e", len(java), largest)
}

// readAnswer reads rows of arguments and a value between tabs.
func readAnswer(t *testing.T, path string) map[string]float64 {
	t.Helper()
	answer := make(map[string]float64)
	lines := bufio.NewScanner(strings.NewReader(readText(t, path)))
	for lines.Scan() {
		at := strings.LastIndexByte(lines.Text(), '\t')
		value, err := strconv.ParseFloat(lines.Text()[at+1:], 64)
		if err != nil {
			t.Fatal(err)
		}
		answer[lines.Text()[:at]] = value
	}
	return answer
}
