package load

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deeppsl/deeppsl/internal/alloctest"
	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// opener opens the files of an archive.
func opener(archive *txtar.Archive) func(string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) {
		for _, f := range archive.Files {
			if f.Name == path {
				return io.NopCloser(bytes.NewReader(f.Data)), nil
			}
		}
		if strings.HasPrefix(path, "forbidden") {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
}

// TestGolden reads each archive's configuration, which is its first file, and compares what comes out, or what is
// wrong, with the archive's file "want".
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test data", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			last := len(archive.Files) - 1
			if archive.Files[last].Name != "want" {
				archive.Files = append(archive.Files, txtar.File{Name: "want"})
				last++
			}
			archive.Files[last].Data = []byte(summary(archive.Files[0].Name, opener(archive)))
			goldentest.File(t, path, txtar.Format(archive))
		})
	}
}

// summary describes a configuration and its tables, or the errors in them.
func summary(name string, open func(string) (io.ReadCloser, error)) string {
	var b strings.Builder
	c, err := readAny(name, open)
	if err != nil {
		return err.Error() + "\n"
	}
	c.Warnings.Render(&b, false, 0)
	describe(&b, c)
	for _, phase := range [...]Phase{Learn, Validation, Infer} {
		if !c.Runs(phase) && phase != Infer {
			continue
		}
		fmt.Fprintf(&b, "%s:\n", phase)
		tables, err := c.Tables(phase)
		if err != nil {
			fmt.Fprintln(&b, err)
			continue
		}
		tables.Warnings.Render(&b, false, 0)
		for k, r := range tables.Store.Relations {
			dump(&b, tables.Store.Symbols, r, "")
			if truth := tables.Truth[k]; truth != nil {
				dump(&b, tables.Store.Symbols, truth, " truth")
			}
		}
	}
	return b.String()
}

// readAny reads a configuration, or a .data file with the rules of rules.psl.
func readAny(name string, open func(string) (io.ReadCloser, error)) (*Config, error) {
	if filepath.Ext(name) == ".data" {
		return ReadClassic("rules.psl", name, open)
	}
	return ReadWith(name, open)
}

func describe(b *strings.Builder, c *Config) {
	for _, p := range c.Predicates {
		fmt.Fprintf(b, "%s/%d types=%v closed=%v perceived=%v\n", p.Name, p.Arity(), p.Types, p.Closed, p.Perceived)
		for _, e := range p.Evaluations {
			fmt.Fprintf(b, "  evaluate %s primary=%v %s\n", e.Evaluator, e.Primary, options(e.Options))
		}
		if n := p.Neural; n != nil {
			fmt.Fprintf(b, "  neural %s entity=%d class=%d %q%s\n", n.Network, n.Entity, n.Class, n.Classes, rules(n.Atoms))
		}
		if d := p.Derive; d != nil {
			fmt.Fprintf(b, "  derive value=%d%s\n", d.Value, rules(d.Rules))
		}
		if p.Function != "" {
			fmt.Fprintf(b, "  function %s\n", p.Function)
		}
		fmt.Fprint(b, options(p.Options))
	}
	for _, n := range c.Networks {
		fmt.Fprintf(b, "network %s at %s: %s\n", n.Name, n.Span, n.JSON)
	}
	for k, section := range []Section{c.Common, c.Phases[0], c.Phases[1], c.Phases[2]} {
		if len(section.Rules) > 0 || len(section.Options) > 0 {
			name := append([]string{"common"}, phaseNames[:]...)[k]
			fmt.Fprintf(b, "section %s: %s%s\n", name, options(section.Options), rules(section.Rules))
		}
	}
}

func options(list []Option) string {
	text := ""
	for _, o := range list {
		text += fmt.Sprintf("[%s=%s at %s]", o.Name, o.Value, o.Span)
	}
	return text
}

func rules(list []*syntax.Rule) string {
	text := ""
	for _, rule := range list {
		text += fmt.Sprintf("\n  %s: %s", rule.Span, syntax.Print(rule))
	}
	return text
}

func dump(b *strings.Builder, symbols *symbol.Table, r *relation.Relation, what string) {
	fmt.Fprintf(b, "  %s%s open=%v\n", r.Name, what, r.Open)
	store := &relation.Store{Symbols: symbols}
	for row := range int32(r.Len()) {
		fmt.Fprintf(b, "    %s %s", store.Atom(r, row), r.Role(row))
		if r.Role(row) == relation.Observed {
			fmt.Fprintf(b, " %g", r.Value(row))
		}
		b.WriteByte('\n')
	}
}

