package shard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/deeppsl/deeppsl/internal/place"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Manifest says what the folder of a plan holds.
type Manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Config is the path of the configuration, with Rules for one of PSL up to 2.3; Inputs are the files that it is read
	// from, and Options were set for it.
	Config  string   `json:"config"`
	Rules   string   `json:"rules,omitzero"`
	Inputs  []File   `json:"inputs"`
	Options []string `json:"options"`
	Seed    uint64   `json:"seed"`
	// By says what was cut by, Keys which arguments carry a key, from 1; other predicates' rows are in every cell.
	By   string      `json:"by"`
	Keys []Arguments `json:"keys"`
	// EverywhereRules are the numbers, from 0, of the rules that every cell has all ground rules of.
	EverywhereRules []int `json:"everywhere_rules"`
	// Components counts the groups of rows that lie together, Largest the rows of the largest, Rows those of all, and
	// EverywhereRows those that are in every cell.
	Components     int   `json:"components"`
	Largest        int64 `json:"largest_component_rows"`
	Rows           int64 `json:"rows"`
	EverywhereRows int64 `json:"everywhere_rows"`
	Variables      int   `json:"variables"`
	Shards         int   `json:"shards"`
	MostCells      int   `json:"most_cells"` // that were asked for
	// Vertices is there if ground rules were cut, and not rows: rows count them then.
	Vertices *Vertices `json:"vertices,omitzero"`
	// Cells are the parts, in the order in which their answers are added.
	Cells []Cell `json:"cells"`
	// Checksum is the SHA-256 of the manifest without it.
	Checksum string `json:"sha256,omitzero"`
}

// Arguments are some of a predicate's, numbered from 1.
type Arguments struct {
	Predicate string `json:"predicate"`
	Arguments []int  `json:"arguments"`
}

// Cell is a part: a project of its own, in a folder of its name.
type Cell struct {
	Name      string `json:"name"`
	Shard     int    `json:"shard"` // from 1
	Rows      int64  `json:"rows"`
	Variables int    `json:"variables"`
	Files     []File `json:"files"`
	// Block tells that the part is ground rules, which rows then count, and no project.
	Block bool `json:"block,omitzero"`
	// Checksum is the SHA-256 of all its files' names and checksums.
	Checksum string `json:"sha256"`
}

// File is a file with its SHA-256 and size.
type File struct {
	Path     string `json:"path"`
	Bytes    int64  `json:"bytes"`
	Checksum string `json:"sha256"`
}

// The name and version of the manifest's form, and those of the names in a plan's folder.
const (
	manifestFormat  = "deeppsl shards"
	manifestVersion = 1
	manifestName    = "manifest.json"
	modelName       = "model.json"
	variablesName   = "variables"
)

// digest counts and sums what is written to it.
type digest struct {
	hash.Hash
	bytes int64
}

func newDigest() *digest { return &digest{Hash: sha256.New()} }

// Write never fails.
func (d *digest) Write(p []byte) (int, error) {
	d.bytes += int64(len(p))
	return d.Hash.Write(p)
}

// file is what was written, as a file of that path.
func (d *digest) file(path string) File {
	return File{Path: path, Bytes: d.bytes, Checksum: hex.EncodeToString(d.Sum(nil))}
}

// sumFile reads a file for its checksum, and copies it to w; it is to be called by another path.
func sumFile(ctx context.Context, at place.Files, name, called string, w io.Writer) (File, error) {
	file, err := at.Open(ctx, name)
	if err != nil {
		return File{}, err
	}
	d := newDigest()
	_, err = io.Copy(io.MultiWriter(d, w), file)
	return d.file(called), errors.Join(err, file.Close())
}

// sum returns the checksum of a cell's files.
func (c *Cell) sum() string {
	d := newDigest()
	for _, f := range c.Files {
		fmt.Fprintf(d, "%s %d %s\n", f.Path, f.Bytes, f.Checksum)
	}
	return d.file("").Checksum
}

// file returns the name of one of a cell's files.
func (c *Cell) file(name string) string { return path.Join("cells", c.Name, name) }

// verify reads the cell's files, and says which of them is not what was written.
func (c *Cell) verify(ctx context.Context, at place.Files) error {
	return c.copy(ctx, at, func(string) (io.WriteCloser, error) { return discard{io.Discard}, nil })
}

// discard is a file that keeps nothing.
type discard struct{ io.Writer }

// Close implements io.Closer.
func (discard) Close() error { return nil }

