package deeppsl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural"
)

// Data are the atoms of a program, and what is known about them. Its methods note where rows come from; sessions read
// them, and say what is wrong with them. It may be used by several sessions, but not changed by several goroutines.
type Data struct {
	program  *Program
	parts    map[*load.Predicate]*parts
	features map[string]*neural.Features
	examples [3]*load.Data
	facts    [3][]load.FactTable
	errors   []error
	phase    *Phase // what During chose; nil for all
	whole    *Data  // what During was called on; nil for a whole
}

// parts are the rows of one predicate, by what they are.
type parts struct{ observations, targets, truth, inputs load.Partition }

// NewData returns data of a program without any atoms.
func NewData(p *Program) *Data {
	return &Data{program: p, parts: make(map[*load.Predicate]*parts), features: make(map[string]*neural.Features)}
}

// Open reads a program with its data from a configuration in JSON or YAML, or from the .data file of a classic program
// with the rules of the same name beside it; see docs/configuration.md. Predicates add to what it declares: above all
// functions, which files cannot have.
func Open(path string, predicates ...Predicate) (*Program, *Data, error) {
	config, err := project.ReadConfig(path)
	if err != nil {
		return nil, nil, explained(err)
	}
	var diags source.Diagnostics
	p := newProgram(config)
	p.declare(predicates, &diags)
	if err := diags.Err(); err != nil {
		return nil, nil, explained(err)
	}
	return p, p.takeData(), nil
}

// A Source is a table: one of Rows, Values, File and what Reader returns. A row has an atom's arguments, and may have
// its truth value in [0, 1] behind them, which is otherwise 1.
type Source interface{ table() (load.Data, error) }

// Rows is a table of strings: either each row ends with a truth value, or none does.
type Rows [][]string

// Values are arguments with truth values.
type Values iter.Seq2[[]string, float64]

// File is a file of rows, in the format that its name says: .csv, .jsonl, .parquet in programs that import the package
// deeppsl/parquet, or else between tabs; each may be compressed by gzip. FS is where it is; nil means the files of the
// operating system.
type File struct {
	FS   fs.FS
	Path string
}

func (r Rows) table() (load.Data, error) { return load.Data{Rows: slices.Values(r)}, nil }

func (v Values) table() (load.Data, error) {
	return load.Data{Values: iter.Seq2[[]string, float64](v)}, nil
}

func (f File) table() (load.Data, error) {
	if f.FS == nil {
		return load.Data{Path: f.Path}, nil
	}
	return load.Data{Path: f.Path, Open: func(path string) (io.ReadCloser, error) { return f.FS.Open(path) }}, nil
}

// Reader is a table that is read from r, at once, as a file of this name would be.
func Reader(name string, r io.Reader) Source {
	text, err := io.ReadAll(r)
	return readText{name, string(text), err}
}

type readText struct {
	name, text string
	err        error
}

func (r readText) table() (load.Data, error) {
	return load.Data{Path: r.name, Open: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(r.text)), nil
	}}, r.err
}

// During returns the same data for what belongs to one phase alone, such as the truth that is held back from learning.
// What is noted without it belongs to all phases.
func (d *Data) During(phase Phase) *Data {
	if phase > Inference {
		panic(fmt.Sprintf("deeppsl: there is no phase %d", phase))
	}
	part := *d
	part.phase = &phase
	if part.whole == nil {
		part.whole = d
	}
	return &part
}

// Observe adds atoms whose values are known for good. An atom of a predicate without targets that is nowhere is 0.
func (d *Data) Observe(predicate string, rows Source) {
	d.add(predicate, rows, func(p *parts) *load.Partition { return &p.observations })
}

// Target adds atoms whose values inference finds.
func (d *Data) Target(predicate string, rows Source) {
	d.add(predicate, rows, func(p *parts) *load.Partition { return &p.targets })
}

