package lint

import (
	"fmt"
	"go/ast"
	"strings"
)

// The root package is what a stranger learns the library by.
const (
	maxFaceFiles = 10
	maxFaceLines = 1200
)

// face finds what makes the root package more than a face: too many files or lines, and exported declarations that name
// types of internal packages, which nobody outside can name.
func face(m *Module) []Finding {
	var findings []Finding
	files, lines := 0, 0
	m.goFiles(func(file *File) {
		if file.Package() != "." || file.IsTest() {
			return
		}
		files++
		lines += strings.Count(file.Text, "\n")
		internal := make(map[string]bool)
		for name, path := range importNames(file.Syntax) {
			internal[name] = strings.HasPrefix(path, modulePath+"/internal/")
		}
		for _, decl := range file.Syntax.Decls {
			for _, node := range exportedParts(decl) {
				ast.Inspect(node, func(node ast.Node) bool {
					if name := internalType(node, internal); name != "" {
						findings = append(findings, Finding{file.Path, m.line(node.Pos()),
							name + " cannot be named outside of the module"})
					}
					return true
				})
			}
		}
	})
	if files > maxFaceFiles || lines > maxFaceLines {
		findings = append(findings, Finding{"deeppsl.go", 1, fmt.Sprintf(
			"the root package has %d files of %d lines, more than %d or %d", files, lines, maxFaceFiles, maxFaceLines)})
	}
	return findings
}

// internalType returns a selector of an internal package as it is written, or nothing.
func internalType(node ast.Node, internal map[string]bool) string {
	selector, ok := node.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if name, ok := selector.X.(*ast.Ident); ok && internal[name.Name] {
		return name.Name + "." + selector.Sel.Name
	}
	return ""
}

// exportedParts returns what others see of a declaration: signatures of functions, exported fields and methods of
// types, and the types of variables and constants.
func exportedParts(decl ast.Decl) (parts []ast.Node) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Name.IsExported() && exportedReceiver(decl) {
			parts = append(parts, decl.Type)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					parts = append(parts, exportedType(spec.Type)...)
				}
			case *ast.ValueSpec:
				if spec.Type != nil && spec.Names[0].IsExported() {
					parts = append(parts, spec.Type)
				}
			}
		}
	}
	return parts
}

// exportedType returns the parts of a type's definition that others see.
func exportedType(t ast.Expr) (parts []ast.Node) {
	var fields *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return []ast.Node{t}
	}
	for _, field := range fields.List {
		if len(field.Names) == 0 || field.Names[0].IsExported() {
			parts = append(parts, field.Type)
		}
	}
	return parts
}

// shown finds exported names of the root package, fields too, that no example uses: what nobody is shown, nobody finds.
func shown(m *Module) []Finding {
	used := make(map[string]bool)
	m.goFiles(func(file *File) {
		if !within(file.Package(), "examples") && !(file.Package() == "." && strings.HasPrefix(file.Path, "example")) {
			return
		}
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			if name, ok := node.(*ast.Ident); ok {
				used[name.Name] = true
			}
			return true
		})
	})
	var findings []Finding
	m.goFiles(func(file *File) {
		if file.Package() != "." || file.IsTest() {
			return
		}
		for _, decl := range file.Syntax.Decls {
			for _, name := range exportedNames(decl) {
				if !used[name.Name] && name.Name != "String" && name.Name != "Error" && name.Name != "Unwrap" {
					findings = append(findings, Finding{file.Path, m.line(name.Pos()), name.Name + " is in no example"})
				}
			}
		}
	})
	return findings
}

// exportedNames returns the functions, methods, constants, variables and fields that a declaration exports; types show
// by these.
func exportedNames(decl ast.Decl) (names []*ast.Ident) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Name.IsExported() && exportedReceiver(decl) {
			names = append(names, decl.Name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				if spec.Names[0].IsExported() {
					names = append(names, spec.Names...)
				}
			case *ast.TypeSpec:
				if fields, ok := spec.Type.(*ast.StructType); ok && spec.Name.IsExported() {
					names = append(names, exportedFields(fields)...)
				}
			}
		}
	}
	return names
}

// exportedFields returns the names of the fields that others see.
func exportedFields(fields *ast.StructType) (names []*ast.Ident) {
	for _, field := range fields.Fields.List {
		for _, name := range field.Names {
			if name.IsExported() {
				names = append(names, name)
			}
		}
	}
	return names
}

// wide lists, by package, what changes the whole process.
var wide = map[string][]string{
	"runtime/debug": {"SetMemoryLimit", "SetGCPercent", "SetMaxThreads", "SetMaxStack", "FreeOSMemory"},
	"runtime":       {"GOMAXPROCS", "SetFinalizer"},
	"os":            {"Setenv", "Unsetenv", "Chdir", "Clearenv"},
	"os/signal":     {"Notify", "NotifyContext", "Ignore"},
}

// mayRule lists the packages whose process it is.
var mayRule = []string{"internal/cli", "internal/command", "cmd", "bench", "paper", "examples"}

// processWide finds what changes the whole process below the command line: a library is a guest.
func processWide(m *Module) []Finding {
	var findings []Finding
	m.goFiles(func(file *File) {
		if file.IsTest() || strings.HasSuffix(file.Package(), "test") {
			return
		}
		for _, owner := range mayRule {
			if within(file.Package(), owner) {
				return
			}
		}
		names := importNames(file.Syntax)
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			name, ok := selector.X.(*ast.Ident)
			if !ok || asks(selector.Sel.Name, call) {
				return true
			}
			for _, word := range wide[names[name.Name]] {
				if word == selector.Sel.Name {
					findings = append(findings, Finding{file.Path, m.line(node.Pos()),
						name.Name + "." + word + " changes the whole process"})
				}
			}
			return true
		})
	})
	return findings
}

// asks tells whether a call of GOMAXPROCS only asks.
func asks(name string, call *ast.CallExpr) bool {
	if name != "GOMAXPROCS" || len(call.Args) != 1 {
		return false
	}
	number, ok := call.Args[0].(*ast.BasicLit)
	return ok && number.Value == "0"
}