// local returns a folder of this machine that has the cell's files, which are what was written; it is to be ended with.
func (c *Cell) local(ctx context.Context, at place.Files) (folder string, end func() error, err error) {
	if here, is := at.(place.Folder); is {
		return filepath.Dir(here.Address(c.file(modelName))), func() error { return nil }, c.verify(ctx, at)
	}
	if folder, err = os.MkdirTemp("", "deeppsl-part-"); err != nil {
		return "", nil, err
	}
	end = func() error { return os.RemoveAll(folder) }
	err = c.copy(ctx, at, func(name string) (io.WriteCloser, error) { return os.Create(filepath.Join(folder, name)) })
	if err != nil {
		return "", nil, errors.Join(err, end())
	}
	return folder, end, nil
}

// copy copies the cell's files, and says which of them is not what was written.
func (c *Cell) copy(ctx context.Context, at place.Files, create func(name string) (io.WriteCloser, error)) error {
	for _, want := range c.Files {
		name := c.file(want.Path)
		path := at.Address(name)
		to, err := create(want.Path)
		if err != nil {
			return err
		}
		got, err := sumFile(ctx, at, name, want.Path, to)
		err = errors.Join(err, to.Close())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return damaged(path, "part %s: its file %s is missing", c.Name, want.Path)
		case err != nil:
			return fmt.Errorf("part %s: its file %s cannot be read: %w", c.Name, want.Path, err)
		case got != want:
			return damaged(path, "part %s: its file %s is damaged: %d bytes with the SHA-256 %.12s…, not %d with %.12s…",
				c.Name, want.Path, got.Bytes, got.Checksum, want.Bytes, want.Checksum)
		}
	}
	return nil
}

// damaged is the error of a part that is not what it was.
func damaged(path, format string, args ...any) error {
	var diags source.Diagnostics
	file := source.File{Name: path}
	diags.Errorf("shard-damaged", file.Whole(), "deeppsl shard with the same arguments writes it again", format, args...)
	return diags.Err()
}

// writeSummed writes a value as JSON with its checksum, which set puts into it.
func writeSummed(ctx context.Context, at place.Files, name string, value any, set func(sum string)) error {
	set("")
	sum, err := sumOf(value)
	if err != nil {
		return err
	}
	set(sum)
	text, err := json.Marshal(value, jsontext.WithIndent(" "))
	if err != nil {
		return err
	}
	return at.Write(ctx, name, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// errSum is the error of what is not as it was written.
var errSum = errors.New("it is damaged")

// sumOf is the checksum of a value as JSON.
func sumOf(value any) (string, error) {
	d := newDigest()
	err := json.MarshalWrite(d, value)
	return d.file("").Checksum, err
}

// readSummed reads what writeSummed wrote; clear takes the checksum out of the value and returns it.
func readSummed(ctx context.Context, at place.Files, name string, value any, clear func() string) error {
	text, err := place.Read(ctx, at, name)
	if err != nil {
		return err
	}
	if err := json.UnmarshalRead(bytes.NewReader(text), value); err != nil {
		return fmt.Errorf("%w: %w", errSum, err)
	}
	want := clear()
	got, err := sumOf(value)
	if err == nil && got != want {
		err = fmt.Errorf("%w: its checksum is %.12s…, not %.12s…", errSum, got, want)
	}
	return err
}

// ReadManifest reads that of a plan.
func ReadManifest(ctx context.Context, at place.Files) (*Manifest, error) {
	m, sum := new(Manifest), ""
	err := readSummed(ctx, at, manifestName, m, func() string {
		sum, m.Checksum = m.Checksum, ""
		return sum
	})
	m.Checksum = sum
	if err == nil && (m.Format != manifestFormat || m.Version != manifestVersion) {
		err = fmt.Errorf("%w: its form is %q %d, and this program reads %q %d", errSum, m.Format, m.Version, manifestFormat,
			manifestVersion)
	}
	switch {
	case err == nil:
		return m, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		err = errors.New("there is none, or deeppsl shard has not finished")
	case !errors.Is(err, errSum):
		return nil, fmt.Errorf("the manifest: %w", err)
	}
	return nil, damaged(at.Address(manifestName), "the manifest: %v", err)
}

// write writes the manifest.
func (m *Manifest) write(ctx context.Context, at place.Files) error {
	m.Format, m.Version = manifestFormat, manifestVersion
	return writeSummed(ctx, at, manifestName, m, func(sum string) { m.Checksum = sum })
}
