package neural

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/deeppsl/deeppsl/internal/onnx"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/neural/features"
)

// exchanged is the kind of networks that an ONNX file has.
const exchanged = "onnx"

// A Graph is the network of an ONNX file, which has been read and checked. Systems may share it: what a frozen one says
// of a row is computed once.
type Graph struct {
	model *onnx.Model
	hash  hash // of what outputs follow from beside the features
	mutex sync.Mutex
	known map[*features.Table]*answers
	kept  *kept // nil if nothing is
}

// Keep lets a frozen network find what it has said in earlier runs in a folder, and leave there what it says, if that
// took long. The outputs are the same bits with it and without. What is found, written, or cannot be, is told.
func (g *Graph) Keep(folder string, tell func(message string, about ...any)) {
	g.kept = &kept{folder, tell, programHash, worthKeeping, keptBytes}
}

// ReadGraph reads the file that a specification names, for rows of so many features. Operators that are not supported
// are an error that names all of their nodes.
func ReadGraph(s *Spec, width int) (*Graph, error) {
	data, err := os.ReadFile(s.File)
	if err != nil {
		return nil, wrongKey("file", "%w", err)
	}
	all := sha256.New()
	fmt.Fprintf(all, "%d %q %x\n", width, s.Head, sha256.Sum256(data))
	model, err := onnx.Read(data, onnx.Options{Features: width, Output: s.Head, Frozen: s.Frozen, Fixed: s.Fixed,
		External: func(name string) ([]byte, error) {
			beside, err := os.ReadFile(filepath.Join(filepath.Dir(s.File), name))
			fmt.Fprintf(all, "%q %x\n", name, sha256.Sum256(beside))
			return beside, err
		}})
	if err != nil {
		return nil, wrongKey("file", "%s: %w", s.File, err)
	}
	return &Graph{model: model, hash: hash(all.Sum(nil)), known: make(map[*features.Table]*answers)}, nil
}

// readGraph reads the file of a network that is of one, unless it has been; what is wrong with the rest is told later.
func (s *Spec) readGraph(tables map[string]*features.Table) (err error) {
	table := tables[s.Features]
	if s.File != "" && s.Graph == nil && table != nil && (s.Kind == "" || s.Kind == exchanged) {
		s.Graph, err = ReadGraph(s, table.Width())
	}
	return err
}

// output is what the file's last layer is followed by, as far as the file says it.
func (g *Graph) output() Output {
	switch {
	case g.model.Ending() == "Softmax":
		return SoftmaxOutput
	case g.model.Ending() == "Sigmoid":
		return SigmoidOutput
	}
	return ""
}

// validateGraph checks what is said of a network of a file.
func (s *Spec) validateGraph() error {
	own := s.Encoder != "" || len(s.Hidden) > 0 || s.Preset != "" || s.Activation != "" || s.Dropout != 0 ||
		s.InputDropout != 0 || s.Shift != 0 || s.Gain != 1
	switch {
	case s.Kind != exchanged && (s.File != "" || s.Head != "" || len(s.Fixed) > 0):
		return wrongKey("kind", "file, head and fixed are for networks of kind %q, not %q", exchanged, s.Kind)
	case s.Kind != exchanged && s.Kind != elsewhere && s.Output == NoOutput:
		return wrongKey("output", "output %q is for networks of kind %q, not %q", s.Output, exchanged, s.Kind)
	case s.Kind == exchanged && s.File == "" && s.Graph == nil:
		return wrongKey("file", "file is missing: the ONNX file that has the network")
	case s.Kind == exchanged && own:
		return wrongKey("kind", "a network of kind %q has the layers of its file: encoder, hidden, preset, activation, "+
			"gain, shift and dropout are not for it", exchanged)
	}
	return nil
}

