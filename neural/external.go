package neural

import (
	"fmt"
	"math"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// An External is a classifier that another program computes, such as a module of PyTorch. That program keeps the
// parameters and the features, of which a table of NewNames has the rows' names.
type External interface {
	// Begin makes the network as it is before anything is learned. There may be several at a time, of which one is
	// learned without some labels and one with all: each has parameters of its own.
	Begin(seed uint64) (Instance, error)
}

// An Instance is an External with parameters. Rows are numbers of rows of its features, and pass says which rows are
// computed again and again; Backward is for those of the pass's last Forward. Where Step, State and Restore fail, the
// next Forward or Backward says so.
type Instance interface {
	// Forward writes the outputs, a matrix [len(rows), classes], before the softmax or sigmoid that Spec.Output names. If
	// train is true, what is random about them is a function of the seed.
	Forward(pass int, rows []int32, train bool, seed uint64, outputs []float32) error
	// Backward adds the gradients for the outputs' own to those of the parameters.
	Backward(pass int, upstream []float32) error
	// Step moves the parameters against their gradients, which are then 0, as it sees fit or as the update says.
	Step(Update)
	// State returns the parameters and what their next steps depend on; Restore takes that back. nil is no state: the
	// network cannot go back.
	State() []byte
	Restore(state []byte)
}

// Staged is an Instance that wants to know when learning begins, and that it is over.
type Staged interface {
	Instance
	Stage(learns bool) error
}

// Stage tells networks that other programs compute that learning begins, or that it is over.
func (s *System) Stage(learns bool) error {
	for _, n := range s.networks {
		if staged, ok := n.instance.(Staged); ok {
			if err := staged.Stage(learns); err != nil {
				return inNetwork(n.spec.Name, err)
			}
		}
	}
	return nil
}

// Update is what the options of learning say of a step.
type Update struct {
	Optimiser   string // "sgd", "adagrad" or "adam"
	Rate, Decay float64
}

// elsewhere is the kind of networks that are an External.
const elsewhere = "external"

// keeper lets learning step, keep and restore an Instance as it does parameters.
type keeper struct{ Instance }

func (k keeper) Step(kind perception.OptimiserKind, rate, decay float64) {
	k.Instance.Step(Update{kind.String(), rate, decay})
}

// validateExternal checks what is said of a network that another program computes.
func (s *Spec) validateExternal() error {
	switch {
	case s.Encoder != "" || len(s.Hidden) > 0 || s.Preset != "" || s.Dropout != 0 || s.InputDropout != 0:
		return wrongKey("kind", "a network of kind %q has layers of its own: encoder, hidden, preset and dropout are not "+
			"for it", elsewhere)
	case s.Checkpoint != "":
		return wrongKey("checkpoint", "a network of kind %q has its parameters where it is computed", elsewhere)
	case s.Normalize != NoNormalization:
		return wrongKey("normalize", "a network of kind %q has its features where it is computed", elsewhere)
	}
	return nil
}

// discoverExternal begins a network that another program computes.
func (s *System) discoverExternal(n *network) (err error) {
	n.width = n.spec.Outputs
	if n.width == 0 {
		return wrongKey("outputs", "outputs is missing: the number of classes")
	}
	n.instance, err = n.spec.External.Begin(s.seed)
	return err
}

// externalRunner has another program compute the rows of a pass.
type externalRunner struct {
	*pass
	number   int
	gradient []float32
}

func newExternalRunner(p *pass) *externalRunner {
	n := p.network
	*n.passes++
	return &externalRunner{pass: p, number: *n.passes, gradient: make([]float32, len(p.out))}
}

func (r *externalRunner) forward(train bool, seed uint64) error {
	n := r.network
	err := n.instance.Forward(r.number, r.group.rows, train && !n.spec.Frozen, seed, r.out)
	switch {
	case err != nil:
	case n.spec.Output == NoOutput:
		err = r.checkTruth()
	default:
		if err = r.checkFinite(); err == nil {
			n.spec.Output.apply(r.out, n.width)
		}
	}
	if err != nil {
		return inNetwork(n.spec.Name, err)
	}
	return nil
}

// checkFinite refuses outputs that are no numbers.
func (r *externalRunner) checkFinite() error {
	for k, v := range r.out {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("its output for row %q is %v", r.group.features.ID(r.group.rows[k/r.network.width]), v)
		}
	}
	return nil
}

func (r *externalRunner) backward() error {
	n := r.network
	if n.spec.Frozen {
		return nil
	}
	copy(r.gradient, r.upstream)
	if n.spec.Output != NoOutput {
		n.spec.Output.descend(r.gradient, r.out, n.width)
	}
	if err := n.instance.Backward(r.number, r.gradient); err != nil {
		return inNetwork(n.spec.Name, err)
	}
	return nil
}
