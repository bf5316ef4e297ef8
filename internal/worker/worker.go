// Package worker answers requests that arrive as frames on a stream: it is deeppsl for programs that are not written in
// Go. It stands on the public packages alone, as a stranger's program would. docs/protocol.md describes the frames.
//
// One goroutine reads, so that a request can be cancelled while it runs; another one answers requests in their order.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/deeppsl/deeppsl"
)

// Protocol is the version of the frames and requests. It changes when what was valid is not any more.
const Protocol = 1

// maxWaiting is how many requests may wait for the one that is answered.
const maxWaiting = 64

// request is what every header has; the rest of it is the request's own.
type request struct {
	ID      uint64         `json:"id"`
	Do      string         `json:"do"`
	Call    uint64         `json:"call"`    // what it answers, of a frame that is no request
	Session uint64         `json:"session"` // what it is about; 0 if it is about none
	Arrays  []arraySpec    `json:"arrays"`
	Rest    jsontext.Value `json:",embed"`

	arrays []array
}

// reply answers a request, or tells how it goes on.
type reply struct {
	ID     uint64      `json:"id"`
	OK     any         `json:"ok,omitzero"`
	Event  any         `json:"event,omitzero"`
	Call   any         `json:"call,omitzero"`
	Error  *failure    `json:"error,omitempty"`
	Arrays []arraySpec `json:"arrays,omitempty"`
}

// failure is an error as it crosses.
type failure struct {
	// Kind is "input", "failed", "cancelled" or "protocol".
	Kind     string    `json:"kind"`
	Message  string    `json:"message"`
	Problems []problem `json:"problems,omitempty"`
}

// server serves one stream.
type server struct {
	version  string
	out      io.Writer
	writing  sync.Mutex
	waiting  chan waiting
	running  sync.Mutex // guards cancels
	cancels  map[uint64]context.CancelFunc
	sessions map[uint64]*session
	opened   uint64
	calls    calls
	ctx      context.Context // ends with the input
}

// waiting is a request with the context that a cancel ends.
type waiting struct {
	*request
	ctx context.Context
}

