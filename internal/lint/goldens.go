package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// diagnosticName is the form of a diagnostic's id.
var diagnosticName = regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)

// reporters are the functions that make a diagnostic; the id is one of their arguments.
var reporters = map[string]bool{
	"Errorf": true, "Warnf": true, "errorf": true, "warnf": true, "fail": true, "failf": true, "Usage": true,
	"diagnose": true, "spacef": true,
}

// goldenMessages finds diagnostics whose text no test has seen: no test, file of test data or document shows them as
// they are printed, with their id in brackets.
func goldenMessages(m *Module) []Finding {
	shown := make(map[string]bool)
	if err := m.shownNames(shown); err != nil {
		return []Finding{{m.Root, 1, err.Error()}}
	}
	m.goFiles(func(file *File) {
		if file.IsTest() {
			for name := range namesIn(file.Text) {
				shown[name] = true
			}
		}
	})
	return m.messagesBut(shown, "no golden text shows the diagnostic [%s]")
}

// documentedName finds a diagnostic's id in a document: in a table, or in a heading that may have several.
var documentedName = regexp.MustCompile("`([a-z]+(?:-[a-z]+)+)`|(?m)^## .*$")

// documentedMessages finds diagnostics that no page in docs explains.
func documentedMessages(m *Module) []Finding {
	explained := make(map[string]bool)
	for _, file := range m.Files {
		if file.Package() != "docs" {
			continue
		}
		for _, match := range documentedName.FindAllStringSubmatch(file.Text, -1) {
			explained[match[1]] = true
			for _, word := range strings.FieldsFunc(match[0], func(r rune) bool { return r == ' ' || r == ',' }) {
				explained[word] = true
			}
		}
	}
	return m.messagesBut(explained, "no page in docs explains the diagnostic [%s]")
}

// messagesBut finds the first place of each diagnostic whose id is not known; format takes the id.
func (m *Module) messagesBut(known map[string]bool, format string) (findings []Finding) {
	m.goFiles(func(file *File) {
		if file.IsTest() {
			return
		}
		ast.Inspect(file.Syntax, func(n ast.Node) bool {
			name, pos := reported(n)
			if name != "" && !known[name] {
				findings = append(findings, Finding{file.Path, m.line(pos), fmt.Sprintf(format, name)})
				known[name] = true
			}
			return true
		})
	})
	return findings
}

// shownNames collects the ids that documents and test data show.
func (m *Module) shownNames(shown map[string]bool) error {
	if m.Root == "" {
		return nil // a module in memory
	}
	return filepath.WalkDir(m.Root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() == ".git" {
			return skipOr(err)
		}
		inData := filepath.Base(filepath.Dir(path)) == "testdata" || filepath.Ext(path) == ".md"
		if entry.IsDir() || !inData {
			return nil
		}
		text, err := os.ReadFile(path)
		for name := range namesIn(string(text)) {
			shown[name] = true
		}
		return err
	})
}

// skipOr leaves a folder out if there is no error.
func skipOr(err error) error {
	if err == nil {
		return filepath.SkipDir
	}
	return err
}

var bracketed = regexp.MustCompile(`\[([a-z]+(?:-[a-z]+)+)\\?\]`)

// namesIn returns the ids that a text shows in brackets.
func namesIn(text string) map[string]bool {
	names := make(map[string]bool)
	for _, match := range bracketed.FindAllStringSubmatch(text, -1) {
		names[match[1]] = true
	}
	return names
}

// reported returns the id of a diagnostic that the node makes, if it does.
func reported(n ast.Node) (name string, pos token.Pos) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if !reporters[calleeName(n.Fun)] {
			return "", 0
		}
		for _, arg := range n.Args {
			if name := stringValue(arg); diagnosticName.MatchString(name) {
				return name, arg.Pos()
			}
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "ID" && diagnosticName.MatchString(stringValue(n.Value)) {
			return stringValue(n.Value), n.Pos()
		}
	}
	return "", 0
}

// calleeName returns the last name of what is called.
func calleeName(fun ast.Expr) string {
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// stringValue returns the value of a string literal, "" for anything else.
func stringValue(e ast.Expr) string {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	value, err := strconv.Unquote(literal.Value)
	if err != nil {
		return ""
	}
	return value
}
