package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// report is what came of it.
type report struct {
	Seconds          float64 `json:"seconds"`
	Updates          int64   `json:"updates"`
	UpdatesPerSecond float64 `json:"updates_per_second"`
	UpdateMedian     float64 `json:"update_median_ms"`
	Update99         float64 `json:"update_99_ms"`
	// Stages are the parts of what updates took, since the last kill.
	Stages         map[string]*stage `json:"update_stages"`
	Reads          int64             `json:"reads"`
	ReadsPerSecond float64           `json:"reads_per_second"`
	ReadMedian     float64           `json:"read_median_ms"`
	Read99         float64           `json:"read_99_ms"`
	Refused        map[string]int    `json:"refused"`
	Kills          int               `json:"kills"`
	Resent         int               `json:"updates_sent_again"`
	Checked        int               `json:"atoms_checked"`
	Processor      float64           `json:"server_processor_seconds"` // since the last kill
	Snapshots      int               `json:"snapshots"`
	// Memory is that after each twentieth of the time. Start is how long the process that begins anew takes to answer, and
	// Cold how long the first one took.
	Memory  []int64 `json:"memory_bytes"`
	Journal int64   `json:"journal_bytes"`
	Cold    float64 `json:"cold_start_seconds"`
	Start   float64 `json:"start_seconds"`
	// Objective and Gap are those at the end, and Anew those of a process that begins with the journal. Moved is the
	// largest difference of a value.
	Objective     float64  `json:"objective"`
	Gap           float64  `json:"gap"`
	ObjectiveAnew float64  `json:"objective_anew"`
	GapAnew       float64  `json:"gap_anew"`
	Moved         float64  `json:"largest_difference"`
	Wrong         []string `json:"wrong"`
}

var errWrong = errors.New("what must not be was seen: see wrong")

// load does what the plan says.
func (p *plan) load(ctx context.Context) (*report, error) {
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s := &server{args: append([]string{commandName, "serve", p.config, "--listen", "127.0.0.1:0", "--journal", dir,
		"--json", "--quiet"}, p.serve...)}
	begun := time.Now()
	if err := s.start(); err != nil {
		return nil, err
	}
	r := &report{Kills: p.kill, Cold: time.Since(begun).Seconds()}
	atoms, err := p.draw(s)
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	t := &tally{answers: make(map[string]int)}
	writers, err := p.drive(ctx, s, atoms, r, t)
	if err == nil {
		err = r.conclude(s, writers, filepath.Join(dir, "journal.jsonl"))
	}
	r.take(t)
	if len(r.Wrong) > 0 {
		err = errors.Join(err, errWrong)
	}
	return r, errors.Join(err, s.stop())
}

