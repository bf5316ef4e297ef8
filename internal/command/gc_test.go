package command

import (
	"runtime"
	"testing"
	"time"
)

func TestAfterCollectionLooksUntilToldNotTo(t *testing.T) {
	looks := make(chan int, 8)
	n := 0
	afterCollection(func() bool {
		n++
		looks <- n
		return n < 2
	})
	for want := 1; want <= 2; want++ {
		if got := collectUntil(t, looks); got != want {
			t.Fatalf("look %d came as the %d-th", want, got)
		}
	}
	for range 3 {
		runtime.GC()
	}
	time.Sleep(20 * time.Millisecond)
	if len(looks) > 0 {
		t.Error("it went on looking")
	}
}

// collectUntil collects until there is a look, and returns it. One collection is not enough: it may go by between a
// look and the making of what the next one waits for.
func collectUntil(t *testing.T, looks <-chan int) int {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		runtime.GC()
		select {
		case look := <-looks:
			return look
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatal("collections go by without a look")
	return 0
}
