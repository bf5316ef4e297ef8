package serve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/inspect"
	"github.com/deeppsl/deeppsl/internal/live"
	"github.com/deeppsl/deeppsl/internal/session"
)

// Service is a model that lives: one goroutine changes it, and any number read the last version, for which they never
// wait.
type Service struct {
	model   *Model
	budget  time.Duration // of an answer to an update, which then may not be proven; 0 means none
	journal *live.Journal // nil for none
	waiting chan *task
	ended   chan struct{} // closed when no more tasks are taken
	current atomic.Pointer[Version]
	events  events
	counts  counts
	begun   time.Time
	warm    atomic.Bool // the indexes that the first updates take are there
	// explaining has room for one who makes explanations beside changes.
	explaining chan struct{}

	// What follows is the writer's.
	live   *live.Session
	site   *inspect.Site // of the last version; nil until somebody asks, and after a change
	keys   map[string]Updated
	order  []string // of the keys, the oldest first
	short  snapshots
	behind refinement

	rules atomic.Pointer[[]Rule]
}

// Version is a state of the model. It does not change.
type Version struct {
	Number    int // of groups of changes before it
	Updates   int // how many these were
	Answer    *session.Answer
	grounding *session.Grounding
	tag       string // of what it decides, and no version of another process
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

// maxKeys is how many keys of updates are known.
const maxKeys = 10_000

// maxGroup is how many updates are written and inferred together at most.
const maxGroup = 256

// task is what the writer is asked to do.
type task struct {
	ctx   context.Context
	key   string
	make  []change.Change             // an update, if it is not nil
	do    func(context.Context) error // or something else
	done  chan outcome                // has room for one
	asked time.Time
}

type outcome struct {
	updated Updated
	err     error
}

// Open begins a service, with the changes of a journal, if its path is not "". It ends with Close.
func Open(ctx context.Context, model *Model, path string, budget time.Duration) (_ *Service, failed error) {
	s := &Service{model: model, budget: budget, waiting: make(chan *task, maxGroup), ended: make(chan struct{}),
		explaining: make(chan struct{}, 1), begun: time.Now()}
	s.behind.solved = make(chan *live.Whole, 1)
	s.events.init()
	history := new(live.History)
	if path != "" {
		var err error
		if s.journal, history, err = live.OpenJournal(path); err != nil {
			return nil, err
		}
		defer func() {
			if failed != nil {
				failed = errors.Join(failed, s.journal.Close())
			}
		}()
	}
	start := time.Now()
	updates, err := s.begin(ctx, history)
	if err != nil {
		return nil, err
	}
	s.short.cold = max(time.Since(start), leastTail)
	answer, err := s.live.Infer(ctx) // one that knows which atoms are not there
	if err != nil {
		return nil, err
	}
	s.publish(answer, updates, updates)
	return s, nil
}

// begin makes the model that a journal comes to, and returns how many updates there had been.
func (s *Service) begin(ctx context.Context, h *live.History) (updates int, err error) {
	s.live, err = h.Begin(ctx, func(h *live.History) (*live.Session, error) { return s.model.begin(ctx, h) })
	if err != nil && (h.Snapshot != nil || len(h.Records) > 0) {
		err = fmt.Errorf("%s: %w", s.journal.Path(), err)
	}
	if err != nil {
		return 0, err
	}
	s.keys, s.order, s.short.tail = make(map[string]Updated), nil, 0
	if h.Snapshot != nil {
		updates = h.Snapshot.Updates
		for _, key := range h.Snapshot.Keys {
			s.remember(key, Updated{Version: updates})
		}
	}
	updates += len(h.Records)
	for _, r := range h.Records {
		s.remember(r.Key, Updated{Version: updates})
	}
	return updates, nil
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
	v := &Version{Number: number, Updates: updates, Answer: answer, grounding: s.live.Grounding(),
		tag: fmt.Sprintf(`W/"%x-%d"`, s.begun.UnixNano(), number)}
	s.current.Store(v)
	s.events.send(*v.Event())
}

// Current returns the last version.
func (s *Service) Current() *Version { return s.current.Load() }

// Run does what is asked for until the context ends, and then what is waiting. While nothing is at first, it makes what
// the first updates would otherwise wait for.
func (s *Service) Run(ctx context.Context) {
	working, first := context.WithoutCancel(ctx), s.live.Warm()
	for ctx.Err() == nil {
		for len(first) > 0 && len(s.waiting) == 0 && ctx.Err() == nil {
			first[0]()
			first = first[1:]
		}
		s.warm.Store(len(first) == 0)
		s.refine(ctx, working)
		select {
		case task := <-s.waiting:
			s.work(working, task)
			s.shorten()
		case whole := <-s.behind.solved:
			s.refined(working, whole)
		case written := <-s.short.written:
			s.take(written)
		case <-ctx.Done():
		}
	}
	close(s.ended)
	s.drain(working)
	s.endRefining()
	s.events.close()
}

// drain does what is waiting.
func (s *Service) drain(ctx context.Context) {
	for {
		select {
		case first := <-s.waiting:
			s.work(ctx, first)
		default:
			if s.short.being != nil {
				s.take(<-s.short.written)
			}
			return
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
		err := errBroken
		if s.live != nil {
			err = t.do(t.ctx)
		}
		if err != errLater {
			t.done <- outcome{err: err}
		}
	}
	s.update(ctx, updates)
}

// update makes updates, flushes them and infers.
func (s *Service) update(ctx context.Context, tasks []*task) {
	if len(tasks) == 0 {
		return
	}
	begun := time.Now()
	s.site = nil // its atoms change
	for _, t := range tasks {
		s.Current().keep(t.make)
	}
	all, records := s.makeAll(tasks)
	if len(all) == 0 {
		return
	}
	applied := time.Now()
	err := s.write(ctx, records)
	flushed := time.Now()
	if err == nil {
		err = s.infer(ctx, len(all))
	}
	v, inferred := s.Current(), time.Now()
	for _, m := range all {
		s.counts.time(m.asked, begun, applied, flushed, inferred)
		if err != nil {
			m.done <- outcome{err: err}
			continue
		}
		u := Updated{Version: v.Number, Applied: m.applied, Status: v.Answer.Status, Objective: finite(v.Answer.Objective),
			Gap: finite(v.Answer.Gap)}
		s.remember(m.key, u)
		m.done <- outcome{updated: u}
	}
	s.counts.updates.Add(int64(len(all)))
}

// made is an update whose changes are made.
type made struct {
	*task
	applied change.Applied
}

// makeAll makes the changes of updates, one after the other, and answers those that are refused or have been made
// before. It returns the others, and what the journal is to have of them.
func (s *Service) makeAll(tasks []*task) (all []made, records []live.Record) {
	for _, t := range tasks {
		if before, known := s.keys[t.key]; known && t.key != "" {
			t.done <- outcome{updated: before}
			continue
		}
		applied, err := s.attempt(t)
		if err != nil {
			s.counts.refused.Add(1)
			t.done <- outcome{err: err}
			continue
		}
		all, records = append(all, made{t, *applied}), append(records, live.Record{Key: t.key, Changes: t.make})
	}
	return all, records
}

// attempt makes the changes of an update, if there still is a model.
func (s *Service) attempt(t *task) (*change.Applied, error) {
	if s.live == nil {
		return nil, errBroken
	}
	start := time.Now()
	applied, err := s.live.Apply(t.ctx, t.make)
	s.short.tail += time.Since(start)
	return applied, err
}

// errBroken is the error of a service that could neither write nor take back what it could not write.
var errBroken = errors.New("the journal could not be written: the service must be started again")

// write flushes updates that have been made. If it cannot, they are taken back by beginning with the journal again.
func (s *Service) write(ctx context.Context, records []live.Record) error {
	if s.journal == nil {
		return nil
	}
	err := s.journal.Append(records...)
	if err == nil {
		return nil
	}
	before, failed := s.journal.Read()
	if failed == nil {
		_, failed = s.begin(ctx, before)
	}
	if failed != nil {
		s.live = nil
	}
	return errors.Join(err, failed)
}

// infer makes the next version.
func (s *Service) infer(ctx context.Context, updates int) error {
	if s.budget > 0 {
		return s.inferWithin(ctx, updates)
	}
	answer, err := s.live.Infer(ctx)
	if err == nil {
		s.next(answer, updates)
	}
	return err
}

// ErrEnding is the error of what is asked of a service that ends, and ErrBusy of one that has too much to do.
var (
	ErrEnding = errors.New("the service is ending")
	ErrBusy   = errors.New("too many updates are waiting")
)

// ask gives the writer something to do and waits for it.
func (s *Service) ask(t *task) (Updated, error) {
	t.done, t.asked = make(chan outcome, 1), time.Now()
	select {
	case <-s.ended:
		return Updated{}, ErrEnding
	default:
	}
	select {
	case s.waiting <- t:
		s.interrupt()
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
			s.next(answer, 0)
		}
		return err
	}})
	return err
}

// Beside is Look for atom pages and explanations, which may take long: show is called when the tables and multipliers
// of the version are copied, and changes are made meanwhile. One is made after the other, as each takes memory.
func (s *Service) Beside(ctx context.Context, show func(site *inspect.Site, of *Version) error) error {
	select {
	case s.explaining <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.explaining }()
	var site *inspect.Site
	var version *Version
	err := s.Look(ctx, func(now *inspect.Site, of *Version) error {
		site, version = now, of
		site.Apart()
		return nil
	})
	if err != nil {
		return err
	}
	return show(site, version)
}

// Look calls show with the pages about the last version, between changes. They rest on the ground rules and multipliers
// that are there.
func (s *Service) Look(ctx context.Context, show func(site *inspect.Site, of *Version) error) error {
	_, err := s.ask(&task{ctx: ctx, do: func(ctx context.Context) error {
		v := s.Current()
		if s.site == nil {
			grounding, answer, multipliers, err := s.live.Still(v.Answer)
			if err != nil {
				return err
			}
			s.site = s.model.pages(grounding, answer, multipliers)
		}
		return show(s.site, v)
	}})
	return err
}
