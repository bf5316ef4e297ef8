package neural

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// Save writes the parameters of all networks, the frozen ones too.
func (s *System) Save(w io.Writer) error {
	var values []byte
	header := map[string]any{}
	for _, n := range s.networks {
		n.standardizeByAll()
	}
	for _, p := range s.parameters {
		if p.straight() {
			continue
		}
		start := len(values)
		for _, v := range p.Value {
			values = binary.LittleEndian.AppendUint32(values, math.Float32bits(v))
		}
		header[p.Name] = entry{float32Type, p.Shape, [2]int{start, len(values)}}
	}
	for _, n := range s.networks {
		if n.instance == nil {
			continue
		}
		if state := n.instance.State(); state != nil {
			header[stateName(n)] = entry{bytesType, []int{len(state)}, [2]int{len(values), len(values) + len(state)}}
			values = append(values, state...)
		}
	}
	header[metadataKey] = s.metadata(values)
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("writing the networks: %w", err)
	}
	// The format pads the header with spaces, so that the values are aligned when the file is mapped into memory.
	text = append(text, bytes.Repeat([]byte{' '}, -len(text)&7)...)
	for _, part := range [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, values} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("writing the networks: %w", err)
		}
	}
	return nil
}

// metadata says what is not a tensor: the checksum, the names of features that stand for texts and gaps, how they are
// scaled, and what is propagated along.
func (s *System) metadata(values []byte) map[string]string {
	metadata := map[string]string{formatKey: ourFormat, checksumKey: checksum(values)}
	for _, n := range s.networks {
		if n.raw != nil && n.raw.Names() != nil {
			metadata[featuresKey+n.spec.Name] = strings.Join(n.raw.Names(), "\n")
		}
		if len(n.codes) > 0 {
			text, _ := json.Marshal(n.codes) // of finite numbers, so that it cannot fail
			metadata[codesKey+n.spec.Name] = string(text)
		}
		if n.spec.Normalize != "" {
			metadata[normalizeKey+n.spec.Name] = string(n.spec.Normalize)
		}
		if n.spec.Propagate != "" {
			metadata[propagateKey+n.spec.Name] = n.spec.Propagate
		}
	}
	return metadata
}

// Load reads what Save wrote for the same specifications and feature widths. On an error no parameter changes.
func (s *System) Load(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err == nil {
		err = s.decode(data)
	}
	if err != nil {
		return fmt.Errorf("reading the networks: %w", err)
	}
	return nil
}

// decode reads all tensors before it changes the first parameter, so that an error leaves the networks as they were.
// It wants exactly the tensors that these networks have: a checkpoint of other networks is a mistake, even if some
// names happen to agree.
func (s *System) decode(data []byte) error {
	file, err := openSaved(data)
	if err != nil {
		return err
	}
	undo, err := s.codeAs(file)
	if err != nil {
		return err
	}
	if err := s.take(file); err != nil {
		undo()
		return err
	}
	return nil
}

// take gives the networks what a file has of them.
func (s *System) take(file *saved) error {
	for _, n := range s.networks {
		if err := n.fits(file, n.spec.Name); err != nil {
			return inNetwork(n.spec.Name, err)
		}
	}
	states, err := s.states(file)
	if err != nil {
		return err
	}
	if wanted := len(s.parameters) + len(states); len(file.entries) != wanted-file.spared(s.parameters) {
		return fmt.Errorf("it holds %d tensors, these networks have %d", len(file.entries), wanted)
	}
	read := make([][]float32, len(s.parameters))
	for i, p := range s.parameters {
		if read[i], err = file.tensor(p, p.Name, p.owner.spec.Name); err == nil {
			err = p.scales(read[i])
		}
		if err != nil {
			return err
		}
	}
	for i, p := range s.parameters {
		copy(p.Value, read[i])
	}
	for _, n := range s.networks {
		n.rescale()
		n.propagateAs(file, n.spec.Name)
		if state := states[n]; state != nil {
			n.instance.Restore(state)
		}
	}
	return nil
}

// stateName is what checkpoints call the state of a network that another program computes.
func stateName(n *network) string { return parameterName(n, elsewhere, "state") }

// states returns the states that a file has of networks that other programs compute.
func (s *System) states(file *saved) (map[*network][]byte, error) {
	states := make(map[*network][]byte)
	for _, n := range s.networks {
		e, has := file.entries[stateName(n)]
		if n.instance == nil || !has {
			continue
		}
		lo, hi := e.Offsets[0], e.Offsets[1]
		if e.DType != bytesType || lo < 0 || hi > len(file.values) || lo > hi {
			return nil, fmt.Errorf("tensor %q: %d bytes of type %s are no state", stateName(n), hi-lo, e.DType)
		}
		states[n] = file.values[lo:hi]
	}
	return states, nil
}

// fits checks that what a file has beside a network's layers, under the network's name there, is what it has itself.
func (n *network) fits(file *saved, name string) error {
	has := func(layer, tensor string) bool {
		_, has := file.entries[name+"."+layer+"."+tensor]
		return has
	}
	if n.distance.skip == nil && has(distanceLayer, differencesTensor) ||
		n.layered != nil && n.layered.skip == nil && has(skipLayer, weights) {
		return wrongKey("skip", `its last layer saw the features themselves too when it was saved: write "skip": true`)
	}
	if file.format == ourFormat && n.layered != nil && n.layered.hidden > 0 && n.spec.Encoder == "" &&
		has(n.layered.layer(n.layered.hidden), weights) && !has(hiddenName(0), weights) {
		return wrongKey("hidden", `it had no hidden layer when it was saved: write "hidden": []`)
	}
	return n.fitsFeatures(file, name)
}

