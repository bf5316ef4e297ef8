package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// Labels that inference knew are reasons of what they are tied to, as observed atoms are, and nothing is unexplained.
func TestKnownLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(path, []byte(`{
		"rules": ["1: Friends(A, B) & Likes(A) -> Likes(B) ^2", "0.5: !Likes(A) ^2"],
		"predicates": {
			"Friends/2": {"observations": [["ann", "bob"], ["cyd", "dan"]]},
			"Likes/1": {"targets": [["ann"], ["bob"], ["cyd"], ["dan"]], "evaluations": ["Discrete"],
				"truth": {"learn": [["ann", "1"], ["cyd", "0"]], "infer": [["bob", "1"], ["dan", "0"]]}}
		},
		"options": {"inference.known": true, "learn.method": "perceptron", "learn.epochs": 1}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(path, project.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	result, err := engine.Run(t.Context(), p, engine.Stages{})
	if err != nil || result.Known != 2 {
		t.Fatal(result.Known, err)
	}
	site, err := New(t.Context(), "model.json", result, nil)
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"/atom?name=Likes('ann')": "there is nothing to explain",
		"/atom?name=Likes('bob')": "Likes(&#39;ann&#39;)",
		"/errors":                 "atoms are on the other side of ½",
	} {
		if page := get(t, site, address, 200); !strings.Contains(page, want) {
			t.Errorf("%s: %q is not in it", address, want)
		}
	}
}
