package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/project"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/source"
)

const config = `{
	"rules": ["1: Knows(A, B) & Likes(A, T) -> Likes(B, T) ^2", "0.4: !Likes(A, T) ^2",
		"Likes(A, 'jazz') + Likes(A, 'rock') <= 1 ."],
	"predicates": {
		"Knows/2": {"observations": [["ann", "bob"], ["bob", "cy"], ["cy", "dan"], ["dan", "ann"]]},
		"Likes/2": {"observations": [["ann", "jazz", 0.9], ["ann", "rock", 0.05]],
			"targets": [["bob", "jazz"], ["cy", "jazz"], ["dan", "jazz"], ["bob", "rock"], ["cy", "rock"], ["dan", "rock"]],
			"truth": [["bob", "jazz", 1], ["cy", "jazz", 0], ["dan", "rock", 1], ["eve", "folk", 1], ["bob", "folk", 0]]}}}`

// newModel is a small model to serve.
func newModel(t testing.TB) *Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(path, []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(path, project.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return &Model{Title: "model.json", Project: p, Lints: &source.Diagnostics{}}
}

// start opens a service and runs it until stop is called, or the test ends.
func start(t testing.TB, model *Model, journal string) (s *Service, stop func()) {
	t.Helper()
	s, stop = run(t, model, journal, false)
	t.Cleanup(stop)
	return s, stop
}

// run opens a service and runs it until stop is called; one that is eager takes snapshots all the time.
func run(t rapid.TB, model *Model, journal string, eager bool) (s *Service, stop func()) {
	t.Helper()
	s, err := Open(context.Background(), model, journal, 0)
	if err != nil {
		t.Fatal(err)
	}
	if eager {
		s.short.cold = 0
	}
	return s, running(t, s)
}

// within is start for a service with a budget.
func within(t testing.TB, model *Model, journal string, budget time.Duration) *Service {
	t.Helper()
	s, err := Open(context.Background(), model, journal, budget)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(running(t, s))
	return s
}

// running runs a service until what it returns is called.
func running(t rapid.TB, s *Service) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	for !s.warm.Load() {
		time.Sleep(time.Millisecond)
	}
	return sync.OnceFunc(func() {
		cancel()
		<-done
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// ask sends a request and returns what is answered, decoded.
func ask(t testing.TB, handler http.Handler, method, target, body string) (status int, answer map[string]any) {
	t.Helper()
	r, w := httptest.NewRequest(method, target, strings.NewReader(body)), httptest.NewRecorder()
	r.Header.Set("Content-Type", "application/json")
	handler.ServeHTTP(w, r)
	if strings.Contains(w.Header().Get("Content-Type"), "json") {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil && w.Body.Bytes()[0] == '{' {
			t.Fatalf("%s: %v: %s", target, err, w.Body)
		}
	}
	return w.Code, answer
}

func update(changes string) string { return `{"changes": [` + changes + `]}` }

const observed = `{"change": "observe", "predicate": "Likes", "arguments": ["bob", "jazz"], "value": 1}`

func TestRequests(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	handler := s.Handler("1")
	for _, test := range []struct {
		method, target, body string
		want                 int
	}{
		{"GET", "/v1/version", "", 200},
		{"GET", "/v1/rules", "", 200},
		{"GET", "/v1/predicates", "", 200},
		{"GET", "/v1/atoms/Likes", "", 200},
		{"GET", "/v1/atoms/likes?argument=bob&argument=jazz", "", 200},
		{"GET", "/v1/atoms/Likes?argument=ann&argument=jazz", "", 200},
		{"GET", "/v1/atoms/Likes?argument=bob", "", 404},
		{"GET", "/v1/atoms/Likes?argument=zoe&argument=jazz", "", 404},
		{"GET", "/v1/atoms/Nothing", "", 404},
		{"GET", "/v1/atoms/Likes?min=2", "", 422},
		{"GET", "/v1/atoms/Likes?limit=0", "", 422},
		{"GET", "/v1/atoms/Likes?nonsense=1", "", 422},
		{"GET", "/v1/atoms/Likes/explain?argument=bob&argument=jazz&changes=3", "", 200},
		{"GET", "/v1/atoms/Likes/explain", "", 422},
		{"GET", "/v1/atoms/Knows/explain?argument=ann&argument=bob", "", 404},
		{"POST", "/v1/updates", update(observed), 200},
		{"POST", "/v1/updates", update(`{"change": "observe", "predicate": "Likes", "arguments": ["bob", "jazz"]}`), 422},
		{"POST", "/v1/updates",
			update(`{"change": "observe", "predicate": "Likes", "arguments": ["bob"], "value": 1}`), 422},
		{"POST", "/v1/updates",
			update(`{"change": "observe", "predicate": "Likes", "arguments": ["b", "c"], "value": 2}`), 422},
		{"POST", "/v1/updates", update(`{"change": "remove", "predicate": "Knows", "arguments": ["x", "y"]}`), 422},
		{"POST", "/v1/updates", update(`{"change": "weight", "rule": 99, "value": 1}`), 422},
		{"POST", "/v1/updates", update(`{"change": "weight", "value": 1}`), 422},
		{"POST", "/v1/updates", update(`{"change": "rule", "text": "1: Likes(A"}`), 422},
		{"POST", "/v1/updates", update(`{"change": "nothing"}`), 422},
		{"POST", "/v1/updates",
			update(`{"change": "target", "predicate": "Likes", "arguments": ["x", "y"], "value": 1}`), 422},
		{"POST", "/v1/updates", update(`{"change": "weight", "rule": 1, "value": 1, "text": "2: Likes(A, B)"}`), 422},
		{"POST", "/v1/updates", `{"changes": null}`, 422},
		{"POST", "/v1/what-if", `{"changes": null}`, 422},
		{"POST", "/v1/updates", update(""), 422},
		{"POST", "/v1/updates", "{", 400},
		{"POST", "/v1/updates", "", 400},
		{"GET", "/v1/updates", "", 405},
		{"DELETE", "/v1/updates", "", 405},
		{"POST", "/v1/what-if", update(`{"change": "weight", "rule": 1, "value": 5}`), 200},
		{"POST", "/v1/what-if",
			`{"changes": [` + observed + `], "atoms": [{"predicate": "Likes", "arguments": ["cy", "jazz"]}]}`, 200},
		{"PUT", "/v1/rules/1/weight", `{"weight": 0.7}`, 200},
		{"PUT", "/v1/rules/1/weight", `{"weight": -1}`, 422},
		{"PUT", "/v1/rules/2/weight", `{"weight": 1}`, 422},
		{"PUT", "/v1/rules/x/weight", `{"weight": 1}`, 422},
		{"POST", "/v1/infer?seconds=1", "", 200},
		{"POST", "/v1/infer", " {}\n", 200},
		{"POST", "/v1/infer", `{"seconds": 1}`, 422},
		{"POST", "/v1/snapshot", "", 409},
		{"GET", "/openapi.json", "", 200},
		{"GET", "/docs", "", 404},
		{"GET", "/healthz", "", 200},
		{"GET", "/readyz", "", 200},
		{"GET", "/metrics", "", 200},
		{"GET", "/", "", 200},
		{"GET", "/atom?name=Likes('cy','jazz')", "", 200},
		{"GET", "/v1/", "", 404},
	} {
		if status, answer := ask(t, handler, test.method, test.target, test.body); status != test.want {
			t.Errorf("%s %s %s: status %d, want %d: %v", test.method, test.target, test.body, status, test.want, answer)
		}
	}
}

// TestChangesAsRequests sends changes as Go programs write them: they are what they were, zeros too.
func TestChangesAsRequests(t *testing.T) {
	for _, c := range []change.Change{change.Observe(0, "Likes", "bob", "jazz"), change.Observe(0.5, "Rain"),
		change.Remove("Likes", "bob", "jazz"), change.Target("Likes", "bob", "jazz"), change.Give(0, "Trust", "ann"),
		change.Weight(0, 0), change.Weight(2, 3), change.Deactivate(0), change.Activate(0), change.Rule("1: A(X)"),
		change.Features("eye", "ann", 0, 1), change.SparseFeatures("eye", "ann", nil, []float64{}),
		change.SparseFeatures("eye", "ann", []int32{0}, []float64{0})} {
		text, err := json.Marshal(&c)
		if err != nil {
			t.Fatal(err)
		}
		var sent Change
		if err := json.Unmarshal(text, &sent); err != nil {
			t.Fatal(err)
		}
		if got, err := sent.read(); err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// TestConflict is about changes that hard rules do not allow, be it for atoms that can move or for facts alone:
// refused, with what cannot hold together, and nothing is different then.
func TestConflict(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	before := s.Current()
	for _, changes := range []string{
		`{"change": "rule", "text": "Likes('bob', 'jazz') + Likes('bob', 'rock') >= 1.5 ."}`,
		observed + `, {"change": "observe", "predicate": "Likes", "arguments": ["bob", "rock"], "value": 1}`,
	} {
		status, answer := ask(t, s.Handler("1"), "POST", "/v1/updates", update(changes))
		if status != http.StatusConflict || !strings.Contains(fmt.Sprint(answer["detail"]), "Likes('bob', 'jazz')") {
			t.Errorf("%s: status %d: %v", changes, status, answer)
		}
	}
	if s.Current() != before {
		t.Error("there is another version")
	}
}

func TestUpdatesAreSeen(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	handler := s.Handler("1")
	value := func() float64 {
		_, answer := ask(t, handler, "GET", "/v1/atoms/Likes?argument=cy&argument=jazz", "")
		return answer["atoms"].([]any)[0].(map[string]any)["value"].(float64)
	}
	before := value()
	_, would := ask(t, handler, "POST", "/v1/what-if",
		`{"changes": [`+observed+`], "atoms": [{"predicate": "Likes", "arguments": ["cy", "jazz"]}]}`)
	expected := would["atoms"].([]any)[0].(map[string]any)
	if now := expected["now"].(float64); now != before {
		t.Errorf("what-if says that the value is %v, and it is %v", now, before)
	}
	if after := value(); after != before {
		t.Errorf("what-if has changed %v to %v", before, after)
	}
	status, answer := ask(t, handler, "POST", "/v1/updates", update(observed))
	if status != 200 || answer["version"] != 1.0 {
		t.Fatalf("status %d: %v", status, answer)
	}
	if after := value(); math.Abs(after-expected["value"].(float64)) > 1e-3 || after <= before {
		t.Errorf("the value is %v, where what-if said %v, and was %v", after, expected["value"], before)
	}
	_, why := ask(t, handler, "GET", "/v1/atoms/Likes/explain?argument=cy&argument=jazz", "")
	if why["version"] != 1.0 || math.Abs(why["value"].(float64)-value()) > 1e-3 {
		t.Errorf("the explanation is of %v in version %v", why["value"], why["version"])
	}
	r, w := httptest.NewRequest("GET", "/v1/atoms/Likes", nil), httptest.NewRecorder()
	r.Header.Set("Accept", lines)
	if handler.ServeHTTP(w, r); strings.Count(w.Body.String(), "\n") != 5 { // one of the six targets is observed now
		t.Errorf("all atoms are %s", w.Body)
	}
}

// TestGroups sends many updates at once, with readers beside: all are there in the end, and no answer is of a state in
// between.
func TestGroups(t *testing.T) {
	s, _ := start(t, newModel(t), filepath.Join(t.TempDir(), "journal"))
	const writers, each = 4, 15
	var writing, reading sync.WaitGroup
	end := make(chan struct{})
	reading.Go(func() {
		for last := 0; ; {
			select {
			case <-end:
				return
			default:
			}
			v := s.Current()
			if v.Number < last {
				t.Errorf("version %d after %d", v.Number, last)
			}
			last = v.Number
			for a := range v.grounding.Atoms(v.Answer, nil) {
				if !(a.Value >= 0 && a.Value <= 1) {
					t.Errorf("%v", a)
				}
			}
		}
	})
	for k := range writers {
		writing.Go(func() {
			for i := range each {
				_, err := s.Update(t.Context(), "", []change.Change{
					change.Observe(1, "Knows", "ann", fmt.Sprint(k, "-", i)), change.Target("Likes", fmt.Sprint(k, "-", i), "jazz"),
					change.Target("Likes", fmt.Sprint(k, "-", i), "rock")})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	close(end)
	reading.Wait()
	v, found := s.Current(), 0
	for a := range v.grounding.Atoms(v.Answer, []string{"Likes"}) {
		if strings.Contains(a.Arguments[0], "-") && a.Arguments[1] == "jazz" && a.Value > 0.1 {
			found++
		}
	}
	if found != writers*each || v.Updates != writers*each {
		t.Errorf("%d new atoms after %d updates, want %d", found, v.Updates, writers*each)
	}
	if v.Number > v.Updates {
		t.Errorf("%d versions of %d updates", v.Number, v.Updates)
	}
}

// TestReadsAreOfAVersion reads one atom that changes from known to inferred and back: it is there all the time, and
// what is refused, or only asked about, is never seen.
func TestReadsAreOfAVersion(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	end := make(chan struct{})
	var reading sync.WaitGroup
	for range 2 {
		reading.Go(func() {
			for last := 0; ; {
				select {
				case <-end:
					return
				default:
				}
				value, v := s.Value("Likes", []string{"bob", "jazz"})
				if value == nil || *value == 0.123 || *value == 0.321 {
					t.Errorf("version %d has %v", v.Number, value)
					return
				}
				if v.Number < last {
					t.Errorf("version %d after %d", v.Number, last)
				}
				last = v.Number
			}
		})
	}
	for range 100 {
		for _, changes := range [][]change.Change{
			{change.Observe(1, "Likes", "bob", "jazz")},
			{change.Observe(0.123, "Likes", "bob", "jazz"), change.Remove("Knows", "no", "body")},
			{change.Target("Likes", "bob", "jazz")},
		} {
			_, _ = s.Update(t.Context(), "", changes) // the second is refused
		}
		changes := []change.Change{change.Observe(0.321, "Likes", "bob", "jazz")}
		if err := s.WhatIf(t.Context(), changes, func(_, _ *Version) {}); err != nil {
			t.Fatal(err)
		}
	}
	close(end)
	reading.Wait()
}

func TestEvents(t *testing.T) {
	s, stop := start(t, newModel(t), "")
	server := httptest.NewServer(s.Handler("1"))
	defer server.Close()
	response, err := http.Get(server.URL + "/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read := func() string {
		buffer := make([]byte, 4096)
		n, _ := response.Body.Read(buffer)
		return string(buffer[:n])
	}
	if first := read(); !strings.Contains(first, `"version":0`) {
		t.Errorf("the first event is %q", first)
	}
	if _, err := s.Update(t.Context(), "", []change.Change{change.Weight(1, 0.5)}); err != nil {
		t.Fatal(err)
	}
	if second := read(); !strings.Contains(second, `"version":1`) {
		t.Errorf("the second event is %q", second)
	}
	stop()
	if rest := read(); rest != "" {
		t.Errorf("after the end there is %q", rest)
	}
}

// TestReady asks whether updates are made at once: not before the indexes are there, nor after the end.
func TestReady(t *testing.T) {
	s, err := Open(t.Context(), newModel(t), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	ready := func(want int) {
		t.Helper()
		if status, _ := ask(t, s.Handler("1"), "GET", "/readyz", ""); status != want {
			t.Errorf("status %d, want %d", status, want)
		}
	}
	ready(503)
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	if _, err := s.Update(ctx, "", []change.Change{change.Weight(0, 2)}); err != nil { // which may come before them
		t.Error(err)
	}
	for !s.warm.Load() {
		time.Sleep(time.Millisecond)
	}
	ready(200)
	end()
	<-done
	ready(503)
}

// drawChange draws a change, which need not be possible.
func drawChange(r *rapid.T) change.Change {
	name := rapid.SampledFrom([]string{"ann", "bob", "cy", "eve"})
	topic := rapid.SampledFrom([]string{"jazz", "folk"})
	value := rapid.SampledFrom([]float64{0, 0.1, 0.5, 0.9, 1})
	rule := rapid.IntRange(0, 4)
	switch rapid.IntRange(0, 7).Draw(r, "kind") {
	case 0:
		return change.Observe(value.Draw(r, "value"), "Knows", name.Draw(r, "name"), name.Draw(r, "other"))
	case 1:
		return change.Remove("Knows", name.Draw(r, "name"), name.Draw(r, "other"))
	case 2:
		return change.Observe(value.Draw(r, "value"), "Likes", name.Draw(r, "name"), topic.Draw(r, "topic"))
	case 3:
		return change.Target("Likes", name.Draw(r, "name"), topic.Draw(r, "topic"))
	case 4:
		return change.Remove("Likes", name.Draw(r, "name"), topic.Draw(r, "topic"))
	case 5:
		return change.Weight(rule.Draw(r, "rule"), 3*value.Draw(r, "weight"))
	case 6:
		return change.Deactivate(rule.Draw(r, "rule"))
	}
	return change.Activate(rule.Draw(r, "rule"))
}

// TestHostileRequests sends 10,000 requests that the description of the interface leads to, with values that nobody
// expects: they are answered or refused, and nothing fails.
func TestHostileRequests(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	handler := s.Handler("1")
	_, description := ask(t, handler, "GET", "/openapi.json", "")
	type operation struct{ method, path string }
	var operations []operation
	for path, methods := range description["paths"].(map[string]any) {
		for method := range methods.(map[string]any) {
			if path != "/v1/events" { // which does not end
				operations = append(operations, operation{strings.ToUpper(method), path})
			}
		}
	}
	if len(operations) < 9 {
		t.Fatalf("only %v are described", operations)
	}
	odd := rapid.SampledFrom([]string{"", "0", "-1", "1e999", "NaN", "Likes", "Knows", "bob", "jazz", "../..", "%00",
		"\x00", "ا", "'", `"`, "{", "null", "[]", strings.Repeat("x", 10_000), "9223372036854775808", "<script>", "true"})
	rapid.Check(t, func(r *rapid.T) {
		for range 100 {
			o := rapid.SampledFrom(operations).Draw(r, "operation")
			path := o.path
			for _, name := range []string{"{predicate}", "{n}"} {
				path = strings.ReplaceAll(path, name, url.PathEscape(odd.Draw(r, "path")))
			}
			query := make(url.Values)
			for range rapid.IntRange(0, 3).Draw(r, "queries") {
				name := rapid.SampledFrom(
					[]string{"argument", "contains", "min", "max", "offset", "limit", "depth", "changes", "x"})
				query.Add(name.Draw(r, "name"), odd.Draw(r, "value"))
			}
			body := odd.Draw(r, "body")
			if rapid.Bool().Draw(r, "json") {
				body = drawJSON(r, odd, 3)
			}
			request := httptest.NewRequest(o.method, "/", bytes.NewReader([]byte(body)))
			request.URL.RawQuery = query.Encode()
			request.URL.Path, request.URL.RawPath = path, path
			types := rapid.SampledFrom([]string{"application/json", "", "text/plain"})
			request.Header.Set("Content-Type", types.Draw(r, "type"))
			request.Header.Set("Idempotency-Key", odd.Draw(r, "key"))
			w := httptest.NewRecorder()
			if handler.ServeHTTP(w, request); w.Code >= 500 {
				r.Fatalf("%s %s?%s %.300s: %d %.300s", o.method, path, request.URL.RawQuery, body, w.Code, w.Body)
			}
		}
	})
}

// drawJSON draws a value that is like a change.
func drawJSON(r *rapid.T, odd *rapid.Generator[string], depth int) string {
	kinds := []string{"observe", "remove", "target", "give", "weight", "deactivate", "activate", "rule", "x"}
	text := func(name string) string { b, _ := json.Marshal(odd.Draw(r, name)); return string(b) }
	number := rapid.SampledFrom([]string{"0", "1", "0.5", "-1", "1e308", "1e999", "null", `"x"`, "1e-320", "2", "99"})
	var changes []string
	for range rapid.IntRange(0, depth).Draw(r, "changes") {
		changes = append(changes, fmt.Sprintf(
			`{"change": %q, "predicate": %s, "arguments": [%s, %s], "value": %s, "rule": %s, "text": %s}`,
			rapid.SampledFrom(kinds).Draw(r, "kind"), text("predicate"), text("first"), text("second"), number.Draw(r, "value"),
			number.Draw(r, "rule"), text("text")))
	}
	return fmt.Sprintf(`{"changes": [%s], "weight": %s}`, strings.Join(changes, ","), number.Draw(r, "weight"))
}

// BenchmarkRead is one atom over HTTP, without the network.
func BenchmarkRead(b *testing.B) {
	s, _ := start(b, newModel(b), "")
	handler := s.Handler("1")
	r := httptest.NewRequest("GET", "/v1/atoms/Likes?argument=bob&argument=jazz", nil)
	for b.Loop() {
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// BenchmarkUpdate is one update, flushed and inferred.
func BenchmarkUpdate(b *testing.B) {
	s, _ := start(b, newModel(b), filepath.Join(b.TempDir(), "journal"))
	begun := time.Now()
	for k := 0; b.Loop(); k++ {
		changes := []change.Change{change.Observe(float64(k%2), "Likes", "bob", "jazz")}
		if _, err := s.Update(b.Context(), "", changes); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(time.Since(begun).Microseconds())/float64(b.N), "µs/update")
}
