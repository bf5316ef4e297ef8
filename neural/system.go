package neural

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/neural/features"
)

// System holds the networks of a program and their parameters. Bind connects it to the atoms of a ground model;
// several bindings, of training and test models or of batches, share the parameters. A System and what is bound to it
// must not be used by several goroutines at once.
type System struct {
	threads    int
	seed       uint64
	networks   []*network
	parameters []*parameter // in the order of the networks that own them
	byName     map[string]*parameter
	learnable  []*perception.Parameter
}

// network is one network with its specification resolved.
type network struct {
	spec     Spec
	given    *features.Table // its table; like raw and features, nil if an encoder has them
	codes    []Codes         // what of it is seen value by value
	raw      *features.Table // given, with these
	features *features.Table // as the network sees them
	scaling  *scaling        // nil unless columns are standardised
	saved    *saved          // what it begins with, until it has; or nil
	encoder  *network        // nil, or whose first spec.Shared hidden layers are this network's
	first    *firstLayer
	cnn      *cnn         // of kind "cnn"
	layered  *layered     // of kinds "mlp" and "siamese"
	tensors  []*parameter // of a Function or a Graph, in their order
	instance Instance     // of kind "external"
	passes   *int         // that compute the instance's rows, by now
	width    int          // outputs, or for twins the nodes of their last layer

	distance struct { // of networks that compare pairs
		weights, bias *parameter
		skip          *skip // nil without
	}
}

// steady tells whether nothing after the first layer is random in training.
func (n *network) steady() bool {
	switch {
	case n.layered != nil:
		return n.layered.dropout == 0
	case n.cnn != nil:
		return n.cnn.dropout == 0 && n.cnn.inputDropout == 0 && n.cnn.shift == 0
	default:
		return false
	}
}

// firstLayer is the affine map of feature vectors that a network may begin with, shared by all with the same weights.
type firstLayer struct {
	name            string
	weights, biases *parameter
	width           int
	rate            float64 // input dropout
}

// Option changes how a System computes.
type Option func(*System)

// WithThreads bounds the goroutines at work; 0, the default, means one per core. Results do not depend on it.
func WithThreads(threads int) Option {
	return func(s *System) { s.threads = parallel.Threads(threads) }
}

// New builds networks and initialises their parameters by the seed. The features are named as the specifications name
// them. Errors name the network.
func New(specs []Spec, tables map[string]*features.Table, seed uint64, options ...Option) (*System, error) {
	s := &System{seed: seed, byName: map[string]*parameter{}, threads: parallel.Threads(0)}
	for _, option := range options {
		option(s)
	}
	if err := s.resolve(specs, tables); err != nil {
		return nil, err
	}
	for _, n := range s.networks {
		if err := s.discover(n); err != nil {
			return nil, err
		}
	}
	for _, n := range s.networks {
		if err := s.begin(n); err != nil {
			return nil, inNetwork(n.spec.Name, err)
		}
	}
	for _, p := range s.parameters {
		if !p.frozen {
			s.learnable = append(s.learnable, &p.Parameter)
		}
	}
	for _, n := range s.networks {
		if n.instance != nil && !n.spec.Frozen {
			s.learnable = append(s.learnable, &perception.Parameter{Name: n.spec.Name, Decay: true, OwnDecay: n.spec.Decay,
				Keeper: keeper{n.instance}})
		}
	}
	return s, nil
}

// Parameters returns the parameters of all networks that are not frozen; always the same slice.
func (s *System) Parameters() []*perception.Parameter { return s.learnable }

// Presume makes a network that compares pairs say the same of all of them, and nothing of how far apart they are, until
// it learns better. One that begins with a checkpoint, or does not learn, stays as it is.
func (s *System) Presume(name string, truth float64) {
	for _, n := range s.networks {
		if n.spec.Name == name && n.distance.weights != nil && n.spec.Checkpoint == "" && !n.distance.weights.frozen {
			clear(n.distance.weights.Value)
			if skip := n.distance.skip; skip != nil {
				clear(skip.differences.Value)
			}
			n.distance.bias.Value[0] = float32(math.Log(truth / (1 - truth)))
		}
	}
}

