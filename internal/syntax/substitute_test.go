package syntax

import (
	"testing"

	"github.com/deeppsl/deeppsl/internal/source"
)

// TestSubstitute replaces A and B wherever they are ordinary variables, and leaves the rule that it was given.
func TestSubstitute(t *testing.T) {
	for rule, want := range map[string]string{
		"P(A, C) & (A != B) -> !Q(B) | Q(C) .": "P('a', C) & ('a' != 'it\\'s') -> !Q('it\\'s') | Q(C) .",
		"1 * W(A): P(A, 'A') ^2":               "1 * W('a'): P('a', 'A') ^2",
		"2 * P(A, +C) / |C| - @Min[1, |C|] * Q(B) <= 1 . {C: P(C, A) & !(C == B)}": "2 * P('a', +C) / |C| - " +
			"@Min[1, |C|] * Q('it\\'s') <= 1 . {C: P(C, 'a') & (C != 'it\\'s')}",
		"P(+A, +B) = 1 .": "P(+A, +B) = 1 .",
	} {
		var diags source.Diagnostics
		parsed := ParseRule(&source.File{Name: "r", Text: rule}, &diags)
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		before := Print(parsed)
		if got := Print(Substitute(parsed, map[string]string{"A": "a", "B": "it's"})); got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
		if after := Print(parsed); after != before {
			t.Errorf("%s became %s", before, after)
		}
	}
}
