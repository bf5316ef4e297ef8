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
	const n = 1 << 18
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

// measure holds a reader to 20 times its input and a little more.
func measure(t *testing.T, size int, read func() error) {
	t.Helper()
	var err error
	peak := alloctest.Peak(func() { err = read() })
	if peak > uint64(20*size+4<<20) {
		t.Errorf("the heap grew by %d bytes for %d, by %.1f times", peak, size, float64(peak)/float64(size))
	}
	message := "no error"
	if err != nil {
		message, _, _ = strings.Cut(err.Error(), "\n")
	}
	t.Logf("%d bytes for %d, %.1f times: %.100s", peak, size, float64(peak)/float64(size), message)
}
