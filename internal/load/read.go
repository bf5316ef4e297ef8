package load

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
)

// Read reads a configuration, .json or .yaml, and the rule files that it names. The tables are read by Tables. The
// error is a *source.Failure with everything that is wrong.
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
	if n := parse(file, &diags); n != nil {
		d.root(n)
	}
	return c.finish(diags)
}

// finish checks a decoded configuration as a whole, and returns it unless something is wrong.
func (c *Config) finish(diags source.Diagnostics) (*Config, error) {
	if !diags.HasErrors() {
		c.resolve(&diags)
	}
	if err := diags.Err(); err != nil {
		return nil, err
	}
	diags.Sort()
	c.Warnings = diags
	return c, nil
}

// parse reads a configuration's text by the extension of its name.
func parse(file *source.File, diags *source.Diagnostics) *node {
	switch strings.ToLower(filepath.Ext(file.Name)) {
	case ".json":
		return parseJSON(file, diags)
	case ".yaml", ".yml":
		return parseYAML(file, diags)
	}
	diags.Errorf("config-extension", file.Whole(), "a rule file is named in a configuration, under \"rules\"",
		"a configuration ends in .json or .yaml")
	return nil
}