// Lean adds to what a network computes of each class before the softmax or sigmoid, for all rows alike, and tells
// whether it could: a network that begins with a checkpoint, does not learn or has no biases there stays as it is.
func (s *System) Lean(name string, by []float64) bool {
	n := s.network(name)
	if n == nil || n.pairs() || n.spec.Checkpoint != "" {
		return false
	}
	p := s.byName[parameterName(n, "output", biases)]
	if p == nil || p.frozen || len(p.Value) != len(by) {
		return false
	}
	for k, more := range by {
		p.Value[k] += float32(more)
	}
	return true
}

// Fork returns networks of the same parameters whose features can be revised without these.
func (s *System) Fork() *System {
	out := *s
	out.networks = nil
	copies := make(map[*network]*network)
	for _, n := range s.networks {
		again := *n
		if n.encoder != nil {
			again.encoder = copies[n.encoder]
		}
		if n.scaling != nil {
			scaling := *n.scaling
			scaling.network = &again
			again.scaling = &scaling
		}
		copies[n] = &again
		out.networks = append(out.networks, &again)
	}
	return &out
}

// Revise gives the features of a network other rows, as Features.With does, and so those of all networks that read the
// same table, which it returns. How columns are scaled stays what it is. What was bound sees them from its next Forward
// on. Undo takes them back, if nothing has been revised since that has not been taken back.
func (s *System) Revise(network string, rows []features.Row) (table *features.Table, undo func(), err error) {
	n := s.network(network)
	if n == nil {
		return nil, nil, fmt.Errorf("there is no network %q", network)
	}
	if n = n.root(); n.instance != nil {
		return nil, nil, inNetwork(network, fmt.Errorf("its features are where it is computed, and cannot change here"))
	}
	before := n.given
	table, replaced, err := before.With(rows)
	if err != nil {
		return nil, nil, inNetwork(network, err)
	}
	var undone []func()
	for _, reader := range s.networks {
		if reader.given == before {
			undone = append(undone, reader.see(table, replaced))
		}
	}
	return table, func() {
		for _, f := range undone {
			f()
		}
	}, nil
}

// see gives a network another table and returns what takes it back.
func (n *network) see(table *features.Table, replaced bool) (undo func()) {
	given, raw, seen := n.given, n.raw, n.features
	coded := coded(table, n.codes)
	revised := n.look(coded, replaced)
	n.given, n.raw, n.features = table, coded, revised
	if n.spec.Graph != nil {
		n.spec.Graph.carry(seen, revised, n.width)
	}
	return func() {
		n.given, n.raw, n.features = given, raw, seen
		if n.spec.Graph != nil {
			n.spec.Graph.carry(revised, seen, n.width)
		}
	}
}

// Along names the predicate that a network's logits are propagated along, as its specification or its checkpoint says;
// "" for none.
func (s *System) Along(name string) string {
	if n := s.network(name); n != nil {
		return n.spec.Propagate
	}
	return ""
}

// CanPropagate tells whether a network's logits could be propagated, and are not.
func (s *System) CanPropagate(name string) bool {
	n := s.network(name)
	return n != nil && n.spec.Kind == multilayer && n.spec.Propagate == ""
}

// Propagating returns networks of the same parameters, of which one propagates its logits along a predicate: see
// CanPropagate.
func (s *System) Propagating(name, along string) *System {
	out := s.Fork()
	out.network(name).spec.propagateAlong(along)
	return out
}

// Same tells whether two systems have the same networks with the same parameters: but for scales of features, where one
// of the two has none yet.
func (s *System) Same(other *System) bool {
	return slices.EqualFunc(s.parameters, other.parameters, func(a, b *parameter) bool {
		if a.Name != b.Name || !slices.Equal(a.Shape, b.Shape) {
			return false
		}
		unknown := a.layer == scalingLayer && a.owner.scaling != nil && b.owner.scaling != nil &&
			!(a.owner.scaling.known && b.owner.scaling.known)
		bits := func(v, w float32) bool { return math.Float32bits(v) == math.Float32bits(w) }
		return unknown || slices.EqualFunc(a.Value, b.Value, bits)
	})
}

