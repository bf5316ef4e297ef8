package main

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/dataset"
)

// The program of examples/digits: columns and carries.
const numberRules = `
fixed 1: Column(J, +K, +C, D1, +D2, +R, +E) = First(J, D1) ^2
fixed 1: Column(J, +K, +C, +D1, D2, +R, +E) = Second(J, D2) ^2
Column(J, +K, +C, +D1, +D2, R, +E) = Result(J, R) .
Column(J, +K, C, +D1, +D2, +R, +E) = Carry(J, C) .
Column(+J, K, +C, +D1, +D2, +R, E) = Carry(K, E) .
fixed 0.00001: Column(J, K, C, D1, D2, R, E) <= First(J, D1) + Second(J, D2) - 1 ^2
`

// numbers are sums of numbers of two digits, as examples/digits ships them but for their weight decay, the default.
func numbers(seed uint64) (*problem, error) {
	const train, perExample = 300, 4
	random := newRandom("numbers", seed)
	images := dataset.DrawDigits(perExample*(train+tests/2), random.Uint64())
	p := newProject(numberRules)
	p.config.Networks["reader"] = &network{Kind: "cnn", Preset: "lenet5", Features: "images.idx", Format: "idx"}
	for _, name := range []string{"First/2", "Second/2"} {
		p.declare(name, predicate{Neural: &neural{Network: "reader", Class: one(), Classes: names("", 10),
			Slots: []string{"0", "1"}}})
	}
	p.declare("Column/7", predicate{Targets: []string{"columns.tsv"}})
	p.declare("Carry/2", predicate{Observations: []string{"nothing.tsv"}, Targets: []string{"carries.tsv"}})
	p.declare("Result/2", predicate{Targets: []string{"results.tsv"}})
	p.config.Examples = map[string]any{"learn": "train.csv", "infer": "test.csv"}
	p.config.Options = map[string]string{"learn.method": "energy", "learn.epochs": "40", "learn.batch": "4",
		"learn.rate.networks": "0.002", "learn.schedule": "linear", "inference.gap": "1e-6"}
	p.additions()
	b := p.table("images.idx")
	for _, size := range []uint32{0x803, uint32(images.Len()), uint32(images.Rows), uint32(images.Columns)} {
		if err := binary.Write(b, binary.BigEndian, size); err != nil {
			return nil, err
		}
	}
	b.Write(images.Pixels)
	for at := 0; at < images.Len(); at += perExample {
		table := p.table("train.csv")
		if at >= train*perExample {
			table = p.table("test.csv")
		}
		if table.Len() == 0 {
			fmt.Fprintln(table, "First(0),First(1),Second(0),Second(1),Result(0),Result(1),Carry(2)")
		}
		digit := func(k int) int { return int(images.Labels[at+k]) }
		total := digit(0) + 10*digit(1) + digit(2) + 10*digit(3)
		fmt.Fprintf(table, "%d,%d,%d,%d,%d,%d,%d\n", at, at+1, at+2, at+3, total%10, total/10%10, total/100)
	}
	return &problem{project: p, score: score{"all labels", "Examples", "Accuracy"}, reference: 100}, nil
}

// additions writes what is true of two columns.
func (p *setting) additions() {
	p.row("nothing.tsv", 0, 0, 1)
	p.row("nothing.tsv", 0, 1, 0)
	for column := range 2 {
		for carry := range 2 {
			p.row("carries.tsv", column+1, carry)
			for a := range 100 * (1 - carry*(1-column)) { // nothing is carried into the first
				total := a/10 + a%10 + carry
				p.row("columns.tsv", column, column+1, carry, a/10, a%10, total%10, total/10)
			}
		}
		for result := range 10 {
			p.row("results.tsv", column, strconv.Itoa(result))
		}
	}
}
