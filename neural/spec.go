package neural

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural/features"
)

// Spec describes one network, as users write it in JSON. Zero values mean the defaults named below.
type Spec struct {
	// Name is the network's name, the key under which its specification is written.
	Name string `json:"-"`
	// Kind is the name of a registered Kind; default "mlp".
	Kind string `json:"kind"`
	// Features names the table of feature vectors that the network reads.
	Features string `json:"features"`
	// More names further files with rows of that table.
	More []string `json:"more"`
	// Format is the form of that table; default "dense".
	Format features.Format `json:"format"`
	// Columns names, of a table of the format csv or parquet, the column of the ids and those of the features; by default
	// the first one, and all others.
	Columns []string `json:"columns"`
	// Categories names those of its columns whose numbers are names, such as postcodes.
	Categories []string `json:"categories"`
	// Width is the number of features; by default a sparse table has as many as its largest column asks for.
	Width int `json:"width"`
	// Normalize rescales the feature vectors; default "tfidf" if they look like bags of words, else "columns".
	Normalize Normalization `json:"normalize"`
	// InputDropout is the probability, in [0,1), that training drops a feature.
	InputDropout float64 `json:"inputDropout"`
	// Encoder names an mlp whose first Shared hidden layers this siamese network's twins share.
	Encoder string `json:"encoder"`
	// Shared is the number of hidden layers shared with the encoder; default 1.
	Shared int `json:"shared"`
	// Hidden are the widths of the hidden layers, after the shared ones if there are any; by default an mlp has one of 32,
	// and others have none. An empty list is none.
	Hidden []int `json:"hidden"`
	// Activation follows each hidden layer; default "relu", or the encoder's.
	Activation Activation `json:"activation"`
	// Gain is what initial weights are multiplied by; default 1. With less, outputs begin closer to each other.
	Gain float64 `json:"gain"`
	// Dropout is the probability, in [0,1), that training drops a node of a hidden layer.
	Dropout float64 `json:"dropout"`
	// Decay is the weight decay of the network's own parameters; by default it is the optimiser's, as for all others.
	Decay *float64 `json:"decay"`
	// Preset names a convolutional network that is known here: "lenet5" or "paper-cnn". It is the default of the kind,
	// the image, the convolutions, the hidden layers and the activation.
	Preset string `json:"preset"`
	// Image is the height, the width and the number of channels of the images that a cnn reads; a row of its features
	// has them pixel by pixel in rows from the top, the channels of a pixel together. Without channels there is one;
	// by default images are square.
	Image []int `json:"image"`
	// Shift is how many pixels training moves the images of a cnn at most, at random, in each direction; default 0.
	Shift int `json:"shift"`
	// Convolutions are the first layers of a cnn, before the hidden ones.
	Convolutions []Convolution `json:"convolutions"`
	// Outputs is the number of classes of a classifier.
	Outputs int `json:"outputs"`
	// Output maps the last layer to [0,1]; default "softmax" for classifiers, "sigmoid" for siamese networks and those of
	// one output.
	Output Output `json:"output"`
	// Distance is the number of nodes of a siamese network's distance layer. It compares the twins node by node, so it
	// is the width of their last layer, which is also the default.
	Distance int `json:"distance"`
	// Skip says whether the last layer also sees the features themselves: of an mlp those of the row, past the hidden
	// layers, and of a siamese network how far apart those of the two rows are, and their products, column by column. By
	// default it does unless networks share layers or a classifier learns from examples.
	Skip *bool `json:"skip"`
	// Propagate names the predicate along whose atoms an mlp's logits are propagated between rows; "" for none. A Binding
	// has the links.
	Propagate string `json:"propagate"`
	// Steps is how often they are propagated; default 10.
	Steps int `json:"steps"`
	// Restart is the share of a row's own logits in each step, in (0,1]; default 0.1.
	Restart float64 `json:"restart"`
	// Measures names similarities of strings that a siamese network's distance layer sees beside the twins: those of the
	// names of the two rows. A Binding has their values.
	Measures []string `json:"measures"`
	// Checkpoint names a file that SaveFile wrote, whose values the network's own parameters begin with. It may be of
	// a program with other networks beside this one; if it holds one network only, that may have another name.
	Checkpoint string `json:"checkpoint"`
	// Layout says which way that file has the weights of dense layers, where it is of another program and nothing else
	// says it.
	Layout Layout `json:"layout"`
	// Layers are the names of the network's layers in that file, where they are others: {"hidden1": "fc1"}.
	Layers map[string]string `json:"layers"`
	// File is the ONNX file whose network this is. With it, the default kind is "onnx".
	File string `json:"file"`
	// Head names the output of that file that gives truth; by default the only one.
	Head string `json:"head"`
	// Fixed are tensors of that file that learning leaves as they are: by their names, or what stands before a dot in
	// them.
	Fixed []string `json:"fixed"`
	// Frozen keeps the network's own parameters as they are initialised or loaded.
	Frozen bool `json:"frozen"`
	// Function is a network that the program brings along, in place of a kind; nil for networks of a kind.
	Function Function `json:"-"`
	// External is a network that another program computes, in place of a kind; nil for all others.
	External External `json:"-"`
	// Graph is what ReadGraph has made of File; nil if it is still to be read.
	Graph *Graph `json:"-"`
}

