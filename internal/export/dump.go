package export

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// The name and the version of the dump's form. The version changes when a reader of the old one would misread the new.
const (
	dumpFormat  = "deeppsl ground problem"
	dumpVersion = 1
)

// dump is a field as JSON. Numbers have the fewest digits that give their bits back.
type dump struct {
	Format    string    `json:"format"`
	Version   int       `json:"version"`
	Variables int       `json:"variables"`
	Rules     []string  `json:"rules"`
	Weights   []float64 `json:"weights"`
	Inputs    []float64 `json:"inputs"`
	Blocks    []block   `json:"blocks"`
	// Checksum is the SHA-256 of the dump without it, as this package writes it: white space does not count.
	Checksum string `json:"sha256,omitzero"`
}

// block is an mrf.Block, with its fields' meaning.
type block struct {
	Rule              int       `json:"rule"`
	Kind              string    `json:"kind"`
	Exponent          int       `json:"exponent,omitzero"`
	Potentials        int       `json:"potentials"`
	Constant          float64   `json:"constant"`
	Coefficients      []float64 `json:"coefficients,omitzero"`
	InputCoefficients []float64 `json:"input_coefficients,omitzero"`
	Start             []int32   `json:"start,omitzero"`
	Values            []float32 `json:"values,omitzero"`
	DoubleValues      []float64 `json:"double_values,omitzero"`
	InputStart        []int32   `json:"input_start,omitzero"`
	InputValues       []float32 `json:"input_values,omitzero"`
	DoubleInputValues []float64 `json:"double_input_values,omitzero"`
	Variables         []int32   `json:"variables,omitzero"`
	Inputs            []int32   `json:"inputs,omitzero"`
	Biases            []float32 `json:"biases,omitzero"`
	DoubleBiases      []float64 `json:"double_biases,omitzero"`
	Scales            []float32 `json:"scales,omitzero"`
}

// kinds spells mrf.Kind.
var kinds = []string{mrf.Hinge: "hinge", mrf.Absolute: "absolute", mrf.Linear: "linear", mrf.LessEqual: "at most",
	mrf.Equal: "equal"}

// writeDump writes the field, with its parameters.
func writeDump(w io.Writer, field *mrf.Field, rules []string) error {
	d := dump{Format: dumpFormat, Version: dumpVersion, Variables: field.Model.Variables, Rules: rules,
		Weights: field.Weights(), Inputs: field.Inputs()}
	for _, b := range field.Model.Blocks {
		d.Blocks = append(d.Blocks, block{Rule: b.Rule, Kind: kinds[b.Kind], Exponent: b.Exponent, Potentials: b.Len,
			Constant: b.Constant, Coefficients: b.Coef, InputCoefficients: b.InputCoef, Start: b.VarStart,
			Values: b.VarCoef.Single, DoubleValues: b.VarCoef.Double, InputStart: b.InputStart,
			InputValues: b.InputValue.Single, DoubleInputValues: b.InputValue.Double, Variables: b.Numbers(),
			Inputs: b.Inputs, Biases: b.Bias, DoubleBiases: b.Bias64, Scales: b.Scale})
	}
	var err error
	if d.Checksum, err = d.sum(); err != nil {
		return err
	}
	if err := json.MarshalWrite(w, &d); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// sum returns the checksum of the dump. The error names a value that has no JSON form.
func (d *dump) sum() (string, error) {
	bare := *d
	bare.Checksum = ""
	hash := sha256.New()
	if err := json.MarshalWrite(hash, &bare); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Read reads a dump. It returns the field with the weights and inputs that it was written with, and the rules' texts.
// The error says what is wrong with the file; a field that comes without one is valid.
func Read(r io.Reader) (field *mrf.Field, rules []string, err error) {
	var d dump
	if err := json.UnmarshalRead(r, &d); err != nil {
		return nil, nil, fmt.Errorf("not a dump of a ground problem: %w", err)
	}
	if err := d.check(); err != nil {
		return nil, nil, err
	}
	model, err := d.model()
	if err != nil {
		return nil, nil, err
	}
	field = mrf.NewField(model)
	field.SetWeights(d.Weights)
	field.SetInputs(d.Inputs)
	return field, d.Rules, field.Check()
}

// check tells whether the dump is one, whole and unchanged.
func (d *dump) check() error {
	if d.Format != dumpFormat {
		return fmt.Errorf("not a dump of a ground problem: its format is %q, not %q", d.Format, dumpFormat)
	}
	if d.Version != dumpVersion {
		return fmt.Errorf("a dump of version %d; this program reads version %d", d.Version, dumpVersion)
	}
	sum, err := d.sum()
	if err != nil {
		return err
	}
	if sum != d.Checksum {
		return fmt.Errorf("the dump is damaged: its checksum is %s, not %q", sum, d.Checksum)
	}
	if len(d.Rules) != len(d.Weights) {
		return fmt.Errorf("%d weights for %d rules", len(d.Weights), len(d.Rules))
	}
	if d.Variables > math.MaxInt32 {
		return fmt.Errorf("%d variables are more than a problem can have", d.Variables)
	}
	return nil
}

// mostIdle is how many variables may be in no potential: a number costs nothing in a file, but variables do in memory.
const mostIdle = 1 << 20

// model makes the dump's model, checked.
func (d *dump) model() (*mrf.Model, error) {
	m := &mrf.Model{Variables: d.Variables, Inputs: len(d.Inputs), Rules: len(d.Weights)}
	written := 0
	for k := range d.Blocks {
		written += len(d.Blocks[k].Variables)
	}
	if d.Variables > written+mostIdle {
		return nil, fmt.Errorf("%d variables, but potentials have %d at most", d.Variables, written)
	}
	for k := range d.Blocks {
		b := &d.Blocks[k]
		kind := slices.Index(kinds, b.Kind)
		most := len(b.Variables) + len(b.Inputs) + len(b.Start) + len(b.InputStart) // a potential has one at least
		if kind < 0 || b.Potentials < 0 || b.Potentials > most {
			return nil, fmt.Errorf("block %d: %d potentials of the kind %q", k, b.Potentials, b.Kind)
		}
		m.Blocks = append(m.Blocks, &mrf.Block{Rule: b.Rule, Kind: mrf.Kind(kind), Exponent: b.Exponent,
			Len: b.Potentials, Constant: b.Constant, Coef: b.Coefficients, InputCoef: b.InputCoefficients,
			VarStart: b.Start, VarCoef: mrf.Reals{Single: b.Values, Double: b.DoubleValues}, InputStart: b.InputStart,
			InputValue: mrf.Reals{Single: b.InputValues, Double: b.DoubleInputValues}, Vars: b.Variables,
			Inputs: b.Inputs, Bias: b.Biases, Bias64: b.DoubleBiases, Scale: b.Scales})
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	for _, b := range m.Blocks {
		b.Compact()
	}
	return m, nil
}
