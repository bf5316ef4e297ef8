package worker_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/worker"
)

// client speaks the protocol as docs/protocol.md has it, without the code of this package.
type client struct {
	t   testing.TB
	in  io.WriteCloser
	out io.Reader
	end chan error // what Serve returned
	ids int
	net *classifier // answers calls
}

// message is a frame that has come: its header, and the bytes of each of its arrays.
type message struct {
	ID     int             `json:"id"`
	OK     json.RawMessage `json:"ok"`
	Event  json.RawMessage `json:"event"`
	Error  *failure        `json:"error"`
	Call   *call           `json:"call"`
	Arrays []struct {
		Type   string `json:"type"`
		Length int    `json:"length"`
	} `json:"arrays"`
	data [][]byte
}

type failure struct {
	Kind, Message string
	Problems      []struct {
		ID, File, Message, Hint string
		Line, Column            int
	}
}

func start(t testing.TB) *client {
	t.Helper()
	requests, in := io.Pipe()
	out, replies, err := os.Pipe() // which has room, unlike io.Pipe: the worker may write while it is written to
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, in: in, out: out, end: make(chan error, 1)}
	go func() {
		c.end <- worker.Serve(context.Background(), requests, replies, "v0")
		_ = replies.Close()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		_ = out.Close()
	})
	c.ok("hello", `"protocol": 1`, nil)
	return c
}

// array is an array to send.
type array struct {
	kind   string
	length int
	data   []byte
}

func doubles(values ...float64) array {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return array{"f8", len(values), data}
}

func ints(values ...int32) array {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	return array{"i4", len(values), data}
}

func texts(values ...string) array {
	data := make([]byte, 8)
	end := 0
	for _, v := range values {
		end += len(v)
		data = binary.LittleEndian.AppendUint64(data, uint64(end))
	}
	return array{"str", len(values), append(data, strings.Join(values, "")...)}
}

// encode makes a frame of a header and arrays.
func encode(header string, body []byte) []byte {
	out := []byte("DPSL")
	out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(body)))
	return append(append(out, header...), body...)
}

// request makes the frame of a request.
func request(id int, do, fields string, arrays []array) []byte {
	if fields != "" {
		fields = ", " + fields
	}
	return enclose(fmt.Sprintf(`"id": %d, "do": %q%s`, id, do, fields), arrays)
}

// enclose makes a frame of a header's members and arrays.
func enclose(fields string, arrays []array) []byte {
	var body []byte
	specs := []string{}
	for _, a := range arrays {
		for len(body)%8 != 0 {
			body = append(body, 0)
		}
		body = append(body, a.data...)
		specs = append(specs, fmt.Sprintf(`{"type": %q, "length": %d}`, a.kind, a.length))
	}
	return encode(fmt.Sprintf(`{%s, "arrays": [%s]}`, fields, strings.Join(specs, ", ")), body)
}

func (c *client) send(do, fields string, arrays ...array) (id int) {
	c.t.Helper()
	c.ids++
	if _, err := c.in.Write(request(c.ids, do, fields, arrays)); err != nil {
		c.t.Fatal(err)
	}
	return c.ids
}

// receive reads a frame.
func (c *client) receive() *message {
	c.t.Helper()
	var prefix [16]byte
	if _, err := io.ReadFull(c.out, prefix[:]); err != nil || string(prefix[:4]) != "DPSL" {
		c.t.Fatalf("%q, %v", prefix, err)
	}
	header := make([]byte, binary.LittleEndian.Uint32(prefix[4:]))
	body := make([]byte, binary.LittleEndian.Uint64(prefix[8:]))
	for _, part := range [][]byte{header, body} {
		if _, err := io.ReadFull(c.out, part); err != nil {
			c.t.Fatal(err)
		}
	}
	m := &message{}
	if err := json.Unmarshal(header, m); err != nil {
		c.t.Fatalf("%v in %s", err, header)
	}
	for _, spec := range m.Arrays {
		size := spec.Length * map[string]int{"f8": 8, "f4": 4, "i4": 4, "u1": 1}[spec.Type]
		if spec.Type == "str" {
			size = 8*(spec.Length+1) + int(binary.LittleEndian.Uint64(body[8*spec.Length:]))
		}
		m.data = append(m.data, body[:size])
		body = body[(size+7)/8*8:]
	}
	if len(body) > 0 {
		c.t.Errorf("%d bytes are behind the arrays", len(body))
	}
	return m
}

