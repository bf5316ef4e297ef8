package neural

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A checkpoint is a file in the safetensors format, which many tools read: the length of the header as eight bytes,
// least significant first; the header, a JSON object from tensor names to their places; and the tensors' values. Its
// metadata has the SHA-256 of the values, so that a damaged file is not taken for a network.

// entry is one tensor in the header.
type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

const (
	metadataKey = "__metadata__"
	checksumKey = "sha256"
	float32Type = "F32"
)

// Save writes the parameters of all networks, the frozen ones too.
func (s *System) Save(w io.Writer) error {
	var values []byte
	header := map[string]any{}
	for _, n := range s.networks {
		n.standardizeByAll()
	}
	for _, p := range s.parameters {
		start := len(values)
		for _, v := range p.Value {
			values = binary.LittleEndian.AppendUint32(values, math.Float32bits(v))
		}
		header[p.Name] = entry{float32Type, p.Shape, [2]int{start, len(values)}}
	}
	header[metadataKey] = map[string]string{"format": "deeppsl", checksumKey: checksum(values)}
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("writing the networks: %w", err)
	}
	// The format pads the header with spaces, so that the values are aligned when the file is mapped into memory.
	text = append(text, bytes.Repeat([]byte{' '}, -len(text)&7)...)
	for _, part := range [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, values} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("writing the networks: %w", err)
		}
	}
	return nil
}

// Load reads what Save wrote for the same specifications and feature widths. On an error no parameter changes.
func (s *System) Load(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err == nil {
		err = s.decode(data)
	}
	if err != nil {
		return fmt.Errorf("reading the networks: %w", err)
	}
	return nil
}

// decode reads all tensors before it changes the first parameter, so that an error leaves the networks as they were.
// It wants exactly the tensors that these networks have: a checkpoint of other networks is a mistake, even if some
// names happen to agree.
func (s *System) decode(data []byte) error {
	entries, values, err := splitCheckpoint(data)
	if err != nil {
		return err
	}
	for _, n := range s.networks {
		if err := n.fitsScale(entries, n.spec.Name); err != nil {
			return inNetwork(n.spec.Name, err)
		}
	}
	if len(entries) != len(s.parameters) {
		return fmt.Errorf("it holds %d tensors, these networks have %d", len(entries), len(s.parameters))
	}
	read := make([][]float32, len(s.parameters))
	for i, p := range s.parameters {
		if read[i], err = tensorFrom(entries, values, p.Name, p); err != nil {
			return fmt.Errorf("tensor %q: %w", p.Name, err)
		}
	}
	for i, p := range s.parameters {
		if err := p.scales(read[i]); err != nil {
			return fmt.Errorf("tensor %q: %w", p.Name, err)
		}
	}
	for i, p := range s.parameters {
		copy(p.Value, read[i])
	}
	for _, n := range s.networks {
		n.rescale()
	}
	return nil
}

// fitsScale checks that a file has a scale of the network's features, under the network's name there, if the network
// wants one, and only then: features on another scale than those it learned from would make nonsense of what it knows.
func (n *network) fitsScale(entries map[string]entry, name string) error {
	_, has := entries[name+"."+scalingLayer+"."+scaleTensor]
	switch {
	case has && n.scaling == nil:
		return wrongKey("normalize", `its features were standardised when it was saved: write "normalize": "columns"`)
	case !has && n.scaling != nil:
		return wrongKey("normalize", `the file has no scale of its features, so they were not standardised when it was `+
			`saved: write the "normalize" of then, "none", "rows" or "l2"`)
	}
	return nil
}

// scales checks the values that a tensor is to have, if it is one of a scale: without a center, zeros stay zeros, which
// a sparse table takes for granted.
func (p *parameter) scales(values []float32) error {
	c := p.owner.scaling
	moved := func(v float32) bool { return v != 0 }
	switch {
	case c != nil && p == c.scale && slices.Min(values) < 0:
		return fmt.Errorf("%v is no scale of a feature", slices.Min(values))
	case c != nil && p == c.center && p.owner.raw.Sparse() && slices.ContainsFunc(values, moved):
		return errors.New("the network learned from a dense table, whose columns it moves; a sparse one cannot follow")
	}
	return nil
}

// rescale scales the features anew, by the scale that a checkpoint has brought.
func (n *network) rescale() {
	if n.scaling != nil {
		n.scaling.apply()
	}
}

