package published

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func FuzzReadLINQS(f *testing.F) {
	f.Add("b\t1\t0\t1\tY\na\t0\t0\t0\tX\n", "a\tb\nb\ta\nghost\ta\n")
	f.Add("a\tX", "")
	f.Fuzz(func(t *testing.T, content, cites string) {
		if c, err := readLINQS("fuzz", strings.NewReader(content), strings.NewReader(cites)); err == nil {
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzReadReferences(f *testing.F) {
	f.Add("3 | 4 | x_y |  X. Y | 1 | 5 | 6 | A title")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = readReferences(strings.NewReader(text))
	})
}

// tiny is the smallest pickles of each kind, written by hand in protocol 2: a 2 x 2 matrix {(0, 1)}, a 2 x 1 table of
// classes, and a graph.
const (
	tinyArray = "cnumpy.core.multiarray\n_reconstruct\n(tR(K\x01%scnumpy\ndtype\n(U\x02%stR(K\x03U\x01<tb\x89U%stb"
	tinyGraph = "\x80\x02ccollections\ndefaultdict\n(c__builtin__\nlist\ntR(K\x00]K\x01aK\x01]K\x00au."
)

func tinyVector(shape, kind, data string) string {
	text := strings.Replace(tinyArray, "%s", shape, 1)
	text = strings.Replace(text, "%s", kind, 1)
	return strings.Replace(text, "%s", string(rune(len(data)))+data, 1)
}

func tinyMatrix() string {
	return "\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\x06_shapeK\x02K\x02\x86U\x06indptr" +
		tinyVector("K\x03\x85", "i4", "\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00") + "U\x07indices" +
		tinyVector("K\x01\x85", "i4", "\x01\x00\x00\x00") + "U\x04data" +
		tinyVector("K\x01\x85", "f4", "\x00\x00\x80\x3f") + "ub."
}

func tinyLabels() string {
	return "\x80\x02" + tinyVector("K\x02K\x01\x86", "i4", "\x01\x00\x00\x00\x00\x00\x00\x00") + "."
}

func tinyPlanetoid(part, content string) fstest.MapFS {
	folder := fstest.MapFS{}
	for name, text := range map[string]string{
		"allx": tinyMatrix(), "tx": tinyMatrix(), "ally": tinyLabels(), "ty": tinyLabels(), "y": tinyLabels(),
		"graph": tinyGraph, "test.index": "4\n2\n", part: content,
	} {
		folder["ind.tiny."+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return folder
}

func TestReadPlanetoidOfHandwrittenPickles(t *testing.T) {
	c, err := readPlanetoid(tinyPlanetoid("test.index", "4\n2\n"), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if c.Documents != 5 || c.Words != 2 || len(c.Links) != 1 || len(c.WordsOf(4)) != 1 {
		t.Errorf("%+v", c)
	}
	if c.Labels[4] != 0 || c.Labels[3] != -1 {
		t.Errorf("%+v", c)
	}
	for _, test := range []struct{ part, content, want string }{
		{"allx", "", "ind.tiny.allx: pickle: truncated"},
		{"allx", tinyLabels(), "holds a *published.array"},
		{"tx", "cos\nsystem\n(U\x02lstR.", "unexpected class os.system"},
		{"tx", "T\xff\xff\xff\x7fabc.", "truncated at byte 0"},
		{"tx", "\x8e\xff\xff\xff\xff\xff\xff\xff\x7f", "unexpected opcode 0x8e"},
		{"test.index", "4\n", "do not fit"},
		{"test.index", "4\n99999999\n", "document 99999999, but there are 4 only"},
		{"test.index", "4\nx\n", "line 2 is not a document's number"},
		{"graph", "\x80\x02}(K\x00]K\x09au.", "not a link between"},
	} {
		_, err := readPlanetoid(tinyPlanetoid(test.part, test.content), "tiny")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.part, err, test.want)
		}
	}
}

func FuzzReadPlanetoid(f *testing.F) {
	for part, content := range tinyPlanetoid("", "") {
		f.Add(strings.TrimPrefix(part, "ind.tiny."), string(content.Data))
	}
	f.Fuzz(func(t *testing.T, part, content string) {
		if c, err := readPlanetoid(tinyPlanetoid(part, content), "tiny"); err == nil {
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestUnpickleOfDamagedPickles makes sure that no damaged pickle gets past its reader as a panic.
func TestUnpickleOfDamagedPickles(t *testing.T) {
	data := os.Getenv("DEEPPSL_DATA")
	pickles := []string{tinyMatrix(), tinyLabels(), tinyGraph}
	if data != "" {
		if real, err := os.ReadFile(data + "/planetoid/ind.cora.x"); err == nil {
			pickles = append(pickles, string(real[:400]))
		}
	}
	for _, whole := range pickles {
		for at := range len(whole) {
			for _, c := range []byte{0, '.', '(', 'R', 'b', 'u', 'a', 0x85, 0xff} {
				damaged := []byte(whole)
				damaged[at] = c
				_, _ = unpickle(strings.NewReader(string(damaged)))
			}
			if _, err := unpickle(strings.NewReader(whole[:at])); err == nil {
				t.Fatalf("%d of %d bytes are no pickle", at, len(whole))
			}
		}
	}
}