// ask sends a request and returns its reply, and its events before it.
func (c *client) ask(do, fields string, arrays ...array) (reply *message, events []json.RawMessage) {
	c.t.Helper()
	id := c.send(do, fields, arrays...)
	for {
		m := c.receive()
		if m.Call != nil {
			c.answer(m)
			continue
		}
		if m.ID != id {
			c.t.Fatalf("a reply to %d, not %d: %s %+v", m.ID, id, m.OK, m.Error)
		}
		if m.Event == nil {
			return m, events
		}
		events = append(events, m.Event)
	}
}

// ok is ask for what must go well; it reads the result into one value.
func (c *client) ok(do, fields string, result any, arrays ...array) *message {
	c.t.Helper()
	m, _ := c.ask(do, fields, arrays...)
	if m.Error != nil {
		c.t.Fatalf("%s: %+v", do, m.Error)
	}
	if result != nil {
		if err := json.Unmarshal(m.OK, result); err != nil {
			c.t.Fatalf("%s: %v in %s", do, err, m.OK)
		}
	}
	return m
}

// wrong is ask for what must fail, with a text in its message.
func (c *client) wrong(kind, text, do, fields string, arrays ...array) *failure {
	c.t.Helper()
	m, _ := c.ask(do, fields, arrays...)
	if m.Error == nil {
		c.t.Fatalf("%s %s: %s", do, fields, m.OK)
	}
	if m.Error.Kind != kind || !strings.Contains(m.Error.Message, text) {
		c.t.Errorf("%s %s: %+v, want %s with %q", do, fields, m.Error, kind, text)
	}
	return m.Error
}

func (m *message) doubles(k int) []float64 {
	out := make([]float64, m.Arrays[k].Length)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(m.data[k][8*i:]))
	}
	return out
}

func (m *message) ints(k int) []int32 {
	out := make([]int32, m.Arrays[k].Length)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(m.data[k][4*i:]))
	}
	return out
}

func (m *message) texts(k int) []string {
	n := m.Arrays[k].Length
	out := make([]string, n)
	for i := range out {
		from, to := binary.LittleEndian.Uint64(m.data[k][8*i:]), binary.LittleEndian.Uint64(m.data[k][8*i+8:])
		out[i] = string(m.data[k][8*(n+1):][from:to])
	}
	return out
}

const smokers = `"rules": "3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2\n1: Gene(A) -> Smokes(A) ^2\n1: !Smokes(A) ^2",
	"predicates": [{"name": "Smokes", "evaluators": ["continuous"]}],
	"tables": [
		{"predicate": "Friends", "part": "observed", "columns": [{"strings": 0, "codes": 1}, {"strings": 0, "codes": 2}]},
		{"predicate": "Smokes", "part": "observed", "columns": [{"strings": 0, "codes": 3}]},
		{"predicate": "Smokes", "part": "targets", "columns": [{"strings": 0, "codes": 4}]},
		{"predicate": "Gene", "part": "given", "columns": [{"strings": 0, "codes": 4}], "values": 5},
		{"predicate": "Smokes", "part": "truth", "columns": [{"strings": 0, "codes": 4}], "values": 6}],
	"options": {"seed": 1, "learning": "perceptron", "set": {"learn.epochs": "3"}}`

func smokersArrays() []array {
	return []array{texts("ann", "bob", "cid", "dän"), ints(0, 1), ints(1, 2), ints(0), ints(1, 2), doubles(0, 0),
		doubles(0.5, 1)}
}

