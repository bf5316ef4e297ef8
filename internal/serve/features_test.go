package serve

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/inspect"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// seeing is a model to serve with networks.
func seeing(t *testing.T) *Model {
	dir := t.TempDir()
	for name, text := range map[string]string{"looks.csv": "ann,1,2\nbob,0,1\ncy,3,3\n", "model.json": `{
		"rules": ["1: Kind(A, 'x') -> Good(A) ^2", "0.4: !Good(A) ^2"],
		"networks": {"eye": {"features": "looks.csv"}, "other": {"features": "looks.csv"}}, "predicates": {
			"Kind/2": {"neural": {"network": "eye", "entity": 0, "class": 1, "classes": ["x", "y"]}},
			"Nice/1": {"neural": {"network": "other"}, "targets": [["ann"]]}, "Fine/1": {"neural": {"network": "other"}},
			"Good/1": {"targets": [["ann"], ["bob"], ["cy"], ["dan"]]}}}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.Load(filepath.Join(dir, "model.json"), project.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return &Model{Title: "model.json", Project: p, Lints: &source.Diagnostics{}}
}

// Rows of features come by requests, are read, outlive the process and a shorter journal, and are refused with nothing
// changed.
func TestFeatures(t *testing.T) {
	model, journal := seeing(t), filepath.Join(t.TempDir(), "journal.jsonl")
	s, stop := start(t, model, journal)
	value := func(predicate string, arguments ...string) any {
		t.Helper()
		target := "/v1/atoms/" + predicate + "?"
		for _, a := range arguments {
			target += "argument=" + a + "&"
		}
		status, answer := ask(t, s.Handler("1"), http.MethodGet, target, "")
		if status != http.StatusOK {
			return nil
		}
		return answer["atoms"].([]any)[0].(map[string]any)["value"]
	}
	post := func(target, changes string) (int, map[string]any) {
		return ask(t, s.Handler("1"), http.MethodPost, target, update(changes))
	}
	const dan = `{"change": "features", "network": "eye", "row": "dan", "values": [2, -1]}`
	if value("Kind", "dan", "x") != nil {
		t.Fatal("dan is there")
	}
	first := value("Kind", "bob", "x")
	if status, out := post("/v1/what-if", dan); status != http.StatusOK || value("Kind", "dan", "x") != nil {
		t.Fatal(status, out)
	}
	status, out := post("/v1/updates", dan)
	if status != http.StatusOK || out["ground_rules_come"] != 1. || out["perceived"] != 3. || out["anew"] != nil {
		t.Fatal(status, out)
	}
	for _, more := range []string{
		`{"change": "features", "network": "other", "row": "bob", "columns": [1], "values": [4]}`,
		`{"change": "features", "network": "eye", "row": "bob", "values": [-3, 0.5]}`} {
		if status, out := post("/v1/updates", more); status != http.StatusOK {
			t.Fatal(status, out)
		}
	}
	for _, wrong := range []string{`{"change": "features", "network": "eye", "row": "eve", "values": [1]}`,
		`{"change": "features", "network": "nose", "row": "eve", "values": [1, 1]}`,
		`{"change": "features", "network": "eye", "values": [1, 1]}`,
		`{"change": "features", "network": "eye", "row": "eve", "values": [1, 1e300]}`,
		`{"change": "features", "network": "eye", "row": "eve", "columns": [2], "values": [1]}`} {
		status, out := post("/v1/updates", wrong)
		if status != http.StatusUnprocessableEntity || value("Kind", "eve", "x") != nil {
			t.Error(wrong, status, out)
		}
	}
	if value("Fine", "dan") == nil || value("Nice", "dan") != nil {
		t.Error("a row has an atom of each predicate that lists none, and of no other")
	}
	came, changed := value("Kind", "dan", "x"), value("Kind", "bob", "x")
	if came == nil || changed == first {
		t.Fatalf("dan is %v, and bob %v", came, changed)
	}
	var pages strings.Builder
	err := s.Look(t.Context(), func(site *inspect.Site, _ *Version) error { return site.Export(t.Context(), &pages) })
	if err != nil || strings.Count(pages.String(), "Kind(&#39;dan&#39;, &#39;x&#39;)")+
		strings.Count(pages.String(), "Kind(&#39;dan&#39;, &#39;y&#39;)") == 0 {
		t.Error("the pages do not have dan", err)
	}
	for _, how := range []string{"from the journal", "from a shorter journal"} {
		stop()
		s, stop = start(t, model, journal)
		if now := value("Kind", "dan", "x"); now != came || value("Kind", "bob", "x") != changed {
			t.Errorf("%s: dan is %v, and was %v; bob is %v, and was %v", how, now, came, value("Kind", "bob", "x"), changed)
		}
		if status, out := ask(t, s.Handler("1"), http.MethodPost, "/v1/snapshot", ""); status != http.StatusOK {
			t.Fatal(status, out)
		}
	}
	stop()
	s, _ = start(t, model, "")
	if value("Kind", "dan", "x") != nil || value("Kind", "bob", "x") != first {
		t.Error("without the journal, features are others than those of the model")
	}
}