// discoverGraph makes the parameters of a network of a file, with the values that it has there.
func (s *System) discoverGraph(n *network) error {
	spec := &n.spec
	model, ends := spec.Graph.model, spec.Graph.output()
	setDefault(&spec.Outputs, model.Outputs())
	n.width = spec.Outputs
	switch {
	case model.Outputs() != spec.Outputs:
		return wrongKey("file", "%s has %d outputs, and %d are wanted", spec.File, model.Outputs(), spec.Outputs)
	case model.Features() != n.table().Width():
		return wrongKey("features", "%s wants rows of %d numbers, and the features have %d", spec.File, model.Features(),
			n.table().Width())
	case ends != "" && spec.Output != ends:
		return wrongKey("output", "output %q: %s ends with a %s; leave output out", spec.Output, spec.File, model.Ending())
	case model.Probabilities() && spec.Output != NoOutput:
		return wrongKey("output", `the outputs of %s are probabilities already: write "output": "%s"`, spec.File, NoOutput)
	}
	for _, p := range model.Parameters() {
		layer, tensor := layerOf(p.Name)
		if s.byName[parameterName(n, layer, tensor)] != nil {
			return fmt.Errorf("two tensors are called %q", p.Name)
		}
		made := s.add(n, layer, tensor, Zeros, p.Shape...)
		made.Bias = len(p.Shape) == 1
		copy(made.Value, p.Value)
		n.tensors = append(n.tensors, made)
	}
	return nil
}

// layerOf divides a tensor's name at its last dot.
func layerOf(name string) (layer, tensor string) {
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && dot < len(name)-1 {
		return name[:dot], name[dot+1:]
	}
	return name, "values"
}

// shown is the number of rows whose features are laid out at once.
const shown = 256

// graphRunner runs the network of a file on the rows of a pass.
type graphRunner struct {
	*pass
	model      *onnx.Model
	features   []float32    // of some rows
	parameters [][]float32  // of the last forward: an optimiser may write new ones before backward
	gradient   []float32    // by what the file gives
	tapes      []*onnx.Tape // of the last forward for training, one for each time that features were laid out
}

func newGraphRunner(p *pass) *graphRunner {
	r := &graphRunner{pass: p, model: p.network.spec.Graph.model, gradient: make([]float32, len(p.out)),
		features: make([]float32, min(shown, len(p.group.rows))*p.network.table().Width())}
	for _, t := range p.network.tensors {
		r.parameters = append(r.parameters, make([]float32, len(t.Value)))
	}
	return r
}

func (r *graphRunner) forward(train bool, _ uint64) error {
	for k, t := range r.network.tensors {
		copy(r.parameters[k], t.Value)
	}
	run := r.compute
	r.tapes = nil
	switch {
	case r.network.spec.Frozen:
		run = r.recall
	case train:
		run = r.record
	}
	if err := run(r.group.rows, r.out); err != nil {
		return r.wrong(err)
	}
	if r.network.spec.Output == NoOutput {
		if err := r.checkTruth(); err != nil {
			return r.wrong(err)
		}
		return nil
	}
	r.network.spec.Output.apply(r.out, r.network.width)
	return nil
}

// wrong makes an error tell the network and its file.
func (r *graphRunner) wrong(err error) error {
	return inNetwork(r.network.spec.Name, fmt.Errorf("%s: %w", r.network.spec.File, err))
}

// compute writes the outputs of some rows.
func (r *graphRunner) compute(rows []int32, out []float32) error {
	width := r.network.width
	for lo := 0; lo < len(rows); lo += shown {
		hi := min(len(rows), lo+shown)
		if err := r.model.Forward(r.parameters, r.lay(rows[lo:hi]), out[lo*width:hi*width], r.threads); err != nil {
			return err
		}
	}
	return nil
}

// record is compute, and keeps what backward needs.
func (r *graphRunner) record(rows []int32, out []float32) error {
	width := r.network.width
	for lo := 0; lo < len(rows); lo += shown {
		hi := min(len(rows), lo+shown)
		tape, err := r.model.Record(r.parameters, r.lay(rows[lo:hi]), out[lo*width:hi*width], r.threads)
		if err != nil {
			return err
		}
		r.tapes = append(r.tapes, tape)
	}
	return nil
}

// lay lays out the features of some rows.
func (r *graphRunner) lay(rows []int32) []float32 {
	features := r.features[:len(rows)*r.group.features.Width()]
	r.group.features.Gather(rows, features)
	return features
}

