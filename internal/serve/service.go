package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/inspect"
	"github.com/deeppsl/deeppsl/internal/journal"
	"github.com/deeppsl/deeppsl/internal/live"
	"github.com/deeppsl/deeppsl/internal/session"
)

// Model is what a service makes its answers from.
type Model struct {
	Title string
	// Ground makes the grounding that all begins with, with its answer, anew at each call and the same each time.
	Ground func(context.Context) (*session.Grounding, *session.Answer, error)
	// Pages makes those about an answer, which has its multipliers.
	Pages func(context.Context, *session.Grounding, *session.Answer) (*inspect.Site, error)
}

// Service is a model that lives: one goroutine changes it, and any number read the last version, for which they never
// wait.
type Service struct {
	model   Model
	budget  time.Duration // of an inference after changes; 0 means none
	journal *journal.Journal
	waiting chan *task
	ended   chan struct{} // closed when no more tasks are taken
	current atomic.Pointer[Version]
	events  events
	counts  counts

	// What follows is the writer's.
	live    *live.Session
	site    *inspect.Site     // of the last version; nil until somebody asks, and after a change
	changes [][]change.Change // that were made, all or none of each
	keys    map[string]Updated
	order   []string // of the keys, the oldest first
	broken  error    // why nothing can be written any more

	rules atomic.Pointer[[]Rule]
}

// Version is a state of the model. It does not change.
type Version struct {
	Number    int // of groups of changes before it
	Updates   int // how many these were
	Answer    *session.Answer
	grounding *session.Grounding
	// kept has the values of the atoms that changes are being made of, which the grounding has no more; nil if there are
	// none.
	kept atomic.Pointer[map[string]*float64]
}

// Updated says what an update came to.
type Updated struct {
	Version int `json:"version" doc:"the first version that has the changes"`
	change.Applied
	Status    string   `json:"status" doc:"that of the version's answer"`
	Objective *float64 `json:"objective" nullable:"true"`
	Gap       *float64 `json:"gap" nullable:"true" doc:"what is proven of the answer; null if nothing is"`
}

// finite is a number as JSON can have it: null if it is not finite.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// record is an update in the journal.
type record struct {
	Key     string          `json:"key,omitempty"`
	Changes []change.Change `json:"changes"`
}

// maxKeys is how many keys of updates are known.
const maxKeys = 10_000

// maxGroup is how many updates are written and inferred together at most.
const maxGroup = 256

// task is what the writer is asked to do.
type task struct {
	ctx  context.Context
	key  string
	make []change.Change             // an update, if it is not nil
	do   func(context.Context) error // or something else
	done chan outcome                // has room for one
}

type outcome struct {
	updated Updated
	err     error
}

// Open begins a service, with the changes of a journal, if its path is not "". It ends with Close.
func Open(ctx context.Context, model Model, path string, budget time.Duration) (_ *Service, failed error) {
	s := &Service{model: model, budget: budget, waiting: make(chan *task, maxGroup), ended: make(chan struct{}),
		keys: make(map[string]Updated)}
	s.events.init()
	var records []json.RawMessage
	if path != "" {
		kept, all, err := journal.Open(path)
		if err != nil {
			return nil, err
		}
		s.journal, records = kept, all
		defer func() {
			if failed != nil {
				failed = errors.Join(failed, kept.Close())
			}
		}()
	}
	grounding, answer, err := model.Ground(ctx)
	if err != nil {
		return nil, err
	}
	if s.live, err = live.New(grounding, answer); err != nil {
		return nil, err
	}
	if err := s.replay(ctx, records); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if answer, err = s.live.Infer(ctx); err != nil { // one that knows which atoms are not there
		return nil, err
	}
	s.publish(answer, len(records), len(records))
	return s, nil
}

// replay makes the changes of a journal again.
func (s *Service) replay(ctx context.Context, records []json.RawMessage) error {
	for k, text := range records {
		var r record
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("record %d: %w", k+1, err)
		}
		applied, err := s.live.Apply(ctx, r.Changes)
		if err != nil {
			return fmt.Errorf("record %d does not fit the project any more: %w", k+1, err)
		}
		s.changes = append(s.changes, r.Changes)
		s.remember(r.Key, Updated{Version: len(records), Applied: *applied})
	}
	return nil
}

