package deeppsl

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"

	"github.com/deeppsl/deeppsl/internal/declare"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/neural/features"
)

// Data are the atoms of a program, and what is known about them. Its methods note where rows come from; sessions read
// them, and say what is wrong with them. It may be used by several sessions, but not changed by several goroutines.
type Data struct {
	declared *declare.Data
	phase    *Phase // what During chose; nil for all
}

// NewData returns data of a program without any atoms.
func NewData(p *Program) *Data { return &Data{declared: declare.NewData(p.declared)} }

// Open reads a program with its data from a configuration in JSON or YAML, or from the .data file of a classic program
// with the rules of the same name beside it; see docs/configuration.md. Predicates add to what it declares: above all
// functions, which files cannot have.
func Open(path string, predicates ...Predicate) (*Program, *Data, error) {
	config, err := project.ReadConfig(path)
	if err != nil {
		return nil, nil, explained(err)
	}
	p, data, err := declare.Open(config, declarations(predicates))
	if err != nil {
		return nil, nil, explained(err)
	}
	return &Program{p}, &Data{declared: data}, nil
}

// A Source is a table: one of Rows, Values, Columns, File, Derived and what Reader returns. A row has an atom's
// arguments, and may have its truth value in [0, 1] behind them, which is otherwise 1.
type Source interface{ table() (load.Data, error) }

// Rows is a table of strings: either each row ends with a truth value, or none does.
type Rows [][]string

// Values are arguments with truth values.
type Values iter.Seq2[[]string, float64]

// Columns is a table by columns, which is read fastest: constants, and for each row the indices of its own.
type Columns struct {
	Constants [][]string // by argument
	Rows      [][]int32  // by argument
	Truth     []float64  // by row; nil if all are 1
}

// File is a file of rows, in the format that its name says: .csv, .jsonl, .parquet in programs that import the package
// deeppsl/parquet, or else between tabs; each may be compressed by gzip. Without FS it is the system's.
type File struct {
	FS   fs.FS
	Path string
	// Columns are those that are taken, by the names in the file: those of the arguments in order, and perhaps that of
	// the truth value. Rows that differ in others only are one; those with an empty field are left out. nil takes all.
	Columns []string
}

// Derived is a rule that makes targets of what is known, but for what is observed or listed: "Same(A, B) <- In(A, B)".
type Derived string

func (r Rows) table() (load.Data, error) { return load.Data{Rows: slices.Values(r)}, nil }

func (v Values) table() (load.Data, error) {
	return load.Data{Values: iter.Seq2[[]string, float64](v)}, nil
}

func (c Columns) table() (load.Data, error) { return (*load.Columns)(&c).Data() }

func (f File) table() (load.Data, error) {
	data := load.Data{Path: f.Path, Choice: load.Choose(f.Columns)}
	if f.FS != nil {
		data.Open = func(path string) (io.ReadCloser, error) { return f.FS.Open(path) }
	}
	return data, nil
}

func (r Derived) table() (load.Data, error) { return declare.Derived(string(r)) }

// Reader is a table that is read from r, at once, as a file of this name would be.
func Reader(name string, r io.Reader) Source {
	text, err := io.ReadAll(r)
	open := func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	return read(func() (load.Data, error) { return load.Data{Path: name, Open: open}, err })
}

type read func() (load.Data, error)

func (r read) table() (load.Data, error) { return r() }

// During returns the same data for what belongs to one phase alone, such as the truth that is held back from learning.
// What is noted without it belongs to all phases.
func (d *Data) During(phase Phase) *Data {
	if phase > Inference {
		panic(fmt.Sprintf("deeppsl: there is no phase %d", phase))
	}
	return &Data{d.declared, &phase}
}

// Observe adds atoms whose values are known for good. An atom of a predicate without targets that is nowhere is 0.
func (d *Data) Observe(predicate string, rows Source) {
	d.add(predicate, rows, func(t *load.Tabled) *load.Partition { return &t.Observations })
}

// Target adds atoms whose values inference finds.
func (d *Data) Target(predicate string, rows Source) {
	d.add(predicate, rows, func(t *load.Tabled) *load.Partition { return &t.Targets })
}

// Given adds atoms whose values are known but may change while a session lives; see Session.SetValue. They cost more
// than observed ones, which are folded away.
func (d *Data) Given(predicate string, rows Source) {
	d.add(predicate, rows, func(t *load.Tabled) *load.Partition { return &t.Inputs })
}

// Truth adds known values of targets, or of what networks say: to learn from, and to evaluate by. Truth During the
// phase Validation is what learning chooses the best epoch by; without any, it keeps the last.
func (d *Data) Truth(predicate string, rows Source) {
	of := func(t *load.Tabled) *load.Partition { return &t.Truth }
	if d.phase != nil {
		d.add(predicate, rows, of)
		return
	}
	d.During(Learning).add(predicate, rows, of)
	d.During(Inference).add(predicate, rows, of)
}

// Features gives a network the features of what its predicate is about: features.NewDense, NewTable or ReadFiles.
func (d *Data) Features(network string, table *features.Table) {
	d.declared.Describe(network, table)
}

// add notes rows in a partition of a predicate.
func (d *Data) add(predicate string, rows Source, of func(*load.Tabled) *load.Partition) {
	var read func() (load.Data, error)
	if rows != nil {
		read = rows.table
	}
	d.declared.Add(predicate, (*load.Phase)(d.phase), of, read)
}
