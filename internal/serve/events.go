package serve

import "sync"

// Event says that there is a new version.
type Event struct {
	Version   int      `json:"version"`
	Updates   int      `json:"updates" doc:"how many there were before"`
	Status    string   `json:"status"`
	Objective *float64 `json:"objective" nullable:"true"`
	Gap       *float64 `json:"gap" nullable:"true"`
}

// Event is what subscribers are told of a version.
func (v *Version) Event() *Event {
	return &Event{v.Number, v.Updates, v.Answer.Status, finite(v.Answer.Objective), finite(v.Answer.Gap)}
}

// events tells subscribers of versions. Those who are slow miss the ones between: the last version has all changes.
type events struct {
	mu     sync.Mutex
	closed bool
	all    map[chan Event]struct{}
}

func (e *events) init() { e.all = make(map[chan Event]struct{}) }

// subscribe returns a channel of events, which is closed at the end; leave must be called.
func (e *events) subscribe() (told chan Event, leave func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	told = make(chan Event, 1)
	if e.closed {
		close(told)
		return told, func() {}
	}
	e.all[told] = struct{}{}
	return told, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.all, told)
	}
}

// send tells all subscribers; one who has not taken the last event gets this one instead.
func (e *events) send(event Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for told := range e.all {
		select {
		case <-told:
		default:
		}
		told <- event
	}
}

// close tells all subscribers that there will be no more.
func (e *events) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for told := range e.all {
		close(told)
	}
	clear(e.all)
}