// remember keeps what an update with a key came to, for whoever sends it again.
func (s *Service) remember(key string, updated Updated) {
	if key == "" {
		return
	}
	s.keys[key] = updated
	if s.order = append(s.order, key); len(s.order) > maxKeys {
		delete(s.keys, s.order[0])
		s.order = s.order[1:]
	}
}

// publish makes an answer the one that readers see.
func (s *Service) publish(answer *session.Answer, number, updates int) {
	rules := s.listRules()
	s.rules.Store(&rules)
	v := &Version{Number: number, Updates: updates, Answer: answer, grounding: s.live.Grounding()}
	s.current.Store(v)
	s.events.send(*v.Event())
}

// Current returns the last version.
func (s *Service) Current() *Version { return s.current.Load() }

// Run does what is asked for until the context ends, and then what is waiting.
func (s *Service) Run(ctx context.Context) {
	working := context.WithoutCancel(ctx)
	for {
		select {
		case first := <-s.waiting:
			s.work(working, first)
		case <-ctx.Done():
			close(s.ended)
			for {
				select {
				case first := <-s.waiting:
					s.work(working, first)
				default:
					s.events.close()
					return
				}
			}
		}
	}
}

// Close gives back the journal; Run must have ended.
func (s *Service) Close() error {
	if s.journal == nil {
		return nil
	}
	return s.journal.Close()
}

// work does what is waiting: updates together, so that they are flushed and inferred once.
func (s *Service) work(ctx context.Context, first *task) {
	group := []*task{first}
	for len(group) < maxGroup {
		select {
		case next := <-s.waiting:
			group = append(group, next)
			continue
		default:
		}
		break
	}
	var updates []*task
	for _, t := range group {
		if t.make != nil {
			updates = append(updates, t)
			continue
		}
		s.update(ctx, updates) // what was asked before
		updates = updates[:0]
		t.done <- outcome{err: t.do(t.ctx)}
	}
	s.update(ctx, updates)
}

// update makes updates, flushes them and infers.
func (s *Service) update(ctx context.Context, tasks []*task) {
	if len(tasks) == 0 {
		return
	}
	s.site = nil // its atoms change
	for _, t := range tasks {
		s.Current().keep(t.make)
	}
	var made []*task
	var found []outcome
	var records []any
	for _, t := range tasks {
		if before, known := s.keys[t.key]; known && t.key != "" {
			t.done <- outcome{updated: before}
			continue
		}
		applied, err := (*change.Applied)(nil), s.broken
		if err == nil {
			applied, err = s.live.Apply(t.ctx, t.make)
		}
		if err != nil {
			s.counts.refused.Add(1)
			t.done <- outcome{err: err}
			continue
		}
		made, records = append(made, t), append(records, record{t.key, t.make})
		found = append(found, outcome{updated: Updated{Applied: *applied}})
	}
	if len(made) == 0 {
		return
	}
	err := s.write(ctx, records)
	if err == nil {
		err = s.infer(ctx, len(made))
	}
	v := s.Current()
	for k, t := range made {
		if err != nil {
			t.done <- outcome{err: err}
			continue
		}
		s.changes = append(s.changes, t.make)
		u := found[k].updated
		u.Version, u.Status, u.Objective, u.Gap = v.Number, v.Answer.Status, finite(v.Answer.Objective), finite(v.Answer.Gap)
		s.remember(t.key, u)
		t.done <- outcome{updated: u}
	}
	s.counts.updates.Add(int64(len(made)))
}

// write flushes updates that have been made. If it cannot, they are taken back by beginning anew.
func (s *Service) write(ctx context.Context, records []any) error {
	if s.journal == nil {
		return nil
	}
	err := s.journal.Append(records...)
	if err == nil {
		return nil
	}
	again, failed := s.grown(ctx, s.changes)
	if failed != nil {
		s.broken = errors.Join(err, failed)
		return s.broken
	}
	s.live = again
	return err
}