func TestSessionOfTables(t *testing.T) {
	c := start(t)
	var opened struct {
		Session int
		Rules   []struct {
			Text   string
			Weight float64
			Ground int
		}
	}
	c.ok("open", smokers, &opened, smokersArrays()...)
	if opened.Session != 1 || len(opened.Rules) != 3 || opened.Rules[0].Weight != 3 || opened.Rules[0].Ground != 2 {
		t.Errorf("%+v", opened)
	}
	var answer struct {
		Answer, Values          int
		Status, Method, Reason  string
		Objective, Gap, Seconds float64
	}
	m := c.ok("infer", `"session": 1`, &answer)
	values := m.doubles(answer.Values)
	if answer.Status != "optimal" || answer.Answer != 1 || math.Abs(answer.Objective-1.105) > 1e-3 || answer.Gap > 1e-4 {
		t.Errorf("%+v", answer)
	}
	var atoms struct {
		Strings    int
		Predicates []struct {
			Predicate string
			Count     int
			Codes     []int
		}
	}
	m = c.ok("atoms", `"session": 1`, &atoms)
	names := m.texts(atoms.Strings)
	var shown []string
	at := 0
	for _, p := range atoms.Predicates {
		for row := range p.Count {
			shown = append(shown, fmt.Sprintf("%s(%s)=%.2f", p.Predicate, names[m.ints(p.Codes[0])[row]], values[at]))
			at++
		}
	}
	if got := strings.Join(shown, " "); got != "Smokes(bob)=0.63 Smokes(cid)=0.47 Gene(bob)=0.00 Gene(cid)=0.00" &&
		got != "Gene(bob)=0.00 Gene(cid)=0.00 Smokes(bob)=0.63 Smokes(cid)=0.47" || at != len(values) {
		t.Error(got)
	}
	var gradient struct{ Values, Weights int }
	m = c.ok("gradient", `"session": 1, "slope": 0`, &gradient, doubles(1, 1, 1, 1))
	g, w := m.doubles(gradient.Values), m.doubles(gradient.Weights)
	if len(g) != 4 || len(w) != 3 || w[0] <= 0 || w[2] >= 0 {
		t.Error(g, w)
	}
	c.wrong("failed", "4 values, and not 1", "gradient", `"session": 1, "slope": 0`, doubles(1))
	c.ok("set", `"session": 1, "table": {"predicate": "Gene", "columns": [{"strings": 0, "codes": 1}], "values": 2}`, nil,
		texts("cid"), ints(0), doubles(1))
	c.ok("weight", `"session": 1, "rule": 2, "weight": 2`, nil)
	c.ok("infer", `"session": 1`, &answer)
	var found struct{ Values int }
	m = c.ok("value", `"session": 1, "answer": 2,
		"table": {"predicate": "Smokes", "columns": [{"strings": 0, "codes": 1}]}`, &found,
		texts("ann", "bob", "cid", "eve"), ints(0, 1, 2, 3))
	if v := m.doubles(found.Values); v[0] != 1 || !(v[2] > 0.4) || !math.IsNaN(v[3]) {
		t.Error(v)
	}
	c.wrong("protocol", "the last answer is 2, and not 1", "value",
		`"session": 1, "answer": 1, "table": {"predicate": "Smokes"}`)
	c.ok("close", `"session": 1`, nil)
	c.wrong("protocol", "no session 1", "infer", `"session": 1`)
}

func TestChange(t *testing.T) {
	c := start(t)
	c.ok("open", smokers, nil, smokersArrays()...)
	var applied struct {
		Come int `json:"ground_rules_come"`
		Gone int `json:"ground_rules_gone"`
	}
	c.ok("change", `"session": 1, "changes": [
		{"change": "observe", "predicate": "Smokes", "arguments": ["cid"], "value": 0.5}]`, &applied)
	if applied.Gone == 0 || applied.Come == 0 {
		t.Errorf("%+v", applied)
	}
	c.wrong("failed", "there is no atom Smokes('eve')", "change",
		`"session": 1, "changes": [{"change": "remove", "predicate": "Smokes", "arguments": ["eve"]}]`)
	var then struct {
		Status string
		Atoms  struct {
			Predicates []struct {
				Predicate string
				Count     int
			}
		}
	}
	c.ok("what_if", `"session": 1, "changes": [
		{"change": "target", "predicate": "Smokes", "arguments": ["dan"]}]`, &then)
	if then.Status != "optimal" || fmt.Sprint(then.Atoms.Predicates) != "[{Smokes 2} {Gene 2}]" {
		t.Errorf("%+v", then)
	}
	var answer struct{ Status, Method string }
	c.ok("infer", `"session": 1`, &answer)
	if answer.Status != "optimal" || answer.Method != "local" {
		t.Errorf("%+v", answer)
	}
}

