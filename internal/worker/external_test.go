package worker_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// call is what a worker asks of its client.
type call struct {
	Number, Session, Instance, Pass int
	Network, Do, Optimiser          string
	Rows, Gradient, State           int
	Train                           bool
	Rate, Decay                     float64
}

// classifier is a network that a client computes: the logits w·u of two classes, for features u that it keeps.
type classifier struct {
	features [][2]float64
	weights  map[int][4]float32 // by instance
	slope    [4]float32
	seen     map[int][]int32 // rows, by pass
	calls    map[string]int
	fails    string // what it fails in
	narrow   bool   // it forgets an output
}

func newClassifier(features [][2]float64) *classifier {
	return &classifier{features: features, weights: make(map[int][4]float32), seen: make(map[int][]int32),
		calls: make(map[string]int)}
}

func float32s(data []byte) []float32 {
	values := make([]float32, len(data)/4)
	_ = binary.Read(bytes.NewReader(data), binary.LittleEndian, values)
	return values
}

func singles(values []float32) array {
	data, _ := binary.Append(nil, binary.LittleEndian, values)
	return array{"f4", len(values), data}
}

// answer answers a call.
func (c *client) answer(m *message) {
	c.t.Helper()
	fields, arrays := "", []array(nil)
	if c.net.calls[m.Call.Do]++; c.net.fails == m.Call.Do {
		fields = `, "error": "ValueError: it fails"`
	} else {
		fields, arrays = c.net.compute(m)
	}
	if _, err := c.in.Write(enclose(fmt.Sprintf(`"call": %d%s`, m.Call.Number, fields), arrays)); err != nil {
		c.t.Fatal(err)
	}
}

func (n *classifier) compute(m *message) (string, []array) {
	w := n.weights[m.Call.Instance]
	switch m.Call.Do {
	case "forward":
		n.seen[m.Call.Pass] = m.ints(m.Call.Rows)
		var outputs []float32
		for _, r := range n.seen[m.Call.Pass] {
			u := n.features[r]
			for class := range 2 {
				outputs = append(outputs, w[2*class]*float32(u[0])+w[2*class+1]*float32(u[1]))
			}
		}
		if n.narrow {
			outputs = outputs[1:]
		}
		return `, "outputs": 0`, []array{singles(outputs)}
	case "backward":
		for k, g := range float32s(m.data[m.Call.Gradient]) {
			u := n.features[n.seen[m.Call.Pass][k/2]]
			n.slope[2*(k%2)] += g * float32(u[0])
			n.slope[2*(k%2)+1] += g * float32(u[1])
		}
	case "step":
		for k := range w {
			w[k] -= float32(m.Call.Rate) * 10 * n.slope[k]
		}
		n.weights[m.Call.Instance], n.slope = w, [4]float32{}
	case "state":
		state := singles(w[:])
		return `, "state": 0`, []array{{"u1", len(state.data), state.data}}
	case "restore":
		n.weights[m.Call.Instance] = [4]float32(float32s(m.data[m.Call.State]))
	}
	return "", nil
}

// seers are things that a classifier tells apart by their first feature, of which the first ten have a truth.
func seers() (n *classifier, open string, arrays []array) {
	var names []string
	var features [][2]float64
	var things, classes, known []int32
	for k := range 14 {
		names = append(names, fmt.Sprintf("t%d", k))
		side := 1 - 2*float64(k%2)
		features = append(features, [2]float64{side, math.Cos(float64(k))})
		things, classes = append(things, int32(k), int32(k)), append(classes, 0, 1)
		known = append(known, int32(k%2))
	}
	open = `"rules": "1: Looks(F, K) -> Is(F, K) ^2\n1: Is(F, K) -> Looks(F, K) ^2\nIs(F, +K) = 1 .",
		"predicates": [{"name": "Looks", "network": {"name": "", "classes": ["a", "b"], "external": true}}],
		"features": [{"network": "Looks", "ids": 0}],
		"tables": [
			{"predicate": "Is", "part": "targets", "columns": [{"strings": 0, "codes": 1}, {"strings": 2, "codes": 3}]},
			{"predicate": "Is", "part": "truth", "phase": "learning",
				"columns": [{"strings": 0, "codes": 4}, {"strings": 2, "codes": 5}]}]`
	arrays = []array{texts(names...), ints(things...), texts("a", "b"), ints(classes...),
		ints(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), ints(known[:10]...)}
	return newClassifier(features), open, arrays
}

