// Package mcp gives a model that lives to agents: the Model Context Protocol's tools, over lines of JSON on a stream.
//
// The protocol is spoken here and not by its Go library: that one (v1.8.0) makes deeppsl 1.95 MB larger, of 27.6 MB
// without (mcp-go v1.2.1 takes as much), since it brings clients, HTTP, OAuth and a JSON of its own along; this takes
// 0.1 MB. What tools on a stream need are the four requests below. The tests are that library's client, and that of the
// Python package.
package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// versions of the protocol that are spoken, the one that is offered first.
var versions = []string{"2025-11-25", "2025-06-18", "2024-11-05"}

// The bounds of what a client may ask: bytes of a message, and calls at once.
const (
	maxMessage = 8 << 20
	maxAtOnce  = 32
)

// The codes of errors, which JSON-RPC has.
const (
	parseError     = -32700
	invalidRequest = -32600
	unknownMethod  = -32601
	invalidParams  = -32602
)

// message is what a client sends: a request, a notification if it has no ID, or a reply if it has no method.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// reply is what it gets: a result or an error.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// failure says that a request could not be understood. What a tool could not do is a result.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error is the message.
func (f *failure) Error() string { return f.Message }

// connection is a client.
type connection struct {
	tools   *Tools
	version string // of deeppsl
	calls   sync.WaitGroup
	places  chan struct{}
	changed chan struct{} // ends with the last call that came and changes the model; nil if none has come

	mu     sync.Mutex // of what follows
	out    io.Writer
	failed error                         // to write
	cancel map[string]context.CancelFunc // by the ID of a call
}

// Serve answers the requests of in until it ends or the context does; calls that have begun are answered first.
func Serve(ctx context.Context, in io.Reader, out io.Writer, tools *Tools, version string) error {
	c := &connection{tools: tools, version: version, out: out, places: make(chan struct{}, maxAtOnce),
		cancel: make(map[string]context.CancelFunc)}
	lines, ended := make(chan []byte), make(chan error, 1)
	go func() {
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, maxMessage)
		for scanner.Scan() {
			select {
			case lines <- slices.Clone(scanner.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		ended <- scanner.Err()
	}()
	for {
		select {
		case line := <-lines:
			c.take(ctx, line)
		case err := <-ended:
			c.calls.Wait()
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("a message has more than %d bytes", maxMessage)
			}
			return errors.Join(err, c.failed)
		case <-ctx.Done():
			c.calls.Wait()
			return c.failed
		}
	}
}

// take does what a message asks for; calls of tools go on beside.
func (c *connection) take(ctx context.Context, line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		code := parseError
		if json.Valid(line) {
			code = invalidRequest
		}
		c.send(reply{Error: &failure{code, err.Error()}})
		return
	}
	switch {
	case m.Method == "":
		if m.Version == "" {
			c.send(reply{ID: m.ID, Error: &failure{invalidRequest, "this is no message of JSON-RPC"}})
		}
	case m.ID == nil:
		c.notified(&m)
	case m.Method == "tools/call":
		c.call(ctx, &m)
	default:
		result, err := c.answer(&m)
		c.finish(&m, result, err)
	}
}

// notified does what a notification says. Most say nothing that matters here.
func (c *connection) notified(m *message) {
	var params struct {
		Request json.RawMessage `json:"requestId"`
	}
	if m.Method != "notifications/cancelled" || json.Unmarshal(m.Params, &params) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.cancel[string(params.Request)]; cancel != nil {
		cancel()
	}
}

// answer answers requests that take no time.
func (c *connection) answer(m *message) (any, error) {
	switch m.Method {
	case "initialize":
		var params struct {
			Version string `json:"protocolVersion"`
		}
		if err := json.Unmarshal(m.Params, &params); err != nil {
			return nil, &failure{invalidParams, err.Error()}
		}
		if !slices.Contains(versions, params.Version) {
			params.Version = versions[0]
		}
		return map[string]any{"protocolVersion": params.Version, "instructions": instructions,
			"capabilities": map[string]any{"tools": struct{}{}},
			"serverInfo":   map[string]string{"name": "deeppsl", "version": c.version}}, nil
	case "ping":
		return struct{}{}, nil
	case "tools/list":
		return map[string]any{"tools": c.tools.list()}, nil
	}
	return nil, &failure{unknownMethod, "there is no method " + m.Method}
}

// call calls a tool, in a goroutine of its own, when all calls before it that change the model are done: what came
// later is about what came before.
func (c *connection) call(ctx context.Context, m *message) {
	c.places <- struct{}{}
	before, done := c.changed, make(chan struct{})
	if c.tools.changes(m.Params) {
		c.changed = done
	}
	ctx, cancel := context.WithCancel(ctx)
	id := string(m.ID)
	c.mu.Lock()
	c.cancel[id] = cancel
	c.mu.Unlock()
	c.calls.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		result, err := c.tools.call(ctx, m.Params)
		if ctx.Err() == nil { // who has given up is not answered
			c.finish(m, result, err)
		}
		cancel()
		c.mu.Lock()
		delete(c.cancel, id)
		c.mu.Unlock()
		<-c.places
	})
}

// finish answers a request.
func (c *connection) finish(m *message, result any, err error) {
	r := reply{ID: m.ID, Result: result}
	if err != nil {
		r.Result = nil
		if !errors.As(err, &r.Error) {
			r.Error = &failure{invalidParams, err.Error()}
		}
	}
	c.send(r)
}

// send writes a reply on a line.
func (c *connection) send(r reply) {
	r.Version = "2.0"
	if r.ID == nil {
		r.ID = json.RawMessage("null")
	}
	text, err := marshal(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		_, err = c.out.Write(append(text, '\n'))
	}
	c.failed = errors.Join(c.failed, err)
}

// marshal writes JSON on one line, with rules as people write them: nothing of it is for browsers.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
