package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// server is a process of deeppsl serve, at one address after the other.
type server struct {
	args []string

	mu      sync.RWMutex // of what follows; whoever starts a process has it
	command *exec.Cmd
	root    string
}

// start starts a process and waits until it answers.
func (s *server) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s.command = exec.Command(self, s.args...)
	s.command.Stderr = os.Stderr
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.command.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var served struct {
		URL string `json:"url"`
	}
	if err := errors.Join(err, json.Unmarshal(line, &served)); err != nil {
		return errors.Join(fmt.Errorf("deeppsl serve said %q: %w", line, err), s.command.Wait())
	}
	s.root = served.URL
	return nil
}

// kill ends the process without a warning, and starts another.
func (s *server) kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.command.Process.Kill(); err != nil {
		return err
	}
	_ = s.command.Wait() // it was killed, and says so
	return s.start()
}

// stop ends the process in order.
func (s *server) stop() error {
	if err := s.command.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return s.command.Wait()
}

// url is the present root.
func (s *server) url() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.root
}

// resident is the memory that the process has now, in bytes; 0 where the system does not say.
func (s *server) resident() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kilobytes, _ := strconv.ParseInt(number, 10, 64)
	return kilobytes << 10
}

// cpu is the processor time that the process has used, in seconds; 0 where the system does not say.
func (s *server) cpu() float64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		return 0
	}
	const user, tick = 11, 100 // fields behind the name, and hundredths of a second
	_, rest, _ := strings.Cut(string(text), ") ")
	ticks := 0.0
	for _, field := range strings.Fields(rest)[user : user+2] {
		n, _ := strconv.ParseFloat(field, 64)
		ticks += n
	}
	return ticks / tick
}

// stage is how long updates took on a part of their way, by the server's histogram: quantiles are bounds of buckets.
type stage struct {
	Mean      float64 `json:"mean_ms"`
	Median    float64 `json:"median_ms_at_most"`
	Percent99 float64 `json:"99th_ms_at_most"`
}

// stages reads the histograms of the server's metrics.
func (s *server) stages() (map[string]*stage, error) {
	response, err := newClient().Get(s.url() + "metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	all, sums := make(map[string]*stage), make(map[string]float64)
	type bucket struct{ bound, count float64 }
	buckets := make(map[string][]bucket)
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		apart := func(c rune) bool { return strings.ContainsRune(" {}=,\"+", c) }
		f := strings.FieldsFunc(lines.Text(), apart)
		value, _ := strconv.ParseFloat(f[len(f)-1], 64)
		switch f[0] {
		case "deeppsl_update_seconds_bucket":
			bound, _ := strconv.ParseFloat(f[4], 64)
			buckets[f[2]] = append(buckets[f[2]], bucket{bound, value})
		case "deeppsl_update_seconds_sum":
			sums[f[2]] = value
		}
	}
	for name, of := range buckets {
		total := of[len(of)-1].count
		quantile := func(share float64) float64 {
			for _, b := range of {
				if b.count >= share*total && !math.IsInf(b.bound, 0) {
					return 1000 * b.bound
				}
			}
			return 1000 * of[len(of)-2].bound
		}
		all[name] = &stage{1000 * sums[name] / max(1, total), quantile(0.5), quantile(0.99)}
	}
	return all, nil
}

// ask sends a request and reads its answer into a value.
func (s *server) ask(client *http.Client, method, path string, body, into any, headers ...string) (
	status int, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequest(method, s.url()+path, bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	for k := 0; k+1 < len(headers); k += 2 {
		request.Header.Set(headers[k], headers[k+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	if err == nil && into != nil && response.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, into)
	}
	return response.StatusCode, err
}

// atom is an atom as deeppsl serve tells it.
type atom struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Value     float64  `json:"value"`
}

// atomPath is where the value of an atom is.
func (a *atom) path() string {
	return "v1/atoms/" + url.PathEscape(a.Predicate) + "?" + url.Values{"argument": a.Arguments}.Encode()
}

// version is what is told of the last one.
type version struct {
	Version   int     `json:"version"`
	Updates   int     `json:"updates"`
	Status    string  `json:"status"`
	Objective float64 `json:"objective"`
	Gap       float64 `json:"gap"`
}

// patience is how long a client waits for an answer.
const patience = time.Minute

func newClient() *http.Client {
	return &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
}