// recall writes the outputs of a frozen network, of which those that have never been wanted are computed.
func (r *graphRunner) recall(rows []int32, out []float32) error {
	graph, width := r.network.spec.Graph, r.network.width
	graph.mutex.Lock()
	defer graph.mutex.Unlock()
	known := graph.known[r.group.features]
	if known == nil {
		n := r.group.features.Len()
		known = &answers{have: make([]bool, n), out: make([]float32, n*width)}
		graph.known[r.group.features] = known
		if graph.kept != nil {
			graph.kept.load(graph.hash, r.group.features, known)
		}
	}
	var missing []int32
	for _, row := range rows {
		if !known.have[row] {
			missing = append(missing, row)
		}
	}
	slices.Sort(missing)
	missing = slices.Compact(missing)
	fresh, start := make([]float32, len(missing)*width), time.Now()
	if err := r.compute(missing, fresh); err != nil {
		return err
	}
	known.unkept += time.Since(start)
	for k, at := range missing {
		known.have[at] = true
		copy(row(known.out, int(at), width), row(fresh, k, width))
	}
	if graph.kept != nil && len(missing) > 0 {
		graph.kept.save(graph.hash, r.group.features, known)
	}
	for k, at := range rows {
		copy(row(out, k, width), row(known.out, int(at), width))
	}
	return nil
}

// carry keeps what a frozen network has said of the rows that two tables have alike.
func (g *Graph) carry(from, to *features.Table, width int) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	known := g.known[from]
	if known == nil || from == to {
		return
	}
	delete(g.known, from)
	out := &answers{have: make([]bool, to.Len()), out: make([]float32, to.Len()*width)}
	copy(out.out, known.out)
	for at := range min(from.Len(), to.Len()) {
		out.have[at] = known.have[at] && from.Alike(to, at)
	}
	g.known[to] = out
}

func (r *graphRunner) backward() error {
	if r.network.spec.Frozen {
		return nil
	}
	width, rows := r.network.width, r.group.rows
	copy(r.gradient, r.upstream)
	if r.network.spec.Output != NoOutput {
		r.network.spec.Output.descend(r.gradient, r.out, width)
	}
	gradients := make([][]float32, len(r.network.tensors))
	for k, t := range r.network.tensors {
		gradients[k] = t.Gradient
	}
	tapes := r.tapes
	r.tapes = nil // each can be used once
	for lo := 0; lo < len(rows); lo += shown {
		hi := min(len(rows), lo+shown)
		var tape *onnx.Tape
		if len(tapes) > 0 {
			tape = tapes[lo/shown]
		}
		err := r.model.Backward(tape, r.parameters, r.lay(rows[lo:hi]), r.gradient[lo*width:hi*width], gradients, r.threads)
		if err != nil {
			return r.wrong(err)
		}
	}
	return nil
}

// SaveONNX writes the network of kind onnx, the only one there may be, as an ONNX file: that which it began with, with
// other parameters.
func (s *System) SaveONNX(w io.Writer) error {
	var found *network
	for _, n := range s.networks {
		if n.spec.Kind == exchanged && found != nil {
			return fmt.Errorf("writing the networks: %q and %q are both of kind %q, and one file has one network",
				found.spec.Name, n.spec.Name, exchanged)
		}
		if n.spec.Kind == exchanged {
			found = n
		}
	}
	if found == nil {
		return fmt.Errorf("writing the networks: none is of kind %q", exchanged)
	}
	var values [][]float32
	for _, t := range found.tensors {
		values = append(values, t.Value)
	}
	return found.spec.Graph.model.Write(w, values)
}

// saver returns what writes networks to a path: its extension says whether as ONNX.
func (s *System) saver(path string) func(io.Writer) error {
	if strings.EqualFold(filepath.Ext(path), ".onnx") {
		return s.SaveONNX
	}
	return s.Save
}

// SaveFile writes a checkpoint, or an ONNX file if path ends so, whole or not at all: there is never half a file at
// path.
func (s *System) SaveFile(path string) error {
	if err := report.WriteFileFunc(path, s.saver(path)); err != nil {
		return fmt.Errorf("writing the networks: %w", err)
	}
	return nil
}