// resolve makes the networks, encoders before those that share their layers.
func (s *System) resolve(specs []Spec, tables map[string]*features.Table) error {
	ordered := slices.Clone(specs)
	slices.SortStableFunc(ordered, func(a, b Spec) int { return min(1, len(a.Encoder)) - min(1, len(b.Encoder)) })
	for _, spec := range ordered {
		isEncoder := func(other Spec) bool { return spec.Name != "" && other.Encoder == spec.Name }
		if spec.Skip == nil && slices.ContainsFunc(specs, isEncoder) {
			spec.Skip = new(false)
		}
		err := spec.readGraph(tables)
		var n *network
		if err == nil {
			n, err = s.resolveOne(spec.withDefaults(), tables)
		}
		if err != nil {
			return inNetwork(spec.Name, err)
		}
		s.networks = append(s.networks, n)
	}
	return nil
}

// resolveOne checks a specification and finds what it names: kind, features, encoder.
func (s *System) resolveOne(spec Spec, tables map[string]*features.Table) (*network, error) {
	if spec.Name == "" || s.network(spec.Name) != nil {
		return nil, fmt.Errorf("every network needs a name of its own")
	}
	if err := spec.validate(); err != nil {
		return nil, err
	}
	n := &network{spec: spec, passes: new(int)}
	if spec.Checkpoint != "" {
		var err error
		if n.saved, err = spec.open(); err != nil {
			return nil, err
		}
	}
	if spec.Encoder != "" {
		if err := s.share(n); err != nil {
			return nil, err
		}
		return n, nil
	}
	table, known := tables[spec.Features]
	if !known {
		return nil, unknown("features", spec.Features, slices.Sorted(maps.Keys(tables)))
	}
	if table.Width() == 0 && spec.External == nil {
		return nil, wrongKey("features", "the rows of %q have names and no numbers: those are for networks of kind %q",
			spec.Features, elsewhere)
	}
	if spec.Normalize == "" {
		n.spec.Normalize = n.usualNormalization(table)
	}
	n.given, n.raw, n.features = table, table, normalized(table, n.spec.Normalize)
	if n.spec.Normalize.byColumns() {
		n.scaling = s.newScaling(n)
	}
	return n, nil
}

// share lets a network begin with the layers of its encoder, and so with the same features.
func (s *System) share(n *network) error {
	spec := &n.spec
	encoder := s.network(spec.Encoder)
	switch {
	case encoder == nil || encoder.spec.Kind != multilayer:
		return wrongKey("encoder", "encoder %q: the name of a network of kind \"mlp\" is wanted", spec.Encoder)
	case spec.Features != "" && spec.Features != encoder.spec.Features,
		spec.Normalize != "" && spec.Normalize != encoder.spec.Normalize,
		spec.InputDropout != 0 && spec.InputDropout != encoder.spec.InputDropout:
		return fmt.Errorf("features, normalize and inputDropout are those of the encoder %q; leave them out", spec.Encoder)
	case spec.Shared > len(encoder.spec.Hidden):
		return wrongKey("shared", "shared %d: the encoder %q has %d hidden layers",
			spec.Shared, spec.Encoder, len(encoder.spec.Hidden))
	}
	n.encoder = encoder
	spec.Features, spec.Normalize, spec.InputDropout =
		encoder.spec.Features, encoder.spec.Normalize, encoder.spec.InputDropout
	setDefault(&spec.Activation, encoder.spec.Activation)
	spec.Hidden = slices.Concat(encoder.spec.Hidden[:spec.Shared], spec.Hidden)
	return nil
}

// network returns the network of a name, or nil. There are few.
func (s *System) network(name string) *network {
	for _, n := range s.networks {
		if n.spec.Name == name {
			return n
		}
	}
	return nil
}

// root returns the network whose rows and first layer n shares: its encoder, or itself.
func (n *network) root() *network {
	if n.encoder != nil {
		return n.encoder
	}
	return n
}

// table returns the features that n sees.
func (n *network) table() *features.Table { return n.root().features }

// apartness is what a distance layer begins with, relative to others: rows that are far apart in a node are less alike,
// but all so little that rules hear of pairs both ways.
const apartness = 0.1

// pairs tells whether the network compares two rows.
func (n *network) pairs() bool { return n.spec.pairs() }

