package preflight

import "testing"

func TestPlainly(t *testing.T) {
	for name, want := range map[string]string{
		"007": "7", "7": "7", "12.0": "12", " 12": "12", "12.": "12", "100": "100", "000": "0", "0.0": "0", "": "",
		"Rome": "rome", "rome ": "rome", "1.5": "1.5", "01.50": "01.50", "a07": "a07", "-07": "-07", "1.2.0": "1.2.0",
	} {
		if got := plainly(name); got != want {
			t.Errorf("%q is plainly %q, not %q", name, got, want)
		}
	}
}
