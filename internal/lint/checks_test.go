package lint

import (
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestChecksFind shows each check a breach that it must find, and the same without the breach.
func TestChecksFind(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, test := range []struct{ check, path, bad, good string }{
		{"gofmt", "a.go", "package a\nvar x=1\n", "package a\n\nvar x = 1\n"},
		{"imports", "internal/mrf/a.go", imports(modulePath + "/internal/relation"), imports("fmt")},
		{"imports", "internal/relation/a.go", imports(modulePath + "/internal/load"),
			imports(modulePath + "/internal/symbol")},
		{"imports", "internal/learn/a.go", imports(modulePath), imports(modulePath + "/internal/solve/newton")},
		{"imports", "a.go", imports(modulePath + "/internal/cli"), imports(modulePath + "/internal/ground")},
		{"imports", "cmd/deeppsl/a.go", imports(modulePath + "/internal/ground"), imports(modulePath + "/internal/cli")},
		{"imports", "internal/unheard/a.go", "package a\n", ""},
		{"libraries", "internal/learn/a.go", imports("github.com/gomlx/gomlx/graph"), imports("gonum.org/v1/gonum/mat")},
		{"libraries", "internal/eval/a_test.go", imports("github.com/spf13/cobra"), imports("testing")},
		{"silence", "a.go", "package a\n\nimport \"os\"\n\nfunc a() { os.Exit(1) }\n", "package a\n\nfunc a() {}\n"},
		{"silence", "a.go", "package a\n\nimport l \"log\"\n\nfunc a() { l.Print() }\n", imports("log/slog")},
		{"silence", "a.go", "package a\n\nfunc a() { println() }\n", "package a\n\nfunc a(x []int) { copy(x, x) }\n"},
		{"docs", "a.go", "package a\n", "// Package a is.\npackage a\n"},
		{"docs", "a.go", "// Package a is.\npackage a\n\nfunc A() {}\n",
			"// Package a is.\npackage a\n\n// A is.\nfunc A() {}\n"},
		{"docs", "a.go", "// Package a is.\npackage a\n\nconst A = 1\n", "// Package a is.\npackage a\n\nconst a = 1\n"},
		{"docs", "a.go", "// P.\npackage a\n\n// T is.\ntype T[X any] int\n\nfunc (t *T[X]) M() {}\n",
			"// P.\npackage a\n\ntype t[X any] int\n\nfunc (x *t[X]) M() {}\n"},
		{"paths", "README.md", "see /home/someone/data", "see data/home/someone and https://example.org/tmp/x"},
		{"unfinished", "a.psl", "// TODO: more rules", "// todos are a predicate"},
		{"unfinished", "a.md", "one\n<<<<<<< HEAD\ntwo", "a <<<<<<< b"},
		{"columns", "a.go", "package a\n\n// " + long + "\n", "package a\n\n// " + long[3:] + "\n"},
		{"files", "a.go", "package a\n" + strings.Repeat("\n", maxFile), "package a\n"},
		{"goldens", "a.go", "package a\n\nfunc a(d D) { d.Errorf(\"new-thing\", \"text\") }\n",
			"package a\n\nfunc a(d D) { d.Sort(\"new-thing\") }\n"},
		{"goldens", "a.go", "package a\n\nvar x = D{ID: \"new-thing\"}\n", "package a\n\nvar x = D{Name: \"new-thing\"}\n"},
		{"messages", "a.go", "package a\n\nfunc a(d D) { d.Errorf(\"new-thing\", \"text\") }\n",
			"package a\n\nfunc a(d D) { d.Sort(\"new-thing\") }\n"},
		{"face", "a.go", "package a\n\nimport \"" + modulePath + "/internal/mrf\"\n\nfunc A(*mrf.Field) {}\n",
			"package a\n\nimport \"" + modulePath + "/internal/mrf\"\n\ntype A struct{ b mrf.Run }\n\nfunc c(*mrf.Run) {}\n"},
		{"face", "a.go", "package a\n\nimport \"" + modulePath + "/internal/mrf\"\n\ntype A = mrf.Field\n",
			"package a\n\nimport \"" + modulePath + "/internal/mrf\"\n\nvar a mrf.Field\n"},
		{"face", "a.go", "package a\n" + strings.Repeat("\n", maxFaceLines), "package a\n"},
		{"shown", "a.go", "package a\n\nfunc A() {}\n", "package a\n\nfunc a() {}\n"},
		{"shown", "a.go", "package a\n\ntype A struct{ B, c int }\n",
			"package a\n\ntype a struct{ B int }\n\ntype C struct{ d int }\n"},
		{"guest", "a.go", "package a\n\nimport \"runtime\"\n\nfunc a() { runtime.GOMAXPROCS(1) }\n",
			"package a\n\nimport \"runtime\"\n\nvar a = runtime.GOMAXPROCS(0)\n"},
		{"seeds", "a_test.go", imports("pgregory.net/rapid"),
			"package a\n\nimport (\n\t_ \"pgregory.net/rapid\"\n\n\t_ \"" + modulePath + "/internal/rapidtest\"\n)\n"},
		{"functions", "a.go", "package a\n\nfunc a() {" + strings.Repeat("\n", maxFunction) + "}\n",
			"package a\n\nfunc a() {}\n"},
	} {
		t.Run(test.check+" "+test.path, func(t *testing.T) {
			if findings := runCheck(t, test.check, test.path, test.bad); len(findings) != 1 {
				t.Errorf("%d findings, want 1: %v in\n%s", len(findings), findings, test.bad)
			}
			if findings := runCheck(t, test.check, test.path, test.good); test.good != "" && len(findings) > 0 {
				t.Errorf("found %v in\n%s", findings, test.good)
			}
		})
	}
}

// imports returns a file that imports path.
func imports(path string) string { return "package a\n\nimport _ \"" + path + "\"\n" }

// runCheck runs the named check over a module of one file.
func runCheck(t *testing.T, name, path, text string) []Finding {
	t.Helper()
	if text == "" {
		return nil
	}
	m := &Module{Fset: token.NewFileSet()}
	if err := m.add(path, text); err != nil {
		t.Fatal(err)
	}
	for _, check := range Checks() {
		if check.Name == name {
			return check.Run(m)
		}
	}
	t.Fatalf("there is no check %q", name)
	return nil
}

// TestKnots must find files that need each other through a third one, by names and by methods, and no others.
func TestKnots(t *testing.T) {
	m := &Module{Fset: token.NewFileSet()}
	for path, text := range map[string]string{
		"a.go": "package a\n\ntype T struct{}\n\nfunc a() { b() }\n",
		"b.go": "package a\n\nfunc b() { new(T).c() }\n",
		"c.go": "package a\n\nfunc (T) c() { a() }\n",
		"d.go": "package a\n\nfunc d() { a := 1; _ = a; b() }\n",
		"e.go": "package a\n\nfunc e(d int) int { return d }\n",
	} {
		if err := m.add(path, text); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(m.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	if got := fileNames(largestKnot(m.Files, nil)); got != "a.go, b.go, c.go" {
		t.Errorf("the knot is %s", got)
	}
}

// A method that an imported package has, too, may be that one.
func TestKnotsOfOthersMethods(t *testing.T) {
	m := &Module{Fset: token.NewFileSet()}
	for path, text := range map[string]string{
		"a/a.go": imports(modulePath+"/b") + "\nfunc a(v *b.T) { v.Do() }\n",
		"a/b.go": "package a\n\ntype T struct{}\n\nfunc (T) Do() { a(nil) }\n",
	} {
		if err := m.add(path, text); err != nil {
			t.Fatal(err)
		}
	}
	for want, methods := range map[int]map[string]bool{2: nil, 1: {"Do": true}} {
		got := largestKnot(m.Files, map[string]map[string]bool{"b": methods})
		if len(got) != want {
			t.Errorf("package b has the methods %v: the knot is %s", methods, fileNames(got))
		}
	}
}

// TestLayersAreInOrder keeps the table of layers what its comment says.
func TestLayersAreInOrder(t *testing.T) {
	for k, layer := range layers {
		for _, known := range layer.knows {
			if known == everything {
				continue
			}
			if at := layerOf(known); at < 0 || at >= k || layers[at].path != known {
				t.Errorf("%s may import %s, which does not stand before it", layer.path, known)
			}
		}
	}
}
