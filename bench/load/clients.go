package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// times are how long answers took, counted by their logarithm, to about 5 %.
type times struct {
	buckets [1024]int64
	count   int64
}

// perDoubling is how many buckets a time has on its way to twice as much.
const perDoubling = 16

func (t *times) add(d time.Duration) {
	at := int(perDoubling * math.Log2(max(1, float64(d.Microseconds()))))
	t.buckets[min(at, len(t.buckets)-1)]++
	t.count++
}

func (t *times) merge(other *times) {
	for k, n := range other.buckets {
		t.buckets[k] += n
	}
	t.count += other.count
}

// milliseconds are what a share of the answers took at most.
func (t *times) milliseconds(share float64) float64 {
	left := share * float64(t.count)
	for k, n := range t.buckets {
		if left -= float64(n); n > 0 && left <= 0 {
			return math.Exp2(float64(k+1)/perDoubling) / 1000
		}
	}
	return 0
}

// tally is what clients saw.
type tally struct {
	mu      sync.Mutex
	answers map[string]int // of updates that were not made, and of reads that failed, by status
	said    []string       // what was answered that must not be
	resent  int            // updates after a kill
	checked int            // atoms after a kill, and in the end
	updates times
	reads   times
}

// refused counts an answer that is no success.
func (t *tally) refused(what string, status int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers[fmt.Sprint(what, " ", status)]++
}

// wrong notes what must not be.
func (t *tally) wrong(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.said) < 10 {
		t.said = append(t.said, fmt.Sprintf(format, args...))
	}
}

// owned is an atom that one writer alone changes, and what it was answered to be.
type owned struct {
	atom
	observed bool
}

// change is the body of an update.
type change struct {
	Change    string   `json:"change"`
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Value     *float64 `json:"value,omitempty"`
}

// writer changes its atoms.
type writer struct {
	name   string
	server *server
	client *http.Client
	rng    *rand.Rand
	atoms  []*owned
	pause  time.Duration
	tally  *tally
	times  times
}

func (w *writer) run(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		a := w.atoms[w.rng.IntN(len(w.atoms))]
		next := owned{atom: a.atom, observed: !a.observed || w.rng.IntN(2) == 0}
		c := change{Change: "target", Predicate: a.Predicate, Arguments: a.Arguments}
		if next.observed {
			next.Value = float64(w.rng.IntN(11)) / 10
			c.Change, c.Value = "observe", &next.Value
		}
		if w.update(ctx, fmt.Sprint(w.name, "-", n), c) {
			*a = next
		}
		time.Sleep(w.pause)
	}
	w.tally.mu.Lock()
	defer w.tally.mu.Unlock()
	w.tally.updates.merge(&w.times)
}

// update sends a change until it is answered, with one key, and tells whether it was made. Whether the process was
// killed before it, amid it or after it: it is made once.
func (w *writer) update(ctx context.Context, key string, c change) bool {
	for begun := time.Now(); ; {
		status, err := w.server.ask(w.client, http.MethodPost, "v1/updates", map[string]any{"changes": []change{c}}, nil,
			"Idempotency-Key", key)
		switch {
		case err != nil:
			if ctx.Err() != nil && time.Since(begun) > patience {
				w.tally.wrong("an update was not answered for %v: %v", patience, err)
				return false
			}
			time.Sleep(20 * time.Millisecond)
			w.tally.mu.Lock()
			w.tally.resent++
			w.tally.mu.Unlock()
			w.check(20, c.Arguments)
			continue
		case status == http.StatusOK:
			w.times.add(time.Since(begun))
			return true
		}
		w.tally.refused("update", status)
		if status != http.StatusTooManyRequests {
			if status != http.StatusConflict && status != http.StatusUnprocessableEntity { // hard rules may refuse it
				w.tally.wrong("an update was answered with %d: %v", status, c)
			}
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// check compares some of the atoms with what was answered, but for one whose change may be made already.
func (w *writer) check(count int, changing []string) {
	for range count {
		if a := w.atoms[w.rng.IntN(len(w.atoms))]; !slices.Equal(a.Arguments, changing) {
			w.compare(a)
		}
	}
}

func (w *writer) compare(a *owned) {
	if !a.observed {
		return
	}
	var found struct {
		Atoms []atom `json:"atoms"`
	}
	status, err := w.server.ask(w.client, http.MethodGet, a.path(), nil, &found)
	if err != nil {
		return // it was killed again
	}
	w.tally.mu.Lock()
	w.tally.checked++
	w.tally.mu.Unlock()
	if status != http.StatusOK || found.Atoms[0].Value != a.Value {
		w.tally.wrong("%s%q was set to %v, which is lost: %d %v", a.Predicate, a.Arguments, a.Value, status, found.Atoms)
	}
}

// reader asks for values over one connection, one after the other.
type reader struct {
	server *server
	rng    *rand.Rand
	paths  []string
	tally  *tally
	times  times
}

func (r *reader) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := r.connected(ctx); err != nil {
			time.Sleep(20 * time.Millisecond) // it was killed
		}
	}
	r.tally.mu.Lock()
	defer r.tally.mu.Unlock()
	r.tally.reads.merge(&r.times)
}

// connected asks for as long as a connection lasts.
func (r *reader) connected(ctx context.Context) error {
	at, err := url.Parse(r.server.url())
	if err != nil {
		return err
	}
	connection, err := net.Dial("tcp", at.Host)
	if err != nil {
		return err
	}
	defer connection.Close()
	answers := bufio.NewReader(connection)
	for ctx.Err() == nil {
		begun := time.Now()
		path := r.paths[r.rng.IntN(len(r.paths))]
		if _, err := io.WriteString(connection, "GET /"+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			return err
		}
		response, err := http.ReadResponse(answers, nil)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, response.Body)
		if err != nil {
			return err
		}
		if response.StatusCode == http.StatusOK {
			r.times.add(time.Since(begun))
			continue
		}
		r.tally.refused("read", response.StatusCode)
		if response.StatusCode != http.StatusTooManyRequests {
			r.tally.wrong("%s was answered with %d", path, response.StatusCode)
		}
	}
	return nil
}
