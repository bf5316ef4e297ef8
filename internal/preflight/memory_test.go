package preflight

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
)

func TestAvailable(t *testing.T) {
	const meminfo = "MemTotal:       8000000 kB\nMemFree:        100 kB\nMemAvailable:    4000000 kB\n"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  int64
		ok    bool
	}{
		{"no Linux", nil, 0, false},
		{"the system's", map[string]string{"proc/meminfo": meminfo}, 4096000000, true},
		{"a broken number", map[string]string{"proc/meminfo": "MemAvailable: much kB\n"}, 0, false},
		{"a container's", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.current": "700\n",
			"sys/fs/cgroup/memory.stat": "anon 600\ninactive_file 50\n"}, 350, true},
		{"a container without a limit", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.current": "700\n"}, 4096000000, true},
		{"a group's", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "1000\n", "sys/fs/cgroup/a/b/memory.current": "1700\n"}, 0, true},
		{"the older interface", map[string]string{"proc/meminfo": meminfo,
			"proc/self/cgroup": "4:cpu,memory:/\n4:memory:/x\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "5000\n",
			"sys/fs/cgroup/memory/x/memory.usage_in_bytes": "1000\n"}, 4000, true},
		{"a group with more than the system", map[string]string{"proc/meminfo": "MemAvailable: 1 kB\n",
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "9000\n", "sys/fs/cgroup/memory.current": "0\n"},
			1024, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := fstest.MapFS{}
			for name, text := range test.files {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if bytes, ok := Available(files); bytes != test.want || ok != test.ok {
				t.Errorf("%d bytes, %t; want %d, %t", bytes, ok, test.want, test.ok)
			}
		})
	}
}

func TestFit(t *testing.T) {
	file := &source.File{Name: "model.psl", Text: "1: A(X) -> B(X)\n1: A(X) & A(Y) & A(Z) -> C(X, Y, Z)\n"}
	rule := func(from, to int, potentials float64) ground.Estimate {
		return ground.Estimate{Plan: &plan.Plan{Rule: &program.Rule{Span: file.Span(from, to)}},
			Potentials: potentials, Bytes: 8 * potentials}
	}
	estimates := []ground.Estimate{rule(0, 15, 1000), rule(16, 51, 2.345e9)}
	if err := Fit(estimates, 1e11, true); err != nil {
		t.Errorf("100 GB are not enough: %v", err)
	}
	var failure *source.Failure
	if err := Fit(estimates, 16e9, true); !errors.As(err, &failure) {
		t.Fatalf("16 GB are enough: %v", err)
	}
	const want = `model.psl:2:1: error: the ground model would need about 75 GB of memory, and 16 GB is available; ` +
		`this rule has about 2,300,000,000 ground rules, which need 75 GB [too-large]
    1: A(X) & A(Y) & A(Z) -> C(X, Y, Z)
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
    hint: restrict this rule, for example to pairs in one block, or run with --memory to keep ground rules ` +
		`in a file, or use --force (-D ground.force=true)`
	if diff := cmp.Diff(want, failure.Error()); diff != "" {
		t.Error(diff)
	}
	// No file is offered for ground rules that have to be in memory.
	if err := Fit(estimates, 16e9, false); err == nil || strings.Contains(err.Error(), "--memory") {
		t.Errorf("ground rules that cannot go to a file: %v", err)
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[float64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9960: "10 kB",
		999_400: "999 kB", 999_600: "1.0 MB", 2.5e9: "2.5 GB", 1e30: "10^12 EB"} {
		if got := Size(bytes); got != want {
			t.Errorf("Size(%g) = %s, want %s", bytes, got, want)
		}
	}
}

func TestAmount(t *testing.T) {
	for _, test := range []struct {
		count float64
		exact bool
		want  string
	}{{0, true, "0"}, {999, true, "999"}, {1234567, true, "1,234,567"}, {1234567, false, "about 1,200,000"},
		{7, false, "about 7"}, {0.2, false, "0"}, {99.6, false, "about 100"}, {3e99, false, "about 10^99"}} {
		if got := ground.Amount(test.count, test.exact); got != test.want {
			t.Errorf("ground.Amount(%g, %t) = %s, want %s", test.count, test.exact, got, test.want)
		}
	}
}
