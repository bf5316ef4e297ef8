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
		runtime.GC()
		select {
		case got := <-looks:
			if got != want {
				t.Fatalf("look %d came as the %d-th", want, got)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a collection went by without a look")
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
