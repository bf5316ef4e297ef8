package engine_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

// deepProject writes a project of NeuPSL's form: 12 things of two classes, which a linear model tells apart, four of
// them for inference alone.
func deepProject(t *testing.T, module, more string) string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	standin, err := filepath.Abs("internal/neupsl/testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", standin)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	var entities, train, truth, test strings.Builder
	for k := range 12 {
		side := 1 - 2*(k%2)
		fmt.Fprintf(&entities, "%d\t%d\t%v\t1\n", k, side, math.Sin(float64(k)))
		for class := range 2 {
			targets := &train
			if k >= 8 {
				targets = &test
			}
			fmt.Fprintf(targets, "%d\t%d\n", k, class)
			if k < 8 {
				fmt.Fprintf(&truth, "%d\t%d\t%d\n", k, class, 1-(k+class)%2)
			}
		}
	}
	for name, text := range map[string]string{"entities.txt": entities.String(), "train.txt": train.String(),
		"truth.txt": truth.String(), "test.txt": test.String(), "model.json": `{
		"rules": ["1.0: Deep(Id, Class) = Sign(Id, Class) ^2", "Sign(Id, +Class) = 1 ."],
		"options": {"runtime.learn.method": "Energy", "gradientdescent.numsteps": 25,
			"predicate.deep.python.module": "` + module + `"},
		"learn": {}, "infer": {},
		"predicates": {
			"Deep/2": {"type": "DeepPredicate",
				"options": {"model-path": "./model.py::SignModel", "entity-data-map-path": "entities.txt",
					"entity-argument-indexes": "0", "class-size": 2, "learning-rate": 1.0, "log": "tasks.txt",
					"learning::note": "learns", "save-path": "saved.json"` + more + `},
				"targets": {"learn": ["train.txt"], "infer": ["test.txt"]}},
			"Sign/2": {"targets": {"learn": ["train.txt"], "infer": ["test.txt"]}, "truth": {"learn": ["truth.txt"]}}}}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "model.json")
}

// runDeep learns and infers, and returns what was asked of the model, task by task.
func runDeep(t *testing.T, path string) (*engine.Report, []string, error) {
	t.Helper()
	p, err := project.Load(path, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := engine.Run(t.Context(), p, engine.Stages{Learn: true, Infer: true})
	text, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "tasks.txt"))
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	return report, strings.Fields(string(text)), err
}

// A project of NeuPSL's learns its model through the rules, in both dialects, and infers with what it has saved.
func TestDeepPredicates(t *testing.T) {
	for module, want := range map[string][2]string{
		"standin": {"init train_mode epoch_start predict fit next_batch is_epoch_complete epoch_end epoch_start predict fit",
			"init eval_mode epoch_start predict epoch_end"},
		"standin24": {"init init predict_learn fit predict_learn fit", "init predict"},
	} {
		t.Run(module, func(t *testing.T) {
			report, tasks, err := runDeep(t, deepProject(t, module, ""))
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(tasks, " ")
			if !strings.Contains(all, want[0]) || !strings.HasSuffix(all, " save "+want[1]) {
				t.Errorf("it was asked for %s", all)
			}
			right := 0
			report.Grounding.Each(report.Answer, false, func(atom session.Atom) {
				var id, class int
				if _, err := fmt.Sscan(strings.Join(atom.Arguments, " "), &id, &class); err != nil {
					t.Fatal(err)
				}
				if atom.Predicate == "Sign" && (atom.Value > 0.5) == ((id+class)%2 == 0) {
					right++
				}
			})
			if right != 8 {
				t.Errorf("%d of 8 are right: %v", right, report.Answer.Values)
			}
		})
	}
}

// What goes wrong in the model is told with its text.
func TestDeepPredicatesThatFail(t *testing.T) {
	for breaks, text := range map[string]string{
		"fit":  "network \"Deep\": the Python model failed in fit: Server encountered an error: 'no fit today'",
		"exit": "the Python model ended in fit:\nI was asked to go",
		"nan":  `its output for row "0" is NaN`,
	} {
		_, _, err := runDeep(t, deepProject(t, "standin", `, "breaks": "`+breaks+`"`))
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", breaks, err)
		}
	}
	_, _, err := runDeep(t, deepProject(t, "no_such_module", ""))
	if err == nil || !strings.Contains(err.Error(), "No module named no_such_module") {
		t.Error(err)
	}
}