// draw chooses the atoms that are changed: targets whose arguments differ, which hard rules leave alone more often.
func (p *plan) draw(s *server) ([]atom, error) {
	var predicates []struct {
		Predicate string `json:"predicate"`
		Targets   int    `json:"targets"`
	}
	if _, err := s.ask(newClient(), http.MethodGet, "v1/predicates", nil, &predicates); err != nil {
		return nil, err
	}
	rng, seen := rand.New(rand.NewPCG(p.seed, 0)), 0
	var chosen []atom
	for _, predicate := range predicates {
		if predicate.Targets == 0 {
			continue
		}
		err := s.each(predicate.Predicate, func(a atom) {
			if len(a.Arguments) > 1 && a.Arguments[0] == a.Arguments[1] {
				return
			}
			if seen++; len(chosen) < p.atoms {
				chosen = append(chosen, a)
			} else if at := rng.IntN(seen); at < len(chosen) {
				chosen[at] = a
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if len(chosen) < p.writers {
		return nil, fmt.Errorf("there are %d atoms for %d writers", len(chosen), p.writers)
	}
	return chosen, nil
}

// each visits the atoms of a predicate that are inferred.
func (s *server) each(predicate string, visit func(atom)) error {
	request, err := http.NewRequest(http.MethodGet, s.url()+"v1/atoms/"+predicate, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/x-ndjson")
	response, err := newClient().Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		var a atom
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return err
		}
		visit(a)
	}
	return lines.Err()
}

// drive runs the clients and kills the process, and returns the writers.
func (p *plan) drive(ctx context.Context, s *server, atoms []atom, r *report, t *tally) ([]*writer, error) {
	limited, done := context.WithTimeout(ctx, p.duration)
	defer done()
	var running sync.WaitGroup
	var writers []*writer
	for k := range p.writers {
		w := &writer{name: fmt.Sprint("w", k), server: s, client: newClient(),
			rng: rand.New(rand.NewPCG(p.seed, uint64(k+1))), pause: p.pause, tally: t}
		for at := k; at < len(atoms); at += p.writers {
			w.atoms = append(w.atoms, &owned{atom: atoms[at]})
		}
		writers = append(writers, w)
		running.Go(func() { w.run(limited) })
	}
	paths := make([]string, len(atoms))
	for k := range atoms {
		paths[k] = atoms[k].path()
	}
	for k := range p.readers {
		reading := &reader{server: s, rng: rand.New(rand.NewPCG(p.seed, uint64(k+1e6))), paths: paths, tally: t}
		running.Go(func() { reading.run(limited) })
	}
	start := time.Now()
	err := p.disturb(limited, s, r)
	running.Wait()
	r.Seconds = time.Since(start).Seconds()
	r.Processor = s.cpu()
	if err == nil {
		r.Stages, err = s.stages()
	}
	return writers, err
}

// points is how often the memory is looked at.
const points = 20

// disturb waits for the end, looks at the memory, and asks for snapshots and kills the process as often as it is to.
func (p *plan) disturb(ctx context.Context, s *server, r *report) error {
	looks := time.NewTicker(p.duration / points)
	defer looks.Stop()
	kills, stop := every(p.kill > 0, p.duration/time.Duration(p.kill+1))
	defer stop()
	snapshots, stop := every(p.snapshots > 0, p.snapshots)
	defer stop()
	client := newClient()
	for left := p.kill; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-looks.C:
			r.Memory = append(r.Memory, s.resident())
		case <-snapshots: // while the process may be killed, which is no error
			go func() { _, _ = s.ask(client, http.MethodPost, "v1/snapshot", nil, nil) }()
			r.Snapshots++
		case <-kills:
			if left--; left < 0 {
				continue
			}
			if err := s.kill(); err != nil {
				return err
			}
		}
	}
}

// every returns what ticks, if it is to.
func every(is bool, pause time.Duration) (ticks <-chan time.Time, stop func()) {
	if !is {
		return nil, func() {}
	}
	ticker := time.NewTicker(pause)
	return ticker.C, ticker.Stop
}

// conclude checks all atoms, and compares the answer with that of a process that begins with the journal.
func (r *report) conclude(s *server, writers []*writer, journal string) error {
	for _, w := range writers {
		for _, a := range w.atoms {
			w.compare(a)
		}
	}
	if info, err := os.Stat(journal); err == nil {
		r.Journal = info.Size()
	}
	last, values, err := s.answer()
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := s.kill(); err != nil {
		return err
	}
	r.Start = time.Since(begun).Seconds()
	anew, again, err := s.answer()
	if err != nil {
		return err
	}
	r.Objective, r.Gap, r.ObjectiveAnew, r.GapAnew = last.Objective, last.Gap, anew.Objective, anew.Gap
	for name, value := range values {
		other, known := again[name]
		if !known {
			r.Wrong = append(r.Wrong, name+" is not there when the process begins anew")
		}
		r.Moved = max(r.Moved, math.Abs(value-other))
	}
	// The gap of a point that violates hard rules a little can be below 0. The objective of the one that has seen all
	// changes is a compensated sum that they were added to and taken from, and rounded once.
	unit := max(1, math.Abs(last.Objective), math.Abs(anew.Objective))
	const rounding = 0x1p-53
	if off := math.Abs(last.Objective - anew.Objective); off > (2*(math.Abs(last.Gap)+math.Abs(anew.Gap))+rounding)*unit {
		r.Wrong = append(r.Wrong, fmt.Sprintf("the objectives %v and %v are further apart than their gaps %v and %v",
			last.Objective, anew.Objective, last.Gap, anew.Gap))
	}
	return nil
}

// answer is the last version, proven, with the values of all atoms.
func (s *server) answer() (last version, values map[string]float64, err error) {
	client := newClient()
	if _, err := s.ask(client, http.MethodPost, "v1/infer?seconds=50", nil, &last); err != nil {
		return last, nil, err
	}
	var predicates []struct {
		Predicate string `json:"predicate"`
	}
	if _, err := s.ask(client, http.MethodGet, "v1/predicates", nil, &predicates); err != nil {
		return last, nil, err
	}
	values = make(map[string]float64)
	for _, p := range predicates {
		if err := s.each(p.Predicate, func(a atom) { values[fmt.Sprint(a.Predicate, a.Arguments)] = a.Value }); err != nil {
			return last, nil, err
		}
	}
	return last, values, nil
}

// take adds what clients saw.
func (r *report) take(t *tally) {
	r.Updates, r.UpdateMedian, r.Update99 = t.updates.count, t.updates.milliseconds(0.5), t.updates.milliseconds(0.99)
	r.Reads, r.ReadMedian, r.Read99 = t.reads.count, t.reads.milliseconds(0.5), t.reads.milliseconds(0.99)
	r.UpdatesPerSecond, r.ReadsPerSecond = float64(r.Updates)/r.Seconds, float64(r.Reads)/r.Seconds
	r.Refused, r.Resent, r.Checked = t.answers, t.resent, t.checked
	r.Wrong = append(r.Wrong, t.said...)
}
