package shard_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/alloctest"
	"github.com/deeppsl/deeppsl/internal/place"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/shard"
)

// workerOf, if it is set, has this program be a worker: it names the folder of a plan, whose first shard it solves.
const workerOf = "DEEPPSL_TEST_WORKER"

func TestMain(m *testing.M) {
	dir := os.Getenv(workerOf)
	if dir == "" {
		os.Exit(m.Run())
	}
	if _, err := work(dir); err != nil {
		panic(err)
	}
	if _, err := os.Stdout.WriteString(strconv.FormatInt(report.PeakRSS(), 10)); err != nil {
		panic(err)
	}
}

// work solves the first shard of a plan.
func work(dir string) (*shard.Done, error) {
	ctx, at := context.Background(), place.Folder(dir)
	m, err := shard.ReadManifest(ctx, at)
	if err != nil {
		return nil, err
	}
	return shard.Run(ctx, at, m, 1, project.Options{Threads: 1}, shard.Told{Before: func(*shard.Cell) {}})
}

// towns writes a project of friendship within towns, and returns its configuration.
func towns(t testing.TB, count, people int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var near, targets bytes.Buffer
	for town := range count {
		for a := range people {
			for b := range people {
				if a != b {
					fmt.Fprintf(&targets, "p%d.%d\tp%d.%d\n", town, a, town, b)
					fmt.Fprintf(&near, "p%d.%d\tp%d.%d\t%.3f\n", town, a, town, b, rng.Float64())
				}
			}
		}
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"near.txt": near.Bytes(), "targets.txt": targets.Bytes(),
		"model.json": []byte(`{
 "predicates": {"Near/2": {"observations": ["near.txt"]}, "Friend/2": {"targets": ["targets.txt"]}},
 "rules": ["10: Near(A, B) -> Friend(A, B) ^2", "10: Friend(A, B) & Friend(B, C) & (A != C) -> Friend(A, C) ^2",
  "10: Friend(A, B) -> Friend(B, A) ^2", "1: !Friend(A, B) ^2"]}`)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "model.json")
}

// cut makes a plan of so many shards, and returns its folder.
func cut(t testing.TB, config string, cells, shards int) string {
	t.Helper()
	p, err := project.Load(config, project.Options{Threads: 1, Set: []string{"inference.gap=1e-4"}})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "parts")
	_, _, err = shard.Make(context.Background(), p, shard.Request{Config: config, By: shard.ByComponents, Cells: cells,
		Shards: shards, At: place.Folder(dir)})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A shard takes the memory of one part, however many it has.
func TestMemoryIsThatOfAPart(t *testing.T) {
	alloctest.SkipIfRacing(t)
	config := towns(t, 16, 48)
	peak := func(shards int) uint64 {
		dir := cut(t, config, 16, shards)
		return alloctest.Peak(func() {
			if done, err := work(dir); err != nil || done.Solved != 16/shards {
				t.Error(done, err)
			}
		})
	}
	// A look may miss the peak of one part alone, and garbage that is not collected yet may add to that of eight: both
	// measurements err to one side, and the more of them there are the nearer they come.
	one, eight := peak(16), peak(2)
	for tries := 1; float64(eight) > 1.1*float64(one); tries++ {
		if tries == 9 {
			t.Fatalf("eight parts take %d bytes, and one of them %d", eight, one)
		}
		one, eight = max(one, peak(16)), min(eight, peak(2))
	}
}

// BenchmarkMemory solves the first of eight shards of friendship within 64 towns in a process of its own, and reports
// what memory that takes at most, beside a process which has but one of the shard's eight parts.
func BenchmarkMemory(b *testing.B) {
	for _, people := range []int{26, 55} {
		b.Run(fmt.Sprintf("rules=%d", 64*people*(people-1)*(people+1)), func(b *testing.B) {
			config := towns(b, 64, people)
			shares := map[string]string{"MB": cut(b, config, 64, 8), "MB-of-a-part": cut(b, config, 64, 64)}
			for b.Loop() {
				for unit, dir := range shares {
					if err := os.RemoveAll(filepath.Join(dir, "answers")); err != nil {
						b.Fatal(err)
					}
					worker := exec.Command(os.Args[0])
					worker.Env = append(os.Environ(), workerOf+"="+dir)
					told, err := worker.Output()
					if err != nil {
						b.Fatal(err)
					}
					bytes, err := strconv.ParseFloat(strings.TrimSpace(string(told)), 64)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(bytes/1e6, unit)
				}
			}
		})
	}
}