// A client's network is learned through the rules, by the default method and by the paper's, and keeps its best state.
func TestNetworkElsewhere(t *testing.T) {
	for _, options := range []string{``, `, "options": {"learning": "deeppsl", "epochs": 20}`} {
		c := start(t)
		net, open, arrays := seers()
		c.net = net
		c.ok("open", open+options, nil, arrays...)
		c.ok("learn", `"session": 1`, nil)
		var answer struct{ Values int }
		values := c.ok("infer", `"session": 1`, &answer).doubles(answer.Values)
		var atoms struct {
			Predicates []struct {
				Predicate string
				Count     int
				Codes     []int
			}
			Strings int
		}
		c.ok("atoms", `"session": 1`, &atoms)
		if len(values) != 56 || len(atoms.Predicates) != 2 {
			t.Fatalf("%d values of %+v", len(values), atoms)
		}
		for k := range 28 { // each thing's two classes follow each other, in both predicates
			right := (k/2)%2 == k%2
			if right != (values[k] > 0.5) || right != (values[28+k] > 0.5) {
				t.Errorf("%s: value %d is %v and %v", options, k, values[k], values[28+k])
			}
		}
		if net.calls["forward"] == 0 || net.calls["backward"] == 0 || net.calls["step"] == 0 {
			t.Errorf("%v", net.calls)
		}
		var saved struct{ Parameters int }
		m := c.ok("save", `"session": 1`, &saved)
		learned := net.weights
		net.weights = make(map[int][4]float32)
		c.ok("load", `"session": 1, "parameters": 0`, nil, array{"u1", len(m.data[0]), m.data[0]})
		for instance, w := range net.weights {
			if w != learned[instance] || w == [4]float32{} {
				t.Errorf("%v was loaded, %v saved", w, learned[instance])
			}
		}
		if len(net.weights) != 1 {
			t.Errorf("%d states were loaded", len(net.weights))
		}
	}
}

// What goes wrong over there is an error here with its text, and the worker goes on.
func TestErrorsElsewhere(t *testing.T) {
	c := start(t)
	net, open, arrays := seers()
	c.net = net
	c.ok("open", open+`, "options": {"learning": "deeppsl", "epochs": 3}`, nil, arrays...)
	for _, do := range []string{"forward", "backward", "step", "state", "restore"} {
		net.fails = do
		c.wrong("failed", `network "Looks": ValueError: it fails`, "learn", `"session": 1`)
		net.fails = ""
		c.ok("infer", `"session": 1`, nil)
	}
	net.narrow = true
	c.wrong("failed", "27 outputs for 14 rows; 2 are wanted of each", "infer", `"session": 1`)
	net.narrow = false
	c.ok("infer", `"session": 1`, nil)
	if _, err := c.in.Write(encode(`{"call": 999}`, nil)); err != nil {
		t.Fatal(err)
	}
	if m := c.receive(); m.Error == nil || !strings.Contains(m.Error.Message, "no call 999") || m.ID != 0 {
		t.Errorf("%+v", m)
	}
	c.wrong("input", "no numbers", "open", strings.Replace(open, `, "external": true`, ``, 1), arrays...)
}

// What fails where a network keeps its state because the request is cancelled, as by an interrupt, is not told to the
// next request.
func TestCancelledElsewhere(t *testing.T) {
	c := start(t)
	net, open, arrays := seers()
	c.net = net
	c.ok("open", open+`, "options": {"learning": "deeppsl", "epochs": 100000}`, nil, arrays...)
	learning, cancel := c.send("learn", `"session": 1`), 0 // the reply to a cancel comes among calls
	const steps = 1000                                     // beyond fitting
	for ended := false; !ended; {
		switch m := c.receive(); {
		case m.Call != nil:
			if m.Call.Do == "step" && net.calls["step"] > steps && cancel == 0 {
				net.fails = "restore"
				cancel = c.send("cancel", fmt.Sprintf(`"request": %d`, learning))
			}
			c.answer(m)
		case m.ID == learning && m.Event == nil:
			ended = true
		}
	}
	if net.fails == "" {
		t.Fatal("learning ended too soon")
	}
	net.fails = ""
	c.ok("infer", `"session": 1`, nil)
}
