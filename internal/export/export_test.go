package export_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/export"
	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// small has a potential of every kind, a weight of 0, a weight factor, an input and a constraint without variables.
func small() *mrf.Field {
	m := &mrf.Model{Variables: 3, Inputs: 1, Rules: 8, Blocks: []*mrf.Block{
		{Rule: 0, Kind: mrf.Hinge, Exponent: 2, Len: 2, Coef: []float64{1, -1}, Vars: []int32{0, 1, 1, 2}, Constant: -0.25},
		{Rule: 1, Kind: mrf.Hinge, Exponent: 1, Len: 1, Coef: []float64{-1}, Vars: []int32{2}, InputCoef: []float64{1},
			Inputs: []int32{0}, Scale: []float32{0.5}},
		{Rule: 2, Kind: mrf.Absolute, Exponent: 1, Len: 1, Coef: []float64{1, 1}, Vars: []int32{0, 2}, Constant: -1},
		{Rule: 3, Kind: mrf.Absolute, Exponent: 2, Len: 1, Coef: []float64{1}, Vars: []int32{1}, Bias: []float32{-0.5}},
		{Rule: 4, Kind: mrf.Linear, Exponent: 1, Len: 2, Coef: []float64{-1}, Vars: []int32{0, 1}, Constant: 1},
		{Rule: 5, Kind: mrf.LessEqual, Len: 2, VarStart: []int32{0, 2, 2}, VarCoef: mrf.Reals{Single: []float32{1, 2}},
			Vars:       []int32{0, 2},
			InputStart: []int32{0, 0, 0}, Constant: -1.5},
		{Rule: 6, Kind: mrf.Equal, Len: 1, Coef: []float64{1, -1}, Vars: []int32{1, 2}},
		{Rule: 7, Kind: mrf.Hinge, Exponent: 2, Len: 1, Coef: []float64{1}, Vars: []int32{0}},
	}}
	f := mrf.NewField(m)
	f.SetWeights([]float64{10, 2, 1, 4, 0.5, 0, 0, 0})
	f.SetInputs([]float64{0.75})
	return f
}

var texts = []string{"a", "b", "c", "d", "e", "f.", "g.", "h"}

func write(t *testing.T, format export.Format, f *mrf.Field, rules []string) string {
	t.Helper()
	var b bytes.Buffer
	if err := export.Write(&b, format, f, rules); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, format := range []export.Format{export.LP, export.QPS, export.JSON} {
		goldentest.File(t, "testdata/small."+string(format), []byte(write(t, format, small(), texts)))
	}
}

// random draws a field with potentials of all kinds, and the texts of its rules.
func random(seed uint64) (f *mrf.Field, rules []string, rng *rand.Rand) {
	rng = rand.New(rand.NewPCG(seed, 17))
	f = mrftest.Field(mrftest.Random(rng, mrftest.Shape{Variables: 12, Inputs: 3, Blocks: 9, Potentials: 8,
		Kinds: mrftest.All, Arity: 10, Scales: true}))
	return f, make([]string, f.Model.Rules), rng
}

// At any point, the program that a file has, with the best slacks, must cost what the field costs, and its rows must be
// violated by as much as the field's constraints.
func TestProgramsAgreeWithTheField(t *testing.T) {
	for seed := range uint64(60) {
		f, rules, rng := random(seed)
		programs := map[string]*quadratic{
			"LP": readLP(t, write(t, export.LP, f, rules)), "QPS": readQPS(t, write(t, export.QPS, f, rules)),
		}
		for name, q := range programs {
			if len(q.cost) < f.Model.Variables || len(q.upper) != f.Model.Variables {
				t.Fatalf("seed %d, %s: %d columns in the objective, %d bounds", seed, name, len(q.cost), len(q.upper))
			}
		}
		for range 20 {
			y := make([]float64, f.Model.Variables)
			for i := range y {
				y[i] = float64(rng.IntN(3)) / 2 * rng.Float64()
			}
			for name, q := range programs {
				objective, violation := q.at(y)
				if want := f.Energy(y); math.Abs(objective-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("seed %d, %s: the objective is %v, want %v", seed, name, objective, want)
				}
				if want := f.MaxViolation(y); math.Abs(violation-want) > 1e-9 {
					t.Errorf("seed %d, %s: the violation is %v, want %v", seed, name, violation, want)
				}
			}
		}
	}
}

