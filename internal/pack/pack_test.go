package pack

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

type kind uint8

type inner struct {
	Name    string
	Moments [][2][]float32
	hidden  int
}

type outer struct {
	Kind     kind
	Is       bool
	Count    int
	Seed     uint64
	Numbers  [3]int
	Pairs    [][2]float64
	Best     float64
	None     []float64
	Empty    []int32
	Counts   []int
	Letters  [][]byte
	Inner    []inner
	There    *inner
	NotThere *inner
}

func full() outer {
	many := make([]float32, 3*chunk+5)
	for k := range many {
		many[k] = float32(k)
	}
	return outer{
		Kind: 3, Is: true, Count: -7, Seed: math.MaxUint64, Numbers: [3]int{1, 2, 3},
		Pairs: [][2]float64{{1, 2}}, Best: math.Inf(1), Empty: []int32{}, Counts: []int{1, -2},
		Letters: [][]byte{{1, 2}, nil, {}},
		Inner:   []inner{{Name: "a\x00ü", Moments: [][2][]float32{{many, nil}}}, {}},
		There:   &inner{Name: "there"},
	}
}

func written(t *testing.T, value any) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := Write(&file, value); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	want := full()
	text := written(t, &want)
	if !bytes.Equal(written(t, want), text) {
		t.Error("a value and a pointer to it are written otherwise")
	}
	var got outer
	if err := Read(bytes.NewReader(text), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
}

func TestFieldsOfItsOwnAreLeftOut(t *testing.T) {
	var got inner
	err := Read(bytes.NewReader(written(t, inner{Name: "n", hidden: 4})), &got)
	if want := (inner{Name: "n"}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestDamageIsNoticed(t *testing.T) {
	text := written(t, full())
	for at := 0; at < len(text); at += 1 + len(text)/200 {
		damaged := slices.Clone(text)
		damaged[at] ^= 4
		for name, text := range map[string][]byte{"changed": damaged, "cut": text[:at], "longer": append(damaged, 0)} {
			if err := Read(bytes.NewReader(text), new(outer)); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%s at byte %d: %v", name, at, err)
			}
		}
	}
}

func TestValuesOfOtherTypesAreNoticed(t *testing.T) {
	text := written(t, struct{ A, B float64 }{1, 2})
	for _, other := range []any{new(struct{ A, C float64 }), new(struct{ A, B int64 }), new(struct{ A float64 })} {
		if err := Read(bytes.NewReader(text), other); !errors.Is(err, ErrDamaged) {
			t.Errorf("%T: %v", other, err)
		}
	}
}

func TestErrorsOfFilesAreKept(t *testing.T) {
	disk := errors.New("no room")
	if err := Write(failing{disk}, full()); !errors.Is(err, disk) {
		t.Error(err)
	}
	if err := Read(io.MultiReader(strings.NewReader("\x01"), failing{disk}), new(outer)); !errors.Is(err, disk) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
func (f failing) Read([]byte) (int, error)  { return 0, f.err }

func FuzzRead(f *testing.F) {
	var small bytes.Buffer
	if err := Write(&small, outer{Letters: [][]byte{{1}}, There: new(inner)}); err != nil {
		f.Fatal(err)
	}
	f.Add(small.Bytes())
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got outer
		if err := Read(bytes.NewReader(text), &got); err == nil && !bytes.Equal(written(t, got), text) {
			t.Errorf("%q is written otherwise than it was read", text)
		}
	})
}
