package consensus

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/deeppsl/deeppsl/internal/alloctest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/pack"
	"github.com/deeppsl/deeppsl/internal/place"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// corridor is friendship among people who live along a corridor of so many radii in width, each near some twenty
// others: one component, which only a cut of variables divides.
func corridor(people int, width float64, exponent int, hard bool) *mrf.Field {
	rng := rand.New(rand.NewPCG(1, 2))
	length := float64(people) * math.Pi / 20 / width // in radii
	x, y := make([]float64, people), make([]float64, people)
	for k := range people {
		x[k], y[k] = rng.Float64()*length, rng.Float64()*width
	}
	cells := make(map[[2]int][]int)
	for k := range people {
		c := [2]int{int(x[k]), int(y[k])}
		cells[c] = append(cells[c], k)
	}
	pair := make(map[[2]int]int32)
	near := make([][]int, people)
	for a := range people {
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				for _, b := range cells[[2]int{int(x[a]) + dx, int(y[a]) + dy}] {
					if a != b && math.Hypot(x[a]-x[b], y[a]-y[b]) < 1 {
						near[a] = append(near[a], b)
						pair[[2]int{a, b}] = int32(len(pair))
					}
				}
			}
		}
	}
	n := len(pair)
	alike := &mrf.Block{Rule: 0, Kind: mrf.Hinge, Exponent: 2, Coef: []float64{-1}}
	friends := &mrf.Block{Rule: 1, Kind: mrf.Hinge, Exponent: exponent, Coef: []float64{1, 1, -1}, Constant: -1}
	mutual := &mrf.Block{Rule: 2, Kind: mrf.Hinge, Exponent: exponent, Coef: []float64{1, -1}}
	if hard {
		mutual.Kind = mrf.Equal
	}
	prior := &mrf.Block{Rule: 3, Kind: mrf.Hinge, Exponent: 2, Coef: []float64{1}, Len: n}
	for i := range int32(n) {
		prior.Vars = append(prior.Vars, i)
	}
	for a := range people {
		for _, b := range near[a] {
			ab := pair[[2]int{a, b}]
			alike.Vars = append(alike.Vars, ab)
			alike.Bias = append(alike.Bias, float32(min(max(0.6+0.4*rng.NormFloat64(), 0), 1)))
			mutual.Vars = append(mutual.Vars, ab, pair[[2]int{b, a}])
			for _, c := range near[b] {
				if ac, known := pair[[2]int{a, c}]; known {
					friends.Vars = append(friends.Vars, ab, pair[[2]int{b, c}], ac)
				}
			}
		}
	}
	alike.Len, mutual.Len, friends.Len = len(alike.Vars), len(mutual.Vars)/2, len(friends.Vars)/3
	field := mrf.NewField(&mrf.Model{Variables: n, Rules: 4, Blocks: []*mrf.Block{alike, friends, mutual, prior}})
	field.SetWeights([]float64{10, 10, 10, 1})
	return field
}

// together runs all blocks side by side.
func together(t testing.TB, blocks []*Block, s Settings) *Progress {
	x := newMemory(len(blocks))
	out, errs := make([]*Progress, len(blocks)), make([]error, len(blocks))
	var all sync.WaitGroup
	for k, b := range blocks {
		all.Go(func() {
			own := s
			if k > 0 {
				own.OnRound = nil
			}
			out[k], errs[k] = b.Run(context.Background(), x, own)
		})
	}
	all.Wait()
	for k := range blocks {
		if errs[k] != nil {
			t.Fatal(errs[k])
		}
		if out[k].Gap != out[0].Gap {
			t.Errorf("block %d proves %v, and the first %v", k, out[k].Gap, out[0].Gap)
		}
	}
	return out[0]
}

// serial is the answer of one solver.
func serial(t testing.TB, field *mrf.Field, gap float64) *solve.Result {
	t.Helper()
	solver, err := auto.Inference("auto", field, solve.Settings{Gap: gap}, auto.Options{Presolve: true, Split: true})
	if err != nil {
		t.Fatal(err)
	}
	result, err := solver.Solve(context.Background())
	if err != nil || result.Status != solve.Optimal {
		t.Fatal(err, result)
	}
	return result
}