// splitCheckpoint returns the entries of the header, and the values after it, whose checksum is right. The checksum
// does not cover the header, which has to agree with the networks in every name, shape and place.
func splitCheckpoint(data []byte) (entries map[string]entry, values []byte, err error) {
	const lengthSize = 8
	if len(data) < lengthSize {
		return nil, nil, errors.New("the file is truncated, or is no checkpoint")
	}
	length := binary.LittleEndian.Uint64(data)
	if length > uint64(len(data)-lengthSize) {
		return nil, nil, errors.New("the file is truncated, or is no checkpoint: its header is longer than the file")
	}
	text, values := data[lengthSize:lengthSize+length], data[lengthSize+length:]
	var header map[string]json.RawMessage
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, nil, fmt.Errorf("the header is damaged, or is no checkpoint's: %w", err)
	}
	var metadata map[string]string
	if raw, ok := header[metadataKey]; ok && json.Unmarshal(raw, &metadata) != nil {
		return nil, nil, errors.New("the header's metadata is damaged")
	}
	if metadata[checksumKey] != checksum(values) {
		return nil, nil, errors.New("the checksum is wrong: the file is truncated or damaged")
	}
	delete(header, metadataKey)
	entries = make(map[string]entry, len(header))
	for name, raw := range header {
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, nil, fmt.Errorf("the header's tensor %q: %w", name, err)
		}
		entries[name] = e
	}
	return entries, values, nil
}

// begin gives a network the values of the checkpoint that its specification names.
func (s *System) begin(n *network) error {
	path := n.spec.Checkpoint
	if path == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return wrongKey("checkpoint", "%w", err)
	}
	entries, values, err := splitCheckpoint(data)
	if err != nil {
		return wrongKey("checkpoint", "%s: %w", path, err)
	}
	from := savedName(entries, n.spec.Name)
	if err := n.fitsScale(entries, from); err != nil {
		return err
	}
	for _, p := range s.parameters {
		if p.owner != n {
			continue
		}
		name := from + strings.TrimPrefix(p.Name, n.spec.Name)
		read, err := tensorFrom(entries, values, name, p)
		if err == nil {
			err = p.scales(read)
		}
		if err != nil {
			return wrongKey("checkpoint", "%s: tensor %q: %w", path, name, err)
		}
		copy(p.Value, read)
	}
	n.rescale()
	return nil
}

// savedName returns the name that a checkpoint knows a network by: its own, or that of the only one there is. Names of
// networks may hold dots, those of their layers and tensors do not.
func savedName(entries map[string]entry, name string) string {
	names := map[string]bool{}
	for tensor := range entries {
		parts := strings.Split(tensor, ".")
		names[strings.Join(parts[:max(0, len(parts)-2)], ".")] = true
	}
	if len(names) == 1 && !names[name] {
		return sortedKeys(names)[0]
	}
	return name
}

// tensorFrom returns the values that a checkpoint has under a name, for a parameter. Values that are not finite are
// refused: no network that works has them, and they would turn up again far from here.
func tensorFrom(entries map[string]entry, values []byte, name string, p *parameter) ([]float32, error) {
	e, exists := entries[name]
	lo, hi := e.Offsets[0], e.Offsets[1]
	switch {
	case !exists:
		return nil, errors.New("missing")
	case e.DType != float32Type || !slices.Equal(e.Shape, p.Shape):
		return nil, fmt.Errorf("it is %s of shape %v, the network's is %s of shape %v",
			e.DType, e.Shape, float32Type, p.Shape)
	case lo < 0 || hi > len(values) || hi-lo != 4*len(p.Value):
		return nil, fmt.Errorf("bytes %d to %d do not hold %d values", lo, hi, len(p.Value))
	}
	read := make([]float32, len(p.Value))
	for i := range read {
		read[i] = math.Float32frombits(binary.LittleEndian.Uint32(values[lo+4*i:]))
		if !isFinite(float64(read[i])) {
			return nil, fmt.Errorf("element %d is %v", i, read[i])
		}
	}
	return read, nil
}

// checksum returns the SHA-256 of data in hexadecimal.
func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// SaveFile writes a checkpoint beside path and then renames it, so that there is never half a file at path.
func (s *System) SaveFile(path string) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing the networks: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err := errors.Join(s.Save(file), file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// LoadFile reads a checkpoint that SaveFile wrote.
func (s *System) LoadFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the networks: %w", err)
	}
	defer file.Close()
	if err := s.Load(file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
