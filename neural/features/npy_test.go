package features

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/alloctest"
)

// npy writes an array as NumPy does.
func npy(version byte, descr, shape, order string, data []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	file := append([]byte(npyMagic), version, 0)
	if version > 1 {
		file = binary.LittleEndian.AppendUint32(file, uint32(len(header)))
	} else {
		file = binary.LittleEndian.AppendUint16(file, uint16(len(header)))
	}
	return append(append(file, header...), data...)
}

// floats are numbers as a file has them, least significant byte first.
func floats(values ...float32) (data []byte) {
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

func TestNPY(t *testing.T) {
	want := map[string][]float32{"0": {1, -2}, "1": {3, 4}}
	wide := binary.BigEndian.AppendUint64(nil, math.Float64bits(1))
	for _, v := range []float64{-2, 3, 4} {
		wide = binary.BigEndian.AppendUint64(wide, math.Float64bits(v))
	}
	for name, file := range map[string][]byte{
		"float32":   npy(1, "<f4", "(2, 2)", "False", floats(1, -2, 3, 4)),
		"float64":   npy(2, ">f8", "(2, 2)", "False", wide),
		"int8":      npy(1, "|i1", "(2, 2)", "False", []byte{1, 0xfe, 3, 4}),
		"flattened": npy(1, "<f4", "(2, 1, 2)", "False", floats(1, -2, 3, 4)),
	} {
		f, err := Read(NPY, "f", bytes.NewReader(file), 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, rowsOf(f)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestNPYErrors(t *testing.T) {
	good := npy(1, "<f4", "(2, 2)", "False", floats(1, -2, 3, 4))
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":      {nil, "no file of NumPy"},
		"text":         {[]byte("a\t1 2\nb\t3 4\n"), "no file of NumPy"},
		"cut header":   {good[:30], "cut short"},
		"cut":          {good[:len(good)-1], "need 16 bytes, the file has 15"},
		"more":         {append(good[:len(good):len(good)], 0), "the file has more"},
		"objects":      {npy(1, "|O", "(2, 2)", "False", nil), `elements of type "|O"`},
		"records":      {npy(1, "', 'x", "(2, 2)", "False", nil), "elements of type"},
		"one number":   {npy(1, "<f4", "()", "False", floats(1)), "no table"},
		"no rows":      {npy(1, "<f4", "(0, 2)", "False", nil), "no rows"},
		"too many":     {npy(1, "<f4", "(99999999, 99999999)", "False", nil), "too many"},
		"columns":      {npy(1, "<f4", "(2, 2)", "True", floats(1, -2, 3, 4)), "Fortran"},
		"no number":    {npy(1, "<f4", "(1, 2)", "False", floats(1, float32(math.NaN()))), "row 0 has NaN in column 1"},
		"other widths": {good, "its rows have 2 values, 3 are wanted"},
	} {
		width := 0
		if name == "other widths" {
			width = 3
		}
		_, err := Read(NPY, "f", bytes.NewReader(test.file), width)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
}

// No length in a file is believed before the bytes are there.
func TestNPYDamage(t *testing.T) {
	data := npy(1, "<f4", "(4, 2)", "False", floats(1, 2, 3, 4, 5, 6, 7, 8))
	alloctest.Damage(data, func(at int) {
		n := alloctest.Bytes(func() { _, _ = Read(NPY, "f", bytes.NewReader(data), 0) })
		if n > uint64(20*len(data)+1<<16) {
			t.Errorf("with another byte %d: %d bytes for %d", at, n, len(data))
		}
	})
}

// Formats go by extensions where they are not written.
func TestFormatsByExtension(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"f.csv": "id,x\na,1\n", "f.tsv": "a\t1\n", "f.npy": string(npy(1, "|u1", "(1,)", "False", []byte{1})),
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := ReadFiles(Form{}, []string{path})
		if err != nil || f.Len() != 1 || f.values[0] != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if formatOf("a/b.csv.gz") != CSV || formatOf("b.json") != DenseText {
		t.Error("the extension is not what decides")
	}
}
