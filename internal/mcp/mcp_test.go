package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/serve"
	"github.com/deeppsl/deeppsl/internal/source"
)

const config = `{
	"rules": ["1: Knows(A, B) & Likes(A, T) -> Likes(B, T) ^2", "0.4: !Likes(A, T) ^2"],
	"predicates": {
		"Knows/2": {"observations": [["ann", "bob"], ["bob", "cy"]]},
		"Likes/2": {"observations": [["ann", "jazz", 0.9]], "targets": [["bob", "jazz"], ["cy", "jazz"]]}}}`

// newTools returns tools of a small model, which a service changes until the test ends.
func newTools(t testing.TB, changes bool) *Tools {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(path, []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(path, project.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var lints source.Diagnostics
	model := &serve.Model{Title: "model.json", Project: p, Lints: &lints}
	service, err := serve.Open(t.Context(), model, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		service.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	odd := source.Plain{ID: "odd", Severity: "warning", File: "model.json", Line: 3, Message: "it is odd"}
	return New(service, []source.Plain{odd}, changes)
}

// connect returns the protocol's own client of the tools.
func connect(t *testing.T, tools *Tools) *sdk.ClientSession {
	t.Helper()
	theirs, ours := io.Pipe()
	requests, asking := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(context.Background(), requests, ours, tools, "1") }()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.IOTransport{Reader: theirs, Writer: asking}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(asking.Close(), <-ended); err != nil {
			t.Error(err)
		}
	})
	return client
}

// use calls a tool and returns its answer, and whether it could.
func use(t *testing.T, client *sdk.ClientSession, name string, arguments map[string]any) (answer string, ok bool) {
	t.Helper()
	result, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return result.Content[0].(*sdk.TextContent).Text, !result.IsError
}

type object = map[string]any

func TestTools(t *testing.T) {
	client := connect(t, newTools(t, true))
	listed, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
		if readOnly := tool.Name != "assert" && tool.Name != "retract"; tool.Annotations.ReadOnlyHint != readOnly {
			t.Errorf("%s: read only: %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
	}
	if got := strings.Join(names, " "); got != "check query explain what_if assert retract" {
		t.Errorf("the tools are %s", got)
	}
	atom := func(of ...string) object { return object{"predicate": "Likes", "arguments": of} }
	bob := []string{"bob", "jazz"}
	for _, test := range []struct {
		name      string
		arguments object
		want      string
		fails     bool
	}{
		{"check", nil, `"rule":"1: Knows(A, B) & Likes(A, T) -> Likes(B, T) ^2","weight":1,"active":true,"ground_rules":2`,
			false},
		{"check", nil, `"status":"optimal"`, false},
		{"check", nil, `{"predicate":"Likes","arguments":["String","String"],"observed":1,"targets":2,"inputs":0}`, false},
		{"check", nil, "model.json:3: warning: it is odd [odd]", false},
		{"query", object{"predicate": "Likes"}, `[{"predicate":"Likes","arguments":["bob","jazz"],"value":0.53`, false},
		{"query", object{"predicate": "Likes", "limit": 1}, `"next":1`, false},
		{"query", object{"predicate": "Likes", "max": 0.3}, `"atoms":[]`, false},
		{"query", object{"predicate": "Likes", "arguments": []string{"ann", "jazz"}}, `"value":0.9`, false},
		{"query", object{"predicate": "Likes", "arguments": []string{"ann"}}, "Likes has 2 arguments, and not 1", true},
		{"query", object{"predicate": "Nothing"}, "Nothing", true},
		{"query", object{"predicate": "Likes", "limit": 0}, "expected number >= 1", true},
		{"query", object{}, "required property predicate", true},
		{"query", object{"predicate": 7}, "expected string", true},
		{"explain", object{"predicate": "Likes", "arguments": bob, "changes": 1},
			`"what":"fact  Likes('ann', 'jazz') = 0.9"`, false},
		{"explain", object{"predicate": "Likes", "arguments": bob}, `Knows('ann', 'bob') & Likes('ann', 'jazz')`, false},
		{"explain", object{"predicate": "Likes", "arguments": []string{"zoe", "jazz"}}, "there is no atom", true},
		{"what_if", object{"changes": []object{{"change": "observe", "predicate": "Likes", "arguments": bob, "value": 0}}},
			`"atoms":[{"predicate":"Likes","arguments":["bob","jazz"],"value":0,"now":0.53`, false},
		{"what_if", object{"changes": []object{{"change": "observe", "predicate": "Likes", "arguments": bob}}}, "a value",
			true},
		{"what_if", object{"changes": []object{{"change": "nothing"}}}, "expected value to be one of", true},
		{"assert", object{"facts": []object{atom("bob", "jazz")}, "targets": []object{atom("dan", "jazz")}},
			`"status":"optimal"`, false},
		{"query", object{"predicate": "Likes", "arguments": bob}, `"value":1`, false},
		{"assert", object{}, "nothing to change", true},
		{"assert", object{"facts": []object{{"predicate": "Likes", "arguments": bob, "value": 2}}}, "expected number <= 1",
			true},
		{"retract", object{"atoms": []object{atom("bob", "jazz")}, "infer": true}, `"status":"optimal"`, false},
		{"retract", object{"atoms": []object{atom("dan", "jazz")}}, `"status":"optimal"`, false},
		{"query", object{"predicate": "Likes", "arguments": []string{"dan", "jazz"}}, "no such atom", true},
		{"retract", object{"atoms": []object{atom("dan", "jazz")}}, "there is no atom", true},
	} {
		answer, ok := use(t, client, test.name, test.arguments)
		if ok == test.fails || !strings.Contains(answer, test.want) {
			t.Errorf("%s %v: %s\nwant %s", test.name, test.arguments, answer, test.want)
		}
	}
}

// TestCallsInOrder sends changes and a question without waiting: they are made in their order, and the question is
// about the last.
func TestCallsInOrder(t *testing.T) {
	var in, out bytes.Buffer
	call := func(id int, name, arguments string) {
		const form = `{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": %q, "arguments": %s}}` + "\n"
		fmt.Fprintf(&in, form, id, name, arguments)
	}
	const bob = `"predicate": "Likes", "arguments": ["bob", "jazz"]`
	for k := 1; k < 40; k++ {
		call(k, "assert", fmt.Sprintf(`{"facts": [{%s, "value": %d.0}]}`, bob, k%2))
	}
	call(40, "assert", `{"facts": [{`+bob+`, "value": 0.25}]}`)
	call(41, "query", "{"+bob+"}")
	if err := Serve(t.Context(), &in, &out, newTools(t, true), "1"); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, `"id":41`) && !strings.Contains(line, `"value":0.25`) {
			t.Error(line)
		}
	}
	if n := strings.Count(out.String(), "\n"); n != 41 {
		t.Errorf("%d answers", n)
	}
}

