package command

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// A command that takes more memory than it may must be left, whether it listens or not.
func TestKeepTo(t *testing.T) {
	e := &Env{Err: new(bytes.Buffer)}
	done := make(chan struct{})
	var held [][]byte
	err := e.attend(context.Background(), func() error {
		e.KeepTo(taken() + leastMemory)
		for len(held) < 1<<10 {
			select {
			case <-done:
				return nil
			default:
				held = append(held, bytes.Repeat([]byte{1}, 1<<20))
			}
		}
		<-done
		return nil
	})
	close(done)
	if err == nil || !strings.Contains(err.Error(), "[memory-exceeded]") {
		t.Errorf("%d MiB end with %v", len(held), err)
	}
}

// Garbage is no reason to end.
func TestKeepToGarbage(t *testing.T) {
	e := &Env{Err: new(bytes.Buffer)}
	sum := 0
	err := e.attend(context.Background(), func() error {
		e.KeepTo(taken() + leastMemory)
		for range 40 {
			sum += len(bytes.Repeat([]byte{1}, 16<<20))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A command that does not end in time must be left, unless its answer is on its way.
func TestEndAfter(t *testing.T) {
	deaf := make(chan struct{})
	defer close(deaf)
	e := &Env{Err: new(bytes.Buffer)}
	err := e.attend(context.Background(), func() error { e.EndAfter(time.Millisecond); <-deaf; return nil })
	if err != errTimeLimit {
		t.Errorf("it ends with %v", err)
	}
	e = &Env{Err: new(bytes.Buffer)}
	e.Answering.Store(true)
	err = e.attend(context.Background(), func() error {
		e.EndAfter(time.Millisecond)
		time.Sleep(50 * time.Millisecond)
		return ErrReported
	})
	if err != ErrReported {
		t.Errorf("an answer that is on its way ends with %v", err)
	}
}
