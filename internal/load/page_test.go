package load

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/report"
)

// docs/configuration.md is the tables of keys: this package's, and that of networks in package neural.
func TestPageOfKeys(t *testing.T) {
	head, err := os.ReadFile("testdata/configuration-head.md")
	if err != nil {
		t.Fatal(err)
	}
	page := bytes.NewBuffer(head)
	for _, level := range levels() {
		table := report.NewTable("key", "type", "default", "meaning", "example")
		for _, key := range Keys {
			if key.Level == level {
				table.Row("`"+key.Name+"`", key.Type, key.Default, key.Doc, code(key.Example))
			}
		}
		section(t, page, "The keys of "+string(level), table)
	}
	for _, part := range []struct{ name, title string }{
		{"Spec", "The keys of a network"}, {"Convolution", "The keys of one of its convolutions"},
	} {
		table := report.NewTable("key", "type", "meaning and default")
		for _, key := range fieldsOf(t, "../../neural/spec.go", part.name) {
			table.Row("`"+key.Name+"`", key.Type, key.Doc)
		}
		section(t, page, part.title, table)
	}
	goldentest.File(t, "../../docs/configuration.md", page.Bytes())
}

func section(t *testing.T, page *bytes.Buffer, title string, table *report.Table) {
	t.Helper()
	fmt.Fprintf(page, "\n## %s\n\n", title)
	if err := table.Markdown(page); err != nil {
		t.Fatal(err)
	}
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// levels lists the levels in the order of their keys.
func levels() (all []Level) {
	for _, key := range Keys {
		if !slices.Contains(all, key.Level) {
			all = append(all, key.Level)
		}
	}
	return all
}

// fieldsOf reads the fields of a struct that JSON has, with their comments.
func fieldsOf(t *testing.T, path, name string) (keys []Key) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != name {
				return true
			}
			if fields, ok := spec.Type.(*ast.StructType); ok {
				keys = append(keys, keysOfStruct(t, fields)...)
			}
			return false
		})
	}
	if len(keys) == 0 {
		t.Fatalf("%s has no keys", name)
	}
	return keys
}

func keysOfStruct(t *testing.T, fields *ast.StructType) (keys []Key) {
	t.Helper()
	for _, field := range fields.Fields.List {
		if field.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(field.Tag.Value)
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if err != nil || name == "-" || name == "" {
			continue
		}
		doc := field.Doc.Text() + field.Comment.Text()
		if doc == "" {
			t.Errorf("key %s has no comment", name)
		}
		doc = strings.TrimSuffix(strings.Join(strings.Fields(doc), " "), ".")
		for _, words := range []string{" is ", " are ", " "} {
			if rest, found := strings.CutPrefix(doc, field.Names[0].Name+words); found {
				doc = rest
				break
			}
		}
		keys = append(keys, Key{Name: name, Type: typeWord(field.Type), Doc: doc})
	}
	return keys
}

// typeWord says what a Go type is in JSON.
func typeWord(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeWord(e.X)
	case *ast.ArrayType:
		return "list of " + strings.TrimPrefix(typeWord(e.Elt), "a ") + "s"
	case *ast.MapType:
		return "object"
	case *ast.Ident:
		switch e.Name {
		case "int":
			return "whole number"
		case "float64":
			return "number"
		case "bool":
			return "true or false"
		case "Convolution":
			return "object"
		}
	}
	return "string"
}

// within is a configuration with an object of each level in it.
var within = map[Level]string{
	TopLevel:        `{%s}`,
	PredicateLevel:  `{"predicates": {"Knows/2": {%s}}}`,
	TablesLevel:     `{"predicates": {"Knows/2": {"targets": {%s}}}}`,
	NeuralLevel:     `{"predicates": {"Knows/2": {"neural": {%s}}}}`,
	SimilarityLevel: `{"predicates": {"Knows/2": {"similarity": {%s}}}}`,
	EvaluationLevel: `{"predicates": {"Knows/2": {"evaluations": [{%s}]}}}`,
	PhaseLevel:      `{"learn": {%s}}`,
	ExamplesLevel:   `{"examples": {%s}}`,
	FactsLevel:      `{"examples": {"learn": {%s}}}`,
}

// The examples of the page are read: what is wrong with them is only what else such a configuration needs.
func TestExamplesOfKeysAreRead(t *testing.T) {
	for _, key := range Keys {
		form, ok := within[key.Level]
		if !ok {
			continue // a .data file is YAML
		}
		path := filepath.Join(t.TempDir(), "model.json")
		text := fmt.Sprintf(form, fmt.Sprintf("%q: %s", key.Name, key.Example))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		for _, id := range []string{"config-unknown-key", "config-kind", "config-syntax", "config-choice", "config-type"} {
			if err != nil && strings.Contains(err.Error(), "["+id+"]") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}
