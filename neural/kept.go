package neural

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/neural/features"
)

// What is kept, and what it may take.
const (
	worthKeeping = time.Second // of computing that no file has: what is had in less is not written
	keptShare    = 20          // times as long as writing took last, before it is written again
	keptBytes    = 1 << 30     // of all files; those that were not wanted for the longest time go
	keptMagic    = "deeppsl outputs\n"
)

// keptName is how the files are called: nothing else in the folder is touched.
var keptName = regexp.MustCompile(`^[0-9a-f]{32}-[0-9a-f]{32}\.outputs$`)

// answers are the outputs of a frozen network for the rows of a table.
type answers struct {
	have []bool
	out  []float32
	// contents is the hash of the features, nil before it is wanted; unkept is the time that computing outputs took which
	// no file has, and writing that of the last one.
	contents        *hash
	unkept, writing time.Duration
}

// hash is of what outputs follow from.
type hash = [sha256.Size]byte

// kept is a folder with the outputs of frozen networks, a file for each network and table of features. A file holds for
// the program, the network and the features whose hashes it has, and ends with a hash of all of it: whatever is not as
// it should be is computed.
type kept struct {
	folder  string
	tell    func(message string, about ...any)
	program func() (hash, error)
	worth   time.Duration
	bytes   int64
}

// programHash is of the program itself: another one may round otherwise.
var programHash = sync.OnceValues(func() (hash, error) {
	path, err := os.Executable()
	if err != nil {
		return hash{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return hash{}, err
	}
	defer file.Close()
	all := sha256.New()
	_, err = io.Copy(all, file)
	return hash(all.Sum(nil)), err
})

// contents is a hash of the rows.
func contentsOf(table *features.Table) hash {
	all := sha256.New()
	const batch = 256
	rows, values, data := make([]int32, 0, batch), make([]float32, batch*table.Width()), []byte(nil)
	for lo := 0; lo < table.Len(); lo += batch {
		rows = rows[:0]
		for at := lo; at < min(lo+batch, table.Len()); at++ {
			rows = append(rows, int32(at))
		}
		table.Gather(rows, values)
		data, _ = binary.Append(data[:0], binary.LittleEndian, values[:len(rows)*table.Width()]) // which it can, of numbers
		all.Write(data)
	}
	return hash(all.Sum(nil))
}

// load takes what an earlier run has kept of a network's outputs. Where there is nothing of the network, the features
// are not even looked at.
func (k *kept) load(model hash, table *features.Table, known *answers) {
	entries, err := os.ReadDir(k.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.tell("what frozen networks have said cannot be looked up", "error", err)
	}
	for _, entry := range entries {
		if name := entry.Name(); keptName.MatchString(name) && name[:32] == hex.EncodeToString(model[:16]) {
			k.find(model, table, known)
			return
		}
	}
}

// find is load where there is something of the network.
func (k *kept) find(model hash, table *features.Table, known *answers) {
	path, header, err := k.header(model, table, known)
	if err != nil {
		k.tell("what frozen networks have said cannot be looked up", "error", err)
		return
	}
	data, err := readSized(path, int64(len(header)+len(known.have)+4*len(known.out)+sha256.Size))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
	case !bytes.HasPrefix(data, header):
		err = errors.New("it is of another program")
	case sha256.Sum256(data[:len(data)-sha256.Size]) != hash(data[len(data)-sha256.Size:]):
		err = errors.New("it is damaged")
	}
	if err != nil {
		k.tell("what the network has said is not used, and computed again", "file", path, "reason", err)
		return
	}
	rows, rest := 0, data[len(header):]
	for at := range known.have {
		if known.have[at] = rest[at] == 1; known.have[at] {
			rows++
		}
	}
	_, _ = binary.Decode(rest[len(known.have):], binary.LittleEndian, known.out) // it has as many bytes as that takes
	now := time.Now()
	_ = os.Chtimes(path, now, now) // it was wanted; where that cannot be said, it goes sooner
	k.tell("the network's outputs are those of an earlier run", "rows", rows, "file", path)
}

// readSized reads a file of so many bytes.
func readSized(path string, size int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() != size {
		return nil, errors.Join(err, fmt.Errorf("it is no file of %d bytes", size))
	}
	data := make([]byte, size)
	_, err = io.ReadFull(file, data)
	return data, err
}

// header returns the path of a file, and what it begins with.
func (k *kept) header(model hash, table *features.Table, known *answers) (path string, header []byte, err error) {
	program, err := k.program()
	if err != nil {
		return "", nil, err
	}
	if known.contents == nil {
		contents := contentsOf(table)
		known.contents = &contents
	}
	header = append(header, keptMagic...)
	for _, part := range []hash{program, model, *known.contents} {
		header = append(header, part[:]...)
	}
	header = binary.LittleEndian.AppendUint64(header, uint64(len(known.have)))
	header = binary.LittleEndian.AppendUint64(header, uint64(len(known.out)))
	name := fmt.Sprintf("%x-%x.outputs", model[:16], known.contents[:16])
	return filepath.Join(k.folder, name), header, nil
}

// save keeps what a network has said, if computing that took long enough.
func (k *kept) save(model hash, table *features.Table, known *answers) {
	size := int64(len(known.have) + 4*len(known.out))
	if known.unkept < max(k.worth, keptShare*known.writing) || size > k.bytes/4 {
		return
	}
	start := time.Now()
	path, err := k.write(model, table, known)
	known.unkept, known.writing = 0, time.Since(start)
	if err == nil {
		err = k.bound(filepath.Base(path))
	}
	if err != nil {
		k.tell("what the network says cannot be kept for later runs", "error", err)
		return
	}
	k.tell("the network's outputs are kept for later runs", "file", path)
}

// write writes the file of a network and its features.
func (k *kept) write(model hash, table *features.Table, known *answers) (string, error) {
	path, header, err := k.header(model, table, known)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return "", err
	}
	return path, report.WriteFileFunc(path, func(w io.Writer) error {
		all := sha256.New()
		both := io.MultiWriter(w, all)
		for _, part := range []any{header, known.have, known.out} {
			if err := binary.Write(both, binary.LittleEndian, part); err != nil {
				return err
			}
		}
		_, err := w.Write(all.Sum(nil))
		return err
	})
}

// bound removes the files that were not wanted for the longest time, but the one that has just been written, until all
// take no more than they may.
func (k *kept) bound(last string) error {
	entries, err := os.ReadDir(k.folder)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	total := int64(0)
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && keptName.MatchString(info.Name()) && info.Mode().IsRegular() {
			files, total = append(files, info), total+info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, file := range files {
		if total <= k.bytes {
			return nil
		}
		if file.Name() != last {
			err = errors.Join(err, os.Remove(filepath.Join(k.folder, file.Name())))
			total -= file.Size()
		}
	}
	return err
}
