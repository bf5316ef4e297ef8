package syntax

import "testing"

// TestIsName holds that what is a name is what the lexer reads as one.
func TestIsName(t *testing.T) {
	for text, want := range map[string]bool{
		"Knows": true, "_x1": true, "Größe": true, "Gro\u0308ße": true, "認識": true,
		"": false, "9lives": false, "a-b": false, "a b": false, "\u0308a": false, "a\xff": false,
	} {
		if got := IsName(text); got != want {
			t.Errorf("IsName(%q) = %v", text, got)
		}
	}
}