// A dump that is read back must solve to the same bits.
func TestReplay(t *testing.T) {
	for seed := range uint64(20) {
		f, rules, _ := random(seed)
		text := write(t, export.JSON, f, rules)
		again, texts, err := export.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(texts) != len(rules) || write(t, export.JSON, again, texts) != text {
			t.Errorf("seed %d: another dump", seed)
		}
		want, got := answer(t, f), answer(t, again)
		if want.Certificate != got.Certificate || want.Iterations != got.Iterations {
			t.Errorf("seed %d: %+v, want %+v", seed, got.Certificate, want.Certificate)
		}
		for i, v := range want.Y {
			if math.Float64bits(v) != math.Float64bits(got.Y[i]) {
				t.Fatalf("seed %d: variable %d is %v, want %v", seed, i, got.Y[i], v)
			}
		}
	}
}

func answer(t *testing.T, f *mrf.Field) *solve.Result {
	t.Helper()
	s, err := auto.New("", f, solve.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	text := write(t, export.JSON, small(), texts)
	for _, c := range []struct{ old, with, want string }{
		{`"variables":3`, `"variables":2`, "checksum"},
		{"0.25", "0.26", "checksum"},
		{"ground problem", "atoms", "format"},
		{`"version":1`, `"version":2`, "version 2"},
		{`"rules"`, `"rools"`, "checksum"},
		{`{"format"`, `"format"`, "not a dump"},
		{`"variables":3`, `"variables":"3"`, "not a dump"},
	} {
		_, _, err := export.Read(strings.NewReader(strings.Replace(text, c.old, c.with, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: error %v, want one about %q", c.with, c.old, err, c.want)
		}
	}
	if _, _, err := export.Read(strings.NewReader(text[:len(text)/2])); err == nil {
		t.Error("no error for half a dump")
	}
	spaced := strings.ReplaceAll(text, ",\"", " ,\n  \"")
	if _, _, err := export.Read(strings.NewReader(spaced)); err != nil {
		t.Errorf("white space counts: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := export.Write(&b, export.JSON, small(), texts); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add(`{"format":"deeppsl ground problem","version":1,"blocks":[{"kind":"hinge","potentials":-1}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		field, _, err := export.Read(strings.NewReader(text))
		if err == nil && field.Model.Check() != nil {
			t.Error("a model that is not valid")
		}
	})
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]export.Format{
		"a.lp": export.LP, "b/c.QPS": export.QPS, "d.mps": export.QPS, "e.json": export.JSON,
	} {
		if got, err := export.FormatOf(path); got != want || err != nil {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if _, err := export.FormatOf("model.txt"); err == nil || !strings.Contains(err.Error(), ".qps") {
		t.Errorf("error %v", err)
	}
}

// full is a disk with no room left.
type full struct{}

var errFull = errors.New("no space")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	for _, format := range []export.Format{export.LP, export.QPS, export.JSON} {
		if err := export.Write(full{}, format, small(), texts); !errors.Is(err, errFull) {
			t.Errorf("%s to a full disk: %v", format, err)
		}
	}
	broken := small()
	broken.SetWeights([]float64{math.NaN(), 0, 0, 0, 0, 0, 0, 0})
	if err := export.Write(&bytes.Buffer{}, export.LP, broken, texts); err == nil {
		t.Error("a weight that is not a number was written")
	}
	if err := export.Write(&bytes.Buffer{}, export.QPS, mrf.NewField(&mrf.Model{}), nil); err == nil {
		t.Error("a program without variables was written")
	}
}