// whole puts the blocks' points together.
func whole(t testing.TB, m *mrf.Model, blocks []*Block) []float64 {
	t.Helper()
	y, seen := make([]float64, m.Variables), make([]bool, m.Variables)
	for _, b := range blocks {
		point := b.Answer().Point
		for k, i := range b.Variables {
			if seen[i] && y[i] != point[k] {
				t.Fatalf("variable %d is %v in one block and %v in another", i, y[i], point[k])
			}
			y[i], seen[i] = point[k], true
		}
	}
	return y
}

// Blocks prove what one solver proves, in few rounds, and every round's bound holds.
func TestBlocksAgree(t *testing.T) {
	for name, c := range map[string]struct {
		exponent int
		hard     bool
		rounds   int
	}{"squares": {2, false, 12}, "linear": {1, false, 30}, "hard": {2, true, 15}, "both": {1, true, 30}} {
		t.Run(name, func(t *testing.T) {
			field := corridor(240, 2, c.exponent, c.hard)
			best := serial(t, field, 1e-7)
			of, shared := Cut(field.Model, 4)
			if shared == 0 || 4*shared > field.Model.Variables {
				t.Errorf("%d of %d variables are shared", shared, field.Model.Variables)
			}
			blocks := New(field, of, 4, 1)
			p := together(t, blocks, Settings{Gap: 1e-4, Feasibility: 1e-6, Rounds: 60, OnRound: func(p Progress) {
				if p.Bound > best.Objective*(1+1e-7) {
					t.Errorf("round %d: bound %v, the optimum is %v", p.Round, p.Bound, best.Objective)
				}
			}})
			if p.Gap > 1e-4 || p.Round+1 > c.rounds {
				t.Errorf("gap %v after %d rounds", p.Gap, p.Round+1)
			}
			y := whole(t, field.Model, blocks)
			cost, bound := field.Energy(y), best.DualBound
			if math.Abs(cost-p.Best) > 1e-9*cost || cost < bound*(1-1e-6) || cost > best.Objective*(1+1.01e-4) {
				t.Errorf("the point costs %v, said to be %v; the optimum is between %v and %v", cost, p.Best, bound,
					best.Objective)
			}
			sumToZero(t, field.Model, blocks)
		})
	}
}

// sumToZero checks that the multipliers of each variable do, exactly.
func sumToZero(t *testing.T, m *mrf.Model, blocks []*Block) {
	t.Helper()
	sums := make([]int64, m.Variables)
	for _, b := range blocks {
		for k, v := range b.shared {
			sums[b.Variables[v.variable]] += b.state.Lambda[k]
		}
	}
	for i, sum := range sums {
		if sum != 0 {
			t.Fatalf("the multipliers of variable %d add up to %d", i, sum)
		}
	}
}

// Potentials that are in several blocks add up to what they are in the whole, whatever their kind.
func TestBlocksAddUp(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		field := mrftest.Field(mrftest.Random(rng, mrftest.Shape{Variables: 40, Inputs: 5, Blocks: 6, Potentials: 20,
			Kinds: mrftest.All, Arity: 3, Scales: true}))
		of, _ := Cut(field.Model, 3)
		y := mrftest.Uniform(rng, field.Model.Variables)
		cost := 0.0
		for _, b := range New(field, of, 3, 1) {
			own := make([]float64, len(b.Variables))
			for k, i := range b.Variables {
				own[k] = y[i]
			}
			cost += b.base.Energy(own)
		}
		if want := field.Energy(y); math.Abs(cost-want) > 1e-12*math.Abs(want) {
			t.Errorf("seed %d: the blocks cost %v, the whole %v", seed, cost, want)
		}
	}
}

