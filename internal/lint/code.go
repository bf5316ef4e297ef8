package lint

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strings"
)

// formatting finds files that gofmt would change.
func formatting(m *Module) []Finding {
	var findings []Finding
	m.goFiles(func(file *File) {
		formatted, err := format.Source([]byte(file.Text))
		if err != nil || string(formatted) != file.Text {
			findings = append(findings, Finding{file.Path, 1, "is not formatted; run make fmt"})
		}
	})
	return findings
}

// mayPrint lists the packages that talk to the user.
var mayPrint = []string{"internal/cli", "internal/command", "paper", "cmd", "examples", "bench"}

// loud lists, by package, what prints, logs or exits. "*" is every function of the package.
var loud = map[string][]string{
	"os":  {"Stdout", "Stderr", "Exit"},
	"fmt": {"Print", "Printf", "Println"},
	"log": {"*"},
}

// silence finds what prints, logs or exits below the command line.
func silence(m *Module) []Finding {
	var findings []Finding
	m.goFiles(func(file *File) {
		talks := func(path string) bool { return within(file.Package(), path) }
		if file.IsTest() || slices.ContainsFunc(mayPrint, talks) {
			return
		}
		names := importNames(file.Syntax)
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			if text := loudness(node, names); text != "" {
				findings = append(findings, Finding{file.Path, m.line(node.Pos()), text + " is for the command line alone"})
			}
			return true
		})
	})
	return findings
}

// loudness returns what in node prints, logs or exits, or nothing.
func loudness(node ast.Node, names map[string]string) string {
	switch node := node.(type) {
	case *ast.SelectorExpr:
		name, ok := node.X.(*ast.Ident)
		if !ok {
			return ""
		}
		words := loud[names[name.Name]]
		if slices.Contains(words, node.Sel.Name) || slices.Contains(words, "*") {
			return name.Name + "." + node.Sel.Name
		}
	case *ast.CallExpr:
		name, ok := node.Fun.(*ast.Ident)
		if ok && (name.Name == "print" || name.Name == "println") {
			return "the built-in " + name.Name
		}
	}
	return ""
}

// importNames maps the names that a file gives its imports to their paths.
func importNames(file *ast.File) map[string]string {
	names := make(map[string]string)
	for _, spec := range file.Imports {
		path := importPath(spec)
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
	}
	return names
}

// documentation finds packages and exported names without a doc comment.
func documentation(m *Module) []Finding {
	var findings []Finding
	documented := make(map[string]bool)
	m.goFiles(func(file *File) {
		if file.IsTest() {
			return
		}
		if file.Syntax.Doc != nil {
			documented[file.Package()] = true
		}
		for _, decl := range file.Syntax.Decls {
			for _, name := range undocumented(decl) {
				findings = append(findings, Finding{file.Path, m.line(name.Pos()), name.Name + " has no doc comment"})
			}
		}
	})
	m.goFiles(func(file *File) {
		if !file.IsTest() && !documented[file.Package()] {
			findings = append(findings, Finding{file.Path, 1, "the package has no doc comment"})
			documented[file.Package()] = true
		}
	})
	return findings
}

// undocumented returns the exported names of a declaration that have no comment.
func undocumented(decl ast.Decl) []*ast.Ident {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Doc == nil && decl.Name.IsExported() && exportedReceiver(decl) {
			return []*ast.Ident{decl.Name}
		}
	case *ast.GenDecl:
		if decl.Tok != token.IMPORT && (decl.Doc == nil || decl.Tok == token.TYPE && decl.Lparen.IsValid()) {
			return undocumentedSpecs(decl)
		}
	}
	return nil
}

// exportedReceiver tells whether a function can be named outside of its package: methods need an exported type.
func exportedReceiver(decl *ast.FuncDecl) bool {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return true
	}
	receiver := decl.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

// undocumentedSpecs returns the exported names of a declaration's specs that have neither a doc nor a line comment.
func undocumentedSpecs(decl *ast.GenDecl) []*ast.Ident {
	var names []*ast.Ident
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Doc == nil && spec.Comment == nil && spec.Name.IsExported() {
				names = append(names, spec.Name)
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if spec.Doc == nil && spec.Comment == nil && name.IsExported() {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// maxFunction bounds the lines of a function.
const maxFunction = 80

// functionLength finds functions that do not fit on a screen.
func functionLength(m *Module) []Finding {
	var findings []Finding
	m.goFiles(func(file *File) {
		for _, decl := range file.Syntax.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first := m.line(function.Pos())
			if lines := m.line(function.End()) - first + 1; lines > maxFunction {
				findings = append(findings, Finding{file.Path, first,
					fmt.Sprintf("%s has %d lines, more than %d", function.Name.Name, lines, maxFunction)})
			}
		}
	})
	return findings
}
