package cli

import (
	"strings"
	"testing"
)

func TestFromPSL(t *testing.T) {
	for given, want := range map[string]string{
		"run -int m.json":                         "run --int-ids m.json",
		"run --infer ADMMInference -c m.json":     "run --infer=ADMMInference -c m.json",
		"run -l m.json":                           "run -l m.json",
		"run -i":                                  "run -i",
		"run -l a.b.Energy -i -o out m.yaml":      "run -l=a.b.Energy -i -o out m.yaml",
		"run --groundrules g.txt --postgres -q":   "run --groundrules=g.txt --postgres -q",
		"run m.json --groundrules --infer newton": "run m.json --groundrules --infer=newton",
		"fmt -int":                                "fmt -int",
	} {
		if got := strings.Join(fromPSL(strings.Fields(given)), " "); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}