// A block that is killed in any round, and started from its files by another process, ends with the same bits.
func TestKilledBlockGoesOn(t *testing.T) {
	field := corridor(160, 2, 2, true)
	of, _ := Cut(field.Model, 3)
	settings := Settings{Gap: 1e-5, Feasibility: 1e-6, Rounds: 60}
	calm := New(field, of, 3, 1)
	want := together(t, calm, settings)
	if want.Round < 4 {
		t.Fatalf("only %d rounds", want.Round)
	}
	for victim := range 3 {
		dir := t.TempDir()
		x := NewFiles(place.Folder(dir), "rounds", 3)
		out := make([]*Block, 3)
		var all sync.WaitGroup
		for k, b := range New(field, of, 3, 1) {
			if err := report.WriteFileFunc(filepath.Join(dir, fmt.Sprint(k, ".block")), b.Save); err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				if k == victim {
					run(t, x, dir, k, settings, 1+k)
				}
				out[k] = run(t, x, dir, k, settings, -1)
			})
		}
		all.Wait()
		for k, b := range out {
			if b == nil {
				t.Fatal("a block has not ended")
			}
			if !slices.Equal(b.state.Point, calm[k].state.Point) || b.state.Bound != calm[k].state.Bound {
				t.Errorf("block %d has other bits after block %d was killed", k, victim)
			}
		}
	}
}

// run runs a block from its files until it ends, or dies after a round: nil.
func run(t *testing.T, x Exchange, dir string, k int, s Settings, dies int) *Block {
	text, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(k, ".block")))
	if err != nil {
		t.Error(err)
		return nil
	}
	b, err := Open(bytes.NewReader(text), 1+k%2)
	if err != nil {
		t.Error(err)
		return nil
	}
	state := filepath.Join(dir, fmt.Sprint(k, ".state"))
	if text, err = os.ReadFile(state); err == nil {
		err = b.Resume(text)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
		return nil
	}
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	s.Keep = func(b *Block) error { return report.WriteFileFunc(state, b.Keep) }
	s.OnRound = func(p Progress) {
		if p.Round == dies {
			kill()
		}
	}
	if _, err := b.Run(ctx, x, s); err != nil {
		if dies < 0 {
			t.Error(err)
		}
		return nil
	}
	return b
}

// What is in a file is what was written, or an error.
func TestDamagedFiles(t *testing.T) {
	field := corridor(60, 2, 2, false)
	of, _ := Cut(field.Model, 2)
	var file bytes.Buffer
	if err := New(field, of, 2, 1)[0].Save(&file); err != nil {
		t.Fatal(err)
	}
	text := file.Bytes()
	for at := 0; at < len(text); at += 1 + len(text)/50 {
		damaged := slices.Clone(text)
		damaged[at] ^= 4
		if _, err := Open(bytes.NewReader(damaged), 1); !errors.Is(err, pack.ErrDamaged) {
			t.Fatalf("byte %d: %v", at, err)
		}
	}
}

// A block is read without its file's text beside it: what is held while it is opened is the file's buffer, and itself.
func TestOpenTakesItsMemoryOnce(t *testing.T) {
	alloctest.SkipIfRacing(t)
	field := corridor(1000, 2.5, 2, false)
	of, _ := Cut(field.Model, 2)
	path := filepath.Join(t.TempDir(), "block")
	if err := report.WriteFileFunc(path, New(field, of, 2, 1)[0].Save); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	opened := func() {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := Open(file, 1); err != nil {
			t.Fatal(err)
		}
	}
	// Garbage that is not collected yet may add to any one of them.
	peak := min(alloctest.Peak(opened), alloctest.Peak(opened), alloctest.Peak(opened))
	if float64(peak) > 3*float64(info.Size()) {
		t.Errorf("%d bytes are held while a file of %d is opened", peak, info.Size())
	}
}

// BenchmarkRounds takes a problem of some size in eight blocks to a gap of 1e-4. It reports the rounds until 1e-3 and
// until then, the share of variables that several blocks have, and the bytes that a block tells of each in a round.
func BenchmarkRounds(b *testing.B) {
	for _, people := range []int{400, 4000, 40000} {
		for exponent := 1; exponent <= 2; exponent++ {
			b.Run(fmt.Sprintf("people=%d/exponent=%d", people, exponent), func(b *testing.B) {
				field := corridor(people, float64(people)/400, exponent, false)
				of, shared := Cut(field.Model, 8)
				for b.Loop() {
					first := 0
					blocks := New(field, of, 8, 1)
					p := together(b, blocks, Settings{Gap: 1e-4, Feasibility: 1e-6, OnRound: func(p Progress) {
						if first == 0 && p.Gap <= 1e-3 {
							first = p.Round + 1
						}
					}})
					told, held := 0, 0
					for _, k := range blocks {
						held, told = held+len(k.shared), told+bytesTold(k)
					}
					b.ReportMetric(float64(field.Model.Potentials()), "rules")
					b.ReportMetric(float64(first), "rounds-to-1e-3")
					b.ReportMetric(float64(p.Round+1), "rounds")
					b.ReportMetric(100*float64(shared)/float64(field.Model.Variables), "%shared")
					b.ReportMetric(float64(told)/float64(held), "bytes")
				}
			})
		}
	}
}

