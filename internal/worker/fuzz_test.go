package worker_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/alloctest"
)

// conversation is frames to damage.
func conversation() (frames [][]byte) {
	for k, r := range []struct {
		do, fields string
		arrays     []array
	}{
		{"open", smokers, smokersArrays()},
		{"infer", `"session": 1`, nil},
		{"atoms", `"session": 1`, nil},
		{"set", `"session": 1, "table": {"predicate": "Gene", "columns": [{"strings": 0, "codes": 1}], "values": 2}`,
			[]array{texts("cid"), ints(0), doubles(1)}},
		{"learn", `"session": 1`, nil},
		{"save", `"session": 1`, nil},
		{"close", `"session": 1`, nil},
	} {
		frames = append(frames, request(k+2, r.do, r.fields, r.arrays))
	}
	return frames
}

// tell sends a frame, which must be answered, whatever is in it.
func (c *client) tell(frame []byte) {
	if _, err := c.in.Write(frame); err != nil {
		c.t.Fatal(err)
	}
	for c.receive().Event != nil {
	}
}

// FuzzRequest must find no header and no body that a worker does not answer.
func FuzzRequest(f *testing.F) {
	for _, frame := range conversation() {
		header := 16 + int(frame[4]) + int(frame[5])<<8
		f.Add(frame[16:header], frame[header:])
	}
	f.Fuzz(func(t *testing.T, header, body []byte) {
		c := start(t)
		c.tell(conversation()[0])
		timer := time.AfterFunc(30*time.Second, func() { panic(fmt.Sprintf("no answer: %q", header)) })
		defer timer.Stop()
		c.tell(encode(string(header), body))
	})
}

// Damaged frames must be answered, and never take more memory than a multiple of what has arrived. What damage makes
// of the prefix is TestBrokenStreams'.
func TestDamagedFrames(t *testing.T) {
	alloctest.SkipIfRacing(t)
	tries := 10_000
	if testing.Short() {
		tries = 500
	}
	random := rand.New(rand.NewPCG(1, 1))
	longest := 0
	peak := alloctest.Peak(func() {
		var c *client
		for k := range tries {
			if k%100 == 0 {
				if c != nil {
					_ = c.in.Close()
				}
				c = start(t)
				c.tell(conversation()[0])
			}
			frame := bytes.Clone(conversation()[k%7])
			for range 1 + random.IntN(3) {
				frame[16+random.IntN(len(frame)-16)] = byte(random.Uint32())
			}
			c.tell(frame)
			longest = max(longest, len(frame))
		}
	})
	t.Logf("%d bytes at most, for frames of up to %d bytes", peak, longest)
	if peak > 32<<20 {
		t.Errorf("%d bytes of memory for frames of %d bytes", peak, longest)
	}
}

// A large frame takes a multiple of its size, and one that only says that it is large takes nothing.
func TestMemoryOfFrames(t *testing.T) {
	alloctest.SkipIfRacing(t)
	c := start(t)
	codes := make([]int32, 1<<20)
	frame := request(2, "open", `"rules": "1: A(X) -> B(X)", "tables": [
		{"predicate": "A", "part": "observed", "columns": [{"strings": 0, "codes": 1}]}]`,
		[]array{texts("a"), ints(codes...)})
	peak := alloctest.Peak(func() { c.tell(frame) })
	t.Logf("%.1f bytes for a byte", float64(peak)/float64(len(frame)))
	if peak > 20*uint64(len(frame)) {
		t.Errorf("%d bytes of memory for a frame of %d", peak, len(frame))
	}
}

// A message about what is no text in UTF-8, as of a table in Latin-1, is a reply as any other.
func TestNamesInAnotherEncoding(t *testing.T) {
	c := start(t)
	table := `{"predicate": %q, "part": %q, "columns": [{"strings": %d, "codes": %d}]}`
	fields := `"rules": "1: A(X) -> B(X)", "tables": [` + fmt.Sprintf(table, "A", "observed", 0, 1) + ", " +
		fmt.Sprintf(table, "B", "targets", 2, 1) + "]"
	c.ok("open", fields, nil, texts("caf\xe9"), ints(0), texts("caf\xe9"))
	c.wrong("input", "needs B('caf\ufffd'), which is neither", "open", fields, texts("caf\xe9"), ints(0), texts("tea"))
}
