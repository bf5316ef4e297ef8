package program

import (
	"strings"
	"testing"
)

func TestDerivation(t *testing.T) {
	rule, diags := compileDefinition(figurePredicates(),
		"CiteP(A, B) <- Cite(A, C) & !CiteQ(A, B) & Cite(C, B) & (A != B)")
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name      string
		coef      float64
		generates bool
	}{{"Cite", 1, true}, {"CiteQ", -1, false}, {"Cite", 1, true}, {"CiteP", -1, false}}
	for k, a := range rule.Atoms {
		name := figurePredicates()[a.Predicate].Name
		if w := want[k]; name != w.name || a.Coef.Number != w.coef || a.Generates != w.generates {
			t.Errorf("atom %d is %s with %g, generates %t; want %v", k, name, a.Coef.Number, a.Generates, w)
		}
	}
	if len(rule.Conditions) != 1 || rule.Conditions[0].Op != Different {
		t.Errorf("the conditions are %v", rule.Conditions)
	}
}

func TestDerivationErrors(t *testing.T) {
	for rule, id := range map[string]string{
		"CiteP(A, B) <- Cite(A, C)":                  "unsafe-variable",
		"CiteP(A, B) <- !Cite(A, B)":                 "unsafe-variable",
		"CiteP(A, B) <- Label(A, B)":                 "not-closed",
		"CiteP(A, B) <- Similar(A, B)":               "not-closed",
		"CiteP(A, B) <- CiteP(A, C) & CiteP(C, B)":   "recursive-derivation",
		"CiteX(A, B) <- Cite(A, B)":                  "unknown-predicate",
		"Label(A, B) <- Cite(A, B) & (B != 'first')": "bad-constant",
	} {
		compiled, diags := compileDefinition(figurePredicates(), rule)
		if compiled != nil || len(diags) == 0 || diags[0].ID != id {
			t.Errorf("%s: got %v, want %s", rule, diags, id)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, test := range []struct {
		typ      Type
		in, want string
	}{
		{Int, "01", "1"}, {Int, "-7", "-7"}, {Int, "+7", "7"}, {Int, "1.0", ""}, {Int, "", ""},
		{Int, "9223372036854775808", ""},
		{Float, "1.50", "1.5"}, {Float, "-0", "0"}, {Float, "1e3", "1000"}, {Float, "Inf", ""}, {Float, "x", ""},
		{String, "01", "01"},
	} {
		got, err := test.typ.Canonical(test.in)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s %q: got %q, %v, want %q", test.typ, test.in, got, err, test.want)
		}
	}
	if _, err := Int.Canonical("-9223372036854775809"); err == nil || !strings.Contains(err.Error(), "more than 64 bits") {
		t.Errorf("error %v, want that it is too large", err)
	}
}

// What a network says is no table to derive from: the hint is the rule to write instead.
func TestDerivedFromNetwork(t *testing.T) {
	_, diags := compileDefinition(figurePredicates(), "CiteP(A, B) <- Similar(A, B)")
	if want := "Similar(A, B) = CiteP(A, B) ."; len(diags) == 0 || !strings.HasSuffix(diags[0].Hint, want) {
		t.Errorf("got %v, want the hint to end in %s", diags, want)
	}
}
