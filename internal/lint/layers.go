package lint

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// A layer is a package with all below it, and the packages of the module that it may import, with all below them.
type layer struct {
	path  string
	knows []string
}

// everything is what stands for every layer above in the list.
const everything = "*"

// layers is the pipeline. Imports run upwards in this list only, and only to what is named.
var layers = []layer{
	{"internal/alloctest", nil},
	{"internal/contexttest", nil},
	{"internal/killtest", nil},
	{"internal/goldentest", nil},
	{"internal/rapidtest", nil},
	{"internal/scripttest", []string{"internal/goldentest"}},
	{"internal/parallel", nil},
	{"internal/bitset", nil},
	{"internal/reuse", nil},
	{"internal/kernel", nil},
	{"internal/half", nil},
	{"internal/pack", nil},
	{"internal/onnx", []string{"internal/half", "internal/parallel", "internal/kernel"}},
	{"internal/ldl", []string{"internal/parallel", "internal/kernel"}},
	{"internal/basis", []string{"internal/kernel"}},
	{"internal/forest", nil},
	{"internal/cholesky", nil},
	{"internal/stat", nil},
	{"internal/idx", nil},
	{"internal/source", nil},
	{"internal/symbol", nil},
	{"internal/syntax", []string{"internal/source"}},
	{"internal/relation", []string{"internal/parallel", "internal/bitset", "internal/symbol", "internal/syntax"}},
	{"internal/program", []string{"internal/source", "internal/syntax"}},
	{"internal/similarity", []string{"internal/parallel"}},
	{"internal/report", nil},
	{"internal/place", []string{"internal/source", "internal/report"}},
	{"internal/journal", []string{"internal/report"}},
	{"internal/format", nil},
	{"internal/load/parquet", []string{"internal/format"}},
	{"parquet", []string{"internal/format", "internal/load/parquet"}},
	{"internal/load", []string{
		"internal/parallel", "internal/source", "internal/symbol", "internal/relation", "internal/syntax",
		"internal/program", "internal/similarity", "internal/format"}},
	{"internal/dataset", nil},
	{"internal/scratch", []string{"internal/parallel"}},
	{"internal/mrf", []string{"internal/parallel", "internal/bitset", "internal/reuse", "internal/scratch"}},
	{"internal/plan", []string{
		"internal/parallel", "internal/source", "internal/symbol", "internal/relation", "internal/program",
		"internal/similarity"}},
	{"internal/ground", []string{
		"internal/parallel", "internal/reuse", "internal/source", "internal/symbol", "internal/relation", "internal/program",
		"internal/similarity", "internal/scratch", "internal/mrf", "internal/plan"}},
	{"internal/preflight", []string{
		"internal/parallel", "internal/forest", "internal/source", "internal/symbol", "internal/relation", "internal/syntax",
		"internal/program", "internal/similarity", "internal/load", "internal/scratch", "internal/mrf", "internal/plan",
		"internal/ground"}},
	{"internal/derive", []string{
		"internal/source", "internal/symbol", "internal/relation", "internal/syntax", "internal/program",
		"internal/similarity", "internal/load", "internal/ground", "internal/preflight"}},
	{"internal/export", []string{"internal/parallel", "internal/mrf"}},
	{"internal/partition", []string{"internal/parallel", "internal/forest", "internal/mrf"}},
	{"internal/presolve", []string{"internal/bitset", "internal/parallel", "internal/forest", "internal/mrf"}},
	{"internal/solve", []string{
		"internal/parallel", "internal/bitset", "internal/reuse", "internal/ldl", "internal/basis", "internal/kernel",
		"internal/forest", "internal/cholesky", "internal/scratch", "internal/mrf", "internal/partition",
		"internal/presolve"}},
	{"internal/consensus", []string{
		"internal/pack", "internal/parallel", "internal/bitset", "internal/mrf", "internal/partition", "internal/solve",
		"internal/place"}},
	{"internal/explain", []string{
		"internal/parallel", "internal/bitset", "internal/ldl", "internal/source", "internal/mrf", "internal/partition",
		"internal/presolve", "internal/solve", "internal/report"}},
	{"internal/named", nil},
	{"internal/learn/perception", []string{"internal/parallel", "internal/kernel", "internal/named"}},
	{"internal/learn/perceptiontest", []string{"internal/learn/perception"}},
	{"internal/learn/label", []string{"internal/named", "internal/stat", "internal/mrf"}},
	{"internal/learn/latent", []string{"internal/forest", "internal/mrf", "internal/learn/label"}},
	{"internal/learn", []string{
		"internal/pack", "internal/parallel", "internal/reuse", "internal/kernel", "internal/forest", "internal/cholesky",
		"internal/stat", "internal/mrf", "internal/partition", "internal/solve", "internal/report", "internal/named",
		"internal/learn/perception", "internal/learn/perceptiontest", "internal/learn/label", "internal/learn/latent"}},
	{"internal/option", []string{"internal/learn/label", "internal/learn", "internal/solve"}},
	{"internal/eval", []string{
		"internal/stat", "internal/symbol", "internal/relation", "internal/program", "internal/mrf", "internal/report"}},
	{"neural/features", []string{"internal/half", "internal/idx", "internal/source", "internal/format"}},
	{"neural", []string{
		"internal/half", "internal/parallel", "internal/kernel", "internal/onnx", "internal/source",
		"internal/symbol", "internal/relation", "internal/learn/perception", "internal/report", "neural/features"}},
	{"internal/neupsl", []string{"neural"}},
	{"internal/project", []string{
		"internal/source", "internal/syntax", "internal/program", "internal/option", "internal/load", "internal/mrf",
		"internal/ground", "internal/preflight", "internal/derive", "internal/solve", "internal/learn/perception",
		"internal/learn/label", "internal/learn", "neural", "neural/features", "internal/neupsl"}},
	{"internal/declare", []string{
		"internal/source", "internal/syntax", "internal/program", "internal/similarity", "internal/load", "neural",
		"neural/features"}},
	{"internal/perceive", []string{
		"internal/source", "internal/symbol", "internal/relation", "internal/similarity", "internal/load", "neural",
		"neural/features", "internal/project"}},
	{"internal/session", []string{
		"internal/bitset", "internal/source", "internal/symbol", "internal/relation", "internal/syntax",
		"internal/program", "internal/report",
		"internal/format", "internal/load", "internal/mrf", "internal/ground", "internal/preflight",
		"internal/derive", "internal/export", "internal/explain",
		"internal/presolve", "internal/solve", "internal/eval", "neural", "internal/project", "internal/perceive"}},
	{"internal/batch", []string{
		"internal/parallel", "internal/source", "internal/symbol", "internal/relation", "internal/program",
		"internal/load", "internal/mrf", "internal/ground", "internal/solve", "internal/learn/perception",
		"internal/learn/label", "internal/learn", "internal/eval",
		"neural", "neural/features", "internal/project", "internal/perceive", "internal/session"}},
	{"internal/training", []string{
		"internal/forest", "internal/stat", "internal/source", "internal/symbol", "internal/relation",
		"internal/syntax", "internal/program", "internal/report", "internal/load", "internal/mrf",
		"internal/partition", "internal/solve", "internal/learn/perception", "internal/learn/label", "internal/learn/latent",
		"internal/learn", "internal/eval", "neural", "neural/features",
		"internal/project", "internal/perceive", "internal/session", "internal/batch"}},
	{"change", nil},
	{"internal/live", []string{
		"internal/bitset", "internal/source", "internal/symbol", "internal/relation", "internal/syntax",
		"internal/program", "internal/load", "internal/mrf", "internal/journal", "internal/ground", "internal/solve",
		"neural", "neural/features", "internal/perceive", "internal/session", "change"}},
	{"internal/engine", []string{everything}},
	{"internal/shard", []string{
		"internal/parallel", "internal/forest", "internal/source", "internal/relation", "internal/syntax", "internal/program",
		"internal/similarity", "internal/report", "internal/place", "internal/load", "internal/mrf", "internal/presolve",
		"internal/solve",
		"internal/consensus", "internal/project", "internal/perceive", "internal/session", "internal/engine"}},
	{".", []string{everything}},
	{"examples", []string{".", "neural", "neural/features", "change"}},
	{"internal/worker", []string{".", "neural", "neural/features", "change"}},
	{"internal/inspect", []string{everything}},
	{"internal/serve", []string{
		"change", "internal/source", "internal/report", "internal/format", "internal/explain", "internal/project",
		"internal/session", "internal/live", "internal/engine", "internal/inspect"}},
	{"internal/mcp", []string{"change", "internal/source", "internal/explain", "internal/session", "internal/serve"}},
	{"internal/command", []string{
		"internal/learn", "internal/preflight", "internal/source", "internal/report"}},
	{"internal/task", []string{
		"internal/dataset", "internal/idx", "internal/report", "internal/load", "internal/learn", "neural",
		"neural/features", "internal/project", "internal/session", "internal/batch", "internal/training",
		"internal/engine"}},
	{"internal/oracle", []string{everything}},
	{"internal/cli", []string{everything}},
	{"paper", []string{everything}},
	{"bench", []string{everything}},
	{"cmd", []string{"internal/cli"}},
	{"internal/lint", nil},
}

