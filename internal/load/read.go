package load

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
)

// Read reads a configuration, .json or .yaml, and the rule files that it names. The tables are read by Tables. The
// error is a *source.Failure with everything that is wrong. If only rules are, a configuration without them is returned
// beside the error, so that the other rules can be checked too.
func Read(path string) (*Config, error) {
	return ReadWith(path, nil)
}

// ReadWith is Read for files that are opened by open, which may be nil for os.Open. Paths in the configuration are
// relative to its folder.
func ReadWith(path string, open func(path string) (io.ReadCloser, error)) (*Config, error) {
	c := &Config{Name: path, Open: open}
	var diags source.Diagnostics
	file, err := c.readFile(path)
	if err != nil {
		c.Unreadable(&diags, source.Span{}, path, err)
		return nil, diags.Err()
	}
	d := decoder{config: c, dir: filepath.Dir(path), diags: &diags}
	if n, ok := parse(file, &diags); ok {
		d.root(n)
	}
	return d.finish()
}

// finish checks a decoded configuration as a whole, and returns it unless something besides rules is wrong.
func (d *decoder) finish() (*Config, error) {
	c, diags := d.config, d.diags
	if len(*diags) >= maxMistakes {
		diags.Errorf("config-more-errors", source.Span{}, "", "there are more mistakes than these %d", maxMistakes)
	}
	inRules := diags.Errors() == d.ruleErrors
	if inRules {
		c.resolve(diags)
		inRules = diags.Errors() == d.ruleErrors
	}
	diags.Sort()
	c.Warnings = *diags
	if !inRules {
		c = nil
	}
	return c, diags.Err()
}

// parse reads a configuration's text by the extension of its name.
func parse(file *source.File, diags *source.Diagnostics) (root node, ok bool) {
	switch strings.ToLower(filepath.Ext(file.Name)) {
	case ".json":
		return parseJSON(file, diags)
	case ".yaml", ".yml":
		return parseYAML(file, diags)
	}
	diags.Errorf("config-extension", file.Whole(), "a rule file is named in a configuration, under \"rules\"",
		"a configuration ends in .json or .yaml")
	return node{}, false
}
