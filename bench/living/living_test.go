package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Every shape in small is changed and proven.
func TestShapes(t *testing.T) {
	for _, name := range shapeNames() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			args := []string{"--shape", name, "--scale", "0.02", "--changes", "5", "--json"}
			if err := run(t.Context(), args, &out); err != nil {
				t.Fatal(err)
			}
			var r result
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if r.Shape != name || r.Changes != 5 || r.Unproven > 0 || r.Targets < 20 || r.Gap > 1e-6 {
				t.Errorf("%+v", r)
			}
		})
	}
	if err := run(t.Context(), []string{"--shape", "ring"}, &bytes.Buffer{}); err == nil {
		t.Error("a shape that is not there is no error")
	}
}
