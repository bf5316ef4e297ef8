// Package neupsl runs the networks of NeuPSL's projects, which are classes in Python, by the protocol that Java PSL
// speaks with them: a server process per network, one line of JSON each way over TCP on the loopback, and numbers in a
// file that both have open, big-endian. Two dialects are spoken: that of PSL 2.4, and that of its main branch, which
// also tells of epochs and modes. The server says which it understands.
package neupsl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/neural"
)

// Model is a network as a project describes it. It implements neural.External.
type Model struct {
	// Module is the Python module that is the server, Port where it listens; 0 is any port that is free.
	Module string
	Port   int
	// Dir is what the project's paths are relative to, Options those of the predicate, with which the server is told
	// what the network is.
	Dir     string
	Options map[string]string
	// Rows is the number of entities, Classes that of the classes.
	Rows, Classes int
	// Log hears every line that the server prints; nil if nobody does.
	Log func(line string)
}

// Begin implements neural.External. The process starts when the network is first asked for something.
func (m *Model) Begin(uint64) (neural.Instance, error) {
	return &instance{model: m, application: inference}, nil
}

// What a server is told that the network is used for.
const (
	learning  = "learning"
	inference = "inference"
)

// instance is the network with its process.
type instance struct {
	model       *Model
	application string
	server      *server // nil before it is needed
	old         bool    // it speaks the dialect of PSL 2.4
	mode        string  // the mode that it is in
	inEpoch     bool
	moved       bool // it has learned what is not saved yet
	pass        int  // that it last predicted, until it has learned from that
	outputs     []float32
	rows        map[int][]int32
	gradient    []float32 // of that pass, not told yet
	failed      error     // of what has no error to return, until it is told
}

// Stage tells whether the network is about to learn, or has learned: it is then saved, and used in a new process.
func (i *instance) Stage(learns bool) error {
	next := inference
	if learns {
		next = learning
	}
	if next == i.application {
		return nil
	}
	err := i.end()
	i.application = next
	return err
}

// end saves what was learned, and closes the server.
func (i *instance) end() error {
	if i.server == nil {
		return nil
	}
	err := i.endEpoch()
	if err == nil && i.moved {
		err = i.tell("save")
	}
	_, closing := i.server.ask("close", nil)
	err = errors.Join(err, closing, i.server.close())
	i.server, i.moved, i.mode, i.inEpoch = nil, false, "", false
	return err
}

// Forward implements neural.Instance. While it learns, a network predicts once for each step, as if for training, as in
// NeuPSL: its class may well keep what it needs for the gradients of the last prediction.
func (i *instance) Forward(pass int, rows []int32, _ bool, _ uint64, outputs []float32) error {
	if failed := i.failed; failed != nil {
		i.failed = nil
		return failed
	}
	if i.rows == nil {
		i.rows = make(map[int][]int32)
	}
	i.gradient = nil
	if i.application == learning && i.pass == pass && slices.Equal(i.rows[pass], rows) {
		copy(outputs, i.outputs)
		return nil
	}
	i.rows[pass] = slices.Clone(rows)
	err := i.predict(pass)
	copy(outputs, i.outputs)
	return err
}

// predict takes the outputs for the rows of a pass.
func (i *instance) predict(pass int) (err error) {
	i.pass = 0
	if i.outputs, err = i.predicted(i.rows[pass]); err == nil {
		i.pass = pass
	}
	return i.died(err)
}

func (i *instance) predicted(rows []int32) ([]float32, error) {
	if err := i.prepare(); err != nil {
		return nil, err
	}
	if err := i.server.write(rows, nil); err != nil {
		return nil, err
	}
	task := "predict"
	if i.old && i.application == learning {
		task = "predict_learn"
	}
	if err := i.tellOf(task); err != nil {
		return nil, err
	}
	values, err := i.server.read(len(rows) * i.model.Classes)
	if err == nil && i.application == inference {
		err = i.endEpoch() // the only one of inference
	}
	return values, err
}

// prepare starts the server if there is none, in the mode of its application, and begins an epoch.
func (i *instance) prepare() error {
	mode := "eval_mode"
	if i.application == learning {
		mode = "train_mode"
	}
	err := i.start(mode)
	if err != nil || i.old {
		return err
	}
	if i.mode != mode {
		if err := i.tell(mode); err != nil {
			return err
		}
		i.mode = mode
	}
	if !i.inEpoch {
		err, i.inEpoch = i.tell("epoch_start"), true
	}
	return err
}