// Form says how the table of features is written.
func (s *Spec) Form() features.Form {
	return features.Form{Format: s.Format, Width: s.Width, Columns: s.Columns, Categories: s.Categories}
}

// SpecError says what is wrong with a network's specification.
type SpecError struct {
	Network string // its name; "" if not known here
	Key     string // the key that is wrong; "" if it is none alone
	Err     error
}

// Error names the network if it is known.
func (e *SpecError) Error() string {
	if e.Network == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("network %q: %v", e.Network, e.Err)
}

// Unwrap returns what is wrong.
func (e *SpecError) Unwrap() error { return e.Err }

// wrongKey returns an error about one key.
func wrongKey(key, format string, args ...any) error {
	return &SpecError{Key: key, Err: fmt.Errorf(format, args...)}
}

// inNetwork makes an error tell the network.
func inNetwork(name string, err error) error {
	if known := (*SpecError)(nil); errors.As(err, &known) {
		return &SpecError{Network: name, Key: known.Key, Err: known.Err}
	}
	return &SpecError{Network: name, Err: err}
}

// UnmarshalJSON reads a specification strictly: a key that Spec does not have is an error that names those it has.
// Fields whose keys are missing stay as they are.
func (s *Spec) UnmarshalJSON(data []byte) error {
	type plain Spec
	return strictly(data, "a network", (*plain)(s))
}

// strictly reads a JSON object into the fields of a struct; a key without a field is an error.
func strictly[T any](data []byte, what string, fields *T) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return fmt.Errorf("%s is written as a JSON object", what)
	}
	allowed := jsonKeys[T]()
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(allowed, key) {
			return wrongKey(key, "%w", unknown("key", key, allowed))
		}
	}
	read := *fields
	if err := json.Unmarshal(data, &read); err != nil {
		return wrongType(err)
	}
	*fields = read
	return nil
}

// jsonTypes are the words for the types that a key's value may have.
var jsonTypes = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Int: "a whole number", reflect.Float64: "a number", reflect.Bool: "true or false",
	reflect.Slice: "a list", reflect.Map: "an object",
}

// jsonType returns the words for a type.
func jsonType(t reflect.Type) string {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Int {
		return "a list of whole numbers"
	}
	return jsonTypes[t.Kind()]
}

// wrongType says in the user's words what package json says in the programmer's.
func wrongType(err error) error {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return err
	}
	key, _, _ := strings.Cut(mismatch.Field, ".")
	return wrongKey(key, "%s must be %s, not a JSON %s", mismatch.Field, jsonType(mismatch.Type),
		mismatch.Value)
}

