package published

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/deeppsl/deeppsl/internal/dataset"
)

// Cache finds data files, and downloads those of the registry.
type Cache struct {
	// Data is a folder of data that is only read, and looked into first; "" if there is none.
	Data string
	// Dir is the folder of downloads, with the same layout. It is made when it is needed.
	Dir string
	// Client does the downloads; nil means http.DefaultClient.
	Client *http.Client
	// Progress, if set, is told how many bytes of a file are there; total is -1 if it is not known.
	Progress func(file File, done, total int64)
}

// NewCache returns the cache of the user, with the folder that the environment variable DEEPPSL_DATA names.
func NewCache() (*Cache, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("no folder for downloads: %w", err)
	}
	return &Cache{Data: os.Getenv("DEEPPSL_DATA"), Dir: filepath.Join(dir, "deeppsl")}, nil
}

// Find returns where the file at a path of the data folder is: in Data, else in Dir. The error says how to get it.
func (c *Cache) Find(path string) (string, error) {
	for _, root := range c.roots() {
		name := filepath.Join(root, filepath.FromSlash(path))
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name, nil
		}
	}
	return "", &MissingError{Path: path}
}

// roots lists the folders that have the layout of the data, in the order in which they are looked into.
func (c *Cache) roots() (roots []string) {
	if c.Data != "" {
		roots = append(roots, c.Data)
	}
	return append(roots, c.Dir)
}

// MissingError is the error of a data file that is nowhere.
type MissingError struct{ Path string }

// Error says how to get the file.
func (e *MissingError) Error() string {
	for _, set := range Sets() {
		for _, file := range set.Files {
			if strings.TrimSuffix(file.Path, ".gz") == strings.TrimSuffix(e.Path, ".gz") {
				return fmt.Sprintf("%s is not here: run `go run ./paper data get %s`, or set DEEPPSL_DATA to a folder that has it",
					e.Path, set.Name)
			}
		}
	}
	return fmt.Sprintf("%s is not here: set DEEPPSL_DATA to a folder that has it", e.Path)
}

// Is makes the error one of a file that does not exist, so that readers try the other names that a file can have.
func (e *MissingError) Is(target error) bool { return target == fs.ErrNotExist }

// folder returns a folder of the data as the union of what Data and Dir have of it.
func (c *Cache) folder(path string) fs.FS { return union{cache: c, path: path} }

// union is a folder of the data as a file system.
type union struct {
	cache *Cache
	path  string
}

// Open implements fs.FS.
func (u union) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	found, err := u.cache.Find(u.path + "/" + name)
	if err != nil {
		return nil, err
	}
	return os.Open(found)
}

// Planetoid reads a citation network, cora or citeseer, in the form of Planetoid.
func (c *Cache) Planetoid(name string) (*dataset.Citation, error) {
	return readPlanetoid(c.folder("planetoid"), name)
}

// LINQS reads a citation network, cora or citeseer, in its original form.
func (c *Cache) LINQS(name string) (*dataset.Citation, error) {
	return readLINQSFolder(c.folder("citation/"+name+"/linqs"), name)
}

// MNIST reads the digits.
func (c *Cache) MNIST() (train, test *dataset.Images, err error) { return readMNIST(c.folder("mnist")) }

// References reads CiteSeer-ER.
func (c *Cache) References() ([]Reference, error) {
	f, err := openPlain(c.folder("citeseer-er"), "citeseer.dat")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readReferences(f)
}

// Fold reads a fold of CiteSeer-ER; size is tiny, small, big or full.
func (c *Cache) Fold(size string, fold int) (*Fold, error) {
	return readFold(c.folder("citeseer-er/"+size), fold)
}

// State is what Verify found out about a file.
type State struct {
	File File
	// Where is the file's place, "" if it is missing.
	Where string
	// Err is nil if the content is right, a *MissingError if there is none, a *ChecksumError if it is another.
	Err error
}

// Verify checks the content of every file of a set.
func (c *Cache) Verify(set Set) []State {
	states := make([]State, len(set.Files))
	for k, file := range set.Files {
		where, err := c.Find(file.Path)
		if err == nil {
			err = checkFile(where, file)
		}
		states[k] = State{File: file, Where: where, Err: err}
	}
	return states
}

// ChecksumError is the error of a file with another content than the published one.
type ChecksumError struct{ Name, Want, Got string }

// Error names the file and both hashes.
func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%s has the checksum %.12s..., not %.12s...", e.Name, e.Got, e.Want)
}

// checkFile compares the hash of a file's content with the registry's.
func checkFile(name string, file File) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var content io.Reader = f
	if strings.HasSuffix(file.Path, ".gz") {
		if content, err = gzip.NewReader(f); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, content); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != file.SHA256 {
		return &ChecksumError{Name: name, Want: file.SHA256, Got: got}
	}
	return nil
}

// Install copies a set's files from a folder, which has them in the layout of the data folder or side by side. Files
// with another content are refused; those that are in the cache already stay.
func (c *Cache) Install(set Set, folder string) error {
	for _, file := range set.Files {
		if c.has(file) {
			continue
		}
		if err := c.installFile(file, folder); err != nil {
			return err
		}
	}
	return nil
}

// has tells whether the folder of downloads has the file with the right content.
func (c *Cache) has(file File) bool { return checkFile(c.place(file), file) == nil }

// place is where a file's download lies.
func (c *Cache) place(file File) string { return filepath.Join(c.Dir, filepath.FromSlash(file.Path)) }

// installFile copies one file by way of a partial file, as a download does, so that no other content ever has its name.
func (c *Cache) installFile(file File, folder string) error {
	name := filepath.Join(folder, filepath.FromSlash(file.Path))
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		name = filepath.Join(folder, filepath.Base(name))
	}
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	part, err := c.createPart(file, os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = io.Copy(part, in)
	if err = c.finish(file, part, err); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