// TestFiles reads from a folder: compressed tables, a missing file with a neighbour of a similar name.
// What other programs have compressed is named, and no text with a strange byte.
func TestOtherCompressions(t *testing.T) {
	for name, text := range map[string]string{ // of the rows a and b
		"xz":    "\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4F\x02\x00!\x01\x16\x00\x00\x00t/\xe5\xa3\x01\x00\x03a\nb\n\x00",
		"bzip2": "BZh91AY&SY<\x85A\x12\x00\x00\x01A\x00\x00\x10\x30\x00\x20\x00\x30\xcc\x0cz\x82qwrE8P\x90\x3c\x85A\x12\x00",
		"zstd":  "\x28\xb5\x2f\xfd\x04\x58\x21\x00\x00a\nb\n%P\xb3#",
		"lz4":   "\x04\x22M\x18d@\xa7\x04\x00\x00\x80a\nb\n\x00\x00\x00\x00\x46\x9a\xeb\x87",
		"7z":    "7z\xbc\xaf\x27\x1c\x00\x04",
	} {
		p := predicate("P", 1)
		p.Observations.All = []Data{{Path: "rows.txt"}}
		c := &Config{Predicates: []*Predicate{p}, Open: only("rows.txt", text)}
		_, err := c.Tables(Infer)
		checkError(t, err, "cannot read rows.txt: it is compressed by "+name+": uncompress it, or compress it by gzip")
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("knows.txt.gz", compress(t, "\uFEFFa\tb\nb\tc\t\n"))
	write("config.json", []byte(`{"predicates": {"Knows/2": {"observations": ["knows.txt.gz"]}}}`))
	c, err := Read(filepath.Join(dir, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	tables, err := c.Tables(Infer)
	if err != nil {
		t.Fatal(err)
	}
	if r := tables.Store.Relations[0]; r.Len() != 2 || tables.Store.Atom(r, 0) != "Knows('a', 'b')" {
		t.Errorf("%d rows, the first is %s", r.Len(), tables.Store.Atom(r, 0))
	}
	write("config.json", []byte(`{"predicates": {"Knows/2": {"observations": ["know.txt.gz"]}}}`))
	if c, err = Read(filepath.Join(dir, "config.json")); err != nil {
		t.Fatal(err)
	}
	_, err = c.Tables(Infer)
	checkError(t, err, "there is no file", "did you mean knows.txt.gz?", "config.json:1:46")
	_, err = Read(filepath.Join(dir, "confg.json"))
	checkError(t, err, "there is no file", "did you mean config.json?")
	_, err = Read(dir + "/nowhere/config.json")
	checkError(t, err, "there is no folder")
	if err := os.Symlink("gone.json", filepath.Join(dir, "link.json")); err == nil {
		_, err = Read(filepath.Join(dir, "link.json"))
		checkError(t, err, "there is no file", "it is a link to gone.json, which is not there")
	}
}

// A list of rules may name rule files among them.
func TestRuleFilesInLists(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"knows.psl":   "1: !Knows(A, B) ^2\n2: Knows(A, B) -> Knows(B, A)\n",
		"config.json": `{"predicates": {"Knows/2": {}}, "rules": ["knows.psl", "3: Knows(A, B)"]}`,
		"wrong.json":  `{"predicates": {"Knows/2": {}}, "rules": ["know.psl", "3: Knows(A, B)"]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Read(filepath.Join(dir, "config.json"))
	if err != nil || len(c.Common.Rules) != 3 {
		t.Fatalf("%v, %d rules", err, len(c.Common.Rules))
	}
	_, err = Read(filepath.Join(dir, "wrong.json"))
	checkError(t, err, "there is no file", "did you mean knows.psl?", "wrong.json:1:43")
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	half := compress(t, strings.Repeat("a\tb\n", 1000))
	if err := os.WriteFile(filepath.Join(dir, "half.gz"), half[:len(half)-10], 0o666); err != nil {
		t.Fatal(err)
	}
	c := &Config{Predicates: []*Predicate{predicate("Knows", 2)}}
	c.Predicates[0].Observations.All = []Data{{Path: filepath.Join(dir, "half.gz")}, {Path: dir}}
	_, err := c.Tables(Infer)
	checkError(t, err, "half.gz: it is compressed, and its end is missing", "is a directory")
}

// A truth value is a number as tables have it, and not one as Go writes it, nor one that is only nearly at most 1.
func TestTruthValues(t *testing.T) {
	for text, good := range map[string]bool{"1": true, "0.25": true, ".5": true, "1e-3": true, "+0.5": true, "-0": true,
		"0x1p-2": false, "0_1": false, "1e-1_0": false, "1.0000000001": false, "-1e-9": false, "inf": false, "1e400": false,
		"nan": false, "0,5": false} {
		p := predicate("P", 1)
		p.Observations.All = []Data{{Path: "truth.txt"}}
		config := &Config{Predicates: []*Predicate{p}, Open: only("truth.txt", "a\t"+text)}
		if _, err := config.Tables(Infer); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What is no text, and what has no lines, must end where that is seen: much of it fits in a small archive, and a device
// has no end.
func TestEndlessFiles(t *testing.T) {
	alloctest.SkipIfRacing(t)
	for name, c := range map[string]struct{ text, want string }{
		"zeros.txt":    {strings.Repeat("\x00", 256<<20), "zeros.txt: it has a zero byte"},
		"line.csv.gz":  {strings.Repeat("a", 256<<20), "line.csv.gz: it has a line of more than 16 MiB"},
		"deep.jsonl":   {strings.Repeat("[", 256<<20), "deep.jsonl: it has a line of more than 16 MiB"},
		"zeros.tsv.gz": {strings.Repeat("\x00", 256<<20), "zeros.tsv.gz: it has a zero byte"},
	} {
		p := predicate("P", 1)
		p.Observations.All = []Data{{Path: name}}
		content := c.text
		if strings.HasSuffix(name, ".gz") {
			content = string(compress(t, c.text))
		}
		config := &Config{Predicates: []*Predicate{p}, Open: only(name, content)}
		var err error
		if peak := alloctest.Peak(func() { _, err = config.Tables(Infer) }); peak > 100<<20 {
			t.Errorf("%s: %d bytes", name, peak)
		}
		checkError(t, err, c.want)
	}
}

func compress(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func predicate(name string, arity int) *Predicate {
	return &Predicate{Predicate: program.Predicate{Name: name, Types: make([]program.Type, arity)}}
}

func checkError(t *testing.T, err error, parts ...string) {
	t.Helper()
	var failure *source.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("want diagnostics, got %v", err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("want %q in\n%v", part, err)
		}
	}
}

// A table that is named twice is one mistake, where it is named, and not one in each of its rows.
func TestTableTwice(t *testing.T) {
	files := map[string]string{"p.tsv": "a\nb\nc\n", "named.csv": "id,name\na,b\nc,d\n", "m.json": `{"predicates": {
		"P/1": {"observations": ["p.tsv", "p.tsv"]},
		"Q/1": {"observations": ["p.tsv"], "targets": ["p.tsv"], "truth": {"all": ["p.tsv"], "learn": ["p.tsv"]}},
		"R/1": {"observations": [{"file": "named.csv", "columns": ["id"]}, {"file": "named.csv", "columns": ["name"]}]}
	}, "rules": ["1: P(A) & R(A) -> Q(A)"]}`}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Read(filepath.Join(dir, "m.json"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Tables(Learn)
	checkError(t, err,
		"m.json:2:37: error: the observations of P name", "p.tsv twice; it is also at", "m.json:2:28 [data-duplicate]",
		"m.json:3:50: error: ", "p.tsv is named for the observations and the targets of Q; it is also at",
		"m.json:3:28 [data-observed-and-target]", "the truth of Q name")
	if n := len(err.(*source.Failure).Diagnostics); n != 3 {
		t.Errorf("%d mistakes, want 3:\n%v", n, err)
	}
}

// What is called otherwise elsewhere, and options that stand where they do not, are told what they are here.
func TestHabits(t *testing.T) {
	for _, habit := range [...]struct{ config, hint string }{
		{`{"predicates": {"P/1": {"truth": {"train": ["p.tsv"]}}}}`, "did you mean learn?"},
		{`{"predicates": {"P/1": {"labels": ["p.tsv"]}}}`, "did you mean truth?"},
		{`{"learn": {"epochs": 5}}`, `settings stand under "options"`},
		{`{"options": {"learn": {"epochs": 5}}}`, `names are written out: "learn.epochs"`},
	} {
		open := func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(habit.config)), nil }
		_, err := ReadWith("m.json", open)
		var failure *source.Failure
		if !errors.As(err, &failure) || !strings.Contains(failure.Diagnostics[0].Hint, habit.hint) {
			t.Errorf("%s: want the hint %q in %v", habit.config, habit.hint, err)
		}
	}
}

func BenchmarkTable(b *testing.B) {
	const rows = 1_000_000
	var text strings.Builder
	for row := range rows {
		fmt.Fprintf(&text, "person%d\tperson%d\t0.%d\n", row/1000, row%1000, row%10)
	}
	file := &source.File{Name: "rows", Text: text.String()}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		var diags source.Diagnostics
		t := newTable(predicate("P", 2), symbol.NewTable(), &diags)
		t.addFile(file, &Data{}, "observations", relation.Observed)
		if t.builder.Relation(false).Len() != rows || diags != nil {
			b.Fatal(diags)
		}
	}
}
