// Package lint checks what the compiler does not: the direction of imports, who may print, documentation, and the
// shape of the code. Its test runs every check over the whole module, so that `go test ./...` is all there is to run.
package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// modulePath is the import path of the module's root.
const modulePath = "github.com/deeppsl/deeppsl"

// A Check is one rule of the house, with the reason for it.
type Check struct {
	Name string
	Why  string
	Run  func(*Module) []Finding
}

// A Finding is a breach of a Check at a place.
type Finding struct {
	Path string // relative to the module's root, with slashes
	Line int    // from 1
	Text string
}

// String prints the finding in the form that editors jump to.
func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Text) }

// Module holds every text file of a module, and the syntax of its Go files.
type Module struct {
	Root  string
	Files []*File // sorted by path
	Fset  *token.FileSet
}

// File is a text file of the module.
type File struct {
	Path   string // relative to the root, with slashes
	Text   string
	Syntax *ast.File // nil if this is no Go file
}

// IsTest tells whether the file is compiled into tests only.
func (f *File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Package returns the folder of the file, relative to the root; "." is the root itself.
func (f *File) Package() string {
	if slash := strings.LastIndex(f.Path, "/"); slash >= 0 {
		return f.Path[:slash]
	}
	return "."
}

// Load reads the module at root. Folders that Go ignores, test data and nested modules are left out.
func Load(root string) (*Module, error) {
	m := &Module{Root: root, Fset: token.NewFileSet()}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && skipped(path):
			return filepath.SkipDir
		case entry.IsDir() || !isText(entry.Name()):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return m.add(filepath.ToSlash(relative), string(text))
	})
	sort.Slice(m.Files, func(a, b int) bool { return m.Files[a].Path < m.Files[b].Path })
	return m, err
}

// add appends a file, parsed if it is a Go file.
func (m *Module) add(path, text string) error {
	file := &File{Path: path, Text: text}
	if strings.HasSuffix(path, ".go") {
		syntax, err := parser.ParseFile(m.Fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		file.Syntax = syntax
	}
	m.Files = append(m.Files, file)
	return nil
}

// skipped tells whether a folder holds nothing to check.
func skipped(path string) bool {
	name := filepath.Base(path)
	switch {
	case name == "testdata", name == "out", name == "bin", name == "deeppsl-demo", name[0] == '.', name[0] == '_':
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil
}

// isText tells whether a file of this name is written by hand.
func isText(name string) bool {
	switch filepath.Ext(name) {
	case ".go", ".md", ".psl", ".mod", ".yaml", ".yml", ".sh", ".json":
		return true
	}
	return name == "Makefile"
}

// goFiles calls visit for every Go file.
func (m *Module) goFiles(visit func(*File)) {
	for _, file := range m.Files {
		if file.Syntax != nil {
			visit(file)
		}
	}
}

// line returns the line of a position.
func (m *Module) line(pos token.Pos) int { return m.Fset.Position(pos).Line }
