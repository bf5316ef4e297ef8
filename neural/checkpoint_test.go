package neural

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
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

// A network may begin with its values in a checkpoint of a program with other networks, or with those of the only
// network there, whatever its name.
func TestCheckpointOfOneNetwork(t *testing.T) {
	folder := t.TempDir()
	both, one := filepath.Join(folder, "both"), filepath.Join(folder, "one")
	saved := newSmall(t, Tanh, 1)
	if err := saved.SaveFile(both); err != nil {
		t.Fatal(err)
	}
	table := sparseTable(t, 9, 6, 27, 5)
	classifier := smallSpecs(Tanh)[1]
	classifier.Skip = new(false) // as where another network shares its layers
	load := func(name, path string, frozen bool) (*System, error) {
		spec := classifier
		spec.Name, spec.Checkpoint, spec.Frozen = name, path, frozen
		return New([]Spec{spec}, map[string]*features.Table{"words": table}, 2)
	}
	first, err := load("neural", both, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.SaveFile(one); err != nil {
		t.Fatal(err)
	}
	second, err := load("a.renamed", one, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range first.parameters {
		if want := saved.byName[p.Name].Value; !slices.Equal(p.Value, want) {
			t.Errorf("%s: %v, saved were %v", p.Name, p.Value, want)
		}
		if !slices.Equal(second.parameters[i].Value, p.Value) {
			t.Errorf("%s: %v, saved were %v", second.parameters[i].Name, second.parameters[i].Value, p.Value)
		}
	}
	if len(first.Parameters()) != 0 || len(second.Parameters()) == 0 {
		t.Error("only what is frozen is not learned")
	}
	_, err = load("other", both, false)
	if err == nil || !strings.Contains(err.Error(), `"other.hidden1.weights": missing`) {
		t.Errorf("a network that is not there: error %v", err)
	}
	classifier.Hidden = []int{5}
	if _, err := load("neural", both, false); err == nil || !strings.Contains(err.Error(), "[6 4], the network's") {
		t.Errorf("another shape: error %v", err)
	}
}

func TestCNNCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cnn")
	table, spec := images(t, 9, 84, 2), cnnSpec("n", ELU)
	saved := mustNew(t, []Spec{spec}, table, 1)
	if err := saved.SaveFile(path); err != nil {
		t.Fatal(err)
	}
	spec.Checkpoint = path
	loaded, err := New([]Spec{spec}, map[string]*features.Table{"words": table}, 2)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := both(t, allClasses(t, saved, 9), false, 0)
	y, _ := both(t, allClasses(t, loaded, 9), false, 0)
	if !slices.Equal(x, y) {
		t.Error("the loaded network has other outputs")
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

// A checkpoint takes a file's place as everything that is written does: its permissions and a link to it stay.
func TestSaveFileKeepsTheFilesPlace(t *testing.T) {
	s, dir := newSmall(t, Tanh, 1), t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := s.SaveFile(link); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("the file behind the link: %v, %v", info, err)
	}
	if target, err := os.Readlink(link); err != nil || target != file {
		t.Errorf("the link leads to %q: %v", target, err)
	}
}

// What the features of a network stood for is what they stand for when it is loaded, also where there are as many.
func TestSavedFeaturesAreTheSame(t *testing.T) {
	system := func(text string) *System {
		f, err := features.Read(features.CSV, "f", strings.NewReader(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		s, err := New([]Spec{{Name: "n", Features: "f", Outputs: 2}}, map[string]*features.Table{"f": f}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var saved bytes.Buffer
	if err := system("id,town\na,Rome\nb,Paris\n").Save(&saved); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"id,town\nx,Paris\ny,Rome\nz,Rome\n": "",
		"id,town\na,Rome\nb,Oslo\n":          `its feature 1 is "town=Paris", where the table has "town=Oslo"`,
		"id,x,y\na,1,2\nb,3,4\n":             `its feature 1 is "town=Paris", where the table has "nothing"`,
	} {
		err := system(text).Load(bytes.NewReader(saved.Bytes()))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