func TestLearning(t *testing.T) {
	c := start(t)
	c.ok("open", smokers, nil, smokersArrays()...)
	m, events := c.ask("learn", `"session": 1`)
	var training struct {
		Epochs []struct{ Number int }
		Rules  []struct{ Weight float64 }
		Ended  string
		Early  bool
	}
	if err := json.Unmarshal(m.OK, &training); err != nil {
		t.Fatal(err, m.Error)
	}
	told := strings.Count(fmt.Sprintf("%s", events), `{"epoch":`)
	if told != len(training.Epochs) || told < 3 || training.Rules[0].Weight == 3 || training.Ended == "" {
		t.Errorf("%s after %s", m.OK, events)
	}
	var scores struct {
		Evaluations []struct {
			Predicate, Evaluator string
			Count                int
			Values               map[string]float64
		}
	}
	c.wrong("protocol", "infer first", "evaluate", `"session": 1`)
	c.ok("infer", `"session": 1`, nil)
	c.ok("evaluate", `"session": 1`, &scores)
	if len(scores.Evaluations) != 1 || scores.Evaluations[0].Count != 2 || len(scores.Evaluations[0].Values) == 0 {
		t.Errorf("%+v", scores)
	}
	var text struct{ Program string }
	c.ok("program", `"session": 1`, &text)
	if !strings.Contains(text.Program, "Friends(A, B) & Smokes(A) -> Smokes(B) ^2") {
		t.Error(text.Program)
	}
	var shown struct{ Text int }
	m = c.ok("ground", `"session": 1, "limit": 2`, &shown)
	if lines := strings.Count(string(m.data[shown.Text]), "\n"); lines != 2 && lines != 3 {
		t.Errorf("%q", m.data[shown.Text])
	}
}

// Networks have features, and their parameters cross.
func TestNetworks(t *testing.T) {
	c := start(t)
	open := `"rules": "1: Looks(F, K) -> Is(F, K) ^2\nIs(F, +K) = 1 .",
		"predicates": [{"name": "Looks", "network": {"name": "Looks", "spec": {"hidden": [4]}, "classes": ["a", "b"]}}],
		"features": [{"network": "Looks", "ids": 0, "width": 2, "values": 1}],
		"tables": [{"predicate": "Is", "part": "targets",
			"columns": [{"strings": 0, "codes": 2}, {"strings": 3, "codes": 4}]}]`
	features := array{"f4", 4, make([]byte, 16)}
	arrays := []array{texts("x", "y"), features, ints(0, 0, 1, 1), texts("a", "b"), ints(0, 1, 0, 1)}
	c.ok("open", open, nil, arrays...)
	var saved struct{ Parameters int }
	m := c.ok("save", `"session": 1`, &saved)
	c.ok("load", `"session": 1, "parameters": 0`, nil, array{"u1", len(m.data[0]), m.data[0]})
	c.wrong("failed", "", "load", `"session": 1, "parameters": 0`, array{"u1", 3, []byte("abc")})
	c.ok("infer", `"session": 1`, nil)
	c.wrong("protocol", "features of Looks", "open", strings.Replace(open, `"width": 2`, `"width": 3`, 1), arrays...)
	arrays[0] = texts("x", "x")
	e := c.wrong("input", `the features of Looks: entity "x" has two rows`, "open", open, arrays...)
	if len(e.Problems) != 1 || e.Problems[0].ID != "feature-row" {
		t.Errorf("%+v", e)
	}
	e = c.wrong("input", "the network N: hidden must be a list of whole numbers, not a JSON string", "open",
		`"predicates": [{"name": "A", "network": {"name": "N", "spec": {"hidden": "wide"}}}]`)
	if len(e.Problems) != 1 || e.Problems[0].ID != "config-network" || strings.Contains(e.Message, "json") {
		t.Errorf("%+v", e)
	}
}