// bytesTold is how many bytes a block says of the variables that it shares, in both steps of a round.
func bytesTold(b *Block) (told int) {
	for _, letter := range b.values() {
		if letter != nil {
			told += len(letter) - binary.Size(Sums{})
		}
	}
	for _, letter := range b.totals(make([]int64, len(b.shared))) {
		told += len(letter)
	}
	return told
}

// crowd is a field whose potentials tie a few variables to many others, so that any cut has them in all blocks.
func crowd(variables, common int) *mrf.Field {
	rng := rand.New(rand.NewPCG(5, 6))
	ties := &mrf.Block{Rule: 0, Kind: mrf.Hinge, Exponent: 2, Coef: []float64{1, -1}}
	prior := &mrf.Block{Rule: 1, Kind: mrf.Absolute, Exponent: 2, Coef: []float64{-1}}
	for i := common; i < variables-1; i++ {
		ties.Vars = append(ties.Vars, int32(i), int32(i%common), int32(i), int32(i+1))
		prior.Vars, prior.Bias = append(prior.Vars, int32(i)), append(prior.Bias, rng.Float32())
	}
	ties.Len, prior.Len = len(ties.Vars)/2, len(prior.Vars)
	field := mrf.NewField(&mrf.Model{Variables: variables, Rules: 2, Blocks: []*mrf.Block{ties, prior}})
	field.SetWeights([]float64{3, 1})
	return field
}

// However many blocks share a variable, they say 12 bytes of it each, and agree.
func TestHubs(t *testing.T) {
	field := crowd(6000, 41)
	best := serial(t, field, 1e-7)
	of := make([]int32, field.Model.Potentials())
	for k := range of {
		of[k] = int32(k / 2 % 16)
	}
	blocks := New(field, of, 16, 1)
	told, held, most := 0, 0, 0
	for _, b := range blocks {
		if !b.hubs {
			t.Fatal("no variable has a hub")
		}
		for _, v := range b.shared {
			most = max(most, len(v.blocks))
		}
		told, held = told+bytesTold(b), held+len(b.shared)
		if own := float64(bytesTold(b)) / float64(len(b.shared)); own > 16 {
			t.Errorf("block %d says %.1f bytes of a variable", b.Number, own)
		}
	}
	if most != 16 || told > 12*held {
		t.Errorf("%d bytes are said of %d variables in blocks, one of which %d have", told, held, most)
	}
	p := together(t, blocks, Settings{Gap: 1e-4, Feasibility: 1e-6, Rounds: 100})
	if cost := field.Energy(whole(t, field.Model, blocks)); p.Gap > 1e-4 || cost > best.Objective*(1+1.01e-4) {
		t.Errorf("gap %v after %d rounds, cost %v beside %v", p.Gap, p.Round+1, cost, best.Objective)
	}
	sumToZero(t, field.Model, blocks)
}

// What another process says is checked before it is taken.
func TestWrongLetters(t *testing.T) {
	field := crowd(600, 5)
	of := make([]int32, field.Model.Potentials())
	for k := range of {
		of[k] = int32(k / 2 % 6)
	}
	blocks := New(field, of, 6, 1)
	b := blocks[0]
	right := func() [][]byte {
		told := make([][]byte, 6)
		for k, other := range blocks {
			if k > 0 {
				told[k] = other.values()[0]
			}
		}
		return told
	}
	if _, _, err := b.add(right()); err != nil {
		t.Fatal(err)
	}
	for k := 1; k < 6; k++ {
		for _, change := range []func([]byte) []byte{
			func(l []byte) []byte { return l[:len(l)-1] },
			func(l []byte) []byte { return append(l, 0) },
			func([]byte) []byte { return nil },
		} {
			told := right()
			told[k] = change(told[k])
			if _, _, err := b.add(told); !errors.Is(err, errLetter) {
				t.Errorf("block %d: %v", k, err)
			}
		}
	}
	if _, _, err := b.add(right()[:5]); err == nil {
		t.Error("a block is missing, and nothing is said")
	}
	if err := b.take(make([][]byte, 6), make([]int64, len(b.shared))); !errors.Is(err, errLetter) {
		t.Error(err)
	}
}

