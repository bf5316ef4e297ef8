package syntax

import (
	"testing"

	"github.com/deeppsl/deeppsl/internal/source"
)

// What Java PSL 2.3.3 made of each rule was read from the ground rules that it wrote; a rule that it reads as it is
// written here has no other reading.
func TestGreedy(t *testing.T) {
	for rule, want := range map[string]string{
		"1.0: T(X) = 1 - 0.5 * R(X)":             "1.0: T(X) = (1 - 0.5) * R(X)",
		"1.0: T(X) = 1 - -0.5 * R(X)":            "1.0: T(X) = (1 - -0.5) * R(X)",
		"1.0: T(X) / 2 + 0.5 = R(X)":             "1.0: T(X) / (2 + 0.5) = R(X)",
		"1.0: R(X) - 0.1 + 0.2 = T(X)":           "1.0: R(X) - (0.1 + 0.2) = T(X)",
		"1.0: R(X) - 0.1 - 0.2 = T(X)":           "1.0: R(X) - (0.1 - 0.2) = T(X)",
		"1.0: T(X) / 2 * 3 = R(X)":               "1.0: T(X) / (2 * 3) = R(X)",
		"1.0: T(X) / 2 + 0.5 + 0.25 * R(X) = 1":  "1.0: T(X) / (2 + 0.5) + 0.25 * R(X) = 1",
		"1.0: T(X) / 2 + 0.5 + R(X) = 1":         "1.0: T(X) / (2 + 0.5) + R(X) = 1",
		"1.0: T(X) - 1 + 2 R(X) = 0":             "1.0: T(X) - (1 + 2) * R(X) = 0",
		"1.0: T(X) - 2 * 3 + 1 = 0":              "1.0: T(X) - (2 * 3 + 1) = 0",
		"1.0: T(X) + 1 - 2 * 0.5 = R(X)":         "",
		"1.0: T(X) / 2 - 1 = R(X) + 3":           "1.0: T(X) / (2 - 1) = R(X) + 3",
		"1.0: (1 - 0.5 * R(X)) = T(X)":           "1.0: (1 - 0.5) * R(X) = T(X)",
		"1.0: T(X) - 1 + R(X) / 2 + 1 = 1":       "1.0: T(X) - 1 + R(X) / (2 + 1) = 1",
		"1.0: 3 - 2 * R(X) / 2 + 1 = T(X)":       "1.0: (3 - 2) * R(X) / (2 + 1) = T(X)",
		"1.0: T(X) / 2 + 0.5 * R(X) = 1":         "",
		"1.0: (T(X) - 1) + 2 = R(X)":             "",
		"1.0: T(X) + 1 - (0.5 * R(X)) = 0":       "",
		"1.0: 2 - 1 + 3 = T(X)":                  "",
		"1.0: 2 * 3 / 2 R(X) = T(X)":             "",
		"1.0: 1 - R(X) = T(X) + 0.5":             "",
		"1.0: T(X) = (1 - 0.5) * R(X)":           "",
		"1.0: T(X) - 0.5 * R(X) + 0.25 R(Y) = 1": "",
		"1.0: T(X) - (1 - 2 + 3) = R(X)":         "",
		"1.0: R(X) + 0.1 - 0.2 = T(X) - 1":       "",
		"T(+X) / |X| + 1 - 0.5 >= 0.5 .":         "T(+X) / (|X| + 1 - 0.5) >= 0.5 .",
	} {
		var diags source.Diagnostics
		parsed := ParseRule(&source.File{Name: "test.psl", Text: rule}, &diags)
		if parsed == nil {
			t.Errorf("%s: %v", rule, diags)
			continue
		}
		got := ""
		if parsed.Arithmetic.Greedy != nil {
			parsed.Arithmetic = parsed.Arithmetic.Greedy
			got = Print(parsed)
		}
		if got != want {
			t.Errorf("%s is read as %q, want %q", rule, got, want)
		}
	}
}