// fitsFeatures checks that a file's network saw such features as the table has, where either says what they stand for,
// and on such a scale.
func (n *network) fitsFeatures(file *saved, name string) error {
	if n.raw != nil && (file.format == ourFormat || file.features[name] != nil) {
		if err := sameFeatures(file.features[name], n.raw.Names()); err != nil {
			return err
		}
	}
	return n.fitsScale(file, name)
}

// spared counts the optional parameters that a file lacks.
func (f *saved) spared(parameters []*parameter) (count int) {
	for _, p := range parameters {
		if _, has := f.entries[p.Name]; !has && p.optional() {
			count++
		}
	}
	return count
}

// fitsScale checks that a file's network saw its features scaled as this one does, and that it has a scale of them,
// under the network's name there, if the network wants one, and only then: features on another scale than those it
// learned from would make nonsense of what it knows. Files of other programs do not say how it was.
func (n *network) fitsScale(file *saved, name string) error {
	has, how := file.scaled(name), file.scales[name]
	switch {
	case how != "" && how != string(n.spec.Normalize):
		return wrongKey("normalize", `its "normalize" was "%s" when it was saved: write "normalize": "%[1]s"`, how)
	case has && (n.scaling == nil || how == "" && n.spec.Normalize == RowsByTFIDF):
		return wrongKey("normalize", `its features were standardised when it was saved: write the "normalize" of `+
			`then, "columns" or "values"`)
	case !has && n.scaling != nil:
		return wrongKey("normalize", `the file has no scale of its features, so they were not standardised when it was `+
			`saved: write the "normalize" of then, "none", "rows" or "l2"`)
	case file.bent(name) && !n.bends():
		return wrongKey("features", "the network learned from a dense table with columns of heavy tails, which it bends; "+
			"a sparse one cannot follow")
	}
	return nil
}

// scales checks the values that a tensor is to have, if it is one of a scale: without a center, zeros stay zeros, which
// a sparse table takes for granted.
func (p *parameter) scales(values []float32) error {
	c := p.owner.scaling
	moved := func(v float32) bool { return v != 0 }
	switch {
	case c != nil && p == c.scale && slices.Min(values) < 0:
		return fmt.Errorf("tensor %q: %v is no scale of a feature", p.Name, slices.Min(values))
	case c != nil && p == c.center && p.owner.raw.Sparse() && slices.ContainsFunc(values, moved):
		return fmt.Errorf("tensor %q: the network learned from a dense table, whose columns it moves; a sparse one cannot "+
			"follow", p.Name)
	case c != nil && p == c.knots:
		for at := 0; at < len(values); at += knots {
			if !slices.IsSorted(values[at : at+knots]) {
				return fmt.Errorf("tensor %q: the knots of column %d do not ascend", p.Name, at/knots)
			}
		}
	}
	return nil
}

// rescale scales the features anew, by the scale that a checkpoint has brought.
func (n *network) rescale() {
	if n.scaling != nil {
		n.scaling.apply()
	}
}

// begin gives a network the values of the checkpoint that its specification names.
func (s *System) begin(n *network) error {
	file := n.saved
	if n.saved = nil; file == nil {
		return nil
	}
	if err := s.checkLayers(n); err != nil {
		return err
	}
	from := file.savedName(n.spec.Name)
	if _, err := s.code(n, file.codes[from]); err != nil {
		return err
	}
	if err := n.fits(file, from); err != nil {
		return err
	}
	for _, p := range s.parameters {
		if p.owner != n {
			continue
		}
		read, err := file.tensor(p, file.nameOf(p, from), from)
		if err == nil {
			err = p.scales(read)
		}
		if err != nil {
			return wrongKey("checkpoint", "%s: %w", n.spec.Checkpoint, err)
		}
		copy(p.Value, read)
	}
	n.rescale()
	n.propagateAs(file, from)
	return nil
}

// propagateAs propagates along what a file's network does, unless the specification says along what.
func (n *network) propagateAs(file *saved, name string) {
	if along := file.along[name]; along != "" && n.spec.Propagate == "" && n.spec.Kind == multilayer {
		n.spec.propagateAlong(along)
	}
}

// checkLayers checks that the layers whose names in a file are given are the network's.
func (s *System) checkLayers(n *network) error {
	var layers []string
	for _, p := range s.parameters {
		if p.owner == n && p.tensor == weights {
			layers = append(layers, p.layer)
		}
	}
	for _, layer := range slices.Sorted(maps.Keys(n.spec.Layers)) {
		if !slices.Contains(layers, layer) {
			return wrongKey("layers", "%w", unknown("layer", layer, layers))
		}
	}
	return nil
}

// LoadFile reads a checkpoint that SaveFile wrote.
func (s *System) LoadFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the networks: %w", err)
	}
	defer file.Close()
	if err := s.Load(file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// sameFeatures tells whether a checkpoint's features are those of a table. Those of numbers alone have no names.
func sameFeatures(saved, table []string) error {
	for k := range max(len(saved), len(table)) {
		theirs, ours := "nothing", "nothing"
		if k < len(saved) {
			theirs = saved[k]
		}
		if k < len(table) {
			ours = table[k]
		}
		if theirs != ours {
			return wrongKey("checkpoint", "its feature %d is %q, where the table has %q: the table's texts and gaps must be "+
				"those that the network learned from", k+1, theirs, ours)
		}
	}
	return nil
}