// discover makes a network's layers and parameters, and so finds mistakes before there are any atoms.
func (s *System) discover(n *network) error {
	err := try(func() (err error) {
		switch {
		case n.spec.Function != nil:
			return s.discoverFunction(n)
		case n.spec.External != nil:
			return s.discoverExternal(n)
		case n.spec.Kind == exchanged:
			return s.discoverGraph(n)
		case n.spec.Kind == convolutional:
			n.width = n.spec.Outputs
			n.cnn, err = newCNN(s, n)
			return err
		}
		if n.layered, err = newLayered(s, n); err == nil && n.pairs() {
			err = s.addDistance(n)
		}
		return err
	})
	if err != nil {
		return inNetwork(n.spec.Name, err)
	}
	return nil
}

// distanceLayer is what checkpoints call the last layer of a network that compares pairs.
const distanceLayer = "distance"

// addDistance makes the distance layer of a network that compares pairs.
func (s *System) addDistance(n *network) error {
	if d := n.spec.Distance; d != 0 && d != n.width {
		return wrongKey("distance", "distance %d: its nodes compare the twins' last layer, which "+
			"has %d; give the twins a hidden layer of %d", d, n.width, d)
	}
	n.distance.weights = s.add(n, distanceLayer, weights, Glorot, n.width+len(n.spec.Measures), 1)
	for k, weight := range n.distance.weights.Value {
		n.distance.weights.Value[k] = float32(-apartness * math.Abs(float64(weight)))
	}
	clear(n.distance.weights.Value[n.width:]) // what a similarity means is learned
	n.distance.bias = s.add(n, distanceLayer, biases, Zeros, 1)
	s.addSkip(n)
	return nil
}

// try returns the error that run returns or panics with. What panics with no error, or with one of the language's own,
// is broken and goes on to.
func try(run func() error) (err error) {
	defer func() {
		switch caught := recover().(type) {
		case nil:
		case runtime.Error:
			panic(caught)
		case error:
			err = caught
		default:
			panic(caught)
		}
	}()
	return run()
}

// owner returns the network that a layer of n belongs to: the encoder for the first Shared hidden layers.
func (n *network) owner(layer string) *network {
	for i := range n.spec.Shared {
		if layer == hiddenName(i) {
			return n.encoder
		}
	}
	return n
}

// shared returns a tensor of a layer, which is the encoder's if the network shares that.
func (s *System) shared(n *network, layer, tensor string, init Initializer, shape ...int) *parameter {
	owner := n.owner(layer)
	if p := s.byName[parameterName(owner, layer, tensor)]; p != nil {
		return p
	}
	return s.add(owner, layer, tensor, init, shape...)
}

// parameterName is what checkpoints and messages call a parameter.
func parameterName(owner *network, layer, tensor string) string {
	return owner.spec.Name + "." + layer + "." + tensor
}

// weights and biases are what layers call the tensors that they multiply with, and add.
const (
	weights = "weights"
	biases  = "biases"
)

// maxTensor bounds the values of a parameter, so that one wrong number does not ask for all memory.
const maxTensor = 1 << 28

// add makes a parameter and draws its initial values. Weight decay is for all of them, as the paper has it for all
// network parameters.
func (s *System) add(owner *network, layer, tensor string, init Initializer, shape ...int) *parameter {
	size := 1
	for _, d := range shape {
		if d > maxTensor/size {
			panic(fmt.Errorf("%s of shape %v is too large: %d values are allowed",
				parameterName(owner, layer, tensor), shape, maxTensor))
		}
		size *= d
	}
	p := &parameter{owner: owner, layer: layer, tensor: tensor, frozen: owner.spec.Frozen}
	p.Name, p.Shape = parameterName(owner, layer, tensor), shape
	p.Decay, p.OwnDecay, p.Bias = true, owner.spec.Decay, tensor == biases
	p.Value, p.Gradient = make([]float32, size), make([]float32, size)
	p.initial = init
	newStream(s.seed, p.Name).initialize(p.Value, shape, init)
	s.parameters, s.byName[p.Name] = append(s.parameters, p), p
	return p
}

// firstLayer makes the first layer of a network, or returns that of the encoder.
func (s *System) firstLayer(n *network, layer string, width int) *firstLayer {
	return &firstLayer{
		name:    parameterName(n.owner(layer), layer, "input"),
		weights: s.shared(n, layer, weights, n.spec.initializer(), n.table().Width(), width),
		biases:  s.shared(n, layer, biases, Zeros, width),
		width:   width,
		rate:    n.spec.InputDropout,
	}
}