// carry takes letters from streams to streams, until they end.
func carry(t *testing.T, in []*io.PipeWriter, out []*bufio.Reader) {
	for {
		letters := make([][][]byte, len(in))
		step := 0
		for k, from := range out {
			line, err := from.ReadBytes('\n')
			if err == io.EOF {
				return
			}
			var head heading
			if err := json.Unmarshal(line, &head); err != nil {
				t.Error(err)
				return
			}
			step = head.Step
			for _, length := range head.Letters {
				letter := make([]byte, length)
				if _, err := io.ReadFull(from, letter); err != nil {
					t.Error(err)
				}
				letters[k] = append(letters[k], letter)
			}
		}
		for k, to := range in {
			head := heading{Step: step}
			var body []byte
			for _, from := range letters {
				head.Letters, body = append(head.Letters, len(from[k])), append(body, from[k]...)
			}
			text, _ := json.Marshal(head)
			if _, err := to.Write(append(append(text, '\n'), body...)); err != nil {
				t.Error(err)
			}
		}
	}
}

// Blocks whose letters someone else carries come to the bits of those in one process.
func TestStreams(t *testing.T) {
	field := crowd(900, 7)
	of := make([]int32, field.Model.Potentials())
	for k := range of {
		of[k] = int32(k / 2 % 6)
	}
	settings := Settings{Gap: 1e-5, Feasibility: 1e-6, Rounds: 60}
	calm := New(field, of, 6, 1)
	together(t, calm, settings)
	blocks := New(field, of, 6, 1)
	in, out := make([]*io.PipeWriter, 6), make([]*bufio.Reader, 6)
	var all sync.WaitGroup
	for k, b := range blocks {
		reads, tells := io.Pipe()
		told, writes := io.Pipe()
		in[k], out[k] = tells, bufio.NewReader(told)
		all.Go(func() {
			if _, err := b.Run(context.Background(), NewStream(reads, writes, 6), settings); err != nil {
				t.Error(err)
			}
			writes.Close()
		})
	}
	carry(t, in, out)
	all.Wait()
	for k, b := range blocks {
		if !slices.Equal(b.state.Point, calm[k].state.Point) || b.state.Round != calm[k].state.Round {
			t.Errorf("block %d has other bits", k)
		}
	}
	for text, want := range map[string]string{
		"":                                   "unexpected EOF",
		"{}":                                 "unexpected EOF",
		"{}\n":                               "0 of step 0, and should be 2",
		"{\"step\":1,\"letters\":[0,0]}\n":   "2 of step 1, and should be 2",
		"{\"step\":0,\"letters\":[0,-1]}\n":  "no length of a letter",
		"{\"step\":0,\"letters\":[0,9]}\n12": "unexpected EOF",
		strings.Repeat("1", 1<<20):           "a line is too long",
	} {
		x := NewStream(strings.NewReader(text), io.Discard, 2)
		_, err := x.Gather(context.Background(), 0, 0, make([][]byte, 2))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// Where ρ has to change, the multipliers still move by the one that the values were found with.
func TestChangingRho(t *testing.T) {
	field := corridor(400, 1, 2, false)
	of, _ := Cut(field.Model, 8)
	for _, log := range []int{-8, -2, 2, 5} {
		blocks := New(field, of, 8, 1)
		for _, b := range blocks {
			b.state.Log = log
		}
		if p := together(t, blocks, Settings{Gap: 1e-4, Feasibility: 1e-6, Rounds: 60}); p.Gap > 1e-4 {
			t.Errorf("ρ begins with 2^%d: gap %v after %d rounds", log, p.Gap, p.Round+1)
		} else {
			t.Logf("ρ begins with 2^%d: %d rounds", log, p.Round+1)
		}
	}
}