func TestErrorsHavePlaces(t *testing.T) {
	c := start(t)
	e := c.wrong("input", "^", "parse", `"rules": "1: A(X) -> B(X"`)
	if len(e.Problems) != 1 || e.Problems[0].Line != 1 || e.Problems[0].Column == 0 || e.Problems[0].File != "rules" {
		t.Errorf("%+v", e)
	}
	e = c.wrong("input", "did you mean Lived?", "open", `"rules": "1: Lived(A, L) & Livd(B, L) -> Knows(A, B)",
		"tables": [{"predicate": "Lived", "part": "observed",
				"columns": [{"strings": 0, "codes": 1}, {"strings": 0, "codes": 1}]},
			{"predicate": "Knows", "part": "targets",
				"columns": [{"strings": 0, "codes": 1}, {"strings": 0, "codes": 1}]}]`,
		texts("ann"), ints(0))
	if e.Problems[0].Column != 18 || e.Problems[0].Hint == "" {
		t.Errorf("%+v", e)
	}
	c.wrong("input", "does-not-exist", "open", `"path": "does-not-exist.json"`)
}

func TestConfigurations(t *testing.T) {
	c := start(t)
	var summary struct {
		Rules   []struct{ Ground int }
		Targets int
	}
	c.ok("check", `"path": "../../examples/acquaintances/model.json"`, &summary)
	if len(summary.Rules) < 3 || summary.Rules[0].Ground != 118 || summary.Targets != 392 {
		t.Errorf("%+v", summary)
	}
	c.ok("open", `"path": "../../examples/acquaintances/model.json"`, nil)
	c.ok("infer", `"session": 1`, nil)
	c.wrong("failed", "not about examples", "predict", `"session": 1`)
	c.ok("open", `"path": "../../examples/digits/numbers.json", "options": {"seed": 1}`, nil)
	var found struct{ Predictions []struct{ Label string } }
	c.ok("predict", `"session": 2`, &found)
	if len(found.Predictions) == 0 || found.Predictions[0].Label != "Result(0)" {
		t.Errorf("%+v", found)
	}
}

// Requests that have no meaning are answered, and the worker goes on.
func TestHostileRequests(t *testing.T) {
	c := start(t)
	for _, test := range []struct{ text, do, fields string }{
		{"no request", "fly", ``},
		{"unknown", "infer", `"session": 1, "fast": true`},
		{"no session 7", "infer", `"session": 7`},
		{"protocol 1", "hello", `"protocol": 2`},
		{"array 5", "open", `"tables": [{"predicate": "A", "part": "observed", "columns": [{"strings": 5, "codes": 0}]}]`},
		{"type i4, and not str", "open",
			`"tables": [{"predicate": "A", "part": "observed", "columns": [{"strings": 1, "codes": 1}]}]`},
		{"has string 7", "open",
			`"rules": "1: A(X)", "tables": [{"predicate": "A", "part": "observed", "columns": [{"strings": 0, "codes": 1}]}]`},
		{"2 rows, and column 0 has 1", "open", `"rules": "1: A(X, Y)", "tables": [{"predicate": "A", "part": "observed",
			"columns": [{"strings": 0, "codes": 2}, {"strings": 0, "codes": 3}]}]`},
		{"1 truth values for 2", "open", `"rules": "1: A(X)", "tables": [{"predicate": "A", "part": "observed",
			"columns": [{"strings": 0, "codes": 3}], "values": 4}]`},
		{"not observed, targets", "open", `"rules": "1: A(X)", "tables": [{"predicate": "A", "part": "some"}]`},
		{"not learning, validation", "open",
			`"rules": "1: A(X)", "tables": [{"predicate": "A", "part": "truth", "phase": "never"}]`},
		{"not both", "open", `"rules": "1: A(X)", "path": "x"`},
		{"a predicate", "open", `"predicates": [{"nome": "A"}]`},
		{"none of", "open", `"predicates": [{"name": "A", "types": ["word"]}]`},
	} {
		if test.fields == `"session": 1, "fast": true` {
			c.ok("open", smokers, nil, smokersArrays()...)
		}
		c.wrong("protocol", test.text, test.do, test.fields, texts("a"), ints(7), ints(0), ints(0, 0), doubles(1))
	}
	for _, fields := range []string{`"id": 1`, `{`, ``, strings.Repeat("[", 1000), `{"id": 0}`, `{"id": -1}`,
		`{"id": 9, "do": "hello", "arrays": [{"type": "f8", "length": 99}]}`,
		`{"id": 9, "do": "hello", "arrays": [{"type": "f8", "length": -1}]}`,
		`{"id": 9, "do": "hello", "arrays": [{"type": "f8", "length": 9223372036854775807}]}`,
		`{"id": 9, "do": "hello", "arrays": [{"type": "str", "length": 9223372036854775807}]}`,
		`{"id": 9, "do": "hello", "arrays": [{"type": "f9", "length": 1}]}`,
		`{"id": 9, "do": "hello", "arrays": [{"type": "str", "length": 1}]}`,
		`{"id": 9, "do": "hello"}`, `{"id": 9, "do": "hello", "arrays": [` + strings.Repeat("[],", 1<<16) + `[]]}`} {
		if _, err := c.in.Write(encode(fields, []byte("12345678\377\377\377\377\377\377\377\377"))); err != nil {
			t.Fatal(err)
		}
		if m := c.receive(); m.Error == nil || m.Error.Kind != "protocol" {
			t.Errorf("%.80s: %+v", fields, m)
		}
	}
	c.ok("infer", `"session": 1`, nil)
}

