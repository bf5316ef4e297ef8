package syntax

import (
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/source"
)

// TestGolden runs every input x.psl of the archives in testdata and compares with the output x.out that follows it.
func TestGolden(t *testing.T) {
	for name, run := range map[string]func(*source.File) string{
		"rules":       parseAll,
		"errors":      parseAll,
		"format":      formatAll,
		"derivations": derive,
	} {
		t.Run(name, func(t *testing.T) {
			goldentest.Archive(t, "testdata/"+name+".txt", func(name, text string) string {
				return run(&source.File{Name: name, Text: text})
			})
		})
	}
}

// parseAll prints the rules of a file, then its diagnostics.
func parseAll(file *source.File) string {
	var diags source.Diagnostics
	var b strings.Builder
	for _, rule := range Parse(file, &diags) {
		b.WriteString(Print(rule) + "\n")
	}
	return b.String() + rendered(diags)
}

func formatAll(file *source.File) string {
	text, diags := Format(file)
	return text + rendered(diags)
}

func derive(file *source.File) string {
	var diags source.Diagnostics
	if rule := ParseDerivation(file, &diags); rule != nil {
		return Print(rule) + "\n" + rendered(diags)
	}
	return rendered(diags)
}

func rendered(diags source.Diagnostics) string {
	var b strings.Builder
	diags.Sort()
	diags.Render(&b, false, 0)
	return b.String()
}
