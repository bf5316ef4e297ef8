package syntax

import (
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/source"
)

// BenchmarkParse reads texts that are long in one way each; the time per byte is about the same for all.
func BenchmarkParse(b *testing.B) {
	const n = 5000
	for name, text := range map[string]string{
		"rules":       strings.Repeat("1.0: A(X, Y) & B(Y, Z) -> C(X, Z) ^2\n", n),
		"conjunction": "1: A(X)" + strings.Repeat(" & A(X)", n) + " -> B(X)",
		"arguments":   "1: A(X" + strings.Repeat(", X", n) + ")",
		"unclosed":    strings.Repeat("1: A(\n", n),
		"lines":       strings.Repeat("A(X,\n", n),
		"nested":      strings.Repeat("(", n),
		"negated":     strings.Repeat("!", n),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				var diags source.Diagnostics
				Parse(&source.File{Name: "bench", Text: text}, &diags)
			}
		})
	}
}