// layerOf returns the position in layers of the package in folder, or -1.
func layerOf(folder string) int {
	return slices.IndexFunc(layers, func(l layer) bool { return within(folder, l.path) })
}

// within tells whether folder is path or below it. Nothing is below the root: its folders are layers of their own.
func within(folder, path string) bool {
	return folder == path || path != "." && strings.HasPrefix(folder, path+"/")
}

// importDirection finds imports within the module that the layers do not allow. Tests are free to import what helps
// them; the compiler keeps them from cycles.
func importDirection(m *Module) []Finding {
	var findings []Finding
	m.goFiles(func(file *File) {
		if file.IsTest() {
			return
		}
		importer := layerOf(file.Package())
		if importer < 0 {
			findings = append(findings, Finding{file.Path, 1,
				fmt.Sprintf("package %s has no place in the pipeline; give it one in internal/lint/layers.go", file.Package())})
			return
		}
		for _, spec := range file.Syntax.Imports {
			folder, ours := folderOf(spec)
			if ours && !mayImport(importer, folder) {
				findings = append(findings, Finding{file.Path, m.line(spec.Pos()),
					fmt.Sprintf("%s must not import %s", file.Package(), folder)})
			}
		}
	})
	return findings
}

// folderOf returns the folder of an imported package, and whether it belongs to the module.
func folderOf(spec *ast.ImportSpec) (folder string, ours bool) {
	path := importPath(spec)
	if path == modulePath {
		return ".", true
	}
	return strings.CutPrefix(path, modulePath+"/")
}