// ParseSpecs reads the JSON object {"name": {specification}, …} and returns the networks sorted by name.
func ParseSpecs(data []byte) ([]Spec, error) {
	var objects map[string]json.RawMessage
	if err := json.Unmarshal(data, &objects); err != nil {
		return nil, fmt.Errorf("networks are written as a JSON object from names to specifications: %w", err)
	}
	specs := make([]Spec, 0, len(objects))
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		spec := Spec{Name: name}
		if err := json.Unmarshal(objects[name], &spec); err != nil {
			return nil, inNetwork(name, err)
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

// jsonKeys returns the keys that an object may have, in the order of the struct's fields.
func jsonKeys[T any]() []string {
	var keys []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if key := field.Tag.Get("json"); key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

// Exclusive tells whether the outputs are shares of one, of which a thing has one class, and not each by itself.
func (s Spec) Exclusive() bool { return s.withDefaults().Output == SoftmaxOutput }

// withDefaults returns the specification with every default written out, but for those that an encoder gives.
func (s Spec) withDefaults() Spec {
	s = s.withPreset()
	if s.Function != nil {
		setDefault(&s.Kind, ownFunction)
	}
	if s.External != nil {
		setDefault(&s.Kind, elsewhere)
	}
	if s.File != "" || s.Graph != nil {
		setDefault(&s.Kind, exchanged)
	}
	setDefault(&s.Kind, multilayer)
	setDefault(&s.Format, features.DenseText)
	setDefault(&s.Gain, 1)
	if s.Graph != nil {
		setDefault(&s.Output, s.Graph.output())
	}
	switch {
	case s.Kind == exchanged, s.Kind == elsewhere: // it sees features as they are
		setDefault(&s.Normalize, NoNormalization)
	case s.Encoder == "": // Normalize depends on the features
		setDefault(&s.Activation, ReLU)
	default:
		setDefault(&s.Shared, 1)
	}
	if s.Hidden == nil && (s.Kind == multilayer || s.pairs() && s.Encoder == "") {
		s.Hidden = []int{defaultHidden}
	}
	if s.Skip == nil && (s.pairs() || s.Kind == multilayer) {
		s.Skip = new(s.Encoder == "" && len(s.Hidden) > 0)
	}
	if s.Propagate != "" {
		s.propagateAlong(s.Propagate)
	}
	if s.pairs() || s.Outputs == 1 {
		setDefault(&s.Output, SigmoidOutput)
	} else {
		setDefault(&s.Output, SoftmaxOutput)
	}
	return s
}

// defaultHidden is the width of the hidden layer of an mlp and of twins: without one, no combination of features tells
// anything.
const defaultHidden = 32

// propagateAlong makes it a network that propagates.
func (s *Spec) propagateAlong(predicate string) {
	s.Propagate = predicate
	setDefault(&s.Steps, 10)
	setDefault(&s.Restart, 0.1)
}

// setDefault gives a field that is zero its default.
func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// validate checks what can be known without the other networks.
func (s *Spec) validate() error {
	switch {
	case s.Function != nil && s.Kind != ownFunction:
		return wrongKey("kind", "kind %q: a network with a Function has no other kind", s.Kind)
	case s.Function != nil && s.validateFunction() != nil:
		return s.validateFunction()
	case s.External != nil && s.Kind != elsewhere, s.External == nil && s.Kind == elsewhere:
		return wrongKey("kind", "kind %q: networks of kind %q are those that the program brings along that runs the "+
			"engine, and no others", s.Kind, elsewhere)
	case s.External != nil && s.validateExternal() != nil:
		return s.validateExternal()
	case s.Function == nil && s.External == nil && !slices.Contains(kinds, s.Kind):
		return unknown("kind", s.Kind, kinds)
	case s.validateGraph() != nil:
		return s.validateGraph()
	case s.Activation != "" && !slices.Contains(activations, s.Activation):
		return unknown("activation", s.Activation, activations)
	case !slices.Contains(outputs, s.Output):
		return unknown("output", s.Output, outputs)
	case !slices.Contains(features.Formats, s.Format):
		return unknown("format", s.Format, features.Formats)
	case s.Normalize != "" && !slices.Contains(normalizations, s.Normalize):
		return unknown("normalize", s.Normalize, normalizations)
	case !isRate(s.Dropout) || !isRate(s.InputDropout):
		return wrongKey("dropout", "dropout %v, inputDropout %v: probabilities in [0,1) are wanted",
			s.Dropout, s.InputDropout)
	case s.Layout != "" && !slices.Contains(layouts, s.Layout):
		return unknown("layout", s.Layout, layouts)
	case s.Checkpoint == "" && (s.Layout != "" || len(s.Layers) > 0):
		return wrongKey("layers", "layout and layers are about a file: checkpoint names none")
	case !(s.Gain > 0 && s.Gain <= 1e6):
		return wrongKey("gain", "gain %v: a number above 0 is wanted", s.Gain)
	case s.Decay != nil && !(*s.Decay >= 0):
		return wrongKey("decay", "decay %v: a number from 0 is wanted", *s.Decay)
	case slices.ContainsFunc(s.Hidden, func(width int) bool { return width <= 0 }):
		return wrongKey("hidden", "hidden %v: every layer needs a node", s.Hidden)
	case min(s.Outputs, s.Distance, s.Shared, s.Width) < 0:
		return wrongKey("outputs", "outputs %d, distance %d, shared %d, width %d: none may be negative",
			s.Outputs, s.Distance, s.Shared, s.Width)
	case !s.pairs() && s.Outputs == 1 && s.Output == SoftmaxOutput:
		return wrongKey("output", "output %q: of one output it is always 1; take %q", s.Output, SigmoidOutput)
	case s.pairs():
		return cmp.Or(s.validatePropagation(), s.validateCNN(), s.validatePairs())
	case s.Encoder != "" || s.Shared != 0 || s.Distance != 0 || len(s.Measures) > 0:
		return wrongKey("encoder", "encoder, shared, distance and measures are for networks that compare pairs, "+
			"not for kind %q", s.Kind)
	case s.validatePropagation() != nil:
		return s.validatePropagation()
	case s.skips() && s.Kind != multilayer:
		return wrongKey("skip", "skip is for networks of kind %q and %q, not %q", multilayer, siamese, s.Kind)
	case s.skips() && len(s.Hidden) == 0:
		return wrongKey("skip", "skip: there is no hidden layer for it to lead past")
	}
	return s.validateCNN()
}

// kinds are those that this package has.
var kinds = []string{convolutional, multilayer, exchanged, siamese}

// multilayer is the kind of networks that classify one row by affine layers.
const multilayer = "mlp"

// siamese is the kind of networks that compare two rows.
const siamese = "siamese"

func (s *Spec) pairs() bool { return s.Kind == siamese }

// skips tells whether a skip is wanted, once defaults are written out.
func (s *Spec) skips() bool { return s.Skip != nil && *s.Skip }

// validatePairs checks a network that compares two rows: it says how alike they are with one number.
func (s *Spec) validatePairs() error {
	switch {
	case s.Output != SigmoidOutput:
		return wrongKey("output", "output %q: a network of kind %q has one output, a sigmoid", s.Output, s.Kind)
	case s.Outputs > 1:
		return wrongKey("outputs", "outputs %d: a network of kind %q has one", s.Outputs, s.Kind)
	case s.Encoder == "" && s.Shared != 0:
		return wrongKey("shared", "shared %d: there is no encoder to share layers with", s.Shared)
	}
	return nil
}

// validatePropagation checks the keys of propagation.
func (s *Spec) validatePropagation() error {
	const many = 1000
	switch {
	case s.Propagate == "" && s.Steps == 0 && s.Restart == 0:
		return nil
	case s.Propagate == "":
		return wrongKey("propagate", "steps and restart are about propagation: propagate names no predicate")
	case s.Kind != multilayer:
		return wrongKey("propagate", "propagate is for networks of kind %q, not %q", multilayer, s.Kind)
	case s.Steps < 1 || s.Steps > many:
		return wrongKey("steps", "steps %d: 1 to %d are wanted", s.Steps, many)
	case !(s.Restart > 0 && s.Restart <= 1):
		return wrongKey("restart", "restart %v: a number above 0 and at most 1 is wanted", s.Restart)
	}
	return nil
}

// isRate reports whether p is a probability of dropout; at 1 nothing would be left.
func isRate(p float64) bool { return p >= 0 && p < 1 }

// unknown says that the value of a key is not among those allowed, and which one may have been meant.
func unknown[T ~string](key string, value T, allowed []T) error {
	return wrongKey(key, "%w", source.Unknown(key, value, allowed))
}
