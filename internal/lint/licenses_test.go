package lint

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/deeppsl/deeppsl/internal/goldentest"
)

// A linkage is a package that deeppsl is linked with, the folder that it is in, and its module; the standard library
// has none.
type linkage struct{ pkg, folder, module, root string }

// linked lists what a package is linked with on each system that deeppsl is built for.
func linked(target string) (all []linkage, err error) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f",
			"{{.ImportPath}}\t{{.Dir}}\t{{with .Module}}{{.Path}}\t{{.Dir}}{{else}}\t{{end}}", target)
		list.Dir = root
		list.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0", "GOEXPERIMENT=")
		output, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("listing what is linked on %s: %w", system, err)
		}
		for line := range strings.Lines(string(output)) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			all = append(all, linkage{f[0], f[1], f[2], f[3]})
		}
	}
	return all, nil
}

// product lists what deeppsl is linked with, once for all tests.
var product = sync.OnceValues(func() ([]linkage, error) { return linked("./cmd/deeppsl") })

// mustLink returns what deeppsl is linked with.
func mustLink(t *testing.T) []linkage {
	t.Helper()
	all, err := product()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// heavy are what deeppsl does without: the laboratory, libraries that draw, which bring fonts and PDF along, and what
// makes records of Parquet's rows, with geometry and the reflection of protobuf.
var heavy = []string{
	modulePath + "/paper", "gonum.org/v1/plot", "git.sr.ht/~sbinet/", "codeberg.org/go-fonts", "codeberg.org/go-pdf",
	"codeberg.org/go-latex", "github.com/golang/freetype", "golang.org/x/image", "github.com/nlpodyssey/gopickle",
	"github.com/twpayne/go-geom", "google.golang.org/protobuf/reflect",
}

// maxBinary is how many bytes the program that people download has at most.
const maxBinary = 25_000_000

// TestProductIsLight looks at all packages that deeppsl links.
func TestProductIsLight(t *testing.T) {
	for _, one := range mustLink(t) {
		for _, prefix := range heavy {
			if strings.HasPrefix(one.pkg, prefix) {
				t.Errorf("deeppsl links %s", one.pkg)
			}
		}
	}
}

// TestBinary builds deeppsl as make build does, and weighs it.
func TestBinary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deeppsl")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./cmd/deeppsl")
	build.Dir = root
	build.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if about, err := os.Stat(file); err != nil || about.Size() > maxBinary {
		t.Errorf("deeppsl has %d bytes, more than %d: %v", about.Size(), maxBinary, err)
	}
}

// guests are, with all below them, the packages of others that a program which imports the library is linked with. Of
// protobuf's it is the wire format alone, for ONNX files, and of Go's tools the sets of numbers that gonum's optimisers
// have.
var guests = []string{
	modulePath, "github.com/go-json-experiment/json", "github.com/rivo/uniseg", "go.yaml.in/yaml/v3",
	"golang.org/x/sys", "golang.org/x/term", "gonum.org/v1/gonum", "google.golang.org/protobuf/encoding/protowire",
	"google.golang.org/protobuf/internal/errors", "google.golang.org/protobuf/internal/detrand",
	"golang.org/x/tools/container/intsets",
}

// TestLibraryIsLight looks at all packages that the root package links: few ones of others, and of the standard library
// no HTTP.
func TestLibraryIsLight(t *testing.T) {
	all, err := linked(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		invited := slices.ContainsFunc(guests, func(guest string) bool { return within(one.pkg, guest) })
		if one.module != "" && !invited || one.pkg == "net/http" {
			t.Errorf("importing the library links %s", one.pkg)
		}
	}
	if len(all) < 100 {
		t.Errorf("only %d packages are listed", len(all))
	}
}

// licenseFile matches the files that have to go where a program goes.
var licenseFile = regexp.MustCompile(`(?i)^(licen[sc]es?|copying|notice)([.-].*)?$|-LICENSE$`)

// standardLibrary is whose licence is that of Go's other modules.
const standardLibrary, likeIt = "Go's standard library", "golang.org/x/sys"

// TestLicenses holds the texts that deeppsl --licenses prints to those of what is linked: of each module, and of
// folders in it that packages come from. With -update it writes them, as text and as the program has them.
func TestLicenses(t *testing.T) {
	owners := make(map[string][]string) // by text
	for _, one := range mustLink(t) {
		if one.module == "" || one.module == modulePath {
			continue
		}
		texts := licensesOf(t, one)
		if len(texts) == 0 {
			t.Errorf("%s has no licence", one.module)
		}
		for _, text := range texts {
			owners[text] = append(owners[text], one.module)
			if one.module == likeIt {
				owners[text] = append(owners[text], standardLibrary)
			}
		}
	}
	for text := range owners {
		slices.Sort(owners[text])
		owners[text] = slices.Compact(owners[text])
	}
	var b bytes.Buffer
	b.WriteString("DeepPSL is under the Apache License 2.0, which is among these: the licences of all that deeppsl is " +
		"linked\nwith, each below the modules that it is of.\n")
	for _, text := range slices.SortedFunc(maps.Keys(owners), func(a, b string) int {
		return cmp.Or(slices.Compare(owners[a], owners[b]), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(owners[text], "\n"), text)
	}
	goldentest.File(t, "../cli/licenses.txt", b.Bytes())
	goldentest.File(t, "../cli/licenses.txt.gz", packed(t, b.Bytes()))
}

// packed is what the program has of a text.
func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// licensesOf returns the texts in the folders from a package's up to its module's, and those that the module keeps for
// parts of it.
func licensesOf(t *testing.T, one linkage) (texts []string) {
	t.Helper()
	read := func(folder string) {
		entries, err := os.ReadDir(folder)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.IsDir() || !licenseFile.MatchString(entry.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, tidy(string(text)))
		}
	}
	for folder := one.folder; ; folder = filepath.Dir(folder) {
		read(folder)
		if folder == one.root || len(folder) <= len(one.root) {
			break
		}
	}
	read(filepath.Join(one.root, "THIRD_PARTY_LICENSES"))
	return texts
}

// tidy drops what differs between copies of one text: ends of lines and empty ones around it.
func tidy(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for k := range lines {
		lines[k] = strings.TrimRight(lines[k], " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