// Serve answers the frames of in on out until in ends; version is what it says of itself. What runs then is cancelled,
// and not waited for: whoever asked is gone. The error tells of a stream that is broken, or of an out that is.
func Serve(ctx context.Context, in io.Reader, out io.Writer, version string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{ctx: ctx, version: version, out: out, waiting: make(chan waiting, maxWaiting),
		cancels: make(map[uint64]context.CancelFunc), sessions: make(map[uint64]*session),
		calls: calls{waiting: make(map[uint64]chan *request)}}
	answered := make(chan error, 1)
	go func() { answered <- s.answer(ctx) }()
	read := make(chan error, 1)
	go func() { read <- s.read(ctx, in) }()
	select {
	case err := <-answered:
		return err
	case err := <-read:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read takes in frames until they end.
func (s *server) read(ctx context.Context, in io.Reader) error {
	for {
		f, err := readFrame(in)
		switch {
		case err == io.EOF: // and not one within a frame
			return nil
		case err != nil:
			return errors.Join(err, s.send(reply{Error: &failure{Kind: "protocol", Message: err.Error()}}, nil))
		}
		if err := s.accept(ctx, f); err != nil {
			return err
		}
	}
}

// accept lets a request wait for its turn, or cancels another one. The error is one of writing.
func (s *server) accept(ctx context.Context, f *frame) error {
	r, err := parse(f)
	if err == nil && r.Do == "cancel" {
		return s.cancel(r)
	}
	if err == nil && r.Call != 0 {
		err = s.answers(r)
	} else if err == nil {
		if ctx, err = s.cancellable(ctx, r.ID); err == nil {
			select {
			case s.waiting <- waiting{r, ctx}:
				return nil
			default:
				s.done(r.ID)
				err = fmt.Errorf("%d requests are waiting already", maxWaiting)
			}
		}
	}
	if err == nil {
		return nil
	}
	id := uint64(0)
	if r != nil {
		id = r.ID
	}
	return s.send(reply{ID: id, Error: &failure{Kind: "protocol", Message: err.Error()}}, nil)
}

// parse reads a frame's header, and cuts its body.
func parse(f *frame) (*request, error) {
	if err := checkParts(f.header); err != nil {
		return nil, err
	}
	r := &request{}
	if err := json.Unmarshal(f.header, r); err != nil {
		return nil, fmt.Errorf("the header is no request: %w", err)
	}
	if (r.ID == 0) == (r.Call == 0) {
		return nil, errors.New("a request has an id above 0, and what answers a call that call")
	}
	var err error
	r.arrays, err = arrays(r.Arrays, f.body)
	return r, err
}

// into reads what a request has beside its id, what it does and its arrays.
func (r *request) into(fields any) error {
	if len(r.Rest) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Rest, fields, json.RejectUnknownMembers(true)); err != nil {
		return wrong{fmt.Errorf("the request %q: %w", r.Do, err)}
	}
	return nil
}

// wrong is an error of the one who asks: the request has no meaning.
type wrong struct{ error }

// unfit is an error of what the request is about: networks or features that have no meaning. It names the kind of
// problem.
type unfit struct {
	id string
	error
}

// Unwrap lets what is wrong with a request that they stand in come first.
func (u unfit) Unwrap() error { return u.error }

// cancellable returns the context of a request.
func (s *server) cancellable(ctx context.Context, id uint64) (context.Context, error) {
	s.running.Lock()
	defer s.running.Unlock()
	if s.cancels[id] != nil {
		return nil, fmt.Errorf("a request %d is not answered yet", id)
	}
	ctx, s.cancels[id] = context.WithCancel(ctx)
	return ctx, nil
}

// done forgets a request.
func (s *server) done(id uint64) {
	s.running.Lock()
	defer s.running.Unlock()
	s.cancels[id]()
	delete(s.cancels, id)
}

// cancel ends another request's context; that one is answered all the same.
func (s *server) cancel(r *request) error {
	var fields struct {
		Request uint64 `json:"request"`
	}
	if err := r.into(&fields); err != nil {
		return s.send(reply{ID: r.ID, Error: failed(err)}, nil)
	}
	s.running.Lock()
	cancel := s.cancels[fields.Request]
	s.running.Unlock()
	if cancel != nil {
		cancel()
	}
	return s.send(reply{ID: r.ID, OK: map[string]any{"cancelled": cancel != nil}}, nil)
}

// answer answers requests in their order until the context ends. The error is one of writing.
func (s *server) answer(ctx context.Context) error {
	defer s.closeAll()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case w := <-s.waiting:
			s.calls.begin(w.ID)
			out := &builder{}
			result, err := s.handle(w.ctx, w.request, out)
			s.settle(s.calls.take())
			if err == nil {
				err = s.calls.end()
			}
			s.done(w.ID)
			if err != nil {
				err = s.send(reply{ID: w.ID, Error: failed(err)}, nil)
			} else {
				err = s.send(reply{ID: w.ID, OK: result}, out)
			}
			if err != nil {
				return err
			}
		}
	}
}

// send writes a reply with its arrays.
func (s *server) send(r reply, out *builder) error {
	if out == nil {
		out = &builder{}
	}
	r.Arrays = out.specs
	s.writing.Lock()
	defer s.writing.Unlock()
	return out.write(s.out, r)
}

// failed says what an error is to the one who asked.
func failed(err error) *failure {
	f := &failure{Kind: "failed", Message: err.Error()}
	var input *deeppsl.Error
	var other unfit
	switch {
	case errors.As(err, &input):
		f.Kind, f.Problems = "input", each(input.Problems, problemOf)
	case errors.As(err, &wrong{}):
		f.Kind = "protocol"
	case errors.As(err, &other):
		f.Kind, f.Problems = "input", []problem{problemOf(deeppsl.Problem{ID: other.id, Message: other.Error()})}
	case errors.Is(err, context.Canceled):
		f.Kind = "cancelled"
	}
	return f
}