// start starts the server if there is none. One that does not know modes is of PSL 2.4: it has ended for being asked,
// and is started once more.
func (i *instance) start(mode string) error {
	if i.server != nil {
		return nil
	}
	if err := i.begin(); err != nil || i.old {
		return err
	}
	err := i.tell(mode)
	refused := (*refusal)(nil)
	if !errors.As(err, &refused) || !strings.Contains(refused.Error(), "Unknown task") {
		i.mode = mode
		return err
	}
	_ = i.server.close() // it has ended itself
	i.old = true
	return i.begin()
}

// begin starts a server, which ends at the latest when nobody has the instance any more.
func (i *instance) begin() (err error) {
	if i.server, err = i.model.start(i.application); err == nil {
		runtime.AddCleanup(i, func(s *server) { _ = s.conn.Close() }, i.server)
	}
	return err
}

// Backward implements neural.Instance: gradients are told when a step is taken.
func (i *instance) Backward(pass int, upstream []float32) error {
	if failed := i.failed; failed != nil {
		i.failed = nil
		return failed
	}
	if i.pass != pass { // it has seen other rows since, or learned
		if err := i.predict(pass); err != nil {
			return err
		}
		i.gradient = nil
	}
	if i.gradient == nil {
		i.gradient = slices.Clone(upstream)
		return nil
	}
	for k, g := range upstream {
		i.gradient[k] += g
	}
	return nil
}

// Step implements neural.Instance. The network moves its parameters as it sees fit.
func (i *instance) Step(neural.Update) {
	if i.gradient == nil || i.failed != nil {
		return
	}
	i.failed = i.died(i.fit())
	i.pass, i.gradient = 0, nil
}

func (i *instance) fit() error {
	if err := i.server.write(i.rows[i.pass], i.gradient); err != nil {
		return err
	}
	if err := i.tellOf("fit"); err != nil {
		return err
	}
	i.moved = true
	if i.old {
		return nil
	}
	if err := i.tell("next_batch"); err != nil {
		return err
	}
	result, err := i.server.ask("is_epoch_complete", i.model.options(i.application))
	if complete, is := result.(bool); err == nil && (!is || complete) {
		err = i.endEpoch()
	}
	return err
}

func (i *instance) endEpoch() error {
	if !i.inEpoch {
		return nil
	}
	i.inEpoch = false
	return i.tell("epoch_end")
}

// State implements neural.Instance: there is none to be had.
func (i *instance) State() []byte { return nil }

// Restore implements neural.Instance.
func (i *instance) Restore([]byte) {}

// tell has a task done, tellOf one of those that also say of what kind the network is.
func (i *instance) tell(task string) error {
	_, err := i.server.ask(task, i.model.options(i.application))
	return err
}

func (i *instance) tellOf(task string) error {
	_, err := i.server.ask(task, i.model.options(i.application), "deep_model", deepModel)
	return err
}

// died forgets a server that an error has come from: it ends itself.
func (i *instance) died(err error) error {
	if err != nil && i.server != nil {
		err = errors.Join(err, i.server.close())
		i.server, i.moved, i.mode, i.inEpoch = nil, false, "", false
	}
	return err
}

// options are the predicate's, and those that an application has of its own, "learning::epochs" or "inference::epochs".
func (m *Model) options(application string) map[string]string {
	all := map[string]string{"relative-dir": m.Dir}
	maps.Copy(all, m.Options)
	for name, value := range m.Options {
		if own, found := strings.CutPrefix(name, application+"::"); found {
			all[own] = value
		}
	}
	return all
}

// size is that of the file: a count, numbers of rows, and a number for each output.
func (m *Model) size() int64 { return 8 + 4*int64(m.Rows) + 4*int64(m.Rows)*int64(m.Classes) }

// write puts rows, and gradients if there are any, into the file.
func (s *server) write(rows []int32, gradients []float32) error {
	data := binary.BigEndian.AppendUint32(nil, uint32(len(rows)))
	for _, numbers := range []any{rows, gradients} {
		data, _ = binary.Append(data, binary.BigEndian, numbers) // which it can, of numbers
	}
	_, err := s.shared.WriteAt(data, 0)
	return err
}

// read takes n outputs out of the file.
func (s *server) read(n int) ([]float32, error) {
	data := make([]byte, 4+4*n)
	if _, err := s.shared.ReadAt(data, 0); err != nil {
		return nil, err
	}
	if count := binary.BigEndian.Uint32(data); int(count) != n {
		return nil, fmt.Errorf("the model has written %d outputs, and %d are wanted", count, n)
	}
	values := make([]float32, n)
	_, err := binary.Decode(data[4:], binary.BigEndian, values)
	return values, err
}
