package ground

import (
	"context"
	"runtime/debug"
	"testing"
	"time"
)

// room is how many bytes may wait in these tests.
const room = 1 << 10

// collect grounds a rule of many pieces on two threads. At the end of the first piece, when more is waiting for it than
// may, it calls first. It returns how much has waited at most, and how much there is.
func collect(t *testing.T, first func()) (most, total int64) {
	t.Helper()
	f := resolution(t, 400)
	p, err := Prepare(context.Background(), f.program, f.store, 2)
	if err != nil {
		t.Fatal(err)
	}
	f.store.Number()
	g := newGrounder(context.Background(), p.scope, Options{Threads: 2})
	defer g.release()
	r := p.routine(2, 2)
	r.most = pieces
	c := newCollection(g, r)
	c.roomy = room
	waiting := func() int64 {
		c.mu.Lock()
		defer c.mu.Unlock()
		most = max(most, c.ahead)
		return c.ahead
	}
	g.each(r, c.take, func(piece int, m *machine) {
		if piece == 0 {
			for end := time.Now().Add(10 * time.Second); waiting() <= room && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			first()
		}
		c.end(piece, m)
		waiting()
	})
	return most, c.arrived
}

// What waits for a first piece that takes its time is bounded.
func TestWaitingPiecesAreBounded(t *testing.T) {
	most, total := collect(t, func() { time.Sleep(50 * time.Millisecond) })
	if most <= room || most > total/10 {
		t.Errorf("%d bytes of %d have waited, %d may", most, total, room)
	}
}

// Nobody waits for a piece that panics, as where a file that is mapped is damaged.
func TestNobodyWaitsForPanics(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var none []int
	collect(t, func() { none[len(t.Name())]++ })
}
