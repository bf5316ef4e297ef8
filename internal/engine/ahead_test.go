package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/project"
)

// What is wrong with the tables of inference is told before learning begins, together with those of learning.
func TestTablesAreReadBeforeLearning(t *testing.T) {
	for _, test := range []struct{ name, config, want, also string }{
		{"inference", `"Likes/1": {"observations": {"infer": [["a"]]}, "targets": {"learn": [["a"]], "infer": [["a"]]},
			"truth": {"learn": [["a", 1]]}}`, "Likes('a') is both observed and a target", ""},
		{"both", `"Likes/1": {"observations": {"infer": [["a"]], "learn": [["b"]]},
			"targets": {"learn": [["b"]], "infer": [["a"]]}, "truth": {"learn": [["b", 1]]}}`,
			"Likes('a') is both observed and a target", "Likes('b') is both observed and a target"},
		{"truth of shared atoms", `"Likes/1": {"targets": [["a"]], "truth": {"learn": [["a", 1]], "infer": [["a", 2]]}}`,
			"the truth value 2 is not in [0, 1]", ""},
	} {
		path := writeProject(t, map[string]string{"model.json": `{"rules": ["1: Likes(X) ^2", "0.5: !Likes(X) ^2"],
			"predicates": {` + test.config + `}}`})
		learns := func(learn.Epoch) { t.Errorf("%s: it learned before", test.name) }
		_, err := engine.Run(context.Background(), loaded(t, path, project.Options{OnEpoch: learns}), learnAndInfer)
		if said := fmt.Sprint(err); !strings.Contains(said, test.want) || !strings.Contains(said, test.also) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
