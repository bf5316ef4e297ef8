package neural

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/half"
	"github.com/deeppsl/deeppsl/neural/features"
)

// A checkpoint is a file in the safetensors format, which many tools read and write: the length of the header as eight
// bytes, least significant first; the header, a JSON object from tensor names to their places; and the tensors' values.
// The metadata of those that Save writes has the SHA-256 of the values, so that a damaged file is not taken for a
// network. Files of other programs have none; their tensors must then fill the file.

// entry is one tensor in the header.
type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

const (
	metadataKey  = "__metadata__"
	formatKey    = "format"
	checksumKey  = "sha256"
	featuresKey  = "features."  // and the network's name
	propagateKey = "propagate." // likewise
	normalizeKey = "normalize." // likewise
	codesKey     = "codes."     // likewise
	float32Type  = "F32"
	bytesType    = "U8"
)

// Formats that metadata name.
const (
	ourFormat   = "deeppsl"
	torchFormat = "pt"
)

// Layout says which way a file has the weights of dense layers.
type Layout string

// The layouts: a row for each input, as here, in Keras and in Flax, or for each output, as in PyTorch.
const (
	InputsFirst  Layout = "inputs-first"
	OutputsFirst Layout = "outputs-first"
)

var layouts = []Layout{InputsFirst, OutputsFirst}

// saved is a checkpoint that has been read.
type saved struct {
	format   string // of the program that wrote it; "" if it does not say
	entries  map[string]entry
	features map[string][]string // by network, if they have names
	along    map[string]string   // by network, the predicates that logits are propagated along
	scales   map[string]string   // by network, how features are scaled, if it says so
	codes    map[string][]Codes  // by network, what it sees value by value
	values   []byte
}

// openSaved reads the header and checks what can be known without the networks.
func openSaved(data []byte) (*saved, error) {
	const lengthSize = 8
	if len(data) < lengthSize {
		return nil, errors.New("the file is truncated, or is no checkpoint")
	}
	length := binary.LittleEndian.Uint64(data)
	if length > uint64(len(data)-lengthSize) {
		return nil, errors.New("the file is truncated, or is no checkpoint: its header is longer than the file")
	}
	f := &saved{values: data[lengthSize+length:]}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(data[lengthSize:lengthSize+length], &header); err != nil {
		return nil, fmt.Errorf("the header is damaged, or is no checkpoint's: %w", err)
	}
	var metadata map[string]string
	if raw, ok := header[metadataKey]; ok && json.Unmarshal(raw, &metadata) != nil {
		return nil, errors.New("the header's metadata is damaged")
	}
	delete(header, metadataKey)
	f.entries, f.features = make(map[string]entry, len(header)), make(map[string][]string)
	f.along, f.scales, f.codes = make(map[string]string), make(map[string]string), make(map[string][]Codes)
	for key, names := range metadata {
		if network, are := strings.CutPrefix(key, featuresKey); are {
			f.features[network] = strings.Split(names, "\n")
		}
		if network, propagates := strings.CutPrefix(key, propagateKey); propagates {
			f.along[network] = names
		}
		if network, scales := strings.CutPrefix(key, normalizeKey); scales {
			f.scales[network] = names
		}
		if network, coded := strings.CutPrefix(key, codesKey); coded {
			var codes []Codes
			if json.Unmarshal([]byte(names), &codes) != nil {
				return nil, errors.New("the header's metadata is damaged")
			}
			f.codes[network] = codes
		}
	}
	for name, raw := range header {
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, fmt.Errorf("the header's tensor %q: %w", name, err)
		}
		f.entries[name] = e
	}
	if f.format = metadata[formatKey]; f.format != ourFormat {
		return f, f.checkPlaces()
	}
	if metadata[checksumKey] != checksum(f.values) {
		return nil, errors.New("the checksum is wrong: the file is truncated or damaged")
	}
	return f, nil
}