// grown makes the model as changes leave it, from the beginning.
func (s *Service) grown(ctx context.Context, changes [][]change.Change) (*live.Session, error) {
	grounding, answer, err := s.model.Ground(ctx)
	if err != nil {
		return nil, err
	}
	l, err := live.New(grounding, answer)
	if err != nil {
		return nil, err
	}
	for _, update := range changes {
		if _, err := l.Apply(ctx, update); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// infer makes the next version.
func (s *Service) infer(ctx context.Context, updates int) error {
	if s.budget > 0 {
		limited, done := context.WithTimeout(ctx, s.budget)
		defer done()
		ctx = limited
	}
	start := time.Now()
	answer, err := s.live.Infer(ctx)
	if err != nil {
		return err
	}
	s.counts.inferences.Add(1)
	s.counts.inferring.Add(int64(time.Since(start)))
	last := s.Current()
	s.publish(answer, last.Number+1, last.Updates+updates)
	return nil
}

// ErrEnding is the error of what is asked of a service that ends, and ErrBusy of one that has too much to do.
var (
	ErrEnding = errors.New("the service is ending")
	ErrBusy   = errors.New("too many updates are waiting")
)

// ask gives the writer something to do and waits for it.
func (s *Service) ask(t *task) (Updated, error) {
	t.done = make(chan outcome, 1)
	select {
	case <-s.ended:
		return Updated{}, ErrEnding
	default:
	}
	select {
	case s.waiting <- t:
	default:
		return Updated{}, ErrBusy
	}
	select {
	case o := <-t.done:
		return o.updated, o.err
	case <-s.ended: // what waits is still done
		select {
		case o := <-t.done:
			return o.updated, o.err
		case <-time.After(drainTime):
			return Updated{}, ErrEnding
		}
	}
}

// Update makes changes, all or none, and returns when they are flushed and inferred. An update with the key of an
// earlier one is not made again.
func (s *Service) Update(ctx context.Context, key string, changes []change.Change) (Updated, error) {
	return s.ask(&task{ctx: ctx, key: key, make: changes})
}

// WhatIf calls show with what the answer would be after changes, which are not made, and with the present one.
func (s *Service) WhatIf(ctx context.Context, changes []change.Change, show func(then, now *Version)) error {
	_, err := s.ask(&task{ctx: ctx, do: func(ctx context.Context) error {
		now := s.Current()
		now.keep(changes)
		answer, g, err := s.live.WhatIf(ctx, changes)
		if err == nil {
			show(&Version{Number: now.Number, Answer: answer, grounding: g}, now)
		}
		return err
	}})
	return err
}

// Infer infers once more, with as much time as the context has.
func (s *Service) Infer(ctx context.Context) error {
	_, err := s.ask(&task{ctx: ctx, do: func(ctx context.Context) error {
		s.site = nil
		answer, err := s.live.Infer(ctx)
		if err == nil {
			last := s.Current()
			s.publish(answer, last.Number+1, last.Updates)
		}
		return err
	}})
	return err
}

// Snapshot makes the journal as short as what it has come to allows, and returns its bytes before and after.
func (s *Service) Snapshot(ctx context.Context) (before, after int64, err error) {
	_, err = s.ask(&task{ctx: ctx, do: func(context.Context) error {
		if s.journal == nil {
			return errNoJournal
		}
		before = s.journal.Size()
		short := compacted(s.changes)
		records := []any{record{Changes: short}}
		for _, key := range s.order { // so that they are still known
			records = append(records, record{Key: key, Changes: []change.Change{}})
		}
		if err := s.journal.Replace(records...); err != nil {
			return err
		}
		s.changes = [][]change.Change{short}
		after = s.journal.Size()
		return nil
	}})
	return before, after, err
}

var errNoJournal = errors.New("the service has no journal")

// Look calls show with the pages about the last version, and its number, between changes. They rest on the ground rules
// and multipliers that are there: the first who asks after a change waits for these to be copied.
func (s *Service) Look(ctx context.Context, show func(site *inspect.Site, version int) error) error {
	_, err := s.ask(&task{ctx: ctx, do: func(ctx context.Context) error {
		v := s.Current()
		if s.site == nil {
			grounding, answer, err := s.live.Still(v.Answer)
			if err != nil {
				return err
			}
			if s.site, err = s.model.Pages(ctx, grounding, answer); err != nil {
				return err
			}
		}
		return show(s.site, v.Number)
	}})
	return err
}
