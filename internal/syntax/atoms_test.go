package syntax

import (
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/source"
)

func TestAtoms(t *testing.T) {
	for text, want := range map[string]string{
		"2: A(X) & !B(X) & (X != 'c') -> C(X)":                   "A B C",
		"1 * W(X): A(X) -> B(X)":                                 "A B W",
		"1: 2 * A(+X) - 0.5 * (B(Y) + 1) <= 1 {X: C(X) & !D(X)}": "A B C D",
	} {
		var diags source.Diagnostics
		rule := ParseRule(&source.File{Name: "test", Text: text}, &diags)
		if rule == nil {
			t.Errorf("%s: %v", text, diags.Err())
			continue
		}
		var names []string
		for _, a := range Atoms(rule) {
			names = append(names, a.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s has the atoms %s, want %s", text, got, want)
		}
	}
}