// What is no frame ends the worker with an error, and takes no memory that has not arrived.
func TestBrokenStreams(t *testing.T) {
	whole := request(1, "hello", `"protocol": 1`, nil)
	long := encode("{}", nil)
	binary.LittleEndian.PutUint64(long[8:], 1<<62)
	huge := encode("{}", nil)
	binary.LittleEndian.PutUint32(huge[4:], math.MaxUint32)
	endless := encode("{}", nil)
	binary.LittleEndian.PutUint64(endless[8:], math.MaxUint64)
	for _, stream := range [][]byte{[]byte("GET / HTTP/1.1\r\n\r\n"), whole[:7], whole[:20], long, huge, endless} {
		var out bytes.Buffer
		err := worker.Serve(context.Background(), bytes.NewReader(stream), &out, "v0")
		if err == nil || !strings.Contains(out.String(), `"kind":"protocol"`) {
			t.Errorf("%.30q: %v, %s", stream, err, &out)
		}
	}
	if err := worker.Serve(context.Background(), strings.NewReader(""), io.Discard, "v0"); err != nil {
		t.Error(err)
	}
}

// A request that runs is cancelled by another one, and is answered with the best so far.
func TestCancel(t *testing.T) {
	c := start(t)
	c.ok("open", `"rules": "1: T(X) ^2\n1: !T(X) ^2",
		"tables": [{"predicate": "T", "part": "targets", "columns": [{"strings": 0, "codes": 1}]}],
		"options": {"method": "sgd", "set": {"sgd.threshold": "1e-300", "sgd.rate": "1e-9",
			"inference.iterations": "2000000000"}}`, nil, texts("a"), ints(0))
	id := c.send("infer", `"session": 1`)
	waiting := c.send("infer", `"session": 1`)
	time.Sleep(20 * time.Millisecond)
	for _, target := range []int{waiting, id} {
		cancel := c.send("cancel", fmt.Sprintf(`"request": %d`, target))
		if m := c.receive(); m.ID != cancel || string(m.OK) != `{"cancelled":true}` {
			t.Errorf("%+v", m)
		}
	}
	var answer struct{ Status string }
	m := c.receive()
	if m.ID != id || m.Error != nil || json.Unmarshal(m.OK, &answer) != nil || answer.Status != "cancelled" {
		t.Errorf("%+v %s", m, m.OK)
	}
	if m := c.receive(); m.ID != waiting || m.Error == nil || m.Error.Kind != "cancelled" {
		t.Errorf("%+v", m)
	}
	c.ok("infer", `"session": 1, "seconds": 0.01`, &answer)
	if answer.Status != "time limit" {
		t.Error(answer.Status)
	}
}

// Whoever asks is gone when the input ends: what runs is not waited for.
func TestEndOfInput(t *testing.T) {
	c := start(t)
	c.ok("open", `"rules": "1: T(X) ^2\n1: !T(X) ^2",
		"tables": [{"predicate": "T", "part": "targets", "columns": [{"strings": 0, "codes": 1}]}],
		"options": {"method": "sgd", "set": {"sgd.threshold": "1e-300", "sgd.rate": "1e-9",
			"inference.iterations": "2000000000"}}`, nil, texts("a"), ints(0))
	c.send("infer", `"session": 1`)
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-c.end:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
}
