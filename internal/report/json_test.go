package report

import (
	"bytes"
	"math"
	"testing"
	"time"
)

func TestJSON(t *testing.T) {
	type inner struct {
		Gap float64 `json:"gap"`
	}
	type result struct {
		Zeta    string         `json:"zeta"`
		Alpha   float64        `json:"alpha"`
		Small   []float32      `json:"small"`
		Missing []int          `json:"missing"`
		Elapsed time.Duration  `json:"seconds"`
		Counts  map[string]int `json:"counts"`
		inner
	}
	value := result{
		Zeta: "<a> & 'b' é", Alpha: math.NaN(), Small: []float32{0.1, float32(math.Inf(1))},
		Elapsed: 1500 * time.Millisecond, Counts: map[string]int{"b": 2, "a": 1, "c": 3}, inner: inner{math.Inf(-1)},
	}
	const want = `{"zeta":"<a> & 'b' é","alpha":null,"small":[0.1,null],"missing":[],"seconds":1.5,` +
		`"counts":{"a":1,"b":2,"c":3},"gap":null}` + "\n"
	var b bytes.Buffer
	if err := JSON(&b, value); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("got  %swant %s", b.String(), want)
	}
}

// A constant in another encoding must not cost the whole answer.
func TestJSONOfOtherEncodings(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, map[string]string{"name": "K\xf6ln"}); err != nil {
		t.Fatal(err)
	}
	if want := "{\"name\":\"K\ufffdln\"}\n"; b.String() != want {
		t.Errorf("got %swant %s", b.String(), want)
	}
}

func TestJSONErrorsWriteNothing(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, make(chan int)); err == nil || b.Len() > 0 {
		t.Errorf("JSON of a channel: error %v, wrote %q", err, b.String())
	}
}
