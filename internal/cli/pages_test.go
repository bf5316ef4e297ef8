package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/command"
)

// pages are the documents, by their paths.
func pages(t *testing.T) map[string]string {
	paths, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%v, %v", paths, err)
	}
	out := make(map[string]string)
	for _, path := range append(paths, "../../README.md", "../../python/README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(text)
	}
	return out
}

// Commands that documents show have the flags that they are shown with.
func TestFlagsOfThePages(t *testing.T) {
	root := newRoot(&command.Env{Out: new(bytes.Buffer), Err: new(bytes.Buffer)})
	line := regexp.MustCompile(`(?m)(?:^ *|` + "`" + `|exec |&& )deeppsl ([a-z]+)((?: [^` + "`" + `\n;&|]+)?)`)
	flag, seen := regexp.MustCompile(` --([a-z][a-z0-9-]*)`), 0
	for path, text := range pages(t) {
		for _, match := range line.FindAllStringSubmatch(text, -1) {
			cmd, _, err := root.Find(match[1:2])
			if err != nil {
				continue // in prose, or an example of what there is not
			}
			shown, _, _ := strings.Cut(match[2], "   ") // and what is said of it
			for _, name := range flag.FindAllStringSubmatch(shown, -1) {
				if seen++; cmd.Flag(name[1]) == nil {
					t.Errorf("%s: deeppsl %s has no flag --%s", path, match[1], name[1])
				}
			}
		}
	}
	if seen < 25 {
		t.Errorf("only %d flags were seen", seen)
	}
}

// Whole configurations that documents show are such, but for the files that they name.
func TestConfigurationsOfThePages(t *testing.T) {
	block, seen := regexp.MustCompile("(?s)```jsonc?\n(\\{\\s*\"(?:rules|predicates|networks)\".*?)```"), 0
	id := regexp.MustCompile(`(?m) error: .*\[([a-z-]+)\]$`)
	for path, text := range pages(t) {
		if name := filepath.Base(path); name == "lints.md" || name == "psl-compatibility.md" {
			continue // whose tests know what is wrong with them
		}
		for _, match := range block.FindAllStringSubmatch(text, -1) {
			seen++
			file := filepath.Join(t.TempDir(), "model.json")
			if err := os.WriteFile(file, []byte(match[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			e := &command.Env{Out: new(bytes.Buffer), Err: &stderr}
			root := newRoot(e)
			root.SetArgs([]string{"check", file})
			e.Conclude(root.Execute())
			for _, found := range id.FindAllStringSubmatch(stderr.String(), -1) {
				if found[1] != "file-missing" {
					t.Errorf("%s:\n%s\n%s", path, match[1], &stderr)
				}
			}
		}
	}
	if seen < 8 {
		t.Errorf("only %d configurations were seen", seen)
	}
}
