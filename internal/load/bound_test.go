package load

import (
	"fmt"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/alloctest"
)

// lines calls line for so many numbers and joins what it returns.
func lines(n int, line func(k int) string) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(line(k))
	}
	return b.String()
}

// short writes a number in few bytes, as base64 has digits.
func short(k int) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	text := ""
	for ; k > 0 || text == ""; k /= len(digits) {
		text += digits[k%len(digits) : k%len(digits)+1]
	}
	return text
}

// TestPeak reads the inputs that need the most memory for their size, in each format.
func TestPeak(t *testing.T) {
	const n = 1 << 17
	one := func(format string) string {
		return lines(n, func(k int) string { return fmt.Sprintf(format, short(k)) })
	}
	for _, test := range []struct{ name, what, text string }{
		{"t.txt", "constants", one("%s\n")},
		{"t.txt", "wide", "a" + strings.Repeat("\t", n) + "a"},
		{"t.txt", "long", strings.Repeat("a", n)},
		{"t.csv", "constants", "x\n" + one("%s\n")},
		{"t.csv", "wide", "x\n" + strings.Repeat(",", n)},
		{"t.csv", "wide header", strings.Repeat("x,", n)},
		{"t.csv", "wide over lines", "x\n" + strings.Repeat(",\"\n\"", n)},
		{"t.csv", "wrong", "x\n" + strings.Repeat("1,2,3\n", n)},
		{"t.jsonl", "constants", one("[\"%s\"]\n")},
		{"t.jsonl", "named", one("{\"x\":\"%s\"}\n")},
		{"t.jsonl", "wide", "[" + strings.Repeat("1,", n) + "1]"},
		{"t.jsonl", "wrong", strings.Repeat("[]\n", n)},
		{"t.jsonl", "broken", strings.Repeat("[\n", n)},
		{"t.jsonl", "deep", strings.Repeat("[", n)},
	} {
		t.Run(test.name+"/"+test.what, func(t *testing.T) {
			p := predicate("P", 1)
			p.Observations.All = []Data{{Path: test.name}}
			c := &Config{Predicates: []*Predicate{p}, Open: only(test.name, test.text)}
			measure(t, len(test.text), func() error { _, err := c.Tables(Infer); return err })
		})
	}
}

// TestLimits shows what is said about configurations that ask for too much.
func TestLimits(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"c.json", `{"predicates": {"P/1": {"targets": [` + strings.Repeat(`"t", `, maxPaths+1) + `]}}}`,
			"error: a configuration names at most 65536 tables [config-paths]"},
		{"c.json", `{"rules": [` + strings.Repeat("1, ", maxMistakes+1) + `]}`,
			"error: there are more mistakes than these 100 [config-more-errors]"},
		{"c.yaml", "rules: [" + strings.Repeat("a, ", 2*fewYAML) + "]",
			"c.yaml: error: a configuration in YAML cannot be as dense and large: " +
				"about 32771 values in 98313 bytes [config-syntax]"},
	} {
		if _, err := ReadWith(test.name, only(test.name, test.text)); !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// measure holds a reader to 20 times its input and a little more. It may try again: garbage that a busy machine did not
// collect in time is nothing that it needs.
func measure(t *testing.T, size int, read func() error) {
	t.Helper()
	var err error
	var peak uint64
	bound := uint64(20*size + 4<<20)
	for range 3 {
		if peak = alloctest.Peak(func() { err = read() }); peak <= bound {
			break
		}
	}
	if peak > bound {
		t.Errorf("the heap grew by %d bytes for %d, by %.1f times", peak, size, float64(peak)/float64(size))
	}
	message := "no error"
	if err != nil {
		message, _, _ = strings.Cut(err.Error(), "\n")
	}
	t.Logf("%d bytes for %d, %.1f times: %.100s", peak, size, float64(peak)/float64(size), message)
}

// TestPeakOfConfigurations does so for configurations.
func TestPeakOfConfigurations(t *testing.T) {
	const n = 1 << 16
	predicates := func(body string) string { return `{"predicates": {` + body + `}}` }
	rows := func(row string) string {
		return predicates(`"P/1": {"observations": [` + strings.Repeat(row, n) + `]}`)
	}
	for what, text := range map[string]string{
		"ones":       "[" + strings.Repeat("1,", n) + "1]",
		"rules":      `{"rules": [` + strings.Repeat("1,", n) + "]}",
		"rows":       rows("[1],"),
		"texts":      rows(`["a","b"],`),
		"wrong rows": rows("1,"),
		"paths":      rows(`"a",`),
		"options": `{"options": {` +
			lines(n, func(k int) string { return fmt.Sprintf("%q:1,", short(k)) }) + "}}",
		"repeated": `{"options": {` + strings.Repeat(`"a":1,`, n) + "}}",
		"unknown":  "{" + lines(n, func(k int) string { return fmt.Sprintf("%q:1,", short(k)) }) + "}",
		"predicates": predicates(lines(n/4, func(k int) string {
			return fmt.Sprintf("%q: {\"observations\": [\"p%d.txt\"]},", fmt.Sprintf("Predicate%d/1", k), k)
		})),
		"empty":   predicates(strings.Repeat(`"":0,`, n)),
		"escapes": `{"rules": [` + strings.Repeat(`"\n",`, n) + "]}",
	} {
		for _, name := range []string{"c.json", "c.yaml"} {
			t.Run(name+"/"+what, func(t *testing.T) {
				open := only(name, text)
				measure(t, len(text), func() error { _, err := ReadWith(name, open); return err })
			})
		}
	}
}