// checkPlaces checks that the tensors lie one after the other and fill the file, as the format demands.
func (f *saved) checkPlaces() error {
	names := slices.Sorted(maps.Keys(f.entries))
	slices.SortStableFunc(names, func(a, b string) int { return f.entries[a].Offsets[0] - f.entries[b].Offsets[0] })
	end := 0
	for _, name := range names {
		lo, hi := f.entries[name].Offsets[0], f.entries[name].Offsets[1]
		if lo != end || hi < lo {
			return fmt.Errorf("tensor %q is at bytes %d to %d, where the one before ends at %d: the header is damaged",
				name, lo, hi, end)
		}
		end = hi
	}
	if end != len(f.values) {
		return fmt.Errorf("its tensors need %d bytes and it has %d: the file is truncated or damaged", end, len(f.values))
	}
	return nil
}

// savedName returns the name that a checkpoint knows a network by: its own, or that of the only one there is. Names of
// networks may hold dots, those of their layers and tensors do not.
func (f *saved) savedName(name string) string {
	names := map[string]bool{}
	for tensor := range f.entries {
		parts := strings.Split(tensor, ".")
		names[strings.Join(parts[:max(0, len(parts)-2)], ".")] = true
	}
	if len(names) == 1 && !names[name] {
		return slices.Sorted(maps.Keys(names))[0]
	}
	return name
}

// scaled tells whether it has a scale of a network's features, by a name of its own.
func (f *saved) scaled(name string) bool {
	_, has := f.entries[name+"."+scalingLayer+"."+scaleTensor]
	return has
}

// bent tells whether it has knots of a network's features, by a name of its own.
func (f *saved) bent(name string) bool {
	_, has := f.entries[name+"."+scalingLayer+"."+knotsTensor]
	return has
}

// open reads the checkpoint that a network begins with.
func (s *Spec) open() (*saved, error) {
	data, err := os.ReadFile(s.Checkpoint)
	if err != nil {
		return nil, wrongKey("checkpoint", "%w", err)
	}
	file, err := openSaved(data)
	if err != nil {
		return nil, wrongKey("checkpoint", "%s: %w", s.Checkpoint, err)
	}
	return file, nil
}

// usualNormalization is that of the checkpoint, whose network may have learned from a table that looks otherwise; else
// bags of words are scaled by tf-idf, so that long texts are like short ones and words that all have say little.
func (n *network) usualNormalization(table *features.Table) Normalization {
	if file := n.saved; file != nil {
		name := file.savedName(n.spec.Name)
		if how := Normalization(file.scales[name]); slices.Contains(normalizations, how) {
			return how
		}
		if file.scaled(name) {
			return StandardColumns
		}
	}
	if n.spec.Kind != convolutional && table.OfWords() {
		return RowsByTFIDF
	}
	return StandardColumns
}

// tensorNames are what programs call the tensors of a layer, ours first.
var tensorNames = map[string][]string{weights: {weights, torchWeight, kerasWeight}, biases: {biases, "bias"}}

// What PyTorch, and Keras and Flax, call the weights of a layer.
const (
	torchWeight = "weight"
	kerasWeight = "kernel"
)

// nameOf returns the name that a file has a parameter under, or should have: by the layer's name in the file, if the
// specification says it, or ours, after the network's name in the file or without.
func (f *saved) nameOf(p *parameter, network string) string {
	layers := []string{p.layer}
	if network != "" {
		layers = []string{network + "." + p.layer, p.layer}
	}
	if given := p.owner.spec.Layers[p.layer]; given != "" {
		layers = []string{given, network + "." + given}
	}
	names := tensorNames[p.tensor]
	if names == nil {
		names = []string{p.tensor}
	}
	for _, layer := range layers {
		for _, name := range names {
			if _, exists := f.entries[layer+"."+name]; exists {
				return layer + "." + name
			}
		}
	}
	return layers[0] + "." + names[0]
}

