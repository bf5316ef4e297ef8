package neural

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// snapshot returns a copy of all parameters, one after the other.
func snapshot(s *System) []float32 {
	var all []float32
	for _, p := range s.parameters {
		all = append(all, p.Value...)
	}
	return all
}

func TestCheckpointRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "networks.safetensors")
	saved, loaded := newSmall(t, Tanh, 1), newSmall(t, Tanh, 2)
	if slices.Equal(snapshot(saved), snapshot(loaded)) {
		t.Fatal("two seeds gave the same parameters")
	}
	for range 2 { // the second replaces the first
		if err := saved.SaveFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := loaded.LoadFile(path); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(snapshot(saved), snapshot(loaded)) {
		t.Error("the parameters changed on their way through the file")
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 1 {
		t.Errorf("the directory holds %v (%v), one file is wanted", files, err)
	}
}

func TestCheckpointErrors(t *testing.T) {
	s := newSmall(t, Tanh, 1)
	var file bytes.Buffer
	if err := s.Save(&file); err != nil {
		t.Fatal(err)
	}
	good := file.Bytes()
	header := 8 + int(binary.LittleEndian.Uint64(good))
	replaced := func(old, new string) []byte { return bytes.Replace(slices.Clone(good), []byte(old), []byte(new), 1) }
	flipped := slices.Clone(good)
	flipped[header+5] ^= 1
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"empty":            {nil, "truncated"},
		"cut in header":    {good[:20], "truncated"},
		"cut in values":    {good[:len(good)-3], "checksum"},
		"a flipped bit":    {flipped, "checksum"},
		"no JSON":          {replaced(`{"`, `["`), "header is damaged"},
		"odd metadata":     {replaced(`"format":"deeppsl"`, `"format":[       ]`), "metadata"},
		"a renamed tensor": {replaced("neural.hidden1.b", "neural.hidden9.b"), `"neural.hidden1.biases": missing`},
		"another shape":    {replaced(`"shape":[6,4]`, `"shape":[4,6]`), "[4 6], the network's is F32 of shape [6 4]"},
		"another place":    {replaced(`"data_offsets":[0,96]`, `"data_offsets":[0,99]`), "bytes 0 to 99 do not hold 24"},
		"a bad entry":      {replaced(`"dtype":"F32"`, `"dtype":32   `), "the header's tensor"},
	} {
		before := snapshot(s)
		err := s.Load(bytes.NewReader(test.data))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
		if !slices.Equal(before, snapshot(s)) {
			t.Errorf("%s: parameters changed", name)
		}
	}
	if err := s.LoadFile(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that does not exist was loaded")
	}
}

func FuzzLoad(f *testing.F) {
	s := newSmall(f, Tanh, 1)
	var file bytes.Buffer
	if err := s.Save(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte{2, 0, 0, 0, 0, 0, 0, 0, '{', '}'})
	f.Fuzz(func(t *testing.T, data []byte) {
		before := snapshot(s)
		if s.Load(bytes.NewReader(data)) != nil && !slices.Equal(before, snapshot(s)) {
			t.Error("a checkpoint that is an error changed the parameters")
		}
	})
}
