package worker

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// opening is a program with its data, as the requests open and check have it: rules with tables, or the path of a
// configuration, to which predicates and tables are added.
type opening struct {
	Rules      string           `json:"rules"`
	Path       string           `json:"path"`
	Predicates []jsontext.Value `json:"predicates"`
	Tables     []table          `json:"tables"`
	Features   []vectors        `json:"features"`
	Options    options          `json:"options"`

	external func(network string) neural.External
}

// options are those of a session.
type options struct {
	Seed     uint64            `json:"seed"`
	Threads  int               `json:"threads"`
	Memory   int64             `json:"memory"`
	Gap      float64           `json:"gap"`
	Method   string            `json:"method"`
	Learning string            `json:"learning"`
	Epochs   *int              `json:"epochs"`
	Set      map[string]string `json:"set"`
}

func (o *options) settings() deeppsl.Options {
	return deeppsl.Options{Seed: o.Seed, Threads: o.Threads, Memory: o.Memory, Gap: o.Gap, Method: o.Method,
		Learning: o.Learning, Epochs: o.Epochs, Set: o.Set}
}

// predicate declares a predicate.
type predicate struct {
	Name       string   `json:"name"`
	Types      []string `json:"types"`
	Measure    string   `json:"measure"`
	Similar    *similar `json:"similar"`
	Derive     []string `json:"derive"`
	Network    *network `json:"network"`
	Evaluators []string `json:"evaluators"`
}

// similar are pairs of strings that are alike.
type similar struct {
	Measure   string  `json:"measure"`
	Column    string  `json:"column"`
	Threshold float64 `json:"threshold"`
}

// network is what a predicate's network is.
type network struct {
	Name    string         `json:"name"`
	Spec    jsontext.Value `json:"spec"` // as configurations write networks
	Classes []string       `json:"classes"`
	Atoms   []string       `json:"atoms"`
	Teacher string         `json:"teacher"`
	// External says that the one who asks computes the network: by calls.
	External bool `json:"external"`
}

var types = []string{deeppsl.String: "string", deeppsl.Int: "int", deeppsl.Float: "float"}

// declared reads a declaration.
func (o *opening) declared(text jsontext.Value) (d deeppsl.Predicate, err error) {
	var p predicate
	if err := json.Unmarshal(text, &p, json.RejectUnknownMembers(true)); err != nil {
		return d, wrong{fmt.Errorf("a predicate: %w", err)}
	}
	d = deeppsl.Predicate{Name: p.Name, Measure: p.Measure, Derive: p.Derive, Evaluators: p.Evaluators}
	for _, name := range p.Types {
		t := slices.Index(types, name)
		if t < 0 {
			return d, wrong{fmt.Errorf("the type %q of %s is none of %q", name, p.Name, types)}
		}
		d.Types = append(d.Types, deeppsl.Type(t))
	}
	if s := p.Similar; s != nil {
		d.Similar = &deeppsl.Similar{Measure: s.Measure, Column: s.Column, Threshold: s.Threshold}
	}
	if p.Network == nil {
		return d, nil
	}
	d.Network, err = p.Network.declared()
	if err == nil && p.Network.External {
		d.Network.Spec.External = o.external(cmp.Or(p.Network.Name, p.Name))
	}
	return d, err
}

func (n *network) declared() (*deeppsl.Network, error) {
	d := &deeppsl.Network{Classes: n.Classes, Atoms: n.Atoms, Teacher: n.Teacher}
	if n.Spec != nil {
		if err := json.Unmarshal(n.Spec, &d.Spec); err != nil {
			if key := (*neural.SpecError)(nil); errors.As(err, &key) { // without the words of the decoder
				err = key
			}
			return nil, unfit{"config-network", fmt.Errorf("the network %s: %w", n.Name, err)}
		}
	}
	d.Spec.Name = n.Name
	return d, nil
}

// vectors are the features of a network, by numbers of arrays.
type vectors struct {
	Network string `json:"network"`
	IDs     int    `json:"ids"`
	Width   int    `json:"width"`
	Values  *int   `json:"values"` // none if another program has them
	// Columns are those of a table with texts and gaps, in place of width and values.
	Columns []featureColumn `json:"columns"`
}

// featureColumn is one of them: its cells are a str.
type featureColumn struct {
	Name     string `json:"name"`
	Cells    int    `json:"cells"`
	Category bool   `json:"category"` // whether its numbers are names
}

// program makes a program and its data.
func (o *opening) program(r *request) (*deeppsl.Program, *deeppsl.Data, error) {
	var declarations []deeppsl.Predicate
	for _, text := range o.Predicates {
		d, err := o.declared(text)
		if err != nil {
			return nil, nil, err
		}
		declarations = append(declarations, d)
	}
	p, data, err := o.parse(declarations)
	if err != nil {
		return nil, nil, err
	}
	for k := range o.Tables {
		if err := o.Tables[k].addTo(data, r); err != nil {
			return nil, nil, err
		}
	}
	for _, f := range o.Features {
		if err := f.addTo(data, r); err != nil {
			return nil, nil, err
		}
	}
	return p, data, nil
}

func (o *opening) parse(declarations []deeppsl.Predicate) (*deeppsl.Program, *deeppsl.Data, error) {
	switch {
	case o.Path != "" && o.Rules != "":
		return nil, nil, wrong{errors.New("there are rules, or the path of a configuration, and not both")}
	case o.Path != "":
		return deeppsl.Open(o.Path, declarations...)
	}
	p, err := deeppsl.Parse(o.Rules, declarations...)
	if err != nil {
		return nil, nil, err
	}
	return p, deeppsl.NewData(p), nil
}

func (f *vectors) addTo(data *deeppsl.Data, r *request) error {
	ids, err := r.array(f.IDs, "str")
	if err != nil {
		return err
	}
	made, err := features.NewNames(ids.strings())
	switch {
	case f.Columns != nil:
		made, err = f.table(ids.strings(), r)
	case f.Values != nil:
		var values *array
		if values, err = r.array(*f.Values, "f4"); err != nil {
			return err
		}
		if values.Length != f.Width*ids.Length {
			return wrong{fmt.Errorf("the features of %s: %d rows of %d have as many values, and not %d", f.Network, ids.Length,
				f.Width, values.Length)}
		}
		made, err = features.NewDense(ids.strings(), f.Width, values.float32s())
	}
	if err != nil {
		return unfit{"feature-row", fmt.Errorf("the features of %s: %w", f.Network, err)}
	}
	data.Features(f.Network, made)
	return nil
}

// table makes features of columns of text.
func (f *vectors) table(ids []string, r *request) (*features.Table, error) {
	names, columns, categories := make([]string, len(f.Columns)), make([][]string, len(f.Columns)), []string(nil)
	for k, column := range f.Columns {
		cells, err := r.array(column.Cells, "str")
		if err != nil {
			return nil, err
		}
		names[k], columns[k] = column.Name, cells.strings()
		if column.Category {
			categories = append(categories, column.Name)
		}
	}
	return features.NewTable(ids, names, columns, categories)
}

// array returns an array of a request by its number, which must be of a type.
func (r *request) array(k int, kind string) (*array, error) {
	if k < 0 || k >= len(r.arrays) {
		return nil, wrong{fmt.Errorf("there is no array %d: there are %d, numbered from 0", k, len(r.arrays))}
	}
	if a := &r.arrays[k]; a.Type == kind {
		return a, nil
	}
	return nil, wrong{fmt.Errorf("array %d has the type %s, and not %s", k, r.arrays[k].Type, kind)}
}