// tensor returns the values that a file has under a name, for a parameter of the network that it calls so, in our
// layout. Values that are not finite are refused: no network that works has them, and they would turn up again far from
// here.
func (f *saved) tensor(p *parameter, name, network string) ([]float32, error) {
	e, exists := f.entries[name]
	switch {
	case !exists && p.optional():
		return make([]float32, len(p.Value)), nil
	case !exists:
		return nil, fmt.Errorf("tensor %q: missing%s", name, f.otherNames(p))
	}
	turned, err := f.turned(e, name, p)
	planes := err == nil && f.planar(p, network)
	switch {
	case err != nil:
	case len(p.Shape) != len(e.Shape), !turned && !slices.Equal(e.Shape, p.Shape):
		err = otherShape(e, p.Shape)
	}
	var read []float32
	if err == nil {
		read, err = f.numbers(e, len(p.Value))
	}
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	switch {
	case turned && len(p.Shape) == 4: // [filters, channels, height, width] becomes [height, width, channels, filters]
		read = transposed(read, p.Shape[3]*p.Shape[2], p.Shape[0]*p.Shape[1])
		size := p.Shape[2] * p.Shape[3]
		for at := 0; at < len(read); at += size {
			copy(read[at:], transposed(read[at:at+size], p.Shape[3], p.Shape[2]))
		}
	case turned:
		read = transposed(read, p.Shape[1], p.Shape[0])
	}
	if planes {
		read = p.owner.cnn.pixelwise(read, p.Shape[1])
	}
	return read, nil
}

// planar tells whether a parameter is of the dense layer after convolutions whose filters a file has turned: to its
// program, images are planes, one for each channel, and so the layer's inputs are in another order.
func (f *saved) planar(p *parameter, network string) bool {
	net := p.owner.cnn
	if net == nil || len(net.convolutions) == 0 || p != net.dense[0].weights {
		return false
	}
	filters := net.convolutions[0].weights
	name := f.nameOf(filters, network)
	turned, err := f.turned(f.entries[name], name, filters)
	return turned && err == nil
}

// pixelwise reorders the rows of a matrix from planes of the last convolution's channels to its pixels.
func (net *cnn) pixelwise(rows []float32, width int) []float32 {
	last := net.convolutions[len(net.convolutions)-1].out
	ordered := make([]float32, len(rows))
	for pixel := range last.height * last.width {
		for channel := range last.channels {
			copy(row(ordered, pixel*last.channels+channel, width), row(rows, channel*last.height*last.width+pixel, width))
		}
	}
	return ordered
}

// otherShape says that a tensor does not fit.
func otherShape(e entry, want []int) error {
	return fmt.Errorf("it is %s of shape %v, the network's is %s of shape %v", e.DType, e.Shape, float32Type, want)
}

// otherNames says what a file has in place of a tensor, if it is of another program.
func (f *saved) otherNames(p *parameter) string {
	if f.format == ourFormat || len(f.entries) == 0 || p.owner.spec.Layers[p.layer] != "" {
		return ""
	}
	names := slices.Sorted(maps.Keys(f.entries))
	const shown = 6
	list := strings.Join(names[:min(shown, len(names))], ", ")
	if len(names) > shown {
		list += ", …"
	}
	return fmt.Sprintf(`; the file has %s: write "layers": {"%s": "NAME"} for what it calls that layer`, list, p.layer)
}