func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		panic("lint: the parser passed a broken import path")
	}
	return path
}

// mayImport tells whether a package of the layer may import the package in folder.
func mayImport(importer int, folder string) bool {
	imported := layerOf(folder)
	if imported == importer {
		return true
	}
	if imported < 0 || imported > importer {
		return false
	}
	knows := layers[importer].knows
	return slices.Contains(knows, everything) || slices.Contains(knows, layers[imported].path)
}

// A library is an outside dependency that only some packages may import, with all below them.
type library struct {
	prefix string
	only   []string
}

// programs are the packages that read command lines.
var programs = []string{"internal/command", "internal/cli", "paper"}

var libraries = []library{
	{"github.com/gomlx/", []string{"neural/gomlx"}},
	{"github.com/spf13/cobra", programs},
	{"github.com/spf13/pflag", programs},
	{"github.com/nlpodyssey/gopickle", []string{"paper"}},
	{"google.golang.org/protobuf/", []string{"internal/onnx"}},
	{"github.com/parquet-go/", []string{"internal/load/parquet"}},
}

// libraryHomes finds imports of outside dependencies away from the one package that wraps them.
func libraryHomes(m *Module) []Finding {
	var findings []Finding
	m.goFiles(func(file *File) {
		for _, spec := range file.Syntax.Imports {
			for _, library := range libraries {
				path := importPath(spec)
				home := func(path string) bool { return within(file.Package(), path) }
				if strings.HasPrefix(path, library.prefix) && !slices.ContainsFunc(library.only, home) {
					findings = append(findings, Finding{file.Path, m.line(spec.Pos()),
						fmt.Sprintf("only %s may import %s", strings.Join(library.only, ", "), path)})
				}
			}
		}
	})
	return findings
}
