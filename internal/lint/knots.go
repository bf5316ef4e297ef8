package lint

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// maxKnot bounds the files of a package that need each other mutually: more of them cannot be read one after the other,
// nor moved. looser has the bounds of packages whose files stand around one data structure, and of those that are still
// to be cut; none may grow.
const maxKnot = 8

var looser = map[string]int{"neural": 19, "internal/ground": 17}

// tighter has the bounds of packages that have to stay open.
var tighter = map[string]int{".": 4}

// knots finds packages whose files need each other in too large a circle. A file needs another one if it uses a name
// that the other declares at its top, or calls a method that it alone has, and no package that the file imports.
func knots(m *Module) []Finding {
	packages := make(map[string][]*File)
	m.goFiles(func(file *File) {
		if !file.IsTest() {
			packages[file.Package()] = append(packages[file.Package()], file)
		}
	})
	elsewhere := make(map[string]map[string]bool)
	for folder, files := range packages {
		elsewhere[folder] = methodNames(files)
	}
	var findings []Finding
	for folder, files := range packages {
		limit := cmp.Or(tighter[folder], max(maxKnot, looser[folder]))
		if knot := largestKnot(files, elsewhere); len(knot) > limit {
			findings = append(findings, Finding{knot[0].Path, 1, fmt.Sprintf(
				"%d files of the package need each other, more than %d: %s", len(knot), limit, fileNames(knot))})
		}
	}
	slices.SortFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Path, b.Path) })
	return findings
}

// fileNames lists the names of files.
func fileNames(files []*File) string {
	names := make([]string, len(files))
	for k, file := range files {
		names[k] = file.Path[strings.LastIndex(file.Path, "/")+1:]
	}
	return strings.Join(names, ", ")
}

// methodNames returns the names of the methods that files declare.
func methodNames(files []*File) map[string]bool {
	names := make(map[string]bool)
	for _, file := range files {
		for _, decl := range file.Syntax.Decls {
			if method, ok := decl.(*ast.FuncDecl); ok && method.Recv != nil {
				names[method.Name.Name] = true
			}
		}
	}
	return names
}

// largestKnot returns the largest set of files that reach each other. Elsewhere has the methods' names of each package.
func largestKnot(files []*File, elsewhere map[string]map[string]bool) (largest []*File) {
	reach := reaches(files, elsewhere)
	for i := range files {
		var knot []*File
		for j := range files {
			if i == j || reach[i][j] && reach[j][i] {
				knot = append(knot, files[j])
			}
		}
		if len(knot) > len(largest) {
			largest = knot
		}
	}
	return largest
}

// reaches tells which file needs which, whether itself or through others.
func reaches(files []*File, elsewhere map[string]map[string]bool) [][]bool {
	top, methods := homes(files)
	reach := make([][]bool, len(files))
	for i, file := range files {
		reach[i] = make([]bool, len(files))
		for _, name := range foreignNames(file) {
			if j, known := top[name]; known {
				reach[i][j] = true
			}
		}
		imported := importNames(file.Syntax)
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				name := methodName(call, imported)
				if j, known := methods[name]; known && !importsMethod(file, name, elsewhere) {
					reach[i][j] = true
				}
			}
			return true
		})
	}
	for k := range files {
		for i := range files {
			for j := range files {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	return reach
}

// importsMethod tells whether a package that the file imports has a method of that name, too: which one is meant cannot
// be told without types.
func importsMethod(file *File, name string, elsewhere map[string]map[string]bool) bool {
	return slices.ContainsFunc(file.Syntax.Imports, func(spec *ast.ImportSpec) bool {
		folder, ours := folderOf(spec)
		return ours && elsewhere[folder][name] && ast.IsExported(name)
	})
}

// methodName returns the name of the method that is called, or "" if it is none.
func methodName(call *ast.CallExpr, imported map[string]string) string {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if name, ok := selector.X.(*ast.Ident); ok && imported[name.Name] != "" {
		return ""
	}
	return selector.Sel.Name
}

// foreignNames returns the names that a file uses and does not declare.
func foreignNames(file *File) (names []string) {
	resolved, err := parser.ParseFile(token.NewFileSet(), file.Path, file.Text, 0)
	if err != nil {
		return nil // others say so
	}
	for _, name := range resolved.Unresolved {
		names = append(names, name.Name)
	}
	return names
}

// homes returns the file of each name at the top of the package, and of each method's name that no other file has.
func homes(files []*File) (top, methods map[string]int) {
	top, methods = make(map[string]int), make(map[string]int)
	several := make(map[string]bool)
	for i, file := range files {
		for _, decl := range file.Syntax.Decls {
			method, ok := decl.(*ast.FuncDecl)
			if !ok || method.Recv == nil {
				for _, name := range topNames(decl) {
					top[name] = i
				}
				continue
			}
			name := method.Name.Name
			if before, known := methods[name]; known && before != i {
				several[name] = true // as in importsMethod
			}
			methods[name] = i
		}
	}
	for name := range several {
		delete(methods, name)
	}
	return top, methods
}

// topNames returns the names that a declaration makes at the top of a package.
func topNames(decl ast.Decl) (names []string) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return []string{decl.Name.Name}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}