// Given adds atoms whose values are known but may change while a session lives; see Session.SetValue. They cost more
// than observed ones, which are folded away.
func (d *Data) Given(predicate string, rows Source) {
	d.add(predicate, rows, func(p *parts) *load.Partition { return &p.inputs })
}

// Truth adds known values of targets, or of what networks say: to learn from, and to evaluate by. Truth During the
// phase Validation is what learning chooses the best epoch by; without any, it keeps the last.
func (d *Data) Truth(predicate string, rows Source) {
	of := func(p *parts) *load.Partition { return &p.truth }
	if d.phase != nil {
		d.add(predicate, rows, of)
		return
	}
	d.During(Learning).add(predicate, rows, of)
	d.During(Inference).add(predicate, rows, of)
}

// Features gives a network the feature vectors of what its predicate is about; see the package neural for how they are
// made of slices, readers and files.
func (d *Data) Features(network string, features *neural.Features) {
	if d.program.networks[network].Features == "" {
		d.fail(fmt.Errorf("there is no network %s that has features of its own", network))
	}
	d.features[network] = features
}

func (d *Data) fail(err error) {
	if d.whole != nil {
		d = d.whole
	}
	d.errors = append(d.errors, err)
}

// add notes rows in a partition of a predicate.
func (d *Data) add(predicate string, rows Source, of func(*parts) *load.Partition) {
	declared := d.program.find(predicate)
	if declared == nil {
		d.fail(fmt.Errorf("there is no predicate %s%s", predicate, d.program.didYouMean(predicate)))
		return
	}
	if rows == nil {
		d.fail(fmt.Errorf("no rows are given for %s; none at all are deeppsl.Rows{}", declared.Name))
		return
	}
	table, err := rows.table()
	if err != nil {
		d.fail(fmt.Errorf("reading rows of %s: %w", declared.Name, err))
		return
	}
	if d.parts[declared] == nil {
		d.parts[declared] = new(parts)
	}
	partition := of(d.parts[declared])
	if d.phase == nil {
		partition.All = append(partition.All, table)
	} else {
		partition.Phases[*d.phase] = append(partition.Phases[*d.phase], table)
	}
}

// didYouMean names the predicate whose name is most like one that there is not.
func (p *Program) didYouMean(name string) string {
	var names []string
	for _, k := range p.config.Predicates {
		names = append(names, k.Name)
	}
	if hint := source.Suggest(name, names); hint != "" {
		return "; " + hint
	}
	return ""
}

// takeData moves the data of a configuration out of its program.
func (p *Program) takeData() *Data {
	d := NewData(p)
	for _, k := range p.config.Predicates {
		d.parts[k] = &parts{k.Observations, k.Targets, k.Truth, k.Inputs}
		k.Observations, k.Targets, k.Truth, k.Inputs = load.Partition{}, load.Partition{}, load.Partition{}, load.Partition{}
	}
	d.examples, d.facts = p.config.Examples, p.config.Facts
	p.config.Examples, p.config.Facts = [3]*load.Data{}, [3][]load.FactTable{}
	return d
}

// configure puts program and data together.
func (d *Data) configure() (*load.Config, error) {
	if err := errors.Join(d.errors...); err != nil {
		return nil, err
	}
	config := *d.program.config
	config.Predicates = nil
	for _, k := range d.program.config.Predicates {
		rows := d.parts[k]
		if rows == nil && d.program.implied[strings.ToLower(k.Name)] {
			continue // nothing says anything about it but rules, which compiling will refuse
		}
		declared := *k
		declared.Types = slices.Clone(k.Types)
		declared.Evaluations = slices.Clone(k.Evaluations)
		if rows != nil {
			declared.Observations, declared.Targets = rows.observations, rows.targets
			declared.Truth, declared.Inputs = rows.truth, rows.inputs
		}
		config.Predicates = append(config.Predicates, &declared)
	}
	config.Examples, config.Facts = d.examples, d.facts
	return &config, config.Resolve()
}