// TestReadOnly is about what a model that must not change says to agents who want to.
func TestReadOnly(t *testing.T) {
	client := connect(t, newTools(t, false))
	if answer, ok := use(t, client, "check", nil); !ok || !strings.Contains(answer, `"read_only":true`) {
		t.Error(answer)
	}
	for _, name := range []string{"assert", "retract", "nothing"} {
		if _, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: name}); err == nil {
			t.Errorf("%s was done", name)
		} else if name == "assert" && !strings.Contains(err.Error(), "--allow-changes") {
			t.Error(err)
		}
	}
}

// TestMessages is about what comes on the stream: all of it is answered, or is nothing to answer.
func TestMessages(t *testing.T) {
	tools := newTools(t, false)
	for _, test := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{`{"jsonrpc":"2.0","id":"a","method":"nothing"}`, `"id":"a","error":{"code":-32601,`},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}`,
			`"protocolVersion":"2024-11-05"`},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}`,
			`"protocolVersion":"2025-11-25"`},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `"code":-32602`},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}`, `"code":-32602`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `"code":-32602`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":[]}}`, `"isError":true`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":null}}`, `"isError":true`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, ""},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, ""},
		{`{"jsonrpc":"2.0","id":4,"result":{}}`, ""},
		{`{}`, `"id":null,"error":{"code":-32600`},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `"code":-32600`},
		{`{"jsonrpc":`, `"id":null,"error":{"code":-32700`},
		{"\x00\xff", `"code":-32700`},
		{"", `"code":-32700`},
	} {
		var out bytes.Buffer
		if err := Serve(t.Context(), strings.NewReader(test.line+"\n"), &out, tools, "1"); err != nil {
			t.Errorf("%s: %v", test.line, err)
		}
		got := out.String()
		if !strings.Contains(got, test.want) || (test.want == "") != (got == "") || strings.Count(got, "\n") > 1 {
			t.Errorf("%s: %s, want %s", test.line, got, test.want)
		}
	}
	endless := strings.NewReader(strings.Repeat(" ", maxMessage+1))
	if err := Serve(t.Context(), endless, io.Discard, tools, "1"); err == nil {
		t.Error("a message without an end was read")
	}
}

// TestEndsWithItsContext is about a stream that stays open.
func TestEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	silent, open := io.Pipe()
	defer open.Close()
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, silent, io.Discard, newTools(t, false), "1") }()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// FuzzTake sends any line: at most one reply comes, and it is one.
func FuzzTake(f *testing.F) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{}`, `[]`, `{"id":{}}`,
		call + `"query","arguments":{"predicate":"Likes","min":0.5}}}`} {
		f.Add(line)
	}
	tools := newTools(f, true)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n\r") {
			t.Skip("several lines")
		}
		var out bytes.Buffer
		if err := Serve(t.Context(), strings.NewReader(line), &out, tools, "1"); err != nil {
			t.Fatal(err)
		}
		if out.Len() > 0 && !json.Valid(out.Bytes()) {
			t.Errorf("%q: %s", line, &out)
		}
	})
}

// TestWrongArguments says what is wrong with arguments in few words, however long these are.
func TestWrongArguments(t *testing.T) {
	tools := newTools(t, true)
	long := strings.Repeat("x", 100_000)
	for arguments, want := range map[string]string{
		`{"atom": "Likes('bob')"}`: "expected required property arguments to be present; " +
			"expected required property predicate to be present; atom: unexpected property",
		`{"predicate": "Likes", "arguments": "` + long + `"}`:                        "arguments: expected array",
		`{"predicate": "Likes", "arguments": [` + strings.Repeat("1,", 5000) + `1]}`: "; and 4993 more",
	} {
		params, err := json.Marshal(map[string]any{"name": "explain", "arguments": json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		result, err := tools.call(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		answer := result.(called)
		if text := answer.Content[0].Text; !answer.Failed || !strings.Contains(text, want) || len(text) > 1000 {
			t.Errorf("%.100s: %.1000s; want %q", arguments, text, want)
		}
	}
}
