package preflight

import "testing"

// Rules are the same whatever their variables are called and in whatever order a clause has its literals.
func TestTwins(t *testing.T) {
	for rules, want := range map[string]bool{
		"1: A1(X) & T1(X) -> T2(X, X)\n2: B1(X) & T1(X) -> T2(X, X)":                       false,
		"1: A1(X) & T1(X) -> T2(X, X)\n2: T1(Y) & A1(Y) -> T2(Y, Y)":                       true,
		"1: T1(X) -> T2(X, X)\n2: !T2(Y, Y) -> !T1(Y)":                                     true,
		"1: C2(X, Y) & T1(X) -> T1(Y)\n2: C2(X, Y) & T1(Y) -> T1(X)":                       false,
		"1: T1(X) & C2(X, Y) & (X != Y) -> T1(Y)\n2: C2(A, B) & T1(A) & (B != A) -> T1(B)": true,
		"1: C2(X, Y) & (X % Y) -> T2(X, Y)\n2: C2(X, Y) & (Y % X) -> T2(X, Y)":             false,
		"1: C2(X, 'a') -> T1(X)\n2: C2(Y, 'b') -> T1(Y)":                                   false,
		"1: T2(X, +Y) <= 1 {Y: A1(Y)}\n2: T2(A, +B) <= 1 {B: A1(B)}":                       true,
		"1: T2(X, +Y) <= 1 {Y: A1(Y)}\n2: T2(A, +B) <= 1 {B: B1(B)}":                       false,
		"1: T1(X) - T1(Y) + 0 * C2(X, Y) <= 0\n2: T1(Y) - T1(X) + 0 * C2(X, Y) <= 0":       false,
	} {
		both := compile(t, rules)
		if got := shapeOf(both[0]) == shapeOf(both[1]); got != want {
			t.Errorf("%s: the same is %t, want %t", rules, got, want)
		}
	}
}
