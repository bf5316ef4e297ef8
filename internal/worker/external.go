package worker

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/deeppsl/deeppsl/neural"
)

// calls are what a worker asks of the program that it works for, while that waits for a reply.
type calls struct {
	current atomic.Uint64 // the request that is answered
	mutex   sync.Mutex
	last    uint64
	waiting map[uint64]chan *request
	// posted are those that nobody waits for, until someone waits for a later one, or the request ends.
	posted []post
	// untold is the first error in that request of what has none to return, and of whose it is.
	untold   error
	untoldOf *instance
}

// post is a call whose answer has nothing but perhaps an error.
type post struct {
	by     *instance
	answer chan *request
}

// begin begins a request, which hears of no error of those before it.
func (c *calls) begin(id uint64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.current.Store(id)
	c.untold, c.untoldOf = nil, nil
}

// keep keeps an error of an instance until that can tell it, or the request ends.
func (c *calls) keep(i *instance, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.untold == nil && err != nil {
		c.untold, c.untoldOf = err, i
	}
}

// tell returns the error that was kept of an instance, which then is told.
func (c *calls) tell(i *instance) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.untoldOf != i {
		return nil
	}
	err := c.untold
	c.untold, c.untoldOf = nil, nil
	return err
}

// settle waits for the answers of calls that were posted, and keeps their errors.
func (s *server) settle(posted []post) {
	for _, p := range posted {
		_, _, err := s.await(p.answer)
		s.calls.keep(p.by, err)
	}
}

// take returns the calls that were posted, which the caller has to settle.
func (c *calls) take() (posted []post) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	posted, c.posted = c.posted, nil
	return posted
}

// end returns what nobody told before the request ended.
func (c *calls) end() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.untold == nil {
		return nil
	}
	return fmt.Errorf("network %q: %w", c.untoldOf.network, c.untold)
}

// call is one of them: what there is to do with an instance of a network. The numbers of arrays are members of those
// alone that have them.
type callOf struct {
	Number   uint64 `json:"number"`
	Session  uint64 `json:"session"`
	Network  string `json:"network"`
	Instance uint64 `json:"instance"`
	Do       string `json:"do"`

	Pass      int     `json:"pass,omitzero"`
	Rows      *int    `json:"rows,omitempty"`
	Train     bool    `json:"train,omitzero"`
	Seed      uint64  `json:"seed,omitzero"`
	Gradient  *int    `json:"gradient,omitempty"`
	Optimiser string  `json:"optimiser,omitzero"`
	Rate      float64 `json:"rate,omitzero"`
	Decay     float64 `json:"decay,omitzero"`
	State     *int    `json:"state,omitempty"`
}

// answered is what answers a call.
type answered struct {
	Error   string `json:"error"`
	Outputs *int   `json:"outputs"`
	State   *int   `json:"state"`
}

// ask sends a call, and returns where its answer comes.
func (s *server) ask(c callOf, out *builder) (chan *request, error) {
	answer := make(chan *request, 1)
	s.calls.mutex.Lock()
	s.calls.last++
	c.Number = s.calls.last
	s.calls.waiting[c.Number] = answer
	s.calls.mutex.Unlock()
	return answer, s.send(reply{ID: s.calls.current.Load(), Call: c}, out)
}

// await waits for an answer, which comes even if the request is cancelled: only the end of the input ends it.
func (s *server) await(answer chan *request) (*request, answered, error) {
	var told answered
	select {
	case r := <-answer:
		err := r.into(&told)
		if err == nil && told.Error != "" {
			err = errors.New(told.Error)
		}
		return r, told, err
	case <-s.ctx.Done():
		return nil, told, s.ctx.Err()
	}
}

// answers gives an answer to the call that waits for it.
func (s *server) answers(r *request) error {
	s.calls.mutex.Lock()
	waiting := s.calls.waiting[r.Call]
	delete(s.calls.waiting, r.Call)
	s.calls.mutex.Unlock()
	if waiting == nil {
		return fmt.Errorf("no call %d waits for an answer", r.Call)
	}
	waiting <- r
	return nil
}

// external is a network that the program on the other side computes.
type external struct {
	server  *server
	session uint64
	network string
	begun   atomic.Uint64
}

// Begin implements neural.External. The other side hears of an instance when it is first asked for something.
func (e *external) Begin(uint64) (neural.Instance, error) {
	return &instance{external: e, number: e.begun.Add(1)}, nil
}

// instance is such a network with parameters of its own.
type instance struct {
	*external
	number uint64
}

// compute asks, and waits for the answer, and for those of what was posted before.
func (i *instance) compute(do string, c callOf, out *builder) (*request, answered, error) {
	posted := i.server.calls.take()
	answer, err := i.server.ask(i.about(do, c), out)
	if err != nil {
		return nil, answered{}, err
	}
	r, told, err := i.server.await(answer)
	i.server.settle(posted)
	return r, told, err
}

// post asks, and goes on meanwhile: the program on the other side does what it is asked for in that order. An error is
// told by what is computed next.
func (i *instance) post(do string, c callOf, out *builder) {
	answer, err := i.server.ask(i.about(do, c), out)
	if err != nil {
		i.server.calls.keep(i, err)
		return
	}
	i.server.calls.mutex.Lock()
	defer i.server.calls.mutex.Unlock()
	i.server.calls.posted = append(i.server.calls.posted, post{i, answer})
}

// about adds to a call what it is for.
func (i *instance) about(do string, c callOf) callOf {
	c.Session, c.Network, c.Instance, c.Do = i.session, i.network, i.number, do
	return c
}

// Forward implements neural.Instance.
func (i *instance) Forward(pass int, rows []int32, train bool, seed uint64, outputs []float32) error {
	out := &builder{}
	at := out.int32s(rows)
	r, told, err := i.compute("forward", callOf{Pass: pass, Rows: &at, Train: train, Seed: seed}, out)
	if before := i.server.calls.tell(i); before != nil {
		err = before
	}
	if err != nil {
		return err
	}
	if told.Outputs == nil {
		return errors.New("the answer to forward has no outputs")
	}
	values, err := r.array(*told.Outputs, "f4")
	if err == nil && values.Length != len(outputs) {
		err = fmt.Errorf("%d outputs for %d rows; %d are wanted of each", values.Length, len(rows),
			len(outputs)/max(1, len(rows)))
	}
	if err == nil {
		copy(outputs, values.float32s())
	}
	return err
}

// Backward implements neural.Instance.
func (i *instance) Backward(pass int, upstream []float32) error {
	out := &builder{}
	at := out.float32s(upstream)
	i.post("backward", callOf{Pass: pass, Gradient: &at}, out)
	return nil
}

// Step implements neural.Instance.
func (i *instance) Step(u neural.Update) {
	i.post("step", callOf{Optimiser: u.Optimiser, Rate: u.Rate, Decay: u.Decay}, nil)
}

// State implements neural.Instance.
func (i *instance) State() []byte {
	r, told, err := i.compute("state", callOf{}, nil)
	if err == nil && told.State != nil {
		var state *array
		if state, err = r.array(*told.State, "u1"); err == nil {
			return state.data
		}
	}
	i.server.calls.keep(i, err)
	return nil
}

// Restore implements neural.Instance.
func (i *instance) Restore(state []byte) {
	out := &builder{}
	at := out.bytes(state)
	_, _, err := i.compute("restore", callOf{State: &at}, out)
	i.server.calls.keep(i, err)
}