// turned tells whether a file has the weights of a layer the other way round. Where that is not to be seen, since there
// are as many inputs as outputs, and nothing says so, it is an error: the network would compute something else.
func (f *saved) turned(e entry, name string, p *parameter) (bool, error) {
	switch {
	case p.tensor != weights || len(p.Shape) != len(e.Shape):
		return false, nil
	case len(p.Shape) == 4:
		return f.turnedFilters(e, name, p)
	case len(p.Shape) != 2:
		return false, nil
	}
	inputs, outputs := p.Shape[0], p.Shape[1]
	if !slices.Equal(e.Shape, []int{inputs, outputs}) && !slices.Equal(e.Shape, []int{outputs, inputs}) {
		return false, nil // which is told as another shape
	}
	layout := f.layout(name, p)
	switch {
	case inputs == 1 && outputs == 1:
		return false, nil
	case inputs != outputs:
		turned := e.Shape[0] == outputs
		switch {
		case turned && layout == InputsFirst:
			return false, otherShape(e, []int{inputs, outputs})
		case !turned && layout == OutputsFirst:
			return false, otherShape(e, []int{outputs, inputs})
		}
		return turned, nil
	case layout == "":
		return false, fmt.Errorf(`%d inputs and as many outputs: write "layout": "%s" if a row of it belongs to an input, `+
			`as in Keras, or "%s" if it belongs to an output, as in PyTorch`, inputs, InputsFirst, OutputsFirst)
	}
	return layout == OutputsFirst, nil
}

// turnedFilters is turned for filters: here they are [height, width, channels, filters], as Keras has them, and in
// PyTorch [filters, channels, height, width].
func (f *saved) turnedFilters(e entry, name string, p *parameter) (bool, error) {
	theirs := []int{p.Shape[3], p.Shape[2], p.Shape[0], p.Shape[1]}
	ours, turned, layout := slices.Equal(e.Shape, p.Shape), slices.Equal(e.Shape, theirs), f.layout(name, p)
	switch {
	case ours && turned && layout == "":
		return false, fmt.Errorf(`filters of shape %v: write "layout": "%s" if they are [height, width, channels, filters], `+
			`as in Keras, or "%s" if they are [filters, channels, height, width], as in PyTorch`, e.Shape, InputsFirst,
			OutputsFirst)
	case ours && turned:
		return layout == OutputsFirst, nil
	case turned && layout == InputsFirst:
		return false, otherShape(e, p.Shape)
	case ours && layout == OutputsFirst:
		return false, otherShape(e, theirs)
	}
	return turned, nil
}

// layout is that of a tensor of weights, as far as the specification, the program or the name says it.
func (f *saved) layout(name string, p *parameter) Layout {
	switch called := name[strings.LastIndexByte(name, '.')+1:]; {
	case p.owner.spec.Layout != "":
		return p.owner.spec.Layout
	case f.format == ourFormat, called == kerasWeight:
		return InputsFirst
	case f.format == torchFormat && called == torchWeight:
		return OutputsFirst
	}
	return ""
}

// transposed returns the transpose of a matrix [rows, columns].
func transposed(values []float32, rows, columns int) []float32 {
	turned := make([]float32, len(values))
	for i, v := range values {
		turned[i%columns*rows+i/columns] = v
	}
	return turned
}

// numberTypes are the types of numbers that are read, with their sizes in bytes.
var numberTypes = map[string]struct {
	size int
	read func(b []byte) float64
}{
	float32Type: {4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
	"F64":       {8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }},
	"F16":       {2, func(b []byte) float64 { return float64(half.Float32(binary.LittleEndian.Uint16(b))) }},
	"BF16": {2, func(b []byte) float64 {
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	}},
}

// numbers returns n values of a tensor.
func (f *saved) numbers(e entry, n int) ([]float32, error) {
	kind, known := numberTypes[e.DType]
	if !known {
		return nil, fmt.Errorf("it is of type %s; %s are read", e.DType,
			strings.Join(slices.Sorted(maps.Keys(numberTypes)), ", "))
	}
	lo, hi := e.Offsets[0], e.Offsets[1]
	if lo < 0 || hi > len(f.values) || hi-lo != kind.size*n {
		return nil, fmt.Errorf("bytes %d to %d do not hold %d values", lo, hi, n)
	}
	read := make([]float32, n)
	for i := range read {
		read[i] = float32(kind.read(f.values[lo+kind.size*i:]))
		if v := float64(read[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("element %d is %v", i, read[i])
		}
	}
	return read, nil
}

// checksum returns the SHA-256 of data in hexadecimal.
func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
