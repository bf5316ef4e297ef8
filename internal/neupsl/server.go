package neupsl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// deepModel is what messages call the network of a predicate.
const deepModel = "DeepModelPredicate"

const (
	patience = 60 * time.Second        // that a server has to begin: it may load a large library
	look     = 20 * time.Millisecond   // between tries to connect
	ending   = 2 * time.Second         // that a server has to end
	told     = 2000                    // bytes of its last output that errors show
	python   = "python3"               // the interpreter, as on the PATH
	loopback = "127.0.0.1"             // where it listens
	pattern  = "deeppsl-network-*.bin" // of the file's name
)

// server is a process that has a network.
type server struct {
	process *exec.Cmd
	ended   chan struct{} // closed when it has
	output  *tail         // of what it prints
	shared  *os.File
	conn    net.Conn
	replies *bufio.Reader
}

// refusal is what a server says that could not do something.
type refusal struct{ task, message string }

// Error tells the task, and what the server says.
func (r *refusal) Error() string {
	return fmt.Sprintf("the Python model failed in %s: %s", r.task, r.message)
}

// start starts a server for an application, and tells it what the network is.
func (m *Model) start(application string) (s *server, err error) {
	s = &server{ended: make(chan struct{}), output: &tail{tell: m.Log}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
			s = nil
		}
	}()
	if s.shared, err = os.CreateTemp("", pattern); err != nil {
		return s, err
	}
	name, err := unnamed(s.shared)
	if err != nil {
		return s, err
	}
	if name == s.shared.Name() { // once the server has it open, the file needs no name
		defer func() { err = errors.Join(err, os.Remove(name)) }()
	}
	if err = s.shared.Truncate(m.size()); err != nil {
		return s, err
	}
	if err = s.run(m); err != nil {
		return s, err
	}
	_, err = s.ask("init", m.options(application), "deep_model", deepModel, "shared_memory_path", name,
		"application", application)
	return s, err
}

// unnamed takes the name from a file, so that none is left however this ends, and returns a path that leads to it all
// the same: on Linux, by this process. Elsewhere it is the file's name, which has to go later.
func unnamed(file *os.File) (string, error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), file.Fd())
	if _, err := os.Stat(path); err != nil {
		return file.Name(), nil
	}
	return path, os.Remove(file.Name())
}

// run starts the process, and connects.
func (s *server) run(m *Model) error {
	port := m.Port
	if port == 0 {
		free, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
		if err != nil {
			return err
		}
		port = free.Addr().(*net.TCPAddr).Port
		if err := free.Close(); err != nil {
			return err
		}
	}
	s.process = exec.Command(python, "-m", m.Module, strconv.Itoa(port))
	s.process.Stdout, s.process.Stderr = s.output, s.output
	apart(s.process)
	if err := s.process.Start(); err != nil {
		s.process = nil
		return fmt.Errorf("starting the server of the Python model: %w", err)
	}
	go func() {
		_ = s.process.Wait() // how it ended is in what it wrote
		close(s.ended)
	}()
	return s.connect(net.JoinHostPort(loopback, strconv.Itoa(port)))
}

// connect connects to the server as soon as it listens.
func (s *server) connect(address string) error {
	for start := time.Now(); time.Since(start) < patience; {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			s.conn, s.replies = conn, bufio.NewReader(conn)
			return nil
		}
		select {
		case <-s.ended:
			return s.gone(errors.New("the server of the Python model ended before it listened"))
		case <-time.After(look):
		}
	}
	return s.gone(fmt.Errorf("the server of the Python model does not listen after %v", patience))
}

// ask sends a message and waits for its reply, of which it returns the result.
func (s *server) ask(task string, options map[string]string, more ...string) (any, error) {
	message := map[string]any{"task": task}
	if options != nil {
		message["options"] = options
	}
	for k := 0; k < len(more); k += 2 {
		message[more[k]] = more[k+1]
	}
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	if _, err := s.conn.Write(append(text, '\n')); err != nil {
		return nil, s.gone(fmt.Errorf("telling the Python model to %s: %w", task, err))
	}
	line, err := s.replies.ReadBytes('\n')
	if err != nil {
		return nil, s.gone(fmt.Errorf("the Python model ended in %s", task))
	}
	var reply struct {
		Status, Message string
		Result          any
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		return nil, fmt.Errorf("the Python model's reply to %s: %w", task, err)
	}
	if reply.Status != "success" {
		return nil, &refusal{task, reply.Message}
	}
	return reply.Result, nil
}

// gone adds to an error what the process wrote last, which as a rule says why.
func (s *server) gone(err error) error {
	select {
	case <-s.ended:
	case <-time.After(ending):
	}
	if text := s.output.String(); text != "" {
		return fmt.Errorf("%w:\n%s", err, text)
	}
	return err
}

// close ends the server, and gives back what it took.
func (s *server) close() (err error) {
	if s.conn != nil {
		err = s.conn.Close()
	}
	if s.process != nil {
		select {
		case <-s.ended:
		case <-time.After(ending):
			_ = s.process.Process.Kill()
			<-s.ended
		}
	}
	if s.shared != nil {
		err = errors.Join(err, s.shared.Close())
	}
	return err
}

// tail passes output on, line by line, and keeps its end.
type tail struct {
	tell  func(line string)
	mutex sync.Mutex
	line  []byte // that has not ended
	last  []byte
}

// Write never fails: what becomes of the output does not matter to the process.
func (t *tail) Write(data []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.line = append(t.line, data...)
	for {
		line, rest, whole := bytes.Cut(t.line, []byte("\n"))
		if !whole {
			break
		}
		if t.line = rest; t.tell != nil && len(bytes.TrimSpace(line)) > 0 {
			t.tell(string(line))
		}
	}
	t.last = append(t.last, data...)
	if extra := len(t.last) - told; extra > 0 {
		t.last = append(t.last[:0], t.last[extra:]...)
	}
	return len(data), nil
}

// String returns the end of the output, from the beginning of a line on.
func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	text := t.last
	if len(text) == told {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return strings.TrimSpace(string(text))
}
